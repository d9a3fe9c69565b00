// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// What narrow arithmetic costs, on real weights and real photos: random weights would prove nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "revisit/embedded.h"
#include "revisit/extractor.h"
#include "shared_data.h"
#include "test_files.h"

namespace revisit {
namespace {

double cosine(const float* a, const float* b, std::size_t count) {
  double dot = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < count; ++i) {
    dot += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    aa += static_cast<double>(a[i]) * static_cast<double>(a[i]);
    bb += static_cast<double>(b[i]) * static_cast<double>(b[i]);
  }
  return dot / std::sqrt(aa * bb);
}

struct Agreement {
  double tokens = 0;       // mean cosine of patch tokens
  double descriptors = 0;  // lowest cosine of descriptors
};

Agreement agreement(const Model& model, const DescriptorSpec& spec, const std::string& precision, const std::vector<Image>& photos) {
  DescriptorSpec narrow = spec;
  narrow.precision = precision;
  Extractor exact(model, spec), fast(model, narrow);
  Agreement out{0, 1};
  std::size_t count = 0;
  for (const Image& photo : photos) {
    Trace a, b;
    const auto one = exact.describe(photo, &a), other = fast.describe(photo, &b);
    out.descriptors = std::min(out.descriptors, cosine(one.data(), other.data(), one.size()));
    const auto width = static_cast<std::size_t>(a.patches.shape[1]);
    for (std::size_t i = 0; i < a.patches.values.size(); i += width, ++count)
      out.tokens += cosine(&a.patches.values[i], &b.patches.values[i], width);
  }
  out.tokens /= static_cast<double>(count);
  return out;
}

std::vector<Image> photos() {
  std::vector<Image> out;
  for (const char* folder : {"gardens_point/day_left", "gardens_point/night_right", "sped607/query"}) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(testing::shared_folder() / "data" / folder)) files.push_back(entry.path());
    std::ranges::sort(files);
    for (std::size_t i = 0; i < 2; ++i) out.push_back(load_image(files.at(i * 97 % files.size())));
  }
  return out;
}

void expect_near(const Model& model, const DescriptorSpec& spec, const std::string& name) {
  const auto some = photos();
  for (const char* precision : {"bf16", "int8"}) {
    const Agreement found = agreement(model, spec, precision, some);
    std::printf("%s %s: mean cosine of tokens %.5f, lowest of descriptors %.5f\n", name.c_str(), precision, found.tokens, found.descriptors);
    EXPECT_GE(found.tokens, 0.995) << name << ' ' << precision;
    EXPECT_GE(found.descriptors, 0.98) << name << ' ' << precision;
  }
}

TEST(Precision, KeepsTheTokensOfDinov2) {
  REVISIT_REQUIRE_SHARED("weights");
  const testing::TemporaryFolder folder;
  import_model(testing::shared_folder() / "weights/dinov2_vits14_dav2/dinov2_vits14_dav2.safetensors", folder / "vits.safetensors");
  expect_near(Model::load(folder / "vits.safetensors"), {.aggregate = "gem"}, "ViT-S/14");
}

TEST(Precision, KeepsTheTokensOfAViTTiny) {
  REVISIT_REQUIRE_SHARED("weights");
  const testing::TemporaryFolder folder;
  import_model(testing::shared_folder() / "weights/vit_tiny_patch16_224/vit_tiny_patch16_224.safetensors", folder / "tiny.safetensors");
  expect_near(Model::load(folder / "tiny.safetensors"), {.aggregate = "gem"}, "ViT-Tiny/16");
}

TEST(Precision, KeepsTheTokensOfTheEmbeddedModel) {
  REVISIT_REQUIRE_SHARED("data");
  expect_near(embedded_model(), {}, "revisit-tiny");
}

}  // namespace
}  // namespace revisit
