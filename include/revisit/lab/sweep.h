// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// What each rho costs and gives, for one model or several.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "revisit/lab/evaluate.h"
#include "revisit/lab/run.h"
#include "revisit/model.h"

namespace revisit {

/// One setting of a sweep.
struct SweepPoint {
  std::string model;
  double rho = 1;
  double reference_rho = 1;
  int dim = 0;
  double ms_per_image = 0;
  double end_to_end_ms = 0;
  Evaluation evaluation;
  double ms_low = 0;  ///< 5th and 95th percentile of the times whose median is ms_per_image; both 0: not known
  double ms_high = 0;
  std::string precision = "f32";
};

struct Sweep {
  RunRecord run;  ///< of its first point
  std::vector<SweepPoint> points;
  std::vector<Skipped> skipped;
  bool stopped = false;  ///< some models are missing
  std::optional<double> budget_ms{};  ///< reports name the best point of at most so many milliseconds
};

struct SweepModel {
  std::string name;  ///< as tables show it
  Model model;
};

struct SweepOptions {
  std::vector<double> rho{1, 0.7, 0.5};
  std::vector<std::string> precision{};   ///< each with all rhos; empty: that of `spec`
  DescriptorSpec spec;                    ///< its rho is replaced by each of the list
  std::optional<double> reference_rho{};  ///< default: that of the queries
  std::optional<int> dim{};               ///< of PCA-whitened descriptors, learnt from the references
  std::vector<int> recall_values{1, 5, 10, 20};
  int threads = 0;  ///< 0: every core
  /// Descriptors of references held at once, if that is more than those of one rho: with fewer, photos are decoded again.
  std::uint64_t reference_bytes = 1'000'000'000;
  RunWatch watch;
  std::function<void(const SweepPoint& point)> point;  ///< all points of a model, when its last is measured
};

/// Every query is described at all rhos and precisions in turn, so that what disturbs the machine touches all of them alike; so
/// is every reference. The points of a model share its weights in memory. A model counts when all its points are measured: a run
/// that was stopped has those of the models before. Throws Error kUsage, before the first photo, for what a model cannot do and
/// for a data set without ground truth.
Sweep run_sweep(const std::vector<SweepModel>& models, const Dataset& dataset, const SweepOptions& options = {});

/// Of each point: whether no other has at least its recall in at most its time (recall at the first k, median milliseconds).
std::vector<bool> pareto_front(const std::vector<SweepPoint>& points);

/// The point of the highest recall among those of at most so many milliseconds; of equals the faster one.
std::optional<std::size_t> best_within(const std::vector<SweepPoint>& points, double budget_ms);

/// "within 50 ms: vits14 at rho 1 (R@1 81.2) is better than vitb14 at rho 0.4 (79.0)": the best point, and the most that a model
/// reaches by pruning harder.
std::string budget_sentence(const std::vector<SweepPoint>& points, double budget_ms);

/// "rho 0.5", or "rho 0.5, int8" where the points have more than one precision.
std::string setting_text(const std::vector<SweepPoint>& points, const SweepPoint& point);

}  // namespace revisit
