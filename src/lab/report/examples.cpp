// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// One block per query: the query beside its first matches and, when all are wrong, what should have been found; where it was
// taken; why it was accepted or refused. What the model made of the patches, and all scores, unfold below.
#include "lab/report/examples.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lab/report/agreement_map.h"
#include "lab/report/answer_words.h"
#include "lab/report/patch_map.h"
#include "lab/report/text.h"
#include "lab/report/thumbnail.h"

namespace revisit::report {
namespace {

constexpr std::size_t kPerQuery = 4, kInTable = 20;  // matches beside each, and in its table
constexpr int kPhotoSide = 256, kMapSide = 160, kQuality = 80;
constexpr double kUnprunedRho = 0.5;  // shown instead for a run that keeps everything

std::string img(const Image& image, const std::string& alt) {
  return fmt::format("<img alt=\"{}\" width=\"{}\" height=\"{}\" src=\"data:image/jpeg;base64,{}\">", escaped(alt), image.width,
                     image.height, base64(encode_jpeg(image, kQuality)));
}

std::string name_of(const Photo& photo) {
  return fmt::format("<span class=\"name\" title=\"{0}\">{0}</span>", escaped(photo.name));
}

std::string paragraph(const char* kind, const std::string& text) {
  return text.empty() ? "" : fmt::format("<p class=\"{}\">{}</p>\n", kind, escaped(text));
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
    return section(labelled ? "Best queries" : "Most similar matches", shown.best) +
           section(labelled ? "Worst queries: wrong, most confident first" : "Least similar matches", shown.worst);
  }

 private:
  std::string section(const char* title, const std::vector<int>& queries) const {
    if (queries.empty()) return {};
    std::string out = fmt::format("<h2>{}</h2>\n", title);
    for (const int q : queries) {
      out += "<article>\n" + row(q) + paragraph("where", where_words(report_, q)) + paragraph("why", why_words(report_, q)) +
             agreement(q) + details(q) + "</article>\n";
    }
    return out;
  }

  const Photo& query(int q) const { return report_.dataset.queries[static_cast<std::size_t>(q)]; }
  const Photo& reference(int row) const { return report_.dataset.references[static_cast<std::size_t>(row)]; }
  const std::vector<Match>& found(int q) const { return report_.matches[static_cast<std::size_t>(q)]; }

  /// Empty when one of the two has no position.
  std::string distance(int q, int row) const {
    const auto &a = query(q).position, &b = reference(row).position;
    return a && b ? metres_words(distance_m(*a, *b)) : "";
  }

  /// `caption` is HTML.
  std::string figure(const Photo& photo, const std::string& kind, const std::string& caption) const {
    std::string picture;
    if (const auto image = load_fitting(photo, orientation_of(report_.run.spec), kPhotoSide, kPhotoSide)) {
      picture = img(*image, photo.name);
    } else {
      std::error_code ignored;
      const bool there = std::filesystem::exists(photo.path, ignored);
      picture = fmt::format("<div class=\"none\">{}<br>{}</div>",
                            there ? "cannot be shown:" : "missing file:", escaped(photo.path.string()));
    }
    return fmt::format("<figure class=\"{}\"><div class=\"photo\">{}</div><figcaption>{}<br>{}</figcaption></figure>\n", kind,
                       picture, caption, name_of(photo));
  }

  std::string row(int q) const {
    const bool labelled = report_.dataset.labelled;
    bool any_right = false;
    std::string out = figure(query(q), "query", report_.accepted(q) ? "<b>query</b>" : "<b>query: no match</b>");
    for (std::size_t i = 0; i < std::min(kPerQuery, found(q).size()); ++i) {
      const Match& match = found(q)[i];
      const auto verdict = report_.verdict(q, match.row);
      const char* kind = !verdict ? "unknown" : *verdict ? "right" : "wrong";
      std::string caption = fmt::format("<b>match {}{}</b><br>similarity {:.3f}", i + 1,
                                        labelled ? fmt::format(": {}", kind) : "", match.similarity);
      if (const auto metres = distance(q, match.row); !metres.empty()) caption += ", " + metres;
      any_right = any_right || report_.is_positive(q, match.row);
      out += figure(reference(match.row), kind, caption);
    }
    if (labelled && !any_right) {
      const auto& positives = report_.dataset.positives[static_cast<std::size_t>(q)];
      out += positives.empty() ? "<p class=\"lacking\">No reference shows this place.</p>\n"
                               : figure(reference(positives.front()), "right", "<b>should have been</b>");
    }
    return fmt::format("<div class=\"row{}\">\n", labelled && !any_right ? " lacks" : "") + out + "</div>\n";
  }

