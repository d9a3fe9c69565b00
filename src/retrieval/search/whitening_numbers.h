// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The numbers of a Whitening as stored in files, and conversion to the public class.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "revisit/whitening.h"

namespace revisit {
namespace retrieval {

struct WhiteningNumbers {
  int dim = 0;
  int target = 0;
  std::vector<float> mean;        ///< (dim)
  std::vector<float> projection;  ///< (target, dim), each row divided by its standard deviation
};

std::uint64_t whitening_bytes(int dim, int target);

/// Mean, then projection. Error kBadFile when the size is wrong or a value is not finite.
WhiteningNumbers parse_whitening(std::span<const std::byte> payload, int dim, int target, const std::string& name);

}  // namespace retrieval

struct WhiteningAccess {
  static Whitening make(retrieval::WhiteningNumbers numbers);
  static const retrieval::WhiteningNumbers& numbers(const Whitening& whitening);
};

}  // namespace revisit
