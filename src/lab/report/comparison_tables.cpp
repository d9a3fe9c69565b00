// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Columns are made one by one: each knows its head, what a measured line says and what numbers of others say.
#include "lab/report/comparison_tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <string>

namespace revisit::report {
namespace {

struct Column {
  std::string head;
  std::function<TableCell(const CompareLine&)> measured;
  std::function<std::optional<double>(const CompareLiterature&, std::size_t at)> others;
  int digits = 1;
};

std::optional<double> recall_of_others(const CompareLiterature& others, const std::string& dataset, int k, std::size_t at) {
  const auto by_set = others.recall.find(k);
  if (by_set == others.recall.end()) return std::nullopt;
  const auto values = by_set->second.find(dataset);
  return values == by_set->second.end() ? std::nullopt : std::optional(values->second.at(at));
}

TableCell recall_cell(const MeanAndSpread& recall, std::size_t repetitions) {
  return {percent_text(recall.mean, repetitions > 1 ? std::optional(recall.deviation) : std::nullopt), recall.mean};
}

Column dataset_column(const Comparison& comparison, std::size_t d, int k) {
  const std::string name = comparison.config.datasets[d].name;
  const std::string at = comparison.config.recall_columns.size() > 1 ? fmt::format(" R@{}", k) : "";
  return {fmt::format("{}{}, {} queries", name, at, comparison.num_queries[d]),
          [=](const CompareLine& line) { return recall_cell(recall_of(line, d, k), line.repetitions.size()); },
          [=](const CompareLiterature& others, std::size_t i) { return recall_of_others(others, name, k, i); }};
}

Column mean_column(const CompareConfig& config, const std::string& head, int k, const std::set<std::size_t>& left_out) {
  return {head, [=](const CompareLine& line) { return recall_cell(mean_recall_of(line, k, left_out), line.repetitions.size()); },
          [&config, k, left_out](const CompareLiterature& others, std::size_t i) {
            return mean_of_others(others, config, k, i, left_out);
          }};
}

/// A row for each line and for each rho of the others.
Table table_of(const Comparison& comparison, std::string caption, const std::vector<Column>& columns) {
  Table out{std::move(caption), {"row", "rho"}, {}, {}};
  for (const auto& column : columns) out.columns.push_back(column.head);
  for (const auto& line : comparison.lines) {
    TableRow row{{line.name}, {fmt::format("{:g}", line.rho)}};
    for (const auto& column : columns) row.push_back(column.measured(line));
    out.rows.push_back(std::move(row));
  }
  for (const auto& others : comparison.config.literature) {
    for (std::size_t i = 0; i < others.rhos.size(); ++i) {
      TableRow row{{others.name}, {fmt::format("{:g}", others.rhos[i])}};
      for (const auto& column : columns) {
        const auto value = column.others(others, i);
        row.push_back({value ? fmt::format("{:.{}f}", *value, column.digits) : ""});
      }
      out.others.push_back(std::move(row));
    }
  }
  return out;
}

std::optional<double> number_at(const std::vector<double>& values, std::size_t i) {
  return i < values.size() ? std::optional(values[i]) : std::nullopt;
}

std::string without_text(const CompareConfig& config) { return fmt::format("without {}", fmt::join(config.mean_without, ", ")); }

Table recall_table(const Comparison& comparison) {
  const CompareConfig& config = comparison.config;
  std::vector<Column> columns{
      {"ms", [](const CompareLine& line) { return TableCell{fmt::format("{:.1f}", cost_of(line).ms_per_image)}; },
       [](const CompareLiterature& others, std::size_t i) { return number_at(others.ms_per_image, i); }, 2},
      {"GMAC", [](const CompareLine& line) { return TableCell{fmt::format("{:.1f}", cost_of(line).gmac)}; },
       [](const CompareLiterature& others, std::size_t i) { return number_at(others.gmac, i); }}};
  for (std::size_t d = 0; d < config.datasets.size(); ++d) {
    for (const int k : config.recall_columns) columns.push_back(dataset_column(comparison, d, k));
  }
  for (const int k : config.recall_columns) {
    if (config.datasets.size() < 2) continue;
    const std::string mean = config.recall_columns.size() > 1 ? fmt::format("mean R@{}", k) : "mean";
    columns.push_back(mean_column(config, mean, k, {}));
    if (!config.mean_without.empty())
      columns.push_back(mean_column(config, mean + " " + without_text(config), k, left_out_of(config)));
  }
  const std::string caption =
      fmt::format("Recall@{}, percent; repetitions: mean ±standard deviation; ms: a forward pass, median.",
                  fmt::join(config.recall_columns, " and @"));
  return table_of(comparison, caption, columns);
}

Table mean_table(const Comparison& comparison) {
  const CompareConfig& config = comparison.config;
  std::vector<Column> columns{{"repetitions",
                               [](const CompareLine& line) { return TableCell{std::to_string(line.repetitions.size())}; },
                               [](const CompareLiterature&, std::size_t) { return std::optional<double>(); }}};
  for (const int k : config.recall_values) columns.push_back(mean_column(config, fmt::format("R@{}", k), k, {}));
  for (const int k : config.recall_values) {
    if (!config.mean_without.empty())
      columns.push_back(mean_column(config, fmt::format("R@{} {}", k, without_text(config)), k, left_out_of(config)));
  }
  return table_of(comparison, fmt::format("Mean over {} data sets.", config.datasets.size()), columns);
}

}  // namespace

std::set<std::size_t> left_out_of(const CompareConfig& config) {
  std::set<std::size_t> out;
  for (std::size_t d = 0; d < config.datasets.size(); ++d) {
    if (std::ranges::find(config.mean_without, config.datasets[d].name) != config.mean_without.end()) out.insert(d);
  }
  return out;
}

std::optional<double> mean_of_others(const CompareLiterature& others, const CompareConfig& config, int k, std::size_t at,
                                     const std::set<std::size_t>& left_out) {
  const auto stated = others.mean_recall.find(k);
  if (left_out.empty() && stated != others.mean_recall.end()) return stated->second.at(at);
  double sum = 0;
  for (std::size_t d = 0; d < config.datasets.size(); ++d) {
    if (left_out.contains(d)) continue;
    const auto recall = recall_of_others(others, config.datasets[d].name, k, at);
    if (!recall) return std::nullopt;
    sum += *recall;
  }
  return sum / static_cast<double>(config.datasets.size() - left_out.size());
}

std::vector<Table> tables_of(const Comparison& comparison) {
  std::vector<Table> out{recall_table(comparison)};
  if (comparison.config.datasets.size() > 1 || comparison.config.recall_values.size() > 1) out.push_back(mean_table(comparison));
  return out;
}

}  // namespace revisit::report
