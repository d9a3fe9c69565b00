// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// NumPy .npy arrays of plain numbers, C order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/base/file.h"

namespace revisit {

struct NpyArray {
  std::string dtype;  ///< as in the file without byte order: "f4", "i8", "u1", ...
  std::vector<std::int64_t> shape;
  std::vector<std::byte> data;  ///< C order, little-endian

  std::int64_t count() const;
  std::vector<float> to_f32() const;         ///< f2 is not needed here; f4, f8, integers and bool are converted
  std::vector<std::int64_t> to_i64() const;  ///< integers and bool only
};

/// The header of an array; `data` points into the bytes it was parsed from.
struct NpyHeader {
  std::string descr;  ///< "<f4", "<U15", "|O", ...
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
  std::span<const std::byte> data;
};

/// For arrays of every kind; structured element types are refused.
NpyHeader parse_npy_header(std::span<const std::byte> bytes, const std::string& name);

/// Throws Error kBadFile for anything but a whole little-endian C-order array of numbers (no object arrays).
NpyArray read_npy(const std::filesystem::path& path);
NpyArray parse_npy(std::span<const std::byte> bytes, const std::string& name);

void write_npy(const std::filesystem::path& path, std::span<const float> values, const std::vector<std::int64_t>& shape);
void write_npy(const std::filesystem::path& path, std::span<const std::int64_t> values, const std::vector<std::int64_t>& shape);

/// A float32 (rows, dim) array too large for memory, written row by row; it appears when commit() is called.
class NpyRows {
 public:
  NpyRows(const std::filesystem::path& path, std::int64_t rows, std::int64_t dim);
  void add(std::span<const float> row);
  void commit();

 private:
  AtomicFile file_;
};

}  // namespace revisit
