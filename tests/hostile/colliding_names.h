// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Names that all have one std::hash under libstdc++, whose hash of bytes (MurmurHash64A with a fixed seed) can be run backwards:
// for any first word there is a second one that leads to the same hash.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace revisit::testing {

/// `count` different names of 16 bytes, free of the bytes csv gives a meaning, with one hash.
inline std::vector<std::string> colliding_names(std::size_t count) {
  constexpr std::uint64_t kFactor = 0xC6A4A7935BD1E995U;
  std::uint64_t inverse = kFactor;  // modulo 2^64, by Newton's method
  for (int i = 0; i < 5; ++i) inverse *= 2 - kFactor * inverse;
  const auto mixed = [](std::uint64_t word) { return word ^ (word >> 47U); };  // its own inverse
  const std::uint64_t start = 0xC70F6907U ^ (16 * kFactor);
  const std::uint64_t target = 12345;
  std::vector<std::string> out;
  for (std::uint64_t first = 0x2121212121212121U; out.size() < count; ++first) {
    const std::uint64_t after_first = (start ^ (mixed(first * kFactor) * kFactor)) * kFactor;
    const std::uint64_t second = mixed((after_first ^ (target * inverse)) * inverse) * inverse;
    std::string name(16, '\0');
    std::memcpy(name.data(), &first, 8);
    std::memcpy(name.data() + 8, &second, 8);
    if (name.find_first_of(std::string_view("\0\"\r\n,", 5)) == std::string::npos) out.push_back(std::move(name));
  }
  return out;
}

}  // namespace revisit::testing
