// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// What a model looked at. P is the transport plan (kept patches, clusters), w the weight of a cluster's tier:
// the mass of a patch is sum_j P_ij as SALAD counts it and sum_j w_tier(j) P_ij as WeiAD does.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/fail.h"
#include "core/base/limits.h"
#include "lab/report/sheet.h"

namespace revisit {
namespace report {
namespace {

constexpr int kPanelSide = 320, kSmallPanelSide = 220;
constexpr double kStrip[] = {0.95, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4};  // the ratios of the paper's figure
constexpr std::size_t kRowLength = 5;
constexpr std::size_t kClustersShown = 20;
constexpr std::size_t kMaxRows = 50;  // of clusters: a head with more tiers shows those of the first ones

std::size_t patches_of(Size grid) {
  return grid.height > 0 && grid.width > 0 ? static_cast<std::size_t>(grid.height) * static_cast<std::size_t>(grid.width) : 0;
}

std::size_t clusters_of(const Trace& trace) {
  return trace.transport.shape.size() == 2 ? static_cast<std::size_t>(trace.transport.shape[1]) : 0;
}

/// One value for every kept patch and cluster, and every cluster in a tier that has a weight.
void check_transport(const Trace& trace) {
  const auto& [shape, values] = trace.transport;
  const std::size_t kept = trace.kept.size();
  const bool plan = shape.size() == 2 && shape[0] >= 0 && static_cast<std::size_t>(shape[0]) == kept && shape[1] >= 0;
  // By division: the product of caller-supplied numbers may overflow.
  const bool fits = kept == 0 ? values.empty() : values.size() % kept == 0 && plan && values.size() / kept == clusters_of(trace);
  if (!plan || !fits || (kept == 0 && shape[1] > 0)) {
    fail(ErrorCode::kUsage, "a trace's transport of shape {} and {} values must have one row for each of its {} kept patches",
         fmt::join(shape, " x "), values.size(), kept);
  }
  if (trace.tier.empty() || shape[1] == 0) return;
  const auto tiers = static_cast<std::int64_t>(trace.tier_weight.values.size());
  const bool tiered = trace.tier.size() == clusters_of(trace) &&
                      std::ranges::all_of(trace.tier, [&](std::int64_t tier) { return tier >= 0 && tier < tiers; });
  if (!tiered)
    fail(ErrorCode::kUsage, "a trace's {} tier numbers must be one from 0 to {} for each of its {} clusters", trace.tier.size(),
         tiers - 1, shape[1]);
}

/// Everything fits together; otherwise a trace of another input would be drawn in the wrong places.
void check(const Trace& trace, Size grid) {
  if (std::max(grid.height, grid.width) > limits::kMaxInputSide)
    fail(ErrorCode::kUsage, "a grid of {} x {} patches, the limit is {} per side", grid.height, grid.width,
         limits::kMaxInputSide);
  const std::size_t patches = patches_of(grid);
  const auto kept = trace.kept.size();
  const auto outside = [&](std::int64_t patch) { return patch < 0 || static_cast<std::size_t>(patch) >= patches; };
  if (std::ranges::any_of(trace.kept, outside) || (!trace.scores.values.empty() && trace.scores.values.size() != patches)) {
    fail(ErrorCode::kUsage, "a trace of {} kept patches and {} scores does not fit a grid of {} x {} patches", kept,
         trace.scores.values.size(), grid.height, grid.width);
  }
  if (!owners_fit(trace.owner, trace.kept, grid)) {
    fail(ErrorCode::kUsage, "a trace's {} owners must be one of its {} kept patches, or -1, for each patch of a grid of {} x {}",
         trace.owner.size(), kept, grid.height, grid.width);
  }
  if (!trace.importance.values.empty() && trace.importance.values.size() != kept)
    fail(ErrorCode::kUsage, "a trace's {} importance values must be one for each of its {} kept patches",
         trace.importance.values.size(), kept);
  if (!trace.transport.shape.empty() || !trace.transport.values.empty()) check_transport(trace);
}

/// sum_j P_ij, one per kept patch.
std::vector<float> mass_of(const Trace& trace) {
  const std::size_t clusters = clusters_of(trace);
  std::vector<float> out;
  for (std::size_t i = 0; i < trace.kept.size(); ++i) {
    const auto row = trace.transport.values.begin() + static_cast<std::ptrdiff_t>(i * clusters);
    out.push_back(static_cast<float>(std::accumulate(row, row + static_cast<std::ptrdiff_t>(clusters), 0.0)));
  }
  return out;
}

std::string kept_line(std::size_t kept, std::size_t patches) { return fmt::format("{} of {} patches kept", kept, patches); }

/// The same of a run that may have merged some.
std::string kept_line(const Trace& trace, std::size_t patches) {
  const auto owned = static_cast<std::size_t>(std::ranges::count_if(trace.owner, [](std::int64_t owner) { return owner >= 0; }));
  const std::size_t kept = trace.kept.size();
  return kept_line(kept, patches) + (owned > kept ? fmt::format(", {} merged", owned - kept) : "");
}

class Pictures {
 public:
  Pictures(const Image& photo, const Trace& trace, Size grid)
      : trace_(trace),
        grid_(grid),
        scores_(patch_scores(trace, grid)),
        photo_(fitted(photo, kPanelSide)),
        small_(fitted(photo, kSmallPanelSide)) {}

