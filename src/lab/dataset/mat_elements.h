// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The elements a .mat v5 file is made of: a tag with type and size, then data, padded to 8 bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace revisit::dataset {

enum MatType : std::uint32_t {
  kMatInt8 = 1,
  kMatUint8 = 2,
  kMatInt16 = 3,
  kMatUint16 = 4,
  kMatInt32 = 5,
  kMatUint32 = 6,
  kMatSingle = 7,
  kMatDouble = 9,
  kMatInt64 = 12,
  kMatUint64 = 13,
  kMatMatrix = 14,
  kMatCompressed = 15,
  kMatUtf8 = 16,
  kMatUtf16 = 17,
  kMatUtf32 = 18,
};

struct MatElement {
  std::uint32_t type = 0;
  std::span<const std::byte> data;
};

/// A cursor over the elements in `bytes`; every size is checked against the remaining bytes.
class MatReader {
 public:
  MatReader(std::span<const std::byte> bytes, const std::string& file, bool big_endian)
      : bytes_(bytes), file_(&file), big_endian_(big_endian) {}

  bool at_end() const { return at_ >= bytes_.size(); }
  MatElement next(const char* what);

  /// The next element as a few integers, whatever number type it is stored in.
  std::vector<std::int64_t> integers(const char* what);

  const std::string& file() const { return *file_; }
  bool big_endian() const { return big_endian_; }

 private:
  std::uint32_t u32(std::size_t at) const;

  std::span<const std::byte> bytes_;
  const std::string* file_;
  std::size_t at_ = 0;
  bool big_endian_;
};

/// The values of an element of numbers; an element of another type is Error kBadFile.
std::vector<double> mat_doubles(const MatElement& element, bool big_endian, const std::string& file);

/// Characters of an element as UTF-8; unit by unit, zeros refused.
std::string mat_text(const MatElement& element, bool big_endian, const std::string& file);

/// Inflates a zlib stream of at most max_bytes. Its cost is proportional to its input and output: a file may hold
/// thousands of tiny streams.
std::vector<std::byte> mat_inflate(std::span<const std::byte> bytes, std::uint64_t max_bytes, const std::string& file);

}  // namespace revisit::dataset
