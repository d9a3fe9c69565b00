// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The .npy format, versions 1 to 3: magic, header length, a Python dict literal, raw data.
#include "core/formats/npy.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string_view>

#include "core/base/byte_reader.h"
#include "core/base/checked.h"
#include "core/base/file.h"
#include "core/base/limits.h"
#include "core/base/stop_scope.h"
#include "core/formats/printable.h"

namespace revisit {
namespace {

constexpr std::uint64_t kMaxNpyBytes = 8'000'000'000;

// The value text after 'key': in the header's dict literal.
std::string_view header_value(std::string_view header, std::string_view key, const std::string& name) {
  const auto quoted = fmt::format("'{}':", key);
  const auto at = header.find(quoted);
  if (at == std::string_view::npos) fail(ErrorCode::kBadFile, "'{}': the npy header has no '{}'", name, key);
  auto value = header.substr(at + quoted.size());
  value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
  return value;
}

std::vector<std::int64_t> parse_shape(std::string_view text, const std::string& name) {
  std::vector<std::int64_t> shape;
  if (text.empty() || text.front() != '(') fail(ErrorCode::kBadFile, "'{}': the npy shape is not a tuple", name);
  text.remove_prefix(1);
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(" ,"), text.size()));
    if (text.empty()) fail(ErrorCode::kBadFile, "'{}': the npy shape has no end", name);
    if (text.front() == ')') return shape;
    std::int64_t side = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), side);
    if (error != std::errc() || side < 0 || shape.size() >= limits::kMaxRank) {
      fail(ErrorCode::kBadFile, "'{}': the npy shape is not a tuple of at most {} sizes", name, limits::kMaxRank);
    }
    shape.push_back(side);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  }
}

[[noreturn]] void fail_not_plain(std::string_view descr, const std::string& name) {
  fail_with_hint(ErrorCode::kBadFile, "save it with numpy.save(name, array.astype('float32'))",
                 "'{}': npy element type {} is not a plain number", name, printable(descr));
}

std::uint64_t item_bytes(const std::string& dtype, const std::string& name) {
  for (const auto* known : {"b1", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"}) {
    if (dtype == known) return static_cast<std::uint64_t>(dtype[1] - '0');
  }
  fail(ErrorCode::kBadFile, "'{}': npy element type '{}' is not supported", name, printable(dtype));
}

template <typename From, typename To>
void convert(const NpyArray& array, std::vector<To>& out) {
  constexpr std::size_t kBlock = 1U << 18U;  // elements between two stop checks
  for (std::size_t begin = 0; begin < out.size(); begin += kBlock) {
    check_stop();
    for (std::size_t i = begin; i < std::min(out.size(), begin + kBlock); ++i) {
      From value;
      std::memcpy(&value, array.data.data() + i * sizeof(From), sizeof(From));
      out[i] = static_cast<To>(value);
    }
  }
}

template <typename To>
bool convert_integers(const NpyArray& array, std::vector<To>& out) {
  if (array.dtype == "b1" || array.dtype == "u1") return convert<std::uint8_t>(array, out), true;
  if (array.dtype == "i1") return convert<std::int8_t>(array, out), true;
  if (array.dtype == "i2") return convert<std::int16_t>(array, out), true;
  if (array.dtype == "u2") return convert<std::uint16_t>(array, out), true;
  if (array.dtype == "i4") return convert<std::int32_t>(array, out), true;
  if (array.dtype == "u4") return convert<std::uint32_t>(array, out), true;
  if (array.dtype == "i8") return convert<std::int64_t>(array, out), true;
  if (array.dtype == "u8") return convert<std::uint64_t>(array, out), true;
  return false;
}

std::string header_of(const char* dtype, const std::vector<std::int64_t>& shape) {
  const std::string tuple = shape.size() == 1 ? fmt::format("({},)", shape[0]) : fmt::format("({})", fmt::join(shape, ", "));
  std::string header = fmt::format("{{'descr': '<{}', 'fortran_order': False, 'shape': {}, }}", dtype, tuple);
  header.append(63 - (10 + header.size()) % 64, ' ');  // data starts at a multiple of 64
  header.push_back('\n');
  const auto length = static_cast<std::uint16_t>(header.size());
  std::string magic("\x93NUMPY\x01\x00", 8);
  magic.push_back(static_cast<char>(length & 0xff));
  magic.push_back(static_cast<char>(length >> 8));
  return magic + header;
}

void write_array(const std::filesystem::path& path, const char* dtype, std::span<const std::byte> data,
                 const std::vector<std::int64_t>& shape) {
  AtomicFile out(path);
  out.write(header_of(dtype, shape));
  out.write(data);
  out.commit();
}

}  // namespace