  std::optional<Image> importance() const {
    if (scores_.values.empty()) return std::nullopt;
    const Range range = range_of(scores_.values);
    return draw_sheet({{original(), heat(scores_.meaning, kept_text(), scores_.values, range)}});
  }

  std::optional<Image> mass() const {
    if (clusters_of(trace_) == 0) return std::nullopt;
    const auto plain = mass_of(trace_);
    const auto all = placed(plain, trace_.kept, trace_.owner, grid_);
    Range range = range_of(all);  // the same for both masses, so that they can be compared
    const bool tiered = !trace_.tier.empty() && !trace_.importance.values.empty();
    if (tiered) range.low = std::min(range.low, range_of(trace_.importance.values).low);
    std::vector<Panel> row{original(), heat("mass, every cluster alike", "sum of P over clusters, as in SALAD", all, range)};
    if (tiered) {
      const auto weighted = placed(trace_.importance.values, trace_.kept, trace_.owner, grid_);
      row.push_back(heat("mass, weighted by tier", "sum of w P over clusters, as in WeiAD", weighted, range));
      auto ratio = weighted;
      for (std::size_t i = 0; i < ratio.size(); ++i) ratio[i] = all[i] > 0 ? weighted[i] / all[i] : ratio[i];
      row.push_back(heat("mean weight", "weighted over unweighted mass", ratio, range_of(ratio)));
    }
    return draw_sheet({row});
  }

  std::optional<Image> kept() const {
    const std::size_t patches = patches_of(grid_);
    const bool scored = !trace_.scores.values.empty();
    if (trace_.kept.empty() || (!scored && trace_.kept.size() == patches)) return std::nullopt;
    std::vector<Panel> panels{original()};
    if (scored) panels.push_back(heat("pruning score", "", trace_.scores.values, range_of(trace_.scores.values), false));
    panels.push_back({"this run", kept_line(trace_, patches), mask_over(photo_, grid_, trace_.kept, trace_.owner), {}});
    if (scored) {
      for (const double rho : kStrip) {
        const auto kept = kept_at(trace_.scores.values, rho);
        panels.push_back({fmt::format("rho {:g}", rho), kept_line(kept.size(), patches), mask_over(photo_, grid_, kept, {}), {}});
      }
    }
    std::vector<std::vector<Panel>> rows;
    for (std::size_t i = 0; i < panels.size(); ++i) {
      if (i % kRowLength == 0) rows.emplace_back();
      rows.back().push_back(std::move(panels[i]));
    }
    return draw_sheet(rows);
  }

