// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// report.html of match and eval. Every colour has a word beside it, every drawing a table or a sentence.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "report/chart.h"
#include "report/page.h"
#include "report/text.h"
#include "report/thumbnail.h"

namespace revisit {
namespace report {
namespace {

constexpr std::size_t kShown = 12;    // best queries, and as many worst
constexpr std::size_t kPerQuery = 4;  // matches beside each
constexpr int kThumbWidth = 240, kThumbHeight = 240, kThumbQuality = 80;

std::string recall_table(const Evaluation& evaluation) {
  std::string out = "<table>\n<tr><th>k</th><th class=\"n\">recall@k</th><th class=\"n\">95 % interval</th></tr>\n";
  for (const auto& at : evaluation.recall) {
    out += fmt::format("<tr><td>{}</td><td class=\"n\">{:.1f} %</td><td class=\"n\">{:.1f} to {:.1f}</td></tr>\n", at.k,
                       at.percent, at.low95, at.high95);
  }
  out += "</table>\n";
  out += fmt::format("<p>{} queries, {} references. {} queries have no right reference; they count as misses. ",
                     evaluation.num_queries, evaluation.num_references, evaluation.num_without_positive);
  out += fmt::format(
      "Average precision {:.1f} %; {:.1f} % of the answerable queries are answered before the first wrong answer. "
      "Intervals: bootstrap over queries.</p>\n",
      evaluation.average_precision, evaluation.recall_at_full_precision);
  return out;
}

std::string curve(const Evaluation& evaluation) {
  Series series{"", {}, false};
  for (std::size_t i = 0; i < evaluation.threshold.size(); ++i) {
    series.points.push_back({evaluation.recall_curve[i], evaluation.precision[i], ""});
  }
  const Chart chart{"Precision over recall as the accepted similarity falls",
                    "recall (answerable queries answered right)",
                    "precision of accepted answers",
                    {std::move(series)},
                    true};
  return "<h2>When to say no</h2>\n" + chart_svg(chart) +
         "<p>Each point accepts the first match of every query whose similarity reaches a threshold.</p>\n";
}

class Examples {
 public:
  explicit Examples(const RunReport& report) : report_(report) {
    for (std::size_t q = 0; q < report.matches.size(); ++q) {
      if (!report.matches[q].empty()) order_.push_back(q);
    }
    // Best: right and most similar first. Worst: wrong and most sure of it first; without labels, least similar first.
    std::ranges::stable_sort(order_, [&](std::size_t a, std::size_t b) {
      if (report.dataset.labelled && right(a) != right(b)) return right(a);
      if (report.dataset.labelled && !right(a)) return similarity(a) < similarity(b);
      return similarity(a) > similarity(b);
    });
  }

  std::string html() const {
    const bool labelled = report_.dataset.labelled;
    const std::size_t total = order_.size();
    const auto num_right = static_cast<std::size_t>(std::ranges::count_if(order_, [&](std::size_t q) { return right(q); }));
    const std::size_t best = std::min(kShown, labelled ? num_right : total);
    const std::size_t worst = std::min(kShown, labelled ? total - num_right : total - best);
    std::string out;
    if (best > 0) {
      out += fmt::format("<h2>{}</h2>\n", labelled ? "Best queries" : "Most similar matches");
      for (std::size_t i = 0; i < best; ++i) out += row(order_[i]);
    }
    if (worst > 0) {
      out += fmt::format("<h2>{}</h2>\n", labelled ? "Worst queries: wrong, the surest first" : "Least similar matches");
      for (std::size_t i = 0; i < worst; ++i) out += row(order_[total - 1 - i]);
    }
    return out;
  }

 private:
  double similarity(std::size_t q) const { return static_cast<double>(report_.matches[q].front().similarity); }
  bool is_right(std::size_t q, int reference) const {
    return report_.dataset.labelled && std::ranges::binary_search(report_.dataset.positives[q], reference);
  }
  bool right(std::size_t q) const { return is_right(q, report_.matches[q].front().row); }

