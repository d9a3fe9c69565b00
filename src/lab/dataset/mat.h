// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// MATLAB v5 .mat files, as far as data sets of place recognition need them: one struct with texts, cells of texts and numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace revisit::dataset {

/// An array of doubles, column by column.
struct MatNumbers {
  std::vector<std::int64_t> shape;
  std::vector<double> values;
};

/// The fields of a 1x1 struct, sorted by their kind.
struct MatStruct {
  std::vector<std::string> order;  ///< the fields' names as the file has them
  std::map<std::string, std::string> texts;
  std::map<std::string, std::vector<std::string>> cells;  ///< of texts, column by column
  std::map<std::string, MatNumbers> numbers;
};

/// The struct variable `variable` of a v5 file, either byte order, compressed or not. Throws Error kBadFile, and kLimit beyond
/// limits::kMaxMatBytes of file or inflated data.
MatStruct parse_mat_struct(std::span<const std::byte> bytes, const std::string& variable, const std::string& file);

}  // namespace revisit::dataset
