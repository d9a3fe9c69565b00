// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Names are untrusted text: what would end a cell, or mean something to LaTeX, is escaped.
#include "lab/report/table.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <set>
#include <string_view>

#include "lab/report/text.h"

namespace revisit::report {
namespace {

constexpr double kShownStep = 10;  // a digit after the point

double as_shown(double value) { return std::round(value * kShownStep); }

enum class Rank { kNone, kBest, kSecond };

/// Ranks of each row of the column.
std::vector<Rank> ranks_of(const Table& table, std::size_t column) {
  std::set<double, std::greater<>> values;
  std::size_t count = 0;
  for (const auto& row : table.rows) {
    if (!row[column].value) continue;
    values.insert(as_shown(*row[column].value));
    ++count;
  }
  std::vector<Rank> out(table.rows.size(), Rank::kNone);
  if (count < 2 || values.size() < 2) return out;  // nothing to choose between
  const double best = *values.begin(), second = *std::next(values.begin());
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (!table.rows[i][column].value) continue;
    const double value = as_shown(*table.rows[i][column].value);
    out[i] = value == best ? Rank::kBest : value == second ? Rank::kSecond : Rank::kNone;
  }
  return out;
}

std::string latex_text(std::string_view text) {
  std::string out;
  const std::string plain = printable(text);
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const char c = plain[i];
    if (std::string_view("&%$#_{}").find(c) != std::string_view::npos) {
      out += std::string("\\") + c;
    } else if (c == '\\') {
      out += "\\textbackslash{}";
    } else if (c == '~') {
      out += "\\textasciitilde{}";
    } else if (c == '^') {
      out += "\\textasciicircum{}";
    } else if (plain.compare(i, 2, "±") == 0) {
      out += "$\\pm$";
      ++i;
    } else {
      out += c;
    }
  }
  return out;
}

/// `cell` turns a row's text and its rank into what stands between separators.
template <typename Cell>
std::vector<std::vector<std::string>> shown_rows(const Table& table, const Cell& cell) {
  std::vector<std::vector<std::string>> out(table.rows.size());
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const auto ranks = ranks_of(table, c);
    for (std::size_t r = 0; r < out.size(); ++r) out[r].push_back(cell(table.rows[r][c].text, ranks[r]));
  }
  return out;
}

std::string latex_row(const std::vector<std::string>& cells) { return fmt::format("{} \\\\\n", fmt::join(cells, " & ")); }

}  // namespace

std::string percent_text(double mean, std::optional<double> deviation) {
  return deviation ? fmt::format("{:.1f} ±{:.1f}", mean, *deviation) : fmt::format("{:.1f}", mean);
}

std::string markdown_cell(const std::string& text) {
  std::string out;
  for (const char c : printable(text)) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

std::string markdown_head(const std::vector<std::string>& columns) {
  std::string names = "|", rule = "|";
  for (const auto& column : columns) {
    names += " " + markdown_cell(column) + " |";
    rule += "---|";
  }
  return names + "\n" + rule + "\n";
}

std::string to_markdown(const Table& table) {
  std::string out = table.caption + "\n\n" + markdown_head(table.columns);
  const auto add = [&](const std::vector<std::string>& cells) { out += fmt::format("| {} |\n", fmt::join(cells, " | ")); };
  const auto cell = [](const std::string& text, Rank rank) {
    const std::string safe = markdown_cell(text);
    return rank == Rank::kBest ? "**" + safe + "**" : rank == Rank::kSecond ? "<u>" + safe + "</u>" : safe;
  };
  for (const auto& row : shown_rows(table, cell)) add(row);
  if (table.others.empty()) return out;
  std::vector<std::string> apart(table.columns.size());
  apart.front() = "*numbers of others*";
  add(apart);
  for (const auto& row : table.others) {
    std::vector<std::string> cells;
    for (const auto& one : row) cells.push_back(markdown_cell(one.text));
    add(cells);
  }
  return out;
}

std::string to_latex(const Table& table) {
  std::string out = fmt::format("% {}\n\\begin{{tabular}}{{l{}}}\n\\toprule\n", printable(table.caption),
                                std::string(table.columns.size() - 1, 'r'));
  std::vector<std::string> head;
  for (const auto& column : table.columns) head.push_back(latex_text(column));
  out += latex_row(head) + "\\midrule\n";
  const auto cell = [](const std::string& text, Rank rank) {
    const std::string safe = latex_text(text);
    return rank == Rank::kBest ? "\\textbf{" + safe + "}" : rank == Rank::kSecond ? "\\underline{" + safe + "}" : safe;
  };
  for (const auto& row : shown_rows(table, cell)) out += latex_row(row);
  if (!table.others.empty()) out += "\\midrule\n";
  for (const auto& row : table.others) {
    std::vector<std::string> cells;
    for (const auto& one : row) cells.push_back(latex_text(one.text));
    out += latex_row(cells);
  }
  return out + "\\bottomrule\n\\end{tabular}\n";
}

}  // namespace revisit::report
