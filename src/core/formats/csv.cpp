// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// One pass over the text, one row at a time.
#include "core/formats/csv.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "core/base/limits.h"
#include "core/formats/text.h"
#include "core/formats/printable.h"

namespace revisit {


CsvReader::CsvReader(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {
  if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
  if (text_.starts_with("\xFF\xFE") || text_.starts_with("\xFE\xFF")) {
    fail_with_hint(ErrorCode::kBadFile, "save it again as UTF-8", "'{}' is UTF-16 text, not UTF-8", file_);
  }
  if (!read_row()) fail(ErrorCode::kBadFile, "'{}' is empty: a csv file starts with the names of its columns", file_);
  for (const auto& cell : cells_) header_.push_back(lower(trimmed(cell)));
  for (auto it = header_.begin(); it != header_.end(); ++it) {
    if (!it->empty() && std::find(header_.begin(), it, *it) != it) fail_here("the column '{}' appears twice", printable(*it));
  }
}

std::optional<std::size_t> CsvReader::column(std::initializer_list<std::string_view> names) const {
  for (const auto name : names) {
    const auto found = std::ranges::find(header_, name);
    if (found != header_.end()) return static_cast<std::size_t>(found - header_.begin());
  }
  return std::nullopt;
}

std::size_t CsvReader::required_column(std::initializer_list<std::string_view> names) const {
  if (const auto found = column(names)) return *found;
  fail_with_hint(ErrorCode::kBadFile,
                 fmt::format("its first line is '{}'", printable(fmt::format("{}", fmt::join(header_, ",")))),
                 "'{}' has no column '{}'", file_, *names.begin());
}

bool CsvReader::next() {
  if (!read_row()) return false;
  if (cells_.size() != header_.size()) fail_here("{} cells where the first line has {}", cells_.size(), header_.size());
  return true;
}

bool CsvReader::take_line_end() {
  if (at_ >= text_.size() || (text_[at_] != '\n' && text_[at_] != '\r')) return false;
  at_ += text_.substr(at_).starts_with("\r\n") ? 2 : 1;
  ++line_;
  return true;
}

bool CsvReader::read_row() {
  while (take_line_end()) continue;
  if (at_ >= text_.size()) return false;
  row_line_ = line_;
  row_start_ = at_;
  cells_.clear();
  while (true) {
    if (cells_.size() == limits::kMaxCsvColumns) {
      fail(ErrorCode::kLimit, "'{}', line {}: more than {} columns", file_, row_line_, limits::kMaxCsvColumns);
    }
    std::string& cell = cells_.emplace_back();
    at_ < text_.size() && text_[at_] == '"' ? read_quoted(cell) : read_plain(cell);
    if (at_ < text_.size() && text_[at_] == ',') {
      ++at_;
      continue;
    }
    if (at_ >= text_.size() || take_line_end()) return true;
    fail_here("text follows the closing quote of cell {}", cells_.size());
  }
}

void CsvReader::read_plain(std::string& cell) {
  const auto end = std::min(text_.find_first_of(std::string_view(",\r\n\"\0", 5), at_), text_.size());
  if (end - row_start_ > limits::kMaxCsvRowBytes) {
    fail(ErrorCode::kLimit, "'{}', line {}: a row of more than {} bytes", file_, row_line_, limits::kMaxCsvRowBytes);
  }
  if (end < text_.size() && text_[end] == '"') {
    fail_here("a quote inside cell {}, which does not start with one", cells_.size());
  }
  if (end < text_.size() && text_[end] == '\0') fail_here("a zero byte: this is no text");
  cell = text_.substr(at_, end - at_);
  at_ = end;
}

void CsvReader::read_quoted(std::string& cell) {
  ++at_;
  while (true) {
    const auto end = text_.find_first_of(std::string_view("\"\0\n", 3), at_);
    if (std::min(end, text_.size()) - row_start_ > limits::kMaxCsvRowBytes) {
      fail(ErrorCode::kLimit, "'{}', line {}: a row of more than {} bytes", file_, row_line_, limits::kMaxCsvRowBytes);
    }
    if (end == std::string_view::npos) fail_here("the quote that opens cell {} is never closed", cells_.size());
    if (text_[end] == '\0') fail_here("a zero byte: this is no text");
    cell += text_.substr(at_, end - at_);
    at_ = end + 1;
    if (text_[end] == '\n') {
      cell += '\n';
      ++line_;
    } else if (at_ < text_.size() && text_[at_] == '"') {
      cell += '"';
      ++at_;
    } else {
      return;
    }
  }
}

}  // namespace revisit
