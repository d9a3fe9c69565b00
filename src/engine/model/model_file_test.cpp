// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Model files: round trip and the checks of loading.
#include "engine/model/model_file.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>

#include "engine/model/test_models.h"
#include "revisit/error.h"
#include "revisit/model.h"

namespace revisit::model {
namespace {

std::string bytes_of_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_bytes(const std::filesystem::path& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

std::string load_error(const std::filesystem::path& path) {
  try {
    load_model_file(path);
    return "";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kBadModel) << error.what();
    return error.what();
  }
}

TEST(ModelFile, SavesAndLoadsTheSameModel) {
  const testing::TempFolder folder;
  const auto made = make_random(testing::tiny_config(), 5);
  save_model_file(folder / "m.safetensors", *made);
  const auto loaded = load_model_file(folder / "m.safetensors");
  EXPECT_EQ(to_metadata(loaded->config), to_metadata(made->config));
  EXPECT_EQ(fingerprint_of(loaded->weights), made->config.fingerprint);
  EXPECT_EQ(loaded->weights.all().size(), made->weights.all().size());
}

TEST(ModelFile, InfoTellsWhatTheModelIs) {
  const ModelInfo info = Model(make_random(testing::tiny_config(), 5)).info();
  EXPECT_EQ(info.arch, "vit");
  EXPECT_EQ(info.width, 16);
  EXPECT_EQ(info.depth, 2);
  EXPECT_EQ(info.aggregator, "weiad");
  EXPECT_EQ(info.clusters, 8);
  EXPECT_EQ(info.descriptor_dim, 8 * 4 + 6);
  EXPECT_EQ(info.own.prune, "weitop");
  EXPECT_EQ(info.own.kappa, 0.5);
  EXPECT_EQ(info.pos_rule, "hub");
  EXPECT_FALSE(info.min_similarity.has_value());
  // 16 wide: patches 16*3*14*14+16, cls 16, positions 10*16, norm 32; a block 16*48+48 + 16*16+16 + 64 norms + 32 scales + MLP
  const std::int64_t block = 16 * 48 + 48 + 16 * 16 + 16 + 64 + 32 + 32 * 16 + 32 + 16 * 32 + 16;
  const std::int64_t backbone = 16 * 588 + 16 + 16 + 160 + 32 + 2 * block;
  const std::int64_t head = 3 * (12 * 16 + 12) + (6 + 4 + 8) * 12 + (6 + 4 + 8) + 1 + 1 + 3;
  const std::int64_t pruner = 5 * 16 + 5 + 5 + 1;
  EXPECT_EQ(info.parameters, backbone + head + pruner);
}

TEST(ModelFile, EveryFlippedDataBitIsDetected) {
  const testing::TempFolder folder;
  const auto path = folder / "m.safetensors";
  save_model_file(path, *make_random(testing::tiny_config(), 5));
  const std::string good = bytes_of_file(path);
  std::uint64_t header = 0;
  std::memcpy(&header, good.data(), 8);
  const std::size_t data = 8 + header;
  ASSERT_LT(data, good.size());
  for (std::size_t i = 0; i < 64; ++i) {
    const std::size_t at = data + (good.size() - 1 - data) * i / 63;  // first to last data byte
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ (1 << (i % 8)));
    write_bytes(path, bad);
    EXPECT_NE(load_error(path).find("damaged"), std::string::npos) << "byte " << at;
  }
}

TEST(ModelFile, ChangedMetadataIsDetectedToo) {
  const testing::TempFolder folder;
  const auto path = folder / "m.safetensors";
  save_model_file(path, *make_random(testing::tiny_config(), 5));
  std::string bytes = bytes_of_file(path);
  const auto at = bytes.find("0.485");
  ASSERT_NE(at, std::string::npos);
  bytes[at + 2] = '5';
  write_bytes(path, bytes);
  EXPECT_NE(load_error(path).find("damaged"), std::string::npos);
}

TEST(ModelFile, AMissingOrMisshapenTensorIsNamed) {
  const testing::TempFolder folder;
  const auto made = make_random(testing::tiny_config(), 5);
  const auto write_without = [&](const std::string& victim, bool replace) {
    Weights weights;
    for (const auto& [name, tensor] : made->weights.all()) {
      if (name != victim) weights.add_f32(name, tensor.shape, to_f32(tensor));
    }
    if (replace) weights.add_f32(victim, {2, 2}, {1, 2, 3, 4});
    write_safetensors(folder / "m.safetensors", weights, to_metadata(made->config));
    return load_error(folder / "m.safetensors");
  };
  for (const std::string victim : {"backbone.model.blocks.1.ls2.gamma", "aggregator.thetaD", "weitop.0.bias"}) {
    EXPECT_NE(write_without(victim, false).find("'" + victim + "' is missing"), std::string::npos);
    EXPECT_NE(write_without(victim, true).find("'" + victim + "' is [2, 2]"), std::string::npos);
  }
}

TEST(ModelFile, ACheckpointThatIsNoModelFileIsRefusedWithAHint) {
  const testing::TempFolder folder;
  Weights weights;
  weights.add_f32("cls_token", {1, 1, 2}, {1, 2});
  write_safetensors(folder / "w.safetensors", weights, {{"format", "pt"}});
  try {
    Model::load(folder / "w.safetensors");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kBadModel);
    EXPECT_NE(error.hint().find("revisit model import"), std::string::npos);
  }
}

TEST(ModelFile, AFileThatIsNotThereIsNotFound) {
  const testing::TempFolder folder;
  try {
    Model::load(folder / "absent.safetensors");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kNotFound);
  }
}

TEST(Fingerprint, DependsOnNamesShapesAndValuesButNotOnTheStoredType) {
  const auto of = [](const std::string& name, std::vector<std::int64_t> shape, std::vector<float> values) {
    Weights weights;
    weights.add_f32(name, std::move(shape), std::move(values));
    return fingerprint_of(weights);
  };
  const auto base = of("a", {2}, {1, 2});
  EXPECT_NE(base, of("b", {2}, {1, 2}));
  EXPECT_NE(base, of("a", {2, 1}, {1, 2}));
  EXPECT_NE(base, of("a", {2}, {1, 2.5}));
  const std::vector<double> wide{1, 2};
  Weights weights;
  weights.add("a", TensorView{DType::kF64, {2}, reinterpret_cast<const std::byte*>(wide.data())}, nullptr);
  EXPECT_EQ(base, fingerprint_of(weights));
}

}  // namespace
}  // namespace revisit::model
