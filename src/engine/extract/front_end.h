// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The way of a photo into a network: resized, normalised to planes, embedded. Whoever needs features of photos goes it.
#pragma once

#include <memory>
#include <vector>

#include "core/tensor/arena.h"
#include "core/tensor/features.h"
#include "engine/backbone/backbone.h"
#include "engine/model/config.h"
#include "revisit/image.h"

namespace revisit {

/// One object serves one thread at a time; copies share the network and may be used at once.
class FrontEnd {
 public:
  /// size is that of the input, multiples of the stride; precision that of the products. The model must outlive the object.
  FrontEnd(const model::LoadedModel& model, Size size, tensor::Precision precision = tensor::Precision::kF32);

  Size size() const { return size_; }
  const backbone::Backbone& backbone() const { return *backbone_; }

  /// (3, H, W) as the model wants them; valid until the next call.
  const float* pixels_of(const ImageView& picture);

  /// What is there after the first `blocks` blocks, without the final norm, valid until the next call of anything here. Takes the
  /// whole arena.
  tensor::Features features_of(const Image& image, int blocks, tensor::Arena& arena);

 private:
  const model::InputConfig* input_;
  Size size_;
  std::shared_ptr<const backbone::Backbone> backbone_;
  std::vector<float> pixels_;
};

}  // namespace revisit
