// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// One pass over the text, one row at a time.
#include "core/formats/csv.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "core/base/limits.h"
#include "core/formats/escape.h"
#include "core/formats/printable.h"
#include "core/formats/text.h"

namespace revisit {
namespace {

std::string_view without_leading(std::string_view text, char c) {
  return text.substr(std::min(text.find_first_not_of(c), text.size()));
}

/// "@0499985.13@5300014.48@...", names in the usual form: no formula has two numbers in such a place.
bool is_named_by_position(std::string_view text) {
  for (int number = 0; number < 2; ++number) {
    if (!text.starts_with('@')) return false;
    const auto digits = std::min(text.find_first_not_of("0123456789.-", 1), text.size()) - 1;
    if (digits == 0) return false;
    text.remove_prefix(1 + digits);
  }
  return text.starts_with('@');
}

/// Also with apostrophes in front, so that one more or less can be told from the text's own.
bool reads_as_formula(std::string_view text) {
  text = without_leading(without_leading(text, '\''), ' ');
  // The last four are full-width, U+FF1D, U+FF0B, U+FF0D and U+FF20.
  constexpr std::string_view kStarts[] = {"=", "+", "-", "@", "\xEF\xBC\x9D", "\xEF\xBC\x8B", "\xEF\xBC\x8D", "\xEF\xBC\xA0"};
  return std::ranges::any_of(kStarts, [&](std::string_view start) { return text.starts_with(start); });
}

}  // namespace

std::string csv_cell(std::string_view text) {
  std::string cell = escaped_bytes(text);
  if (reads_as_formula(cell) && !is_named_by_position(cell)) cell.insert(0, 1, '\'');
  const bool spaces = cell.starts_with(' ') || cell.ends_with(' ');
  if (!spaces && cell.find_first_of(",;\"") == std::string::npos) return cell;
  std::string out = "\"";
  for (const char c : cell) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

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

std::string CsvReader::text(std::size_t column) const {
  std::string_view cell = cells_[column];
  if (cell.starts_with('\'') && reads_as_formula(cell)) cell.remove_prefix(1);
  return unescaped_bytes(cell);
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
  while (take_line_end()) ticker_.step();
  if (at_ >= text_.size()) return false;
  row_line_ = line_;
  row_start_ = at_;
  cells_.clear();
  while (true) {
    if (cells_.size() == limits::kMaxCsvColumns) {
      fail(ErrorCode::kLimit, "'{}', line {}: more than {} columns", file_, row_line_, limits::kMaxCsvColumns);
    }
    std::string& cell = cells_.emplace_back();
    const std::size_t start = at_;
    at_ < text_.size() && text_[at_] == '"' ? read_quoted(cell) : read_plain(cell);
    ticker_.step(at_ - start + 1);
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
  if (end < text_.size() && text_[end] == '\0') fail_here("a zero byte: this is not text");
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
    if (text_[end] == '\0') fail_here("a zero byte: this is not text");
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
