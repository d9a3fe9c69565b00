// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The files of a sweep: one line, one object entry and one marker per setting.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/formats/csv.h"
#include "core/formats/text.h"
#include "lab/report/chart.h"
#include "lab/report/page.h"
#include "lab/report/text.h"

namespace revisit {
namespace report {
namespace {

constexpr double kCalmSpread = 1.5;  // 95th percentile over median, at most, on a machine with nothing else to do
constexpr int kEnoughTimes = 20;     // with fewer, the 95th percentile is the slowest one: often the first

bool has_one_precision(const Sweep& sweep) {
  return std::ranges::all_of(sweep.points, [&](const auto& point) { return point.precision == sweep.points.front().precision; });
}

Chart chart_of(const Sweep& sweep) {
  Chart chart;
  const int k = sweep.points.front().evaluation.recall.front().k;
  chart.title = fmt::format("Recall@{} over milliseconds per image", k);
  chart.x_label = "milliseconds per image (forward): median, and 5th to 95th percentile";
  chart.y_label = fmt::format("recall@{} (%)", k);
  chart.y_limit = 100;
  for (const auto& point : sweep.points) {
    const std::string name = has_one_precision(sweep) ? point.model : point.model + ", " + point.precision;
    if (chart.series.empty() || chart.series.back().name != name) chart.series.push_back({name, {}, true});
    ChartPoint at{point.ms_per_image, point.evaluation.recall.front().percent, fmt::format("rho {:g}", point.rho)};
    if (point.ms_high > 0) at.x_spread = {point.ms_low, point.ms_high};
    chart.series.back().points.push_back(std::move(at));
  }
  Series front{"best for its time (Pareto front)", {}, false, true};
  const std::vector<bool> is_front = pareto_front(sweep.points);
  for (std::size_t i = 0; i < is_front.size(); ++i) {
    const SweepPoint& point = sweep.points[i];
    if (is_front[i]) front.points.push_back({point.ms_per_image, point.evaluation.recall.front().percent, {}});
  }
  std::ranges::sort(front.points, {}, &ChartPoint::x);
  if (front.points.size() > 1) chart.series.push_back(std::move(front));
  return chart;
}

std::string csv_of(const Sweep& sweep) {
  std::string out = "model,rho,reference_rho,dim,ms_per_image,end_to_end_ms";
  for (const auto& at : sweep.points.front().evaluation.recall)
    out += fmt::format(",recall_{0},recall_{0}_low95,recall_{0}_high95", at.k);
  out += ",average_precision,ms_per_image_p5,ms_per_image_p95,precision,pareto\n";
  const std::vector<bool> front = pareto_front(sweep.points);
  for (std::size_t i = 0; i < sweep.points.size(); ++i) {
    const SweepPoint& point = sweep.points[i];
    out += fmt::format("{},{},{},{},{:.3f},{:.3f}", csv_cell(point.model), point.rho, point.reference_rho, point.dim,
                       point.ms_per_image, point.end_to_end_ms);
    for (const auto& at : point.evaluation.recall) out += fmt::format(",{:.3f},{:.3f},{:.3f}", at.percent, at.low95, at.high95);
    out += fmt::format(",{:.3f}", point.evaluation.average_precision);
    out += point.ms_high > 0 ? fmt::format(",{:.3f},{:.3f}", point.ms_low, point.ms_high) : ",,";
    out += fmt::format(",{},{}\n", csv_cell(point.precision), front[i] ? 1 : 0);
  }
  return out;
}

std::string table_of(const Sweep& sweep) {
  std::string out =
      "<table>\n<tr><th class=\"long\">model</th><th class=\"n\">rho</th><th class=\"n\">references' rho</th>"
      "<th>precision</th><th>front</th><th class=\"n\">ms</th>"
      "<th class=\"n\">ms, 5 % to 95 %</th>";
  for (const auto& at : sweep.points.front().evaluation.recall) out += fmt::format("<th class=\"n\">R@{} (95 %)</th>", at.k);
  out += "</tr>\n";
  const std::vector<bool> front = pareto_front(sweep.points);
  for (std::size_t i = 0; i < sweep.points.size(); ++i) {
    const SweepPoint& point = sweep.points[i];
    out += fmt::format(
        "<tr><td class=\"long\">{}</td><td class=\"n\">{:g}</td><td class=\"n\">{:g}</td><td>{}</td><td>{}</td><td "
        "class=\"n\">{:.1f}</td>",
        escaped(point.model), point.rho, point.reference_rho, escaped(point.precision), front[i] ? "yes" : "",
        point.ms_per_image);
    out += point.ms_high > 0 ? fmt::format("<td class=\"n\">{:.1f} to {:.1f}</td>", point.ms_low, point.ms_high)
                             : "<td class=\"n\">not known</td>";
    for (const auto& at : point.evaluation.recall) {
      out += fmt::format("<td class=\"n\">{:.1f} ({:.1f} to {:.1f})</td>", at.percent, at.low95, at.high95);
    }
    out += "</tr>\n";
  }
  return out + "</table>\n";
}

/// A time that other work on the machine has stretched looks like the price of a rho.
bool is_disturbed(const SweepPoint& point) {
  return point.evaluation.num_queries >= kEnoughTimes && point.ms_high > kCalmSpread * point.ms_per_image;
}

std::string disturbance_of(const Sweep& sweep) {
  std::string points;
  for (const auto& point : sweep.points) {
    if (is_disturbed(point))
      points +=
          fmt::format("{}{} at {}", points.empty() ? "" : ", ", escaped(point.model), escaped(setting_text(sweep.points, point)));
  }
  if (points.empty()) return {};
  return fmt::format(
      "<p><b>Uneven times:</b> {}. One in twenty took more than {:g} times the median: the machine was busy with "
      "other work, or changed its clock. Measure again before you compare these times.</p>\n",
      points, kCalmSpread);
}

}  // namespace
}  // namespace report

std::vector<std::string> draw_sweep(const std::filesystem::path& folder, const Sweep& sweep) {
  if (sweep.points.empty()) return {};
  report::make_folder(folder);
  report::write_text(folder / "sweep.csv", report::csv_of(sweep));
  const report::Drawing curve = report::draw_chart(report::chart_of(sweep));
  report::write_text(folder / "sweep.svg", report::to_svg(curve, true));
  save_png(report::to_image(curve, 2), folder / "sweep.png");
  const Evaluation& first = sweep.points.front().evaluation;
  std::string body = "<h1>Accuracy against time</h1>\n";
  body += fmt::format("<p>{}</p>\n", report::escaped(first.protocol));
  if (sweep.budget_ms)
    body += fmt::format("<p><b>{}</b></p>\n", report::escaped(budget_sentence(sweep.points, *sweep.budget_ms)));
  body += "<div id=\"curve\">" + report::to_svg(curve) + "</div>\n" + "<h2>Table</h2>\n<div class=\"wide\">" +
          report::table_of(sweep) + "</div>\n";
  body += "<p>" + report::how_many(first);
  body +=
      "Times are medians of the forward pass of a query, decoding excluded; a bar reaches from the 5th to the 95th percentile. "
      "On the front are the points that no other beats in time and recall.";
  body += "</p>\n" + report::disturbance_of(sweep);
  report::Rows facts{{"command", fmt::format("revisit {} {}", sweep.run.command, fmt::join(sweep.run.arguments, " "))},
                     {"started", sweep.run.started},
                     {"input", fmt::format("{} for the first model", text_of(setting("size").get(sweep.run.spec)))},
                     {"machine", fmt::format("{}, {}", sweep.run.cpu,
                                             sweep.run.threads > 0 ? counted(sweep.run.threads, "thread") : "all cores")},
                     {"version", "revisit " + sweep.run.version}};
  body += "<h2>Settings</h2>\n" + report::fact_table(facts) + report::skipped_list(sweep.skipped);
  report::write_text(folder / "report.html", report::page("revisit sweep", body));
  return {"sweep.csv", "sweep.svg", "sweep.png", "report.html"};
}

void write_sweep(const std::filesystem::path& folder, const Sweep& sweep) {
  if (!draw_sweep(folder, sweep).empty()) report::write_text(folder / "sweep.json", sweep_json(sweep));
}

}  // namespace revisit
