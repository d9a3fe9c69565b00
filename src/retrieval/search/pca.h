// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Principal components of descriptors: exact where the smaller side of the data is small, else the leading ones by randomised
// subspace iteration, whose cost grows with dim x components and never with dim^3.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace revisit::retrieval {

/// The sampled rows, by reference.
struct Sample {
  const float* rows = nullptr;
  int dim = 0;
  std::vector<std::uint32_t> picked;  ///< row numbers

  int count() const { return static_cast<int>(picked.size()); }
  const float* row(int i) const {
    return rows + static_cast<std::size_t>(picked[static_cast<std::size_t>(i)]) * static_cast<std::size_t>(dim);
  }
};

/// All of `count` rows, or `most` of them, evenly spaced.
Sample evenly_spaced(const float* rows, std::uint64_t count, int dim, int most);

struct Components {
  std::vector<float> mean;        ///< (dim)
  std::vector<float> directions;  ///< (count, dim), orthonormal, greatest variance first
  std::vector<double> variances;  ///< (count)
};

/// The `count` leading components, count <= min(sample - 1, dim).
Components principal_components(const Sample& sample, int count);

/// The two methods; the first for min(sample, dim) up to a thousand or so.
Components exact_components(const Sample& sample, int count);
Components leading_components(const Sample& sample, int count);

}  // namespace revisit::retrieval
