// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The front end gives everybody what the extractor sees.
#include "engine/extract/front_end.h"

#include <gtest/gtest.h>

#include <vector>

#include "revisit/extractor.h"

namespace revisit {
namespace {

Image gradient(int width, int height) {
  Image image{width, height, {}};
  for (int i = 0; i < width * height; ++i) {
    for (const int step : {1, 3, 7}) image.rgb.push_back(static_cast<std::uint8_t>(i * step));
  }
  return image;
}

TEST(FrontEnd, GivesTheTokensThatTheExtractorAggregates) {
  const Model model = Model::random("demo");
  const Image image = gradient(90, 70);
  Extractor extractor(model);
  Trace trace;
  extractor.describe(image, &trace);

  FrontEnd front(model.loaded(), extractor.input_size());
  tensor::Arena arena;
  for (int repeat = 0; repeat < 2; ++repeat) {  // the second one with the arena of the first
    tensor::Features features = front.features_of(image, front.backbone().blocks(), arena);
    front.backbone().normalise(features);
    const tensor::ConstMatrix patches = features.spatial();
    EXPECT_EQ(std::vector<float>(patches.data, patches.row(patches.rows)), trace.patches.values);
  }
}

TEST(FrontEnd, MakesThePixelsThatDescribeTensorTakes) {
  const Model model = Model::random("demo");
  const Image image = gradient(64, 90);
  DescriptorSpec options;
  options.size = Size{56, 84};
  Extractor extractor(model, options);
  FrontEnd front(model.loaded(), {56, 84});
  const float* pixels = front.pixels_of(view_of(image));
  EXPECT_EQ(extractor.describe_tensor({pixels, 3 * 56 * 84}, {56, 84}), extractor.describe(image));
}

}  // namespace
}  // namespace revisit
