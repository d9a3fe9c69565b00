// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// SipHash-1-3 and its key.
#include "core/base/salted_hash.h"

#include <bit>
#include <cstring>
#include <random>

namespace revisit {
namespace {

struct SipKey {
  std::uint64_t low, high;
};

const SipKey& sip_key() {
  static const SipKey key = [] {
    std::random_device device;
    const auto word = [&] { return std::uint64_t{device()} << 32U | device(); };
    return SipKey{word(), word()};
  }();
  return key;
}

struct SipState {
  std::uint64_t a, b, c, d;

  void round() {
    a += b, c += d;
    b = std::rotl(b, 13) ^ a, d = std::rotl(d, 16) ^ c;
    a = std::rotl(a, 32);
    c += b, a += d;
    b = std::rotl(b, 17) ^ c, d = std::rotl(d, 21) ^ a;
    c = std::rotl(c, 32);
  }
  void take(std::uint64_t word) {
    d ^= word;
    round();
    a ^= word;
  }
};

}  // namespace

std::uint64_t salted_hash(std::span<const std::byte> bytes) {
  const SipKey& key = sip_key();
  SipState state{key.low ^ 0x736F6D6570736575U, key.high ^ 0x646F72616E646F6DU, key.low ^ 0x6C7967656E657261U,
                 key.high ^ 0x7465646279746573U};
  std::uint64_t last = std::uint64_t{bytes.size()} << 56U;  // the length and what is left after whole words
  while (bytes.size() >= sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), sizeof(word));
    state.take(word);
    bytes = bytes.subspan(sizeof(word));
  }
  std::uint64_t rest = 0;
  if (!bytes.empty()) std::memcpy(&rest, bytes.data(), bytes.size());
  state.take(last | rest);
  state.c ^= 0xFF;
  for (int i = 0; i < 3; ++i) state.round();
  return state.a ^ state.b ^ state.c ^ state.d;
}

}  // namespace revisit
