// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The patches of a photo, small enough to be kept beside its descriptor, and what comparing those of two photos says.
#pragma once

#include <cstdint>
#include <vector>

namespace revisit {

/// Where a patch lies, and how much it counts.
struct LocalPatch {
  std::uint16_t x = 0, y = 0;  ///< of its centre, in 65536ths of the picture's width and height
  std::uint16_t weight = 0;    ///< in 65535ths; the heaviest of a photo weighs 1

  friend bool operator==(const LocalPatch&, const LocalPatch&) = default;
};

/// The local features of one photo: at most kMostPatches of the patches it kept, row by row. They do not depend on the grid, so
/// photos of different sizes can be compared.
struct LocalFeatures {
  static constexpr int kMostPatches = 256;
  static constexpr int kMostDim = 8'192;
  static constexpr int kMostCode = 63;  ///< so that two neighbouring products fit 16 bits, which the kernel of AVX2 asks for

  int dim = 0;                      ///< codes a patch, 1..kMostDim
  std::vector<LocalPatch> patches;  ///< may be none
  std::vector<std::int8_t> codes;   ///< (patches, dim) each row a direction, -kMostCode..kMostCode

  int count() const { return static_cast<int>(patches.size()); }
  std::uint64_t bytes() const { return patches.size() * (sizeof(LocalPatch) + static_cast<std::uint64_t>(dim)); }
  friend bool operator==(const LocalFeatures&, const LocalFeatures&) = default;
};

/// Two patches that show the same.
struct PatchPair {
  int query = 0, reference = 0;  ///< among the patches of the two photos
  float similarity = 0;          ///< cosine of their features
  LocalPatch from{}, to{};       ///< the two
};

/// What a second look at two photos says.
struct SecondLook {
  float score = 0;               ///< 0 or more: so many patches, alike in all and gone the same way, would give it
  std::vector<PatchPair> pairs;  ///< patches that agree with one another about where they went, by query patch
};

}  // namespace revisit
