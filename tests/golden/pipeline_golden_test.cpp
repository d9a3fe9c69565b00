// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Whole models against recorded runs: SALAD and WeiAD + WeiToP end to end, every rho.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <regex>
#include <string>
#include <vector>

#include "golden.h"
#include "revisit/extractor.h"

namespace revisit {
namespace {

using testing::GoldenCase;

Model import_to_model(const GoldenCase& golden) {
  ImportOptions options;
  options.heads = golden.json()["constructor"]["backbone"]["num_heads"].get<int>();
  const auto out = std::filesystem::temp_directory_path() / ("revisit_pipeline_" + std::to_string(::getpid()) + ".safetensors");
  import_model(golden.checkpoint(), out, options);
  Model model = Model::load(out);
  std::filesystem::remove(out);  // stays mapped
  return model;
}

struct Input {
  std::string suffix;  // "_98x140"
  Size size;
  std::vector<std::vector<float>> images;
};

std::vector<Input> inputs_of(const GoldenCase& golden) {
  std::vector<Input> inputs;
  for (const auto& [key, entry] : golden.json()["tensors"].items()) {
    if (!key.starts_with("img")) continue;
    const auto array = golden.tensor(key);
    auto values = array.to_f32();
    for (float& v : values) v = v / 64 - 2;
    const auto each = static_cast<std::ptrdiff_t>(values.size()) / array.shape[0];
    Input input{key.substr(3), {static_cast<int>(array.shape[2]), static_cast<int>(array.shape[3])}, {}};
    for (std::int64_t b = 0; b < array.shape[0]; ++b)
      input.images.emplace_back(values.begin() + b * each, values.begin() + (b + 1) * each);
    inputs.push_back(std::move(input));
  }
  return inputs;
}

class SaladGolden : public ::testing::TestWithParam<const char*> {};

TEST_P(SaladGolden, GivesTheRecordedDescriptors) {
  REVISIT_REQUIRE_SHARED(std::filesystem::path("golden") / GetParam());
  const GoldenCase golden(GetParam());
  Extractor extractor(import_to_model(golden));
  for (const Input& input : inputs_of(golden)) {
    std::vector<float> descriptors, cls;
    for (const auto& image : input.images) {
      Trace trace;
      const auto descriptor = extractor.describe_tensor(image, input.size, &trace);
      descriptors.insert(descriptors.end(), descriptor.begin(), descriptor.end());
      cls.insert(cls.end(), trace.cls.values.begin(), trace.cls.values.end());
    }
    golden.expect_close("descriptor" + input.suffix, descriptors);
    if (golden.has("cls" + input.suffix)) golden.expect_close("cls" + input.suffix, cls);
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, SaladGolden, ::testing::Values("salad_e2e", "salad_lightning"),
                         [](const auto& one) { return std::string(one.param); });

TEST(WeitopGolden, GivesTheRecordedKeptTokensAndDescriptorsAtEveryRho) {
  REVISIT_REQUIRE_SHARED("golden/weitop_e2e");
  const GoldenCase golden("weitop_e2e");
  const Model model = import_to_model(golden);
  int checked = 0;
  for (const Input& input : inputs_of(golden)) {
    for (const auto& [key, entry] : golden.json()["tensors"].items()) {
      std::smatch match;
      const std::regex pattern("descriptor" + input.suffix + "_rho([0-9.]+)");
      if (!std::regex_match(key, match, pattern)) continue;
      const std::string suffix = input.suffix + "_rho" + match[1].str();
      DescriptorSpec options;
      options.rho = std::stod(match[1].str());
      Extractor extractor(model, options);
      Trace trace;
      golden.expect_close(key, extractor.describe_tensor(input.images[0], input.size, &trace));
      if (golden.has("kept" + suffix)) golden.expect_equal("kept" + suffix, trace.kept);
      if (golden.has("tier" + suffix)) golden.expect_equal("tier" + suffix, trace.tier);
      if (golden.has("alpha" + suffix)) golden.expect_close("alpha" + suffix, trace.alpha.values);
      if (golden.has("importance" + suffix)) golden.expect_close("importance" + suffix, trace.importance.values);
      golden.expect_close("student_logits" + input.suffix, trace.logits.values);
      golden.expect_close("prune_score" + input.suffix, trace.scores.values);
      if (golden.has("Xs" + input.suffix)) {
        const auto width = trace.tokens_block0.shape[1];
        const std::vector<float> patches(trace.tokens_block0.values.begin() + width, trace.tokens_block0.values.end());
        golden.expect_close("Xs" + input.suffix, patches);
      }
      ++checked;
    }
  }
  EXPECT_EQ(checked, 36);
}

}  // namespace
}  // namespace revisit
