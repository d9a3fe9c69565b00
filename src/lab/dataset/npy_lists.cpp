// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// From the header's element type to texts and integers.
#include "lab/dataset/npy_lists.h"

#include <charconv>
#include <cstring>
#include <string_view>

#include "core/base/checked.h"
#include "core/base/fail.h"
#include "core/base/file.h"
#include "core/base/limits.h"
#include "core/base/stop_scope.h"
#include "core/formats/npy.h"
#include "core/formats/printable.h"
#include "lab/dataset/numpy_objects.h"

namespace revisit::dataset {
namespace {

constexpr std::uint64_t kMaxListFileBytes = 256'000'000;

std::uint64_t count_of(const NpyHeader& header, const std::string& name) {
  std::uint64_t out = 1;
  for (const auto side : header.shape) out = checked_mul(out, static_cast<std::uint64_t>(side), name);
  return out;
}

// Refuses data whose size is not `count` elements of `item_bytes`.
void check_size(const NpyHeader& header, std::uint64_t count, std::uint64_t item_bytes, const std::string& name) {
  const std::uint64_t size = checked_mul(count, item_bytes, name);
  if (size != header.data.size()) {
    fail(ErrorCode::kBadFile, "'{}': the npy header announces {} bytes of data, the file has {}", name, size, header.data.size());
  }
}

void check_rank(const NpyHeader& header, std::size_t rank, const std::string& name) {
  if (header.shape.size() != rank) fail(ErrorCode::kBadFile, "'{}' has {} dimensions, not {}", name, header.shape.size(), rank);
}

void append_utf8(std::string& out, std::uint32_t point, const std::string& name) {
  const auto put = [&](std::uint32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (point < 0x80) return put(point);
  if (point < 0x800) return put(0xC0 | point >> 6), put(0x80 | (point & 0x3F));
  if (point > 0x10FFFF || (point >= 0xD800 && point < 0xE000))
    fail(ErrorCode::kBadFile, "'{}': U+{:X} is not a character", name, point);
  if (point < 0x10000) return put(0xE0 | point >> 12), put(0x80 | (point >> 6 & 0x3F)), put(0x80 | (point & 0x3F));
  put(0xF0 | point >> 18), put(0x80 | (point >> 12 & 0x3F)), put(0x80 | (point >> 6 & 0x3F)), put(0x80 | (point & 0x3F));
}

// Characters of one element, each of 1 ('S') or 4 ('U') bytes; zeros at the end are padding.
std::string text_of(std::span<const std::byte> bytes, bool wide, bool big_endian, const std::string& name) {
  std::string out;
  const std::size_t step = wide ? 4 : 1;
  std::size_t end = bytes.size();
  const auto is_zero = [&](std::size_t at) {
    for (std::size_t i = 0; i < step; ++i) {
      if (bytes[at + i] != std::byte{0}) return false;
    }
    return true;
  };
  while (end >= step && is_zero(end - step)) end -= step;
  for (std::size_t at = 0; at < end; at += step) {
    if (!wide) {
      out.push_back(static_cast<char>(bytes[at]));
      continue;
    }
    std::uint32_t point = 0;
    std::memcpy(&point, bytes.data() + at, 4);
    append_utf8(out, big_endian ? __builtin_bswap32(point) : point, name);
  }
  return out;
}

std::vector<std::int64_t> plain_integers(const NpyHeader& header, const std::string& name) {
  const std::uint64_t count = count_of(header, name);
  const auto type = integer_type(header.descr);
  if (!type) fail(ErrorCode::kBadFile, "'{}' holds elements of type '{}', not integers", name, printable(header.descr));
  check_size(header, count, type->bytes, name);
  if (count > limits::kMaxPositives)
    fail(ErrorCode::kLimit, "'{}' holds {} integers, the limit is {}", name, count, limits::kMaxPositives);
  std::vector<std::int64_t> out;
  append_integers(out, header.data, *type);
  if (header.fortran_order && header.shape.size() == 2) {
    const auto rows = static_cast<std::size_t>(header.shape[0]), columns = static_cast<std::size_t>(header.shape[1]);
    const std::vector<std::int64_t> by_column = out;
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = by_column[i % columns * rows + i / columns];
  } else if (header.fortran_order && header.shape.size() > 2) {
    fail(ErrorCode::kBadFile, "'{}': Fortran-order npy arrays of {} dimensions are not supported", name, header.shape.size());
  }
  return out;
}

NumpyObjects objects_of(const NpyHeader& header, const std::string& name) {
  NumpyObjects out(header.data, name);
  if (out.shape() != header.shape) fail(ErrorCode::kBadFile, "'{}': header and pickle disagree about the shape", name);
  return out;
}

}  // namespace

std::vector<std::string> parse_npy_texts(std::span<const std::byte> bytes, const std::string& name) {
  const NpyHeader header = parse_npy_header(bytes, name);
  check_rank(header, 1, name);
  if (header.descr == "|O") return objects_of(header, name).texts();
  const auto& descr = header.descr;
  std::uint64_t length = 0;
  const bool wide = descr.size() > 2 && descr[1] == 'U';
  const bool text = descr.size() > 2 && (wide || descr[1] == 'S') && (descr[0] == '<' || descr[0] == '>' || descr[0] == '|');
  const auto [end, error] =
      std::from_chars(descr.data() + std::min<std::size_t>(2, descr.size()), descr.data() + descr.size(), length);
  if (!text || error != std::errc() || end != descr.data() + descr.size()) {
    fail(ErrorCode::kBadFile, "'{}' holds elements of type '{}', not texts", name, printable(descr));
  }
  const std::uint64_t count = count_of(header, name);
  const std::uint64_t item_bytes = checked_mul(length, wide ? 4 : 1, name);
  check_size(header, count, item_bytes, name);
  if (item_bytes == 0 && count > 0) fail(ErrorCode::kBadFile, "'{}' holds {} texts of no length", name, count);
  if (count > limits::kMaxListed)
    fail(ErrorCode::kLimit, "'{}' holds {} texts, the limit is {}", name, count, limits::kMaxListed);
  std::vector<std::string> out;
  out.reserve(count);
  StopTicker ticker;
  for (std::uint64_t i = 0; i < count; ++i) {
    ticker.step(item_bytes);
    out.push_back(text_of(header.data.subspan(i * item_bytes, item_bytes), wide, descr[0] == '>', name));
  }
  return out;
}

std::vector<std::int64_t> parse_npy_integers(std::span<const std::byte> bytes, const std::string& name) {
  const NpyHeader header = parse_npy_header(bytes, name);
  check_rank(header, 1, name);
  return plain_integers(header, name);
}

std::vector<std::vector<std::int64_t>> parse_npy_lists(std::span<const std::byte> bytes, const std::string& name) {
  const NpyHeader header = parse_npy_header(bytes, name);
  if (header.descr == "|O") return objects_of(header, name).lists();
  check_rank(header, 2, name);
  const auto all = plain_integers(header, name);
  const auto rows = static_cast<std::size_t>(header.shape[0]), columns = static_cast<std::size_t>(header.shape[1]);
  if (rows > limits::kMaxListed) fail(ErrorCode::kLimit, "'{}' has {} rows, the limit is {}", name, rows, limits::kMaxListed);
  std::vector<std::vector<std::int64_t>> out(rows);
  StopTicker ticker;
  for (std::size_t i = 0; i < all.size(); ++i) {
    ticker.step();
    out[i / columns].push_back(all[i]);
  }
  return out;
}

std::vector<std::string> read_npy_texts(const std::filesystem::path& path) {
  return parse_npy_texts(read_file(path, kMaxListFileBytes), path.string());
}
std::vector<std::int64_t> read_npy_integers(const std::filesystem::path& path) {
  return parse_npy_integers(read_file(path, kMaxListFileBytes), path.string());
}
std::vector<std::vector<std::int64_t>> read_npy_lists(const std::filesystem::path& path) {
  return parse_npy_lists(read_file(path, kMaxListFileBytes), path.string());
}

}  // namespace revisit::dataset
