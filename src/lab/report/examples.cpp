// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// One row a query: the query, its first matches and, when wrong, what should have been found. Query and first match show below
// them what the model made of their patches.
#include "lab/report/examples.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/or_skip.h"
#include "lab/report/patch_map.h"
#include "lab/report/run_files.h"
#include "lab/report/text.h"
#include "lab/report/thumbnail.h"

namespace revisit {
namespace report {
namespace {

constexpr std::size_t kShown = 12, kShownWrong = 8;
constexpr std::size_t kPerQuery = 4;  // matches beside each
constexpr int kPhotoSide = 256, kMapSide = 160, kQuality = 80;
constexpr double kUnprunedRho = 0.5;  // what a run that keeps everything shows instead

std::string img(const Image& image, const std::string& alt) {
  return fmt::format("<img alt=\"{}\" width=\"{}\" height=\"{}\" src=\"data:image/jpeg;base64,{}\">", escaped(alt), image.width,
                     image.height, base64(encode_jpeg(image, kQuality)));
}

const Photo& photo_of(const RunReport& report, bool reference, int row) {
  return (reference ? report.dataset.references : report.dataset.queries)[static_cast<std::size_t>(row)];
}

bool keeps_all(const PatchScores& scores) {
  return scores.kept.size() == static_cast<std::size_t>(scores.grid.height) * static_cast<std::size_t>(scores.grid.width);
}

bool has_gaps(const PatchScores& scores) {
  return scores.values.empty() || std::ranges::any_of(scores.values, [](float v) { return std::isnan(v); });
}

class Examples {
 public:
  explicit Examples(const RunReport& report) : report_(report) {}

  std::string html() const {
    const ShownQueries shown = shown_queries(report_);
    const bool labelled = report_.dataset.labelled;
    std::string out = section(labelled ? "Best queries" : "Most similar matches", shown.best, legend());
    out += section(labelled ? "Worst queries: wrong, the surest first" : "Least similar matches", shown.worst,
                   out.empty() ? legend() : "");
    return out;
  }

 private:
  std::string section(const char* title, const std::vector<int>& queries, const std::string& legend) const {
    if (queries.empty()) return {};
    std::string out = fmt::format("<h2>{}</h2>\n", title) + legend;
    for (const int q : queries) out += row(q);
    return out;
  }

  std::string legend() const {
    if (report_.patches.empty()) return {};
    const PatchScores& first = report_.patches.front().scores;
    std::string out = "<p class=\"legend\">Below a query and its first match: ";
    if (!first.values.empty()) {
      out += fmt::format("the {} of every patch, <span class=\"ramp\">low to high</span>; ", escaped(first.meaning));
    }
    out += keeps_all(first) ? fmt::format("the patches that rho {:g} would keep (this run keeps all). ", kUnprunedRho)
                            : "the patches that were kept. ";
    return out + "Pruned patches are dark.</p>\n";
  }

  const PatchScores* scores_of(bool reference, int row) const {
    const auto found = std::ranges::find_if(
        report_.patches, [&](const PhotoPatches& one) { return one.reference == reference && one.row == row; });
    return found == report_.patches.end() ? nullptr : &found->scores;
  }

  std::string maps(const Photo& photo, const PatchScores& scores) const {
    const auto image = load_fitting(photo, orientation_of(report_.run.spec), kMapSide, kMapSide);
    if (!image) return {};
    std::string out = "<div class=\"maps\">";
    if (!scores.values.empty()) {
      out += img(heat_over(*image, scores.grid, scores.values, range_of(scores.values)), scores.meaning + " of " + photo.name);
    }
    if (!keeps_all(scores)) {
      out += img(mask_over(*image, scores.grid, scores.kept, false), "patches kept of " + photo.name);
    } else if (!has_gaps(scores)) {
      out += img(mask_over(*image, scores.grid, kept_at(scores.values, kUnprunedRho), false),
                 "patches kept at rho 0.5 of " + photo.name);
    }
    return out + "</div>";
  }

  /// `caption` is HTML.
  std::string figure(bool reference, int row, const std::string& kind, const std::string& caption, bool with_maps) const {
    const Photo& photo = photo_of(report_, reference, row);
    std::string picture;
    if (const auto image = load_fitting(photo, orientation_of(report_.run.spec), kPhotoSide, kPhotoSide)) {
      picture = img(*image, photo.name);
    } else {
      std::error_code ignored;
      const bool there = std::filesystem::exists(photo.path, ignored);
      picture = fmt::format("<div class=\"none\">{}<br>{}</div>",
                            there ? "cannot be shown:" : "missing file:", escaped(photo.path.string()));
    }
    const PatchScores* scores = with_maps ? scores_of(reference, row) : nullptr;
    return fmt::format(
        "<figure class=\"{0}\"><div class=\"photo\">{1}</div>{2}<figcaption>{3}<span class=\"name\" title=\"{4}\">{4}</span>"
        "</figcaption></figure>\n",
        kind, picture, scores != nullptr ? maps(photo, *scores) : "", caption, escaped(photo.name));
  }

