// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Generalised mean pooling (GeM): (mean of max(x, 1e-6)^p)^(1/p) per channel.
#pragma once

#include <span>
#include <string>

#include "core/tensor/matrix.h"
#include "engine/model/config.h"

namespace revisit::aggregate {

/// out (channels) from cells (N, channels), each counted `mass` times, or once where that is empty. Sums in double.
void generalised_mean(tensor::ConstMatrix cells, std::span<const float> mass, double exponent, float* out);

/// The exponent a model holds. Throws Error kBadModel for one that is not a positive number.
double gem_exponent(const model::LoadedModel& model, const std::string& tensor);

}  // namespace revisit::aggregate
