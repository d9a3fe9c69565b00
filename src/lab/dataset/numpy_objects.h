// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// What numpy pickles for an array of objects: _reconstruct(ndarray, ...), then a state with shape, element type and content. Only
// integers, arrays of integers and texts are understood; every other form is refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/pickle.h"

namespace revisit::dataset {

struct IntegerType {
  std::size_t bytes = 0;  ///< 1, 2, 4 or 8
  bool is_signed = true;
  bool big_endian = false;
};

/// "<i8", ">u2", "|b1", ...; empty for everything else.
std::optional<IntegerType> integer_type(std::string_view descr);

/// Values above the largest std::int64_t wrap to negative ones, which no list of indices accepts.
void append_integers(std::vector<std::int64_t>& out, std::span<const std::byte> data, IntegerType type);

class NumpyObjects {
 public:
  /// `pickle` must outlive the object. Throws Error kBadFile, kLimit.
  NumpyObjects(std::span<const std::byte> pickle, std::string file);

  const std::vector<std::int64_t>& shape() const { return shape_; }
  std::vector<std::string> texts() const;                ///< of a one-dimensional array
  std::vector<std::vector<std::int64_t>> lists() const;  ///< (n): n lists; (n, k): n lists of k integers

 private:
  using ValueId = model::ValueId;
  struct Array {
    std::vector<std::int64_t> shape;
    std::string descr;  // "<i8", "|O8"
    ValueId content;
  };

  [[noreturn]] void bad(const std::string& what) const;
  bool is_call(ValueId id, std::string_view name) const;
  Array array_of(ValueId id) const;
  std::string descr_of(ValueId id) const;
  std::span<const std::byte> bytes_of(ValueId id, std::uint64_t wanted, std::vector<std::byte>& buffer) const;
  void append(std::vector<std::int64_t>& out, ValueId id) const;
  void append_array(std::vector<std::int64_t>& out, ValueId id, std::uint64_t before) const;
  void check_total(std::uint64_t integers) const;

  std::string file_;
  model::Pickle pickle_;
  std::vector<std::int64_t> shape_;
  std::vector<ValueId> elements_;
};

}  // namespace revisit::dataset