  std::optional<Image> transport() const {
    const std::size_t clusters = clusters_of(trace_);
    if (clusters == 0) return std::nullopt;
    const bool tiered = !trace_.tier.empty();
    std::vector<float> strength = trace_.alpha.values;
    if (strength.size() != clusters) {
      strength.assign(clusters, 0);
      for (std::size_t i = 0; i < trace_.transport.values.size(); ++i) strength[i % clusters] += trace_.transport.values[i];
    }
    std::vector<std::size_t> order(clusters);
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, std::greater<>{}, [&](std::size_t j) { return strength[j]; });
    const std::size_t tiers = tiered ? trace_.tier_weight.values.size() : 1;
    const std::size_t most = tiered ? kRowLength : kClustersShown;  // of one tier
    std::vector<std::vector<Panel>> rows;
    for (std::size_t tier = 0; tier < tiers && rows.size() < kMaxRows; ++tier) {
      std::size_t shown = 0;
      for (const std::size_t j : order) {
        if (shown == most) break;
        if (tiered && trace_.tier[j] != static_cast<std::int64_t>(tier)) continue;
        if (shown++ % kRowLength == 0) rows.emplace_back();
        rows.back().push_back(cluster(
            j, tiered ? fmt::format("tier {}, weight {:.2f}, ", tier, trace_.tier_weight.values[tier]) : "", strength[j]));
      }
    }
    return draw_sheet(rows);
  }

 private:
  Panel original() const { return {"photo", fmt::format("{} x {} patches", grid_.height, grid_.width), photo_, {}}; }

  Panel heat(std::string title, std::string line, std::span<const float> values, Range range, bool scale = true) const {
    return {std::move(title), std::move(line), heat_over(photo_, grid_, values, range),
            scale ? std::optional(range) : std::nullopt};
  }

  Panel cluster(std::size_t j, const std::string& tier, float strength) const {
    const std::size_t clusters = clusters_of(trace_);
    std::vector<float> column;
    for (std::size_t i = 0; i < trace_.kept.size(); ++i) column.push_back(trace_.transport.values[i * clusters + j]);
    const auto values = placed(column, trace_.kept, trace_.owner, grid_);
    const Range range{0, range_of(values).high};
    const char* measure = trace_.alpha.values.size() == clusters ? "alpha" : "mass";
    return {fmt::format("cluster {}", j),
            fmt::format("{}{} {:.2f}", tier, measure, strength),
            heat_over(small_, grid_, values, range),
            {}};
  }

  std::string kept_text() const { return trace_.kept.size() < patches_of(grid_) ? kept_line(trace_, patches_of(grid_)) : ""; }

  const Trace& trace_;
  Size grid_;
  PatchScores scores_;
  Image photo_, small_;
};

}  // namespace
}  // namespace report

Size patch_grid(const Extractor& extractor) {
  const int patch = extractor.model().info().patch;
  const Size size = extractor.input_size();
  return patch > 0 ? Size{size.height / patch, size.width / patch} : Size{};
}

PatchScores patch_scores(const Trace& trace, Size grid) {
  report::check(trace, grid);
  PatchScores out{grid, "", {}, trace.kept, trace.owner};
  if (!trace.scores.values.empty()) {
    out.meaning = "pruning score";
    out.values = trace.scores.values;
  } else if (!trace.importance.values.empty()) {
    out.meaning = "importance";
    out.values = report::placed(trace.importance.values, trace.kept, trace.owner, grid);
  } else if (report::clusters_of(trace) > 0) {
    out.meaning = "assigned mass";
    out.values = report::placed(report::mass_of(trace), trace.kept, trace.owner, grid);
  }
  return out;
}

TokenPictures draw_token_pictures(const Image& photo, const Trace& trace, Size grid) {
  report::check(trace, grid);
  if (report::patches_of(grid) == 0) return {};
  const bool whole = photo.width > 0 && photo.height > 0 &&
                     photo.rgb.size() == 3 * static_cast<std::size_t>(photo.width) * static_cast<std::size_t>(photo.height);
  if (!whole) fail(ErrorCode::kUsage, "a photo of {} x {} pixels has {} bytes", photo.width, photo.height, photo.rgb.size());
  const report::Pictures pictures(photo, trace, grid);
  return {pictures.importance(), pictures.mass(), pictures.kept(), pictures.transport()};
}

}  // namespace revisit
