// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Rows whose content follows from their number, so that a wrong, torn or doubled row shows.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "revisit/error.h"
#include "revisit/index.h"

namespace revisit::testing {

/// A unit vector that depends on `number` alone.
inline std::vector<float> row_content(int number, int dim) {
  std::vector<float> out(static_cast<std::size_t>(dim));
  std::uint64_t state = static_cast<std::uint64_t>(number) * 0x9E3779B97F4A7C15U + 1;
  double squares = 0;
  for (float& v : out) {
    state ^= state << 13U;
    state ^= state >> 7U;
    state ^= state << 17U;
    v = static_cast<float>(static_cast<double>(state >> 11U) / 9007199254740992.0 - 0.5);
    squares += static_cast<double>(v) * static_cast<double>(v);
  }
  for (float& v : out) v = static_cast<float>(v / std::sqrt(squares));
  return out;
}

inline std::string row_name(int number) { return "photos/" + std::to_string(number) + ".jpg"; }

inline IndexEntry row_entry(int number) {
  IndexEntry entry;
  entry.name = row_name(number);
  entry.path = "somewhere/" + entry.name;
  entry.content_hash = static_cast<std::uint64_t>(number) * 77 + 1;
  entry.time_s = number;
  return entry;
}

inline IndexSettings settings_of(int dim) {
  IndexSettings out;
  out.dim = dim;
  out.model = "models/a.safetensors";
  out.model_constants = {{"fingerprint", "f00d"}, {"heads", "6"}};
  out.spec = completed({.size = Size{322, 322}, .prune = "weitop", .model_identity = "1dea"});
  return out;
}

}  // namespace revisit::testing
