// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Weights of a layer as bytes with a scale for each output, and back: what products of bytes run in, and what quantised model
// files hold.
#pragma once

#include <cstdint>
#include <vector>

#include "core/tensor/linear.h"

namespace revisit::tensor {

/// The largest sum of two neighbouring bytes of weights: no limit for a kernel.
inline constexpr int kAnyPair = 254;

/// One output's weights, rotated already, as q in [-127, 127]: returns the scale, weight = scale q, which is not finite where a
/// weight is not. It is so large that two neighbouring q sum to `most_pair` at most.
float quantise_weights(const float* rotated, int count, int most_pair, std::int8_t* to);

/// (out, in) weights to bytes for any kernel without a limit on pairs; `scales` is (out).
void to_bytes(const float* weight, int in, int out, std::int8_t* values, float* scales);
/// The weights (out, in) these bytes stand for.
std::vector<float> to_floats(const ByteWeights& weight, int in, int out);

}  // namespace revisit::tensor
