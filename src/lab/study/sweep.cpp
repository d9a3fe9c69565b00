// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// A sweep: all rhos of a model photo by photo, then what each of them recalls.
#include "revisit/lab/sweep.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/fail.h"
#include "lab/study/watched.h"

namespace revisit {
namespace study {
namespace {

void check(const std::vector<SweepModel>& models, const Dataset& dataset, const SweepOptions& options) {
  if (!dataset.labelled) fail(ErrorCode::kUsage, "'{}' has no ground truth, so there is nothing to sweep over", dataset.name);
  if (models.empty()) fail(ErrorCode::kUsage, "a sweep needs at least one model");
  if (options.rho.empty()) fail(ErrorCode::kUsage, "`rho` is empty, but a sweep needs at least one");
  if (options.recall_values.empty()) fail(ErrorCode::kUsage, "`recall_values` is empty");
}

/// One setting of a model: which of the precisions, and the rho.
struct At {
  std::size_t precision;
  double rho;
  bool operator==(const At&) const = default;
};

/// `bases` has one extractor per precision.
std::vector<Extractor> at_each(std::span<const At> settings, const std::vector<Extractor>& bases) {
  std::vector<Extractor> out;
  for (const At& at : settings) out.push_back(bases[at.precision].with_rho(at.rho));
  return out;
}

class Sweeping {
 public:
  Sweeping(const Dataset& dataset, const SweepOptions& options, Watched& watched)
      : dataset_(dataset), options_(options), watched_(watched) {
    for (std::size_t precision = 0; precision < std::max<std::size_t>(1, options.precision.size()); ++precision) {
      for (const double rho : options.rho) {
        settings_.push_back({precision, rho});
        const At reference = reference_of(settings_.back());
        if (std::ranges::find(references_, reference) == references_.end()) references_.push_back(reference);
      }
    }
  }

  /// A model that cannot prune would end the sweep after hours of work.
  void require_possible(const SweepModel& named) const {
    // A model that can do the lowest rho can do all above it.
    const double rho = std::min(std::ranges::min(options_.rho), reference_of({0, std::ranges::min(options_.rho)}).rho);
    for (std::size_t precision = 0; precision <= settings_.back().precision; ++precision) {
      possible(named.model, spec_at({precision, rho}), options_.threads, fmt::format("model '{}'", named.name));
    }
  }

  /// All points of a model, or none.
  void measure(const SweepModel& named, Sweep& sweep) const {
    std::vector<Extractor> bases;
    for (std::size_t precision = 0; precision <= settings_.back().precision; ++precision) {
      bases.emplace_back(named.model, spec_at({precision, options_.rho.front()}), options_.threads);
    }
    const Extractor& first = bases.front();
    for (const auto& sentence : first.notices()) watched_.notice(sentence);
    std::vector<Extractor> extractors = at_each(settings_, bases);
    std::vector<DescribedPhotos> queries = watched_.describe(extractors, dataset_.queries, "queries");

    std::vector<SweepPoint> points(settings_.size());
    std::vector<Skipped> skipped = sweep.skipped;
    const std::size_t together = settings_at_once(first.descriptor_dim());
    for (std::size_t begin = 0; begin < references_.size(); begin += together) {
      const auto some = std::span(references_).subspan(begin, std::min(together, references_.size() - begin));
      std::vector<Extractor> of_references = at_each(some, bases);
      const auto references = watched_.describe(of_references, dataset_.references, "references");
      keep_skipped(references.front(), skipped);
      for (std::size_t i = 0; i < points.size(); ++i) {
        const auto found = std::ranges::find(some, reference_of(settings_[i]));
        if (found == some.end()) continue;
        points[i] = point_of(queries[i], references[static_cast<std::size_t>(found - some.begin())]);
        points[i].model = named.name;
        points[i].rho = settings_[i].rho;
        points[i].reference_rho = found->rho;
        points[i].precision = *extractors[i].spec().precision;
      }
    }
    keep_skipped(queries.front(), skipped);

    if (sweep.points.empty()) {
      sweep.run = run_record(named.name, named.model, first.spec(), first.with_rho(references_.front().rho).spec(),
                             first.descriptor_dim(), options_.threads);
    }
    sweep.skipped = std::move(skipped);
    for (auto& point : points) {
      if (options_.point) options_.point(point);
      sweep.points.push_back(std::move(point));
    }
  }

 private:
  At reference_of(const At& query) const { return {query.precision, options_.reference_rho.value_or(query.rho)}; }

  DescriptorSpec spec_at(const At& at) const {
    DescriptorSpec spec = options_.spec;
    spec.rho = at.rho;
    if (!options_.precision.empty()) spec.precision = options_.precision[at.precision];
    return spec;
  }

  std::size_t settings_at_once(int dim) const {
    const std::uint64_t bytes = dataset_.references.size() * static_cast<std::uint64_t>(dim) * sizeof(float);
    return std::max<std::size_t>(1, options_.reference_bytes / std::max<std::uint64_t>(1, bytes));
  }

  SweepPoint point_of(DescribedPhotos& queries, const DescribedPhotos& references) const {
    DescribedPhotos whitened;  // another rho may need the references as they are
    if (options_.dim) {
      whitened = references;
      whiten(queries, whitened, *options_.dim);
    }
    const auto matches = match_all(queries, options_.dim ? whitened : references, std::ranges::max(options_.recall_values),
                                   search_filter(dataset_));
    SweepPoint point;
    point.dim = queries.dim;
    point.ms_per_image = queries.median_forward_ms;
    point.ms_low = queries.forward_ms_p5;
    point.ms_high = queries.forward_ms_p95;
    point.end_to_end_ms = queries.median_end_to_end_ms;
    point.evaluation = evaluate(dataset_, matches, options_.recall_values);
    if (options_.dim) point.evaluation.protocol = whitened_protocol(dataset_.protocol, *options_.dim);
    return point;
  }

  const Dataset& dataset_;
  const SweepOptions& options_;
  Watched& watched_;
  std::vector<At> settings_;    // of the queries: one per point
  std::vector<At> references_;  // theirs, each once
};

}  // namespace
}  // namespace study

Sweep run_sweep(const std::vector<SweepModel>& models, const Dataset& dataset, const SweepOptions& options) {
  study::check(models, dataset, options);
  Sweep sweep;
  study::Watched watched(options.watch);
  const study::Sweeping sweeping(dataset, options, watched);
  sweep.stopped = !watched.finishes([&] {
    for (const auto& model : models) sweeping.require_possible(model);
    for (const auto& model : models) sweeping.measure(model, sweep);
  });
  return sweep;
}

}  // namespace revisit
