// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// A quantised model file describes as its source does.
#include <gtest/gtest.h>

#include <numeric>

#include "core/tensor/byte_weights.h"
#include "core/tensor/narrow_kernels.h"
#include "engine/model/model_file.h"
#include "engine/model/test_models.h"
#include "revisit/error.h"
#include "revisit/extractor.h"

namespace revisit {
namespace {

using model::testing::TempFolder;

std::vector<float> described_in(const Model& model, const char* precision, int threads = 1) {
  Extractor extractor(model, {.precision = precision}, threads);
  std::vector<float> pixels(3 * 42 * 42);
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<float>(i * 7919 % 1000) / 500 - 1;
  return extractor.describe_tensor(pixels, {42, 42});
}

double likeness(const std::vector<float>& a, const std::vector<float>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// Matrices that are rotated and some that are not (sides of 16, 40 and 48), LayerScale, SwiGLU or not.
model::Config config_of(bool swiglu) {
  model::Config config = model::testing::tiny_config();
  config.vit().swiglu = swiglu;
  config.vit().ffn_hidden = swiglu ? 48 : 40;
  return config;
}

TEST(Quantised, GivesTheBitsOfItsSourceInInt8AndComesNearItOtherwise) {
  const bool any_bytes = tensor::byte_kernels().front()->most_pair >= tensor::kAnyPair;
  for (const bool swiglu : {false, true}) {
    const TempFolder folder;
    model::save_model_file(folder / "m", *model::make_random(config_of(swiglu), 3));
    const auto report = quantise_model(folder / "m", folder / "q");
    EXPECT_EQ(report.matrices, 8);
    EXPECT_EQ(report.bytes, std::filesystem::file_size(folder / "q"));
    const Model whole = Model::load(folder / "m"), small = Model::load(folder / "q");
    EXPECT_EQ(small.info().identity, whole.info().identity);
    EXPECT_EQ(small.info().parameters, whole.info().parameters);
    EXPECT_EQ(small.info().own.precision, "int8");
    EXPECT_EQ(small.info().quantised, model::kRotatedBytes);
    const auto exact = described_in(whole, "f32");
    const auto narrow = described_in(small, "int8");
    EXPECT_TRUE(!any_bytes || narrow == described_in(whole, "int8"));
    EXPECT_EQ(described_in(small, "int8", 3), narrow);
    for (const char* precision : {"f32", "bf16", "int8"})
      EXPECT_GT(likeness(described_in(small, precision), exact), 0.99) << precision;
    EXPECT_NE(described_in(small, "f32"), exact) << "from rounded weights";
  }
}

TEST(Quantised, TakesHalvesAndKeepsTheirIdentity) {
  const TempFolder folder;
  model::save_model_file(folder / "m", model::with_half_matrices(*model::make_random(config_of(false), 3)));
  quantise_model(folder / "m", folder / "q", {.precision = "int8"});
  const Model half = Model::load(folder / "m"), small = Model::load(folder / "q");
  EXPECT_EQ(small.info().identity, half.info().identity);
  EXPECT_EQ(small.info().own.precision, "int8");
  EXPECT_GT(likeness(described_in(small, "int8"), described_in(half, "int8")), 0.9999);
}

TEST(Quantised, IsNotMadeOfAModelThatIsQuantisedOrNotFinite) {
  const TempFolder folder;
  const auto refused = [&](const std::string& name, const std::string& part) {
    try {
      quantise_model(folder / name, folder / "out");
      ADD_FAILURE() << "accepted " << name;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
      EXPECT_FALSE(std::filesystem::exists(folder / "out"));
    }
  };
  const auto made = model::make_random(config_of(false), 3);
  model::save_model_file(folder / "m", *made);
  quantise_model(folder / "m", folder / "q");
  refused("q", "is quantised already");

  model::LoadedModel huge;
  huge.config = made->config;
  const std::string victim = "backbone.model.blocks.1.attn.proj.weight";
  for (const auto& [name, tensor] : made->weights.all()) {
    auto values = model::to_f32(tensor);
    if (name == victim) values.assign(values.size(), 3e38F);
    huge.weights.add_f32(name, tensor.shape, std::move(values));
  }
  model::save_model_file(folder / "huge", huge);
  refused("huge", "'" + victim + "' holds values that are not finite or far too large");
  huge.config.nonfinite = victim;
  model::save_model_file(folder / "nan", huge);
  refused("nan", "holds NaN or infinity in tensor '" + victim + "'");

  try {
    quantise_model(folder / "m", folder / "out", {.stop = [] { return true; }});
    FAIL() << "not stopped";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInterrupted);
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "out"));
  EXPECT_THROW(quantise_model(folder / "m", folder / "out", {.precision = "int4"}), Error);
}

}  // namespace
}  // namespace revisit
