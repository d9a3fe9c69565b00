// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The files of a comparison: Markdown and LaTeX for people, csv and JSON for programs, the curves of mean recall over cost.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/formats/csv.h"
#include "lab/report/chart.h"
#include "lab/report/comparison_tables.h"
#include "lab/report/text.h"

namespace revisit {
namespace report {
namespace {

using ComparisonJson = nlohmann::ordered_json;

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
    out += fmt::format("| {}, rho {:g} | {}, rho {:g} | {:+.1f} | {:+.1f} to {:+.1f} |\n", markdown_cell(asked.of), asked.of_rho,
                       markdown_cell(asked.from), asked.from_rho, found.percent, found.low95, found.high95);
  });
  if (out.empty()) return out;
  return fmt::format("Mean recall@{} gained, query by query (paired bootstrap).\n\n", comparison.config.recall_values.front()) +
         markdown_head({"row", "over", "points", "95 %"}) + out;
}

std::string csv_of_comparison(const Comparison& comparison) {
  std::string out = "row,rho,repetition,dataset,queries,ms_per_image,gmac";
  for (const int k : comparison.config.recall_values) out += fmt::format(",recall_{}", k);
  out += "\n";
  for (const auto& line : comparison.lines) {
    for (std::size_t r = 0; r < line.repetitions.size(); ++r) {
      for (std::size_t d = 0; d < line.repetitions[r].size(); ++d) {
        const CompareLine one{line.name, line.rho, {line.repetitions[r]}, {}};
        out += fmt::format("{},{},{},{},{},{:.3f},{:.3f}", csv_cell(line.name), line.rho, r + 1,
                           csv_cell(comparison.config.datasets[d].name), comparison.num_queries[d], line.costs[r].ms_per_image,
                           line.costs[r].gmac);
        for (const int k : comparison.config.recall_values) out += fmt::format(",{:.3f}", recall_of(one, d, k).mean);
        out += "\n";
      }
    }
  }
  return out;
}

/// Mean recall over what it costs: a curve for each line of the plots, numbers of others dashed beneath.
Chart chart_of_comparison(const Comparison& comparison, const char* unit, double CompareCost::*cost,
                          std::vector<double> CompareLiterature::*cost_of_others) {
  const CompareConfig& config = comparison.config;
  const int k = config.recall_values.front();
  Chart chart;
  chart.title = fmt::format("Mean recall@{} over {} per image", k, unit);
  chart.x_label = fmt::format("{} per image (forward)", unit);
  chart.y_label = fmt::format("mean recall@{} (%)", k);
  chart.y_limit = 100;
  for (const auto& line : comparison.lines) {
    const auto row = std::ranges::find(config.rows, line.name, &CompareRow::name);
    const std::string& name = row == config.rows.end() || row->line.empty() ? line.name : row->line;
    auto series = std::ranges::find(chart.series, name, &Series::name);
    if (series == chart.series.end()) series = chart.series.insert(series, {name, {}, true});
    series->points.push_back({cost_of(line).*cost, mean_recall_of(line, k).mean, fmt::format("rho {:g}", line.rho)});
  }
  for (const auto& others : config.literature) {
    Series series{others.name, {}, true, false, true};
    for (std::size_t i = 0; i < (others.*cost_of_others).size(); ++i) {
      if (const auto mean = mean_of_others(others, config, k, i))
        series.points.push_back({(others.*cost_of_others)[i], *mean, ""});
    }
    if (!series.points.empty()) chart.series.push_back(std::move(series));
  }
  return chart;
}

ComparisonJson line_object(const CompareLine& line, const Comparison& comparison) {
  const CompareCost cost = cost_of(line);
  ComparisonJson out{{"row", line.name},
                     {"rho", line.rho},
                     {"repetitions", line.repetitions.size()},
                     {"ms_per_image", cost.ms_per_image},
                     {"gmac", cost.gmac}};
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
  if (const auto left_out = left_out_of(comparison.config); !left_out.empty())
    out["mean_recall_without"] = recalls([&](int k) { return mean_recall_of(line, k, left_out); });
  return out;
}

}  // namespace
}  // namespace report

std::string comparison_text(const Comparison& comparison) {
  std::string out;
  for (const auto& table : report::tables_of(comparison)) out += (out.empty() ? "" : "\n") + report::to_markdown(table);
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
  if (!comparison.config.mean_without.empty()) object["mean_without"] = comparison.config.mean_without;
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
  std::string latex;
  for (const auto& table : report::tables_of(comparison)) latex += (latex.empty() ? "" : "\n") + report::to_latex(table);
  report::write_text(folder / "compare.tex", latex);
  const auto draw = [&](const char* file, const report::Chart& chart) {
    report::write_text(folder / file, report::to_svg(report::draw_chart(chart), true));
  };
  draw("compare.svg",
       report::chart_of_comparison(comparison, "milliseconds", &CompareCost::ms_per_image, &CompareLiterature::ms_per_image));
  draw("compare-gmac.svg", report::chart_of_comparison(comparison, "GMAC", &CompareCost::gmac, &CompareLiterature::gmac));
}

}  // namespace revisit
