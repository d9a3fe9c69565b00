// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// A table of results, as Markdown for people and LaTeX for papers.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace revisit::report {

struct TableCell {
  std::string text;
  std::optional<double> value{};  ///< in a ranked column
};
using TableRow = std::vector<TableCell>;

struct Table {
  std::string caption;
  std::vector<std::string> columns;
  std::vector<TableRow> rows;  ///< of each column's values the best is bold, the second underlined; equal as shown, equal in rank
  std::vector<TableRow> others;  ///< numbers of others, apart and not ranked
};

std::string to_markdown(const Table& table);
/// A tabular for booktabs; \caption and the float are up to the reader.
std::string to_latex(const Table& table);

/// "83.9 ±1.3": one digit, so that ranks are those of the text.
std::string percent_text(double mean, std::optional<double> deviation = {});
/// A bar would end the cell.
std::string markdown_cell(const std::string& text);
std::string markdown_head(const std::vector<std::string>& columns);

}  // namespace revisit::report
