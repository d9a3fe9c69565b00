// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The only way this project parses binary data: every read is checked against the bytes that are there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/fail.h"

namespace revisit {

/// Little-endian cursor over bytes it does not own. `file` and `code` shape the error message of a short read.
class ByteReader {
 public:
  ByteReader(std::span<const std::byte> bytes, std::string file, ErrorCode code)
      : bytes_(bytes), file_(std::move(file)), code_(code) {}

  std::uint64_t position() const { return position_; }
  std::uint64_t size() const { return bytes_.size(); }
  std::uint64_t remaining() const { return bytes_.size() - position_; }
  bool at_end() const { return remaining() == 0; }
  const std::string& file() const { return file_; }
  ErrorCode code() const { return code_; }

  void seek(std::uint64_t position, const char* what) {
    if (position > bytes_.size()) {
      fail(code_, "'{}': {} at byte {} lies past the end of its {} bytes", file_, what, position, bytes_.size());
    }
    position_ = position;
  }

  std::span<const std::byte> take(std::uint64_t count, const char* what) {
    if (count > remaining()) {
      fail(code_, "'{}': {} needs {} bytes at byte {}, but only {} are left", file_, what, count, position_, remaining());
    }
    const auto out = bytes_.subspan(position_, count);
    position_ += count;
    return out;
  }

  std::string_view text(std::uint64_t count, const char* what) {
    const auto out = take(count, what);
    return {reinterpret_cast<const char*>(out.data()), out.size()};
  }

  std::uint8_t u8(const char* what) { return number<std::uint8_t>(what); }
  std::uint16_t u16(const char* what) { return number<std::uint16_t>(what); }
  std::uint32_t u32(const char* what) { return number<std::uint32_t>(what); }
  std::uint64_t u64(const char* what) { return number<std::uint64_t>(what); }
  std::int32_t i32(const char* what) { return number<std::int32_t>(what); }

 private:
  template <typename T>
  T number(const char* what) {
    T out;
    std::memcpy(&out, take(sizeof(T), what).data(), sizeof(T));
    return out;
  }

  std::span<const std::byte> bytes_;
  std::string file_;
  ErrorCode code_;
  std::uint64_t position_ = 0;
};

}  // namespace revisit