  /// Empty without a second look, or when one of the two photos cannot be read.
  std::string agreement(int q) const {
    const SecondLook* look = report_.look(q, 0);
    if (look == nullptr || found(q).empty()) return {};
    const auto photo = [&](const Photo& one) {
      return load_fitting(one, orientation_of(report_.run.spec), kPhotoSide, kPhotoSide);
    };
    const auto left = photo(query(q)), right = photo(reference(found(q).front().row));
    if (!left || !right) return {};
    return fmt::format("<p class=\"where\">second look: {} of query and match 1 agree, score {:.1f}</p>\n",
                       look->pairs.size() == 1 ? "1 patch" : fmt::format("{} patches", look->pairs.size()), look->score) +
           agreement_svg(*left, *right, *look);
  }

  const PatchScores* scores_of(bool reference, int row) const {
    const auto one = std::ranges::find_if(
        report_.patches, [&](const PhotoPatches& patches) { return patches.reference == reference && patches.row == row; });
    return one == report_.patches.end() ? nullptr : &one->scores;
  }

  /// Empty when the photo cannot be read or the model has no numbers for it.
  std::string maps(const Photo& photo, const char* what, const PatchScores* scores) const {
    if (scores == nullptr) return {};
    const auto image = load_fitting(photo, orientation_of(report_.run.spec), kMapSide, kMapSide);
    if (!image) return {};
    std::string out;
    if (!scores->values.empty()) {
      out +=
          img(heat_over(*image, scores->grid, scores->values, range_of(scores->values)), scores->meaning + " of " + photo.name);
    }
    if (!keeps_all(*scores)) {
      out += img(mask_over(*image, scores->grid, scores->kept, scores->owner, false), "patches kept of " + photo.name);
    } else if (!has_gaps(*scores)) {
      out += img(mask_over(*image, scores->grid, kept_at(scores->values, kUnprunedRho), {}, false),
                 "patches kept at rho 0.5 of " + photo.name);
    }
    return fmt::format("<figure class=\"looked\"><div class=\"maps\">{}</div><figcaption><b>{}</b><br>{}</figcaption></figure>\n",
                       out, what, name_of(photo));
  }

  std::string legend(const PatchScores& scores) const {
    std::string out = "<p>";
    if (!scores.values.empty()) {
      out += fmt::format("The {} of every patch, <span class=\"ramp\">low to high</span>, and ", escaped(scores.meaning));
    }
    out += keeps_all(scores) ? fmt::format("the patches that rho {:g} would keep (this run keeps all)", kUnprunedRho)
                             : "the patches that were kept";
    return out +
           (scores.owner.empty() ? ". Pruned patches are dark.</p>\n" : ". Pruned patches are dark, merged ones orange.</p>\n");
  }

  std::string details(int q) const {
    const PatchScores* scores = scores_of(false, q);
    std::string out = fmt::format("<details><summary>{}</summary>\n",
                                  scores == nullptr ? "All scores" : "What the model looked at, and all scores");
    if (scores != nullptr) {
      const int first = found(q).front().row;
      out += legend(*scores) + "<div class=\"looks\">\n" + maps(query(q), "query", scores) +
             maps(reference(first), "match 1", scores_of(true, first)) + "</div>\n";
    }
    out += fmt::format("<p>rho {:g} for the query, {:g} for the references", report_.run.spec.rho.value_or(1),
                       report_.run.reference_spec.rho.value_or(1));
    if (scores != nullptr) {
      out += fmt::format("; {} of {} patches of the query kept", scores->kept.size(),
                         std::int64_t{scores->grid.height} * scores->grid.width);
    }
    if (query(q).position) out += "; the query was taken at " + escaped(place_words(*query(q).position));
    return out + ".</p>\n<div class=\"wide\">" + score_table(q) + "</div>\n</details>\n";
  }

  std::string score_table(int q) const {
    std::string out =
        "<table>\n<tr><th>match</th><th class=\"n\">similarity</th><th class=\"n\">distance</th><th class=\"n\">away</th>"
        "<th class=\"n\">taken at</th><th class=\"long\">photo</th></tr>\n";
    for (std::size_t i = 0; i < std::min(kInTable, found(q).size()); ++i) {
      const Match& match = found(q)[i];
      const Photo& photo = reference(match.row);
      out += fmt::format(
          "<tr><td>{}</td><td class=\"n\">{:.4f}</td><td class=\"n\">{:.4f}</td><td class=\"n\">{}</td>"
          "<td class=\"n\">{}</td><td class=\"long\">{}</td></tr>\n",
          i + 1, match.similarity, match.distance, distance(q, match.row),
          photo.position ? escaped(place_words(*photo.position)) : "", escaped(photo.name));
    }
    out += "</table>\n";
    if (found(q).size() > kInTable) out += fmt::format("<p>{} more are in predictions.csv.</p>\n", found(q).size() - kInTable);
    return out;
  }

  const RunReport& report_;
};

}  // namespace

std::string examples_html(const RunReport& report) { return Examples(report).html(); }

}  // namespace revisit::report
