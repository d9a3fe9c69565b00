// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Comma-separated values as RFC 4180 describes them, read row by row so that a large file needs no more memory than its longest
// row; and cells of text as we write them, harmless to a spreadsheet and a terminal and read back byte for byte.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/fail.h"
#include "core/base/stop_scope.h"

namespace revisit {

/// A cell that holds foreign text, such as the name of a file: escaped_bytes; then an apostrophe in front of what a spreadsheet
/// would take for a formula (= + - @, also full-width, after any spaces) and of what begins with such an apostrophe already; then
/// quotes where RFC 4180 or a spreadsheet's other separators ask for them. "@east@north@..." names, which no spreadsheet can
/// compute, stay as they are. Numbers are not text: write them yourself.
std::string csv_cell(std::string_view text);

class CsvReader {
 public:
  /// `text` must outlive the reader; `file` is its name in error messages. Reads the header row; a byte order mark is skipped.
  /// Throws Error kBadFile with the line, kLimit for rows beyond limits::kMaxCsvRowBytes and kMaxCsvColumns.
  CsvReader(std::string_view text, std::string file);

  /// The column with one of these names, whatever its case.
  std::optional<std::size_t> column(std::initializer_list<std::string_view> names) const;
  std::size_t required_column(std::initializer_list<std::string_view> names) const;

  /// Moves to the next row; false at the end. Empty lines are skipped; every row has as many cells as the header.
  bool next();
  const std::string& cell(std::size_t column) const { return cells_[column]; }
  std::string text(std::size_t column) const;       ///< what csv_cell was given to write this cell
  std::uint64_t line() const { return row_line_; }  ///< where the row starts, from 1

  /// Error kBadFile: "'gt.csv', line 3: ...".
  template <typename... Args>
  [[noreturn]] void fail_here(fmt::format_string<Args...> sentence, Args&&... args) const {
    fail(ErrorCode::kBadFile, "'{}', line {}: {}", file_, row_line_, fmt::format(sentence, std::forward<Args>(args)...));
  }

 private:
  bool read_row();
  void read_quoted(std::string& cell);
  void read_plain(std::string& cell);
  bool take_line_end();

  std::string_view text_;
  std::string file_;
  std::size_t at_ = 0;
  std::uint64_t line_ = 1;
  std::uint64_t row_line_ = 1;
  std::size_t row_start_ = 0;
  std::vector<std::string> header_;
  std::vector<std::string> cells_;
  StopTicker ticker_;
};

}  // namespace revisit
