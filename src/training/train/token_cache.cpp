// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Slots of one size: id, checksum over id, key and content, pixels, tokens. A half-written slot fails its checksum.
#include "training/train/token_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <cerrno>
#include <cstring>

#include "core/base/fail.h"

namespace revisit::train {
namespace {

constexpr std::size_t kHead = 16;  // id and checksum

std::uint64_t checksum(const std::vector<std::uint8_t>& slot, std::uint64_t key, std::int64_t id) {
  return XXH3_64bits_withSeed(slot.data() + kHead, slot.size() - kHead, key ^ static_cast<std::uint64_t>(id));
}

}  // namespace

TokenCache::TokenCache(const std::filesystem::path& file, std::int64_t capacity, std::size_t pixels, std::size_t tokens,
                       std::uint64_t key, std::string hint)
    : file_(file), capacity_(capacity), pixels_(pixels), tokens_(tokens), key_(key), hint_(std::move(hint)) {
  fd_ = ::open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (fd_ < 0) fail(ErrorCode::kIo, "cannot write '{}': {}", file_.string(), std::strerror(errno));
  struct stat info {};
  const auto most = static_cast<std::uint64_t>(capacity_) * slot_bytes();
  const bool larger = ::fstat(fd_, &info) == 0 && static_cast<std::uint64_t>(info.st_size) > most;  // of other settings
  if (larger && ::ftruncate(fd_, 0) != 0) fail(ErrorCode::kIo, "cannot empty '{}': {}", file_.string(), std::strerror(errno));
}

TokenCache::~TokenCache() { ::close(fd_); }

void TokenCache::store(std::int64_t id, const CachedCrop& crop) {
  if (crop.pixels.size() != pixels_ || crop.tokens.size() != tokens_)
    fail(ErrorCode::kInternal, "a crop of {} and {} values does not fit its slot", crop.pixels.size(), crop.tokens.size());
  std::vector<std::uint8_t> slot(slot_bytes());
  std::memcpy(slot.data() + kHead, crop.pixels.data(), pixels_);
  std::memcpy(slot.data() + kHead + pixels_, crop.tokens.data(), 2 * tokens_);
  const std::uint64_t sum = checksum(slot, key_, id);
  std::memcpy(slot.data(), &id, sizeof(id));
  std::memcpy(slot.data() + sizeof(id), &sum, sizeof(sum));
  const auto start = static_cast<std::size_t>(id % capacity_) * slot.size();
  for (std::size_t done = 0; done < slot.size();) {
    const auto put = ::pwrite(fd_, slot.data() + done, slot.size() - done, static_cast<off_t>(start + done));
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) {
      const int error = errno;
      fail_with_hint(error == ENOSPC ? ErrorCode::kNoSpace : ErrorCode::kIo, hint_, "cannot write '{}': {}", file_.string(),
                     std::strerror(error));
    }
    done += static_cast<std::size_t>(put);
  }
}

bool TokenCache::load(std::int64_t id, CachedCrop& crop) const {
  std::vector<std::uint8_t> slot(slot_bytes());
  const auto start = static_cast<std::size_t>(id % capacity_) * slot.size();
  for (std::size_t done = 0; done < slot.size();) {
    const auto got = ::pread(fd_, slot.data() + done, slot.size() - done, static_cast<off_t>(start + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    done += static_cast<std::size_t>(got);
  }
  std::int64_t stored_id = 0;
  std::uint64_t stored_sum = 0;
  std::memcpy(&stored_id, slot.data(), sizeof(stored_id));
  std::memcpy(&stored_sum, slot.data() + sizeof(stored_id), sizeof(stored_sum));
  if (stored_id != id || stored_sum != checksum(slot, key_, id)) return false;
  crop.pixels.assign(slot.begin() + static_cast<std::ptrdiff_t>(kHead),
                     slot.begin() + static_cast<std::ptrdiff_t>(kHead + pixels_));
  crop.tokens.resize(tokens_);
  std::memcpy(crop.tokens.data(), slot.data() + kHead + pixels_, 2 * tokens_);
  return true;
}

}  // namespace revisit::train
