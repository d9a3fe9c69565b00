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

/// Of five patches with eight codes each.
inline LocalFeatures row_local(int number) {
  LocalFeatures out{8, {}, {}};
  for (int i = 0; i < 5; ++i) {
    const auto place = [&](int k) { return static_cast<std::uint16_t>(number * 977 + i * 131 + k); };
    out.patches.push_back({place(0), place(1), place(2)});
    for (int k = 0; k < out.dim; ++k) out.codes.push_back(static_cast<std::int8_t>((number * 31 + i * 7 + k * 5) % 127 - 63));
  }
  return out;
}

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
