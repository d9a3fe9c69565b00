// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// A teacher's tokens on disk with the crops they belong to: a ring in which new crops replace the oldest.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace revisit::train {

/// What one slot holds, as bytes: the meaning is the caller's.
struct CachedCrop {
  std::vector<std::uint8_t> pixels;
  std::vector<std::uint16_t> tokens;
};

/// One thread may store while others load other crops. A file with another key or size, or a damaged one, counts as empty:
/// its contents can be made again.
class TokenCache {
 public:
  /// Throws Error kIo or kNoSpace. The file grows as it is filled. `hint` is for the error when it cannot.
  TokenCache(const std::filesystem::path& file, std::int64_t capacity, std::size_t pixels, std::size_t tokens, std::uint64_t key,
             std::string hint);
  ~TokenCache();
  TokenCache(const TokenCache&) = delete;
  TokenCache& operator=(const TokenCache&) = delete;

  void store(std::int64_t id, const CachedCrop& crop);
  /// False when the slot holds another crop, or none that is sound.
  bool load(std::int64_t id, CachedCrop& crop) const;

 private:
  std::size_t slot_bytes() const { return 16 + pixels_ + 2 * tokens_; }

  std::filesystem::path file_;
  std::int64_t capacity_;
  std::size_t pixels_, tokens_;
  std::uint64_t key_;
  std::string hint_;
  int fd_ = -1;
};

}  // namespace revisit::train
