// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// One state dict recorded in every container: each must give the same values, and the damaged files must be refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "golden.h"
#include "engine/model/containers.h"

namespace revisit::model {
namespace {

struct Recorded {
  std::string root;
  std::string prefix;
};

// Where each file keeps the tensors, as its description says.
const std::map<std::string, Recorded> kFiles = {
    {"zip.pth", {"", ""}},
    {"legacy.pth", {"", ""}},
    {"zip_plain_dict.pt", {"", ""}},
    {"zip_proto4.pth", {"", ""}},
    {"nested_module.pth", {"model_state_dict", "module."}},
    {"teacher_backbone.pth", {"teacher", "backbone."}},
    {"nested_legacy.pth", {"state_dict", ""}},
    {"all.safetensors", {"", ""}},
    {"unordered_header.safetensors", {"", ""}},
};

const std::map<std::string, DType> kTorchDTypes = {{"torch.float64", DType::kF64}, {"torch.float32", DType::kF32},
                                                   {"torch.float16", DType::kF16}, {"torch.bfloat16", DType::kBF16},
                                                   {"torch.int64", DType::kI64},   {"torch.int32", DType::kI32},
                                                   {"torch.uint8", DType::kU8},    {"torch.bool", DType::kBool}};

TEST(CheckpointGolden, EveryContainerGivesTheRecordedTensors) {
  REVISIT_REQUIRE_SHARED("golden/ckpt_formats/case.json");
  const testing::GoldenCase recorded("ckpt_formats");
  for (const auto& [file, expected] : kFiles) {
    SCOPED_TRACE(file);
    const Checkpoint checkpoint = read_checkpoint(recorded.folder() / file);
    EXPECT_EQ(checkpoint.root, expected.root);
    std::size_t compared = 0;
    for (const auto& [key, value] : recorded.json()["tensors"].items()) {
      const std::string name = expected.prefix + key.substr(2);  // recorded as t_<name>
      ASSERT_TRUE(checkpoint.weights.contains(name)) << name;
      const TensorView& tensor = checkpoint.weights.at(name);
      EXPECT_EQ(tensor.shape, value["shape"].get<std::vector<std::int64_t>>()) << name;
      EXPECT_EQ(tensor.dtype, kTorchDTypes.at(value["torch_dtype"].get<std::string>())) << name;
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(tensor.data) % bytes_of(tensor.dtype), 0U) << name;
      recorded.expect_close(key, to_f32(tensor));
      ++compared;
    }
    EXPECT_EQ(compared, checkpoint.weights.all().size());
  }
}

TEST(CheckpointGolden, EveryCheckpointListedIsReadOrRefused) {
  REVISIT_REQUIRE_SHARED("golden/ckpt_formats/case.json");
  const testing::GoldenCase recorded("ckpt_formats");
  const auto& refused = recorded.json()["values"]["must_be_rejected"];
  for (const auto& checkpoint : recorded.json()["checkpoints"]) {
    const auto file = checkpoint["file"].get<std::string>();
    EXPECT_TRUE(kFiles.contains(file) || std::ranges::find(refused, checkpoint["file"]) != refused.end()) << file;
  }
}

TEST(CheckpointGolden, DamagedFilesAreRefused) {
  REVISIT_REQUIRE_SHARED("golden/ckpt_formats/case.json");
  const testing::GoldenCase recorded("ckpt_formats");
  const auto& refused = recorded.json()["values"]["must_be_rejected"];
  ASSERT_EQ(refused.size(), 5U);
  for (const auto& file : refused) {
    try {
      read_checkpoint(recorded.folder() / file.get<std::string>());
      ADD_FAILURE() << file << " was accepted";
    } catch (const Error& error) {
      EXPECT_TRUE(error.code() == ErrorCode::kBadModel || error.code() == ErrorCode::kLimit) << file << ": " << error.what();
      EXPECT_NE(std::string(error.what()).find(file.get<std::string>()), std::string::npos) << error.what();
    }
  }
  try {
    read_checkpoint(recorded.folder() / "unsafe_global.pth");
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("print', which is not allowed"), std::string::npos) << error.what();
  }
}

// Every checkpoint of the recorded cases, whatever model it belongs to.
TEST(CheckpointGolden, AllRecordedCheckpointsAreReadable) {
  REVISIT_REQUIRE_SHARED("golden/ckpt_formats/case.json");
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(testing::shared_folder() / "golden")) {
    const std::string extension = entry.path().extension();
    const bool checkpoint = extension == ".pth" || extension == ".ckpt" || extension == ".pt" || extension == ".safetensors";
    if (!checkpoint || entry.path().parent_path().filename() == "ckpt_formats") continue;
    EXPECT_NO_THROW({
      const Checkpoint read = read_checkpoint(entry.path());
      EXPECT_FALSE(read.weights.all().empty()) << entry.path();
    }) << entry.path();
    ++files;
  }
  EXPECT_GE(files, 30);
}

TEST(CheckpointGolden, ARealModelCutAtRandomBytesIsRefused) {
  REVISIT_REQUIRE_SHARED("golden/ckpt_formats/case.json");
  const auto golden = testing::shared_folder() / "golden";
  std::mt19937_64 random(7);
  for (const char* relative :
       {"salad_e2e/dino_salad.ckpt", "mixvpr_head/legacy_mixvpr.ckpt", "dinov2_plain_hf/model.safetensors"}) {
    if (!std::filesystem::exists(golden / relative)) continue;
    const auto bytes = read_file(golden / relative, 1'000'000'000);
    for (int i = 0; i < 512; ++i) {
      const std::size_t length = random() % bytes.size();
      EXPECT_THROW(parse_checkpoint(std::span(bytes).first(length), nullptr, relative), Error)
          << relative << " cut to " << length;
    }
  }
}

}  // namespace
}  // namespace revisit::model