  std::string row(int q) const {
    const Photo& query = report_.dataset.queries[static_cast<std::size_t>(q)];
    const auto& found = report_.matches[static_cast<std::size_t>(q)];
    const bool labelled = report_.dataset.labelled;
    bool any_right = false;
    std::string out = "<div class=\"row\">\n" +
                      figure(false, q, "query", report_.accepted(q) ? "<b>query</b><br>" : "<b>query: no match</b><br>", true);
    for (std::size_t i = 0; i < std::min(kPerQuery, found.size()); ++i) {
      const int row = found[i].row;
      const auto verdict = report_.verdict(q, row);
      const char* kind = !verdict ? "unknown" : *verdict ? "right" : "wrong";
      std::string caption = fmt::format("<b>{}{}</b>", i + 1, labelled ? fmt::format(" {}", kind) : "");
      const Photo& reference = photo_of(report_, true, row);
      if (query.position && reference.position)
        caption += fmt::format(", {}", metres(distance_m(*query.position, *reference.position)));
      caption += fmt::format("<br>similarity {:.3f}", found[i].similarity);
      any_right = any_right || report_.is_positive(q, row);
      out += figure(true, row, kind, caption, i == 0);
    }
    if (labelled && !any_right) {
      const auto& positives = report_.dataset.positives[static_cast<std::size_t>(q)];
      out += positives.empty() ? "<p class=\"why\">No reference shows this place.</p>\n"
                               : figure(true, positives.front(), "right", "<b>should have been</b><br>", false);
    }
    return out + "</div>\n";
  }

  static std::string metres(double distance) {
    return distance < 10000 ? fmt::format("{:.0f} m", distance) : fmt::format("{:.0f} km", distance / 1000);
  }

  const RunReport& report_;
};

}  // namespace

ShownQueries shown_queries(const RunReport& report) {
  struct Ranked {
    int query;
    float similarity;
  };
  const bool labelled = report.dataset.labelled;
  std::vector<Ranked> good, bad;
  for (std::size_t q = 0; q < report.matches.size(); ++q) {
    if (report.matches[q].empty()) continue;
    const Match& first = report.matches[q].front();
    const auto right = report.verdict(static_cast<int>(q), first.row);
    if (labelled && !right) continue;  // neither best nor worst
    (labelled && !*right ? bad : good).push_back({static_cast<int>(q), first.similarity});
  }
  std::ranges::stable_sort(good, std::greater<>{}, &Ranked::similarity);
  std::ranges::stable_sort(bad, std::greater<>{}, &Ranked::similarity);
  if (!labelled) {  // the least similar half of the rows comes from the other end of the same list
    const std::size_t least = std::min(kShownWrong, good.size() - std::min(good.size(), kShown - kShownWrong));
    bad.assign(good.rbegin(), good.rbegin() + static_cast<std::ptrdiff_t>(least));
    good.resize(good.size() - least);
  }
  const std::size_t num_bad = std::min(bad.size(), std::max(kShownWrong, kShown - std::min(kShown, good.size())));
  const std::size_t num_good = std::min(good.size(), kShown - num_bad);
  ShownQueries out;
  for (std::size_t i = 0; i < num_good; ++i) out.best.push_back(good[i].query);
  for (std::size_t i = 0; i < num_bad; ++i) out.worst.push_back(bad[i].query);
  return out;
}

std::string examples_html(const RunReport& report) { return Examples(report).html(); }

}  // namespace report

void add_patch_scores(RunReport& report, Extractor& for_queries, Extractor& for_references) {
  report.patches.clear();
  const auto add = [&](bool reference, int row) {
    const auto same = [&](const PhotoPatches& one) { return one.reference == reference && one.row == row; };
    if (std::ranges::any_of(report.patches, same)) return;
    Extractor& extractor = reference ? for_references : for_queries;
    const Size grid = patch_grid(extractor);
    if (grid.height == 0) return;
    DecodeOptions decode;
    decode.orientation = orientation_of(report.run.spec);
    Trace trace;
    const auto& path = report::photo_of(report, reference, row).path;
    if (or_skip(path, [&] { extractor.describe(load_image(path, decode), &trace); })) return;
    auto scores = patch_scores(trace, grid);
    for (float& value : scores.values) value = static_cast<float>(report::rounded_score(value));
    if (!scores.values.empty() || !report::keeps_all(scores)) report.patches.push_back({reference, row, std::move(scores)});
  };
  const report::ShownQueries shown = report::shown_queries(report);
  for (const auto* queries : {&shown.best, &shown.worst}) {
    for (const int q : *queries) {
      add(false, q);
      add(true, report.matches[static_cast<std::size_t>(q)].front().row);
    }
  }
}

}  // namespace revisit
