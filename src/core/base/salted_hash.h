// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Hash tables for keys from untrusted files. With a known hash, names can be made by the million that all fall into
// one bucket, and a table becomes as slow as a list. This one (SipHash with one round per word and three at the end) has a key
// drawn once in each process: the order in such a table differs from run to run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace revisit {

std::uint64_t salted_hash(std::span<const std::byte> bytes);

struct SaltedHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return static_cast<std::size_t>(salted_hash(std::as_bytes(std::span(text.data(), text.size()))));
  }
  std::size_t operator()(std::int64_t number) const {
    return static_cast<std::size_t>(salted_hash(std::as_bytes(std::span(&number, 1))));
  }
};

template <typename Value>
using NameMap = std::unordered_map<std::string, Value, SaltedHash, std::equal_to<>>;
using NameSet = std::unordered_set<std::string, SaltedHash, std::equal_to<>>;

}  // namespace revisit