  std::string figure(const Photo& photo, const std::string& kind, const std::string& caption) const {
    std::string picture = "<div class=\"none\">cannot be shown</div>";
    if (const auto image = load_fitting(photo, report_.run.orientation, kThumbWidth, kThumbHeight)) {
      picture = fmt::format("<img alt=\"{}\" width=\"{}\" height=\"{}\" src=\"data:image/jpeg;base64,{}\">", escaped(photo.name),
                            image->width, image->height, base64(encode_jpeg(*image, kThumbQuality)));
    }
    return fmt::format("<figure class=\"{}\">{}<figcaption><b>{}</b><br>{}</figcaption></figure>\n", kind, picture,
                       escaped(caption), escaped(photo.name));
  }

  std::string row(std::size_t q) const {
    const Photo& query = report_.dataset.queries[q];
    const auto& found = report_.matches[q];
    std::string out =
        "<div class=\"row\">\n" + figure(query, "query", report_.accepted(static_cast<int>(q)) ? "query" : "query: no match");
    for (std::size_t i = 0; i < std::min(kPerQuery, found.size()); ++i) {
      const Photo& reference = report_.dataset.references[static_cast<std::size_t>(found[i].row)];
      const bool hit = is_right(q, found[i].row);
      const char* kind = !report_.dataset.labelled ? "unknown" : hit ? "right" : "wrong";
      std::string caption = fmt::format("{}{}, similarity {:.3f}", i + 1,
                                        report_.dataset.labelled ? fmt::format(" {}", kind) : "", found[i].similarity);
      if (query.position && reference.position)
        caption += fmt::format(", {:.0f} m", distance_m(*query.position, *reference.position));
      out += figure(reference, kind, caption);
    }
    if (report_.dataset.labelled && !right(q)) {
      const auto& positives = report_.dataset.positives[q];
      if (positives.empty()) {
        out += "<p class=\"why\">No reference shows this place.</p>\n";
      } else {
        out += figure(report_.dataset.references[static_cast<std::size_t>(positives.front())], "right", "should have been");
      }
    }
    return out + "</div>\n";
  }

  const RunReport& report_;
  std::vector<std::size_t> order_;
};

std::string summary(const RunReport& report) {
  int accepted = 0;
  for (std::size_t q = 0; q < report.matches.size(); ++q) accepted += report.accepted(static_cast<int>(q)) ? 1 : 0;
  std::string out = fmt::format("<p>{}</p>\n", escaped(report.dataset.protocol));
  if (report.run.min_similarity) {
    out +=
        fmt::format("<p>{} of {} queries have a match of similarity {:.4f} or more; the others are answered \"no match\".</p>\n",
                    accepted, report.matches.size(), *report.run.min_similarity);
  }
  return out;
}

}  // namespace
}  // namespace report

void write_report(const std::filesystem::path& file, const RunReport& report) {
  using namespace report;
  std::string body = fmt::format("<h1>{}</h1>\n", escaped(report.dataset.name)) + summary(report);
  if (report.evaluation) body += "<h2>Recall</h2>\n" + recall_table(*report.evaluation);
  body += Examples(report).html();
  if (const auto map = map_svg(report); !map.empty()) {
    body += "<h2>Map of matches</h2>\n" + map;
    body += report.dataset.labelled
                ? "<p>A line leads from each query to its first match: solid green is right, dashed orange is wrong.</p>\n"
                : "<p>A line leads from each query to its first match.</p>\n";
  }
  if (report.evaluation) body += curve(*report.evaluation);
  body += "<h2>Settings</h2>\n" + fact_table(facts_of(report.run));
  if (!report.dataset.notes.empty()) {
    body += "<ul>\n";
    for (const auto& note : report.dataset.notes) body += fmt::format("<li>{}</li>\n", escaped(note));
    body += "</ul>\n";
  }
  body += skipped_list(report.skipped);
  write_text(file, page("revisit " + report.run.command + ": " + report.dataset.name, body));
}

}  // namespace revisit