std::int64_t NpyArray::count() const {
  std::int64_t n = 1;
  for (const auto side : shape) n *= side;
  return n;
}

std::vector<float> NpyArray::to_f32() const {
  std::vector<float> out(static_cast<std::size_t>(count()));
  if (dtype == "f4") {
    convert<float>(*this, out);
  } else if (dtype == "f8") {
    convert<double>(*this, out);
  } else {
    convert_integers(*this, out);
  }
  return out;
}

std::vector<std::int64_t> NpyArray::to_i64() const {
  std::vector<std::int64_t> out(static_cast<std::size_t>(count()));
  if (!convert_integers(*this, out)) fail(ErrorCode::kBadFile, "an npy array of '{}' does not hold integers", dtype);
  return out;
}

NpyHeader parse_npy_header(std::span<const std::byte> bytes, const std::string& name) {
  ByteReader reader(bytes, name, ErrorCode::kBadFile);
  if (reader.remaining() < 8 || reader.text(6, "magic") != std::string_view("\x93NUMPY", 6)) {
    fail(ErrorCode::kBadFile, "'{}' is not an npy file", name);
  }
  const auto major = reader.u8("version");
  reader.u8("version");
  if (major < 1 || major > 3) fail(ErrorCode::kBadFile, "'{}': npy version {} is not supported", name, major);
  const std::uint64_t length = major == 1 ? reader.u16("header length") : reader.u32("header length");
  if (length > limits::kMaxNpyHeaderBytes) {
    fail(ErrorCode::kLimit, "'{}': npy header of {} bytes, the limit is {}", name, length, limits::kMaxNpyHeaderBytes);
  }
  const auto header = reader.text(length, "header");

  const auto descr = header_value(header, "descr", name);
  const bool quoted = !descr.empty() && (descr[0] == '\'' || descr[0] == '"');
  const auto end = quoted ? descr.find(descr[0], 1) : std::string_view::npos;
  if (end == std::string_view::npos) fail_not_plain(descr.substr(0, descr.find(',')), name);

  NpyHeader out;
  out.descr = std::string(descr.substr(1, end - 1));
  out.fortran_order = !header_value(header, "fortran_order", name).starts_with("False");
  out.shape = parse_shape(header_value(header, "shape", name), name);
  out.data = reader.take(reader.remaining(), "data");
  return out;
}

NpyArray parse_npy(std::span<const std::byte> bytes, const std::string& name) {
  const NpyHeader header = parse_npy_header(bytes, name);
  if (header.descr.size() != 3) fail_not_plain(header.descr, name);
  if (header.descr[0] == '>') fail(ErrorCode::kBadFile, "'{}': big-endian npy arrays are not supported", name);
  if (header.fortran_order) {
    fail_with_hint(ErrorCode::kBadFile, "save it with numpy.save(name, numpy.ascontiguousarray(array))",
                   "'{}': Fortran-order npy arrays are not supported", name);
  }
  NpyArray array;
  array.dtype = header.descr.substr(1);
  array.shape = header.shape;
  std::uint64_t size = item_bytes(array.dtype, name);
  for (const auto side : array.shape) size = checked_mul(size, static_cast<std::uint64_t>(side), name);
  if (size != header.data.size()) {
    fail(ErrorCode::kBadFile, "'{}': the npy header announces {} bytes of data, the file has {}", name, size, header.data.size());
  }
  array.data.assign(header.data.begin(), header.data.end());
  return array;
}

NpyArray read_npy(const std::filesystem::path& path) { return parse_npy(read_file(path, kMaxNpyBytes), path.string()); }

void write_npy(const std::filesystem::path& path, std::span<const float> values, const std::vector<std::int64_t>& shape) {
  write_array(path, "f4", std::as_bytes(values), shape);
}

void write_npy(const std::filesystem::path& path, std::span<const std::int64_t> values, const std::vector<std::int64_t>& shape) {
  write_array(path, "i8", std::as_bytes(values), shape);
}

NpyRows::NpyRows(const std::filesystem::path& path, std::int64_t rows, std::int64_t dim) : file_(path) {
  file_.write(header_of("f4", {rows, dim}));
}

void NpyRows::add(std::span<const float> row) { file_.write(std::as_bytes(row)); }

void NpyRows::commit() { file_.commit(); }

}  // namespace revisit
