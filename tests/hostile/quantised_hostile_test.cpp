// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Quantised model files whose bytes and scales do not fit, each with a checksum that does.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <set>

#include "engine/model/backbone_family.h"
#include "engine/model/test_models.h"
#include "revisit/error.h"

namespace revisit::model {
namespace {

using testing::TempFolder;
using testing::tiny_config;

struct Parts {
  std::map<std::string, std::vector<std::int8_t>> bytes;
  std::map<std::string, std::pair<std::vector<std::int64_t>, std::vector<float>>> floats;
  std::map<std::string, std::vector<std::int64_t>> shapes;  // of bytes
  std::map<std::string, std::string> metadata;
};

const std::string kWeight = "backbone.model.blocks.1.mlp.fc2.weight";
const std::string kItsScale = kWeight + kScale;

/// A quantised model that is right.
Parts good_parts() {
  Config config = tiny_config();
  config.quantised = kRotatedBytes;
  Parts out;
  out.metadata = to_metadata(config);
  std::set<std::string> narrow;
  for (const auto& layer : config.backbone.family().block_layers(config.backbone)) narrow.insert(layer + ".weight");
  for (const auto& [name, shape] : required_tensors(config)) {
    std::size_t count = 1;
    for (const auto side : shape) count *= static_cast<std::size_t>(side);
    if (narrow.contains(name)) {
      out.bytes[name].assign(count, 127);
      out.shapes[name] = shape;
    } else {
      out.floats[name] = {shape, std::vector<float>(count, 0.5F)};
    }
  }
  return out;
}

std::string answer(const std::function<void(Parts&)>& damage) {
  Parts parts = good_parts();
  damage(parts);
  Weights weights;
  for (const auto& [name, values] : parts.bytes)
    weights.add(name, {DType::kI8, parts.shapes.at(name), reinterpret_cast<const std::byte*>(values.data())}, nullptr);
  for (const auto& [name, tensor] : parts.floats) weights.add_f32(name, tensor.first, tensor.second);
  parts.metadata["checksum"] = checksum_of(weights, parts.metadata);
  const TempFolder folder;
  write_safetensors(folder / "q.safetensors", weights, parts.metadata);
  try {
    load_model_file(folder / "q.safetensors");
    return "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kBadModel) << error.what();
    EXPECT_NE(std::string(error.what()).find("q.safetensors'"), std::string::npos) << error.what();
    return error.what();
  }
}

void expect_refused(const std::string& part, const std::function<void(Parts&)>& damage) {
  const std::string sentence = answer(damage);
  EXPECT_NE(sentence.find(part), std::string::npos) << sentence << "\nexpected: " << part;
}

TEST(QuantisedFile, IsReadWhereEverythingFits) {
  EXPECT_EQ(answer([](Parts&) {}), "accepted");
}

TEST(QuantisedFile, ScalesMustBeThereAndOfTheRightShapeAndType) {
  expect_refused("tensor '" + kItsScale + "' is missing", [](Parts& parts) { parts.floats.erase(kItsScale); });
  expect_refused("tensor '" + kItsScale + "' is [15], but its config asks for [16]", [](Parts& parts) {
    parts.floats[kItsScale] = {{15}, std::vector<float>(15, 1.0F)};
  });
  expect_refused("tensor '" + kItsScale + "' is [16, 2]", [](Parts& parts) {
    parts.floats[kItsScale] = {{16, 2}, std::vector<float>(32, 1.0F)};
  });
  expect_refused("tensor '" + kItsScale + "' is I8", [](Parts& parts) {
    parts.floats.erase(kItsScale);
    parts.bytes[kItsScale].assign(16, 1);
    parts.shapes[kItsScale] = {16};
  });
}

TEST(QuantisedFile, ScalesMustBePositiveAndFinite) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const float bad : {0.0F, -0.0F, -1.0F, std::nanf(""), kInfinity, -kInfinity}) {
    expect_refused("tensor '" + kItsScale + "' holds ", [&](Parts& parts) { parts.floats[kItsScale].second[7] = bad; });
  }
}

TEST(QuantisedFile, BytesMustBeThereAndSymmetric) {
  expect_refused("tensor '" + kWeight + "' is missing", [](Parts& parts) { parts.bytes.erase(kWeight); });
  expect_refused("tensor '" + kWeight + "' holds -128", [](Parts& parts) { parts.bytes[kWeight].back() = -128; });
  expect_refused("tensor '" + kWeight + "' is [16, 31]", [](Parts& parts) {
    parts.bytes[kWeight].resize(16 * 31);
    parts.shapes[kWeight] = {16, 31};
  });
  expect_refused("is quantised, but tensor '" + kWeight + "' is F32, not I8", [](Parts& parts) {
    parts.bytes.erase(kWeight);
    parts.floats[kWeight] = {{16, 32}, std::vector<float>(16 * 32, 0.5F)};
  });
}

TEST(QuantisedFile, OnlyTheMatricesOfBlocksAreInBytesAndOnlyUnderAKnownScheme) {
  expect_refused("is I8, not floating point", [](Parts& parts) { parts.metadata.erase("quantised"); });
  expect_refused("tensor 'weitop.0.weight' is I8, not floating point", [](Parts& parts) {
    parts.floats.erase("weitop.0.weight");
    parts.bytes["weitop.0.weight"].assign(5 * 16, 1);
    parts.shapes["weitop.0.weight"] = {5, 16};
  });
  expect_refused("its matrices are stored as 'rotated-int8/2', but this version of revisit reads 'rotated-int8/1'",
                 [](Parts& parts) { parts.metadata["quantised"] = "rotated-int8/2"; });
  expect_refused("its matrices are stored as '?[2J",
                 [](Parts& parts) { parts.metadata["quantised"] = "\x1b[2J" + std::string(900, 'x'); });
}

}  // namespace
}  // namespace revisit::model
