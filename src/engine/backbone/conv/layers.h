// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Layers of convolutional networks as checkpoints have them.
#pragma once

#include <string>

#include "core/tensor/convolution.h"
#include "engine/model/weights.h"

namespace revisit::conv {

/// `<name>.weight` and `<name>.bias`. Throws Error kBadModel when a tensor is absent or has another number of values.
tensor::Convolution load_convolution(const model::Weights& weights, const std::string& name, int in, int out,
                                     const tensor::Window& window, tensor::Linear::After after, tensor::Precision precision);

/// `<name>.weight` with the batch normalisation `norm` behind it folded in. Throws as above, and for a variance that is negative.
tensor::Convolution load_normalised(const model::Weights& weights, const std::string& name, const std::string& norm, int in,
                                    int out, const tensor::Window& window, tensor::Linear::After after,
                                    tensor::Precision precision);

}  // namespace revisit::conv
