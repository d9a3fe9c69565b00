// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// report.html of match and eval. Every colour has a word beside it, every drawing a table or a sentence.
#include <fmt/format.h>

#include <algorithm>

#include "core/formats/text.h"
#include "lab/report/chart.h"
#include "lab/report/examples.h"
#include "lab/report/page.h"
#include "lab/report/text.h"

namespace revisit {
namespace report {
namespace {

std::string recall_table(const Evaluation& evaluation) {
  std::string out = "<table>\n<tr><th>k</th><th class=\"n\">recall@k</th><th class=\"n\">95 % interval</th></tr>\n";
  for (const auto& at : evaluation.recall) {
    out += fmt::format("<tr><td>{}</td><td class=\"n\">{:.1f} %</td><td class=\"n\">{:.1f} to {:.1f}</td></tr>\n", at.k,
                       at.percent, at.low95, at.high95);
  }
  return out + "</table>\n";
}

std::string recall_notes(const Evaluation& evaluation) {
  return "<p>" + how_many(evaluation) +
         fmt::format("Average precision {:.1f} %, recall at 100 % precision {:.1f} %. Intervals: bootstrap over queries.</p>\n",
                     evaluation.average_precision, evaluation.recall_at_full_precision);
}

std::string curve(const Evaluation& evaluation) {
  Series series{"", {}, false};
  if (!evaluation.threshold.empty()) series.points.push_back({0, evaluation.precision.front(), ""});
  for (std::size_t i = 0; i < evaluation.threshold.size(); ++i) {
    series.points.push_back({evaluation.recall_curve[i], evaluation.precision[i], ""});
  }
  const Chart chart{"Precision over recall as the accepted similarity falls",
                    "recall (answerable queries answered right)",
                    "precision of accepted answers",
                    {std::move(series)},
                    true};
  return "<section><h2>When to say no</h2>\n<div id=\"curve\">" + to_svg(draw_chart(chart)) +
         "</div>\n<p>Each point accepts the first match of every query whose similarity reaches a threshold.</p></section>\n";
}

std::string map_section(const RunReport& report) {
  const auto map = draw_map(report);
  if (!map) return {};
  return "<section><h2>Map of matches</h2>\n<div id=\"map\">" + to_svg(*map) +
         "</div>\n<p>Grey dots are references. A line leads from each query to its first match" +
         (report.dataset.labelled ? ": solid green is right, dashed orange is wrong.</p></section>\n" : ".</p></section>\n");
}

std::string card(const std::string& value, const std::string& name) {
  return fmt::format("<div class=\"card\"><b>{}</b>{}</div>", escaped(value), escaped(name));
}

std::string summary(const RunReport& report) {
  std::string out = "<div class=\"cards\">";
  if (report.evaluation) {
    for (const auto& at : report.evaluation->recall) {
      if (&at - report.evaluation->recall.data() < 2)
        out += card(fmt::format("{:.1f} %", at.percent), fmt::format("recall@{}", at.k));
    }
  }
  out += card(fmt::format("{}", report.dataset.queries.size()), report.dataset.queries.size() == 1 ? "query" : "queries");
  out += card(fmt::format("{}", report.dataset.references.size()),
              report.dataset.references.size() == 1 ? "reference" : "references");
  if (report.run.ms_per_image > 0) out += card(fmt::format("{:.1f} ms", report.run.ms_per_image), "per query");
  out += card(fmt::format("{:g}", report.run.spec.rho.value_or(1)), "rho, tokens kept");
  out += fmt::format("</div>\n<p>{}</p>\n", escaped(report.dataset.protocol));
  if (report.run.min_similarity || report.run.max_false_rate) {
    int accepted = 0;
    for (std::size_t q = 0; q < report.matches.size(); ++q) accepted += report.accepted(static_cast<int>(q)) ? 1 : 0;
    const auto queries = static_cast<int>(report.matches.size());
    out += fmt::format("<p>Answered: {} of {}.", accepted, counted(report.matches.size(), "query"));
    if (accepted < queries && report.run.max_false_rate)
      out += fmt::format(" The others do not stand out from other places enough for a false rate of {:g}: no match.",
                         *report.run.max_false_rate);
    else if (accepted < queries)
      out +=
          fmt::format(" For the others the best similarity is below the threshold {:.4f}: no match.", *report.run.min_similarity);
    out += "</p>\n";
  }
  return out;
}

}  // namespace
}  // namespace report

void write_report(const std::filesystem::path& file, const RunReport& report) {
  std::string body = fmt::format("<h1>{}</h1>\n", report::escaped(report.dataset.name)) + report::summary(report);
  if (report.evaluation)
    body += "<h2>Recall</h2>\n" + report::recall_table(*report.evaluation) + report::recall_notes(*report.evaluation);
  body += report::examples_html(report);
  body += "<div class=\"two\">\n" + report::map_section(report) + (report.evaluation ? report::curve(*report.evaluation) : "") +
          "</div>\n";
  body += "<h2>Settings</h2>\n" + report::fact_table(report::facts_of(report.run));
  if (!report.dataset.notes.empty()) {
    body += "<ul>\n";
    for (const auto& note : report.dataset.notes) body += fmt::format("<li>{}</li>\n", report::escaped(note));
    body += "</ul>\n";
  }
  body += report::skipped_list(report.skipped);
  report::write_text(file, report::page("revisit " + report.run.command + ": " + report.dataset.name, body));
}

}  // namespace revisit
