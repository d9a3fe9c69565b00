// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Preprocessing, and the first blocks.
#include "engine/extract/front_end.h"

#include "core/image/preprocess.h"

namespace revisit {

FrontEnd::FrontEnd(const model::LoadedModel& model, Size size, tensor::Precision precision)
    : input_(&model.config.input), size_(size), backbone_(backbone::make_backbone(model, precision)) {}

const float* FrontEnd::pixels_of(const ImageView& picture) {
  const Image resized = resize(picture, size_, input_->resize);
  pixels_.resize(3 * static_cast<std::size_t>(size_.height) * static_cast<std::size_t>(size_.width));
  normalise_to_planes(resized, input_->mean, input_->std, pixels_.data());
  return pixels_.data();
}

tensor::Features FrontEnd::features_of(const Image& image, int blocks, tensor::Arena& arena) {
  arena.reset();
  tensor::Features features = backbone_->embed(pixels_of(view_of(image)), size_, arena);
  backbone_->run_blocks(features, 0, blocks, nullptr, arena);
  return features;
}

}  // namespace revisit
