// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The files of a comparison: Markdown for people, csv and JSON for programs, the curve of mean recall over time.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/formats/csv.h"
#include "lab/report/chart.h"
#include "lab/report/text.h"

namespace revisit {
namespace report {
namespace {

using ComparisonJson = nlohmann::ordered_json;

std::string with_spread(const MeanAndSpread& value, std::size_t repetitions) {
  return repetitions > 1 ? fmt::format("{:.1f} ±{:.1f}", value.mean, value.deviation) : fmt::format("{:.1f}", value.mean);
}

/// A bar would end the cell.
std::string cell_text(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

std::string table_head(const std::vector<std::string>& columns) {
  std::string names = "|", rule = "|";
  for (const auto& column : columns) {
    names += " " + cell_text(column) + " |";
    rule += "---|";
  }
  return names + "\n" + rule + "\n";
}

std::string recall_table(const Comparison& comparison) {
  const int k = comparison.config.recall_values.front();
  std::vector<std::string> columns{"row", "rho", "ms"};
  for (std::size_t d = 0; d < comparison.config.datasets.size(); ++d) {
    columns.push_back(fmt::format("{}, {} queries", comparison.config.datasets[d].name, comparison.num_queries[d]));
  }
  std::string out = fmt::format("Recall@{}, percent; repetitions: mean ±standard deviation.\n\n", k) + table_head(columns);
  for (const auto& line : comparison.lines) {
    out += fmt::format("| {} | {:g} | {:.1f} |", cell_text(line.name), line.rho, median_ms_of(line));
    for (std::size_t d = 0; d < comparison.config.datasets.size(); ++d) {
      out += fmt::format(" {} |", with_spread(recall_of(line, d, k), line.repetitions.size()));
    }
    out += "\n";
  }
  return out;
}

std::string mean_table(const Comparison& comparison) {
  std::vector<std::string> columns{"row", "rho", "repetitions"};
  for (const int k : comparison.config.recall_values) columns.push_back(fmt::format("R@{}", k));
  std::string out = fmt::format("Mean over {} data sets.\n\n", comparison.config.datasets.size()) + table_head(columns);
  for (const auto& line : comparison.lines) {
    out += fmt::format("| {} | {:g} | {} |", cell_text(line.name), line.rho, line.repetitions.size());
    for (const int k : comparison.config.recall_values) {
      out += fmt::format(" {} |", with_spread(mean_recall_of(line, k), line.repetitions.size()));
    }
    out += "\n";
  }
  return out;
}

const CompareLine* line_of(const Comparison& comparison, const std::string& name, double rho) {
  const auto found =
      std::ranges::find_if(comparison.lines, [&](const CompareLine& line) { return line.name == name && line.rho == rho; });
  return found == comparison.lines.end() ? nullptr : &*found;
}

/// Those whose two lines are done.
template <typename Action>
void for_each_difference(const Comparison& comparison, const Action& action) {
  const int k = comparison.config.recall_values.front();
  for (const auto& asked : comparison.config.differences) {
    const auto* of = line_of(comparison, asked.of, asked.of_rho);
    const auto* from = line_of(comparison, asked.from, asked.from_rho);
    if (of != nullptr && from != nullptr) action(asked, paired_difference(*of, *from, k));
  }
}

std::string difference_table(const Comparison& comparison) {
  std::string out;
  for_each_difference(comparison, [&](const CompareDifference& asked, const PairedDifference& found) {
    out += fmt::format("| {}, rho {:g} | {}, rho {:g} | {:+.1f} | {:+.1f} to {:+.1f} |\n", cell_text(asked.of), asked.of_rho,
                       cell_text(asked.from), asked.from_rho, found.percent, found.low95, found.high95);
  });
  if (out.empty()) return out;
  return fmt::format("Mean recall@{} gained, query by query (paired bootstrap).\n\n", comparison.config.recall_values.front()) +
         table_head({"row", "over", "points", "95 %"}) + out;
}

std::string csv_of_comparison(const Comparison& comparison) {
  std::string out = "row,rho,repetition,dataset,queries,ms_per_image";
  for (const int k : comparison.config.recall_values) out += fmt::format(",recall_{}", k);
  out += "\n";
  for (const auto& line : comparison.lines) {
    for (std::size_t r = 0; r < line.repetitions.size(); ++r) {
      for (std::size_t d = 0; d < line.repetitions[r].size(); ++d) {
        const CompareLine one{line.name, line.rho, {line.repetitions[r]}};
        out += fmt::format("{},{},{},{},{},{:.3f}", csv_cell(line.name), line.rho, r + 1,
                           csv_cell(comparison.config.datasets[d].name), comparison.num_queries[d],
                           line.repetitions[r][d].ms_per_image);
        for (const int k : comparison.config.recall_values) out += fmt::format(",{:.3f}", recall_of(one, d, k).mean);
        out += "\n";
      }
    }
  }
  return out;
}

Chart chart_of_comparison(const Comparison& comparison) {
  const int k = comparison.config.recall_values.front();
  Chart chart;
  chart.title = fmt::format("Mean recall@{} over milliseconds per image", k);
  chart.x_label = "milliseconds per image (forward)";
  chart.y_label = fmt::format("mean recall@{} (%)", k);
  chart.y_limit = 100;
  for (const auto& line : comparison.lines) {
    if (chart.series.empty() || chart.series.back().name != line.name) chart.series.push_back({line.name, {}, true});
    chart.series.back().points.push_back({median_ms_of(line), mean_recall_of(line, k).mean, fmt::format("rho {:g}", line.rho)});
  }
  return chart;
}

ComparisonJson line_object(const CompareLine& line, const Comparison& comparison) {
  ComparisonJson out{
      {"row", line.name}, {"rho", line.rho}, {"repetitions", line.repetitions.size()}, {"ms_per_image", median_ms_of(line)}};
  const auto recalls = [&](const auto& recall) {
    ComparisonJson object = ComparisonJson::object();
    for (const int k : comparison.config.recall_values) {
      const MeanAndSpread value = recall(k);
      object[std::to_string(k)] = {{"mean", value.mean}, {"deviation", value.deviation}};
    }
    return object;
  };
  auto sets = ComparisonJson::array();
  for (std::size_t d = 0; d < comparison.config.datasets.size(); ++d) {
    sets.push_back(
        {{"dataset", comparison.config.datasets[d].name}, {"recall", recalls([&](int k) { return recall_of(line, d, k); })}});
  }
  out["datasets"] = std::move(sets);
  out["mean_recall"] = recalls([&](int k) { return mean_recall_of(line, k); });
  return out;
}

}  // namespace
}  // namespace report

std::string comparison_text(const Comparison& comparison) {
  std::string out = report::recall_table(comparison);
  if (comparison.config.datasets.size() > 1 || comparison.config.recall_values.size() > 1)
    out += "\n" + report::mean_table(comparison);
  const std::string differences = report::difference_table(comparison);
  return differences.empty() ? out : out + "\n" + differences;
}

std::string comparison_json(const Comparison& comparison) {
  report::ComparisonJson object{
      {"schema", 1}, {"name", comparison.config.name}, {"cpu", comparison.cpu}, {"threads", comparison.threads}};
  auto sets = report::ComparisonJson::array();
  for (std::size_t d = 0; d < comparison.config.datasets.size(); ++d) {
    sets.push_back({{"name", comparison.config.datasets[d].name},
                    {"num_queries", comparison.num_queries[d]},
                    {"protocol", comparison.protocols[d]}});
  }
  object["datasets"] = std::move(sets);
  auto lines = report::ComparisonJson::array();
  for (const auto& line : comparison.lines) lines.push_back(report::line_object(line, comparison));
  object["rows"] = std::move(lines);
  auto differences = report::ComparisonJson::array();
  report::for_each_difference(comparison, [&](const CompareDifference& asked, const PairedDifference& found) {
    differences.push_back({{"of", asked.of},
                           {"of_rho", asked.of_rho},
                           {"from", asked.from},
                           {"from_rho", asked.from_rho},
                           {"recall_gained", found.percent},
                           {"interval95", {found.low95, found.high95}}});
  });
  object["differences"] = std::move(differences);
  auto skipped = report::ComparisonJson::array();
  for (const auto& one : comparison.skipped) {
    skipped.push_back({{"path", one.path}, {"code", name_of(one.code)}, {"reason", one.reason}});
  }
  object["skipped"] = std::move(skipped);
  return object.dump(-1, ' ', false, report::ComparisonJson::error_handler_t::replace) + "\n";
}

void write_comparison(const std::filesystem::path& folder, const Comparison& comparison) {
  report::make_folder(folder);
  report::write_text(folder / "compare.md", comparison_text(comparison));
  report::write_text(folder / "compare.csv", report::csv_of_comparison(comparison));
  report::write_text(folder / "compare.json", comparison_json(comparison));
  const auto drawing = report::draw_chart(report::chart_of_comparison(comparison));
  report::write_text(folder / "compare.svg", report::to_svg(drawing, true));
}

}  // namespace revisit
