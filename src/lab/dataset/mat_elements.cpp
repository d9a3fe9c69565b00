// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Tags, number types of either byte order, and inflation within a limit.
#include "lab/dataset/mat_elements.h"

#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>

#include "core/base/fail.h"
#include "core/base/limits.h"
#include "core/base/stop_scope.h"

namespace revisit::dataset {
namespace {

std::uint64_t unsigned_at(std::span<const std::byte> data, std::size_t at, std::size_t size, bool big_endian) {
  std::uint64_t out = 0;
  for (std::size_t i = 0; i < size; ++i)
    out = out << 8 | std::to_integer<std::uint64_t>(data[at + (big_endian ? i : size - 1 - i)]);
  return out;
}

std::size_t size_of(std::uint32_t type) {
  switch (type) {
    case kMatInt8:
    case kMatUint8:
    case kMatUtf8: return 1;
    case kMatInt16:
    case kMatUint16:
    case kMatUtf16: return 2;
    case kMatInt32:
    case kMatUint32:
    case kMatSingle:
    case kMatUtf32: return 4;
    case kMatDouble:
    case kMatInt64:
    case kMatUint64: return 8;
    default: return 0;
  }
}

double number_of(std::uint64_t bits, std::uint32_t type) {
  switch (type) {
    case kMatInt8: return static_cast<std::int8_t>(bits);
    case kMatInt16: return static_cast<std::int16_t>(bits);
    case kMatInt32: return static_cast<std::int32_t>(bits);
    case kMatInt64: return static_cast<double>(static_cast<std::int64_t>(bits));
    case kMatSingle: {
      float out = 0;
      const auto half = static_cast<std::uint32_t>(bits);
      std::memcpy(&out, &half, sizeof(out));
      return out;
    }
    case kMatDouble: {
      double out = 0;
      std::memcpy(&out, &bits, sizeof(out));
      return out;
    }
    default: return static_cast<double>(bits);
  }
}

void append_character(std::string& out, std::uint64_t point, const std::string& file) {
  if (point == 0 || point > 0x10FFFF || (point >= 0xD800 && point < 0xE000)) {
    fail(ErrorCode::kBadFile, "'{}' has a text with the character number {}", file, point);
  }
  const auto put = [&](std::uint64_t byte) { out.push_back(static_cast<char>(byte)); };
  if (point < 0x80) {
    put(point);
  } else if (point < 0x800) {
    put(0xC0 | point >> 6), put(0x80 | (point & 0x3F));
  } else if (point < 0x10000) {
    put(0xE0 | point >> 12), put(0x80 | (point >> 6 & 0x3F)), put(0x80 | (point & 0x3F));
  } else {
    put(0xF0 | point >> 18), put(0x80 | (point >> 12 & 0x3F)), put(0x80 | (point >> 6 & 0x3F)), put(0x80 | (point & 0x3F));
  }
}

}  // namespace

std::uint32_t MatReader::u32(std::size_t at) const { return static_cast<std::uint32_t>(unsigned_at(bytes_, at, 4, big_endian_)); }

MatElement MatReader::next(const char* what) {
  const auto need = [&](std::uint64_t count) {
    if (count > bytes_.size() - at_) {
      fail(ErrorCode::kBadFile, "'{}': {} needs {} bytes, but only {} are left", *file_, what, count, bytes_.size() - at_);
    }
  };
  need(8);
  const std::uint32_t first = u32(at_);
  MatElement out;
  if (first >> 16 != 0) {  // up to four bytes of data inside the tag
    const std::uint32_t size = first >> 16;
    if (size > 4) fail(ErrorCode::kBadFile, "'{}': {} claims {} bytes inside a tag that has 4", *file_, what, size);
    out = {first & 0xFFFF, bytes_.subspan(at_ + 4, size)};
    at_ += 8;
    return out;
  }
  const std::uint32_t size = u32(at_ + 4);
  at_ += 8;
  need(size);
  out = {first, bytes_.subspan(at_, size)};
  at_ += size;
  // Compressed elements are not padded, and the last padding may be missing.
  if (first != kMatCompressed) at_ = std::min<std::size_t>(at_ + (8 - size % 8) % 8, bytes_.size());
  return out;
}

std::vector<std::int64_t> MatReader::integers(const char* what) {
  constexpr std::size_t kMostBytes = 256;
  const MatElement element = next(what);
  if (element.data.size() > kMostBytes)
    fail(ErrorCode::kBadFile, "'{}': {} of {} bytes, the limit is {}", *file_, what, element.data.size(), kMostBytes);
  std::vector<std::int64_t> out;
  for (const double value : mat_doubles(element, big_endian_, *file_)) {
    if (std::abs(value) > 1e15 || value != std::floor(value))
      fail(ErrorCode::kBadFile, "'{}': {} has the value {}", *file_, what, value);
    out.push_back(static_cast<std::int64_t>(value));
  }
  return out;
}

std::vector<double> mat_doubles(const MatElement& element, bool big_endian, const std::string& file) {
  const std::size_t size =
      element.type == kMatUtf8 || element.type == kMatUtf16 || element.type == kMatUtf32 ? 0 : size_of(element.type);
  if (size == 0) fail(ErrorCode::kBadFile, "'{}' has an element of type {} where numbers are expected", file, element.type);
  if (element.data.size() % size != 0)
    fail(ErrorCode::kBadFile, "'{}' has {} bytes of numbers of {} bytes", file, element.data.size(), size);
  std::vector<double> out;
  out.reserve(element.data.size() / size);
  StopTicker ticker;
  for (std::size_t at = 0; at < element.data.size(); at += size) {
    ticker.step();
    out.push_back(number_of(unsigned_at(element.data, at, size, big_endian), element.type));
  }
  return out;
}

std::string mat_text(const MatElement& element, bool big_endian, const std::string& file) {
  const std::size_t size = element.type == kMatSingle ? 0 : size_of(element.type);
  if (size == 0 || size > 4 || element.data.size() % size != 0) {
    fail(ErrorCode::kBadFile, "'{}' has an element of type {} and {} bytes where a text is expected", file, element.type,
         element.data.size());
  }
  std::string out;
  if (element.type == kMatUtf8) {
    out.assign(reinterpret_cast<const char*>(element.data.data()), element.data.size());
    if (out.find('\0') != std::string::npos) fail(ErrorCode::kBadFile, "'{}' has a text with a zero byte", file);
    return out;
  }
  StopTicker ticker;
  for (std::size_t at = 0; at < element.data.size(); at += size) {
    ticker.step();
    append_character(out, unsigned_at(element.data, at, size, big_endian), file);
  }
  return out;
}

std::vector<std::byte> mat_inflate(std::span<const std::byte> bytes, std::uint64_t max_bytes, const std::string& file) {
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) fail(ErrorCode::kNoMemory, "not enough memory to inflate '{}'", file);
  const std::unique_ptr<z_stream, int (*)(z_stream*)> closer(&stream, inflateEnd);
  stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(bytes.data()));  // zlib does not write there
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::vector<std::byte> out;
  int status = Z_OK;
  const std::size_t first = std::min<std::size_t>(4 * bytes.size() + 64, 65'536);
  while (status != Z_STREAM_END) {
    check_stop();
    const std::size_t before = out.size();
    out.resize(before + std::clamp<std::size_t>(before, first, 8'000'000));
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + before);
    stream.avail_out = static_cast<uInt>(out.size() - before);
    status = inflate(&stream, Z_NO_FLUSH);
    out.resize(out.size() - stream.avail_out);
    if (out.size() > max_bytes) fail(ErrorCode::kLimit, "'{}' inflates to more than {} bytes", file, limits::kMaxMatBytes);
    if (status != Z_OK && status != Z_STREAM_END)
      fail(ErrorCode::kBadFile, "'{}' has a compressed part that is cut or damaged", file);
  }
  return out;
}

}  // namespace revisit::dataset
