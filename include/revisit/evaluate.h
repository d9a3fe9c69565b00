// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// From a data set and a model to matches and recall, with the evidence beside every number.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "revisit/dataset.h"
#include "revisit/error.h"
#include "revisit/extractor.h"
#include "revisit/index.h"

namespace revisit {

/// Descriptors of many photos, row i for photo i. Photos that could not be used have a zero row and stand in `skipped`.
struct DescribedPhotos {
  int dim = 0;
  std::vector<float> rows;                 ///< (n, dim)
  std::vector<Skipped> skipped;
  std::vector<int> skipped_rows;
  double median_forward_ms = 0;            ///< preprocessed tensor to descriptor, without decoding (R2Former protocol)
  double median_end_to_end_ms = 0;         ///< decoding, preprocessing and forward, one after the other
};

/// Decodes ahead of inference. progress(done, total) may stop it by returning false (Error kInterrupted).
DescribedPhotos describe_photos(Extractor& extractor, const std::vector<Photo>& photos, Orientation orientation,
                                const std::function<bool(int, int)>& progress = {});

/// The k nearest references of every query, best first, ties by reference. Zero rows (skipped photos) match nothing.
/// wanted(query, reference), when given, leaves references out for one query (loop closure: the recent ones).
std::vector<std::vector<Match>> match_all(const DescribedPhotos& queries, const DescribedPhotos& references, int top_k,
                                          const std::function<bool(int, int)>& wanted = {});

struct RecallAt {
  int k = 1;
  double percent = 0;
  double low95 = 0;   ///< bootstrap over queries, 2,000 draws, fixed seed
  double high95 = 0;
};

struct Evaluation {
  int num_queries = 0;
  int num_references = 0;
  int num_without_positive = 0;            ///< counted in the denominator of recall
  std::vector<RecallAt> recall;
  // Deciding "no": accept a query's first match when its similarity reaches a threshold.
  double average_precision = 0;            ///< percent
  double recall_at_full_precision = 0;     ///< percent of the queries with a positive that are answered before the first wrong answer
  std::vector<double> precision, recall_curve, threshold;  ///< the curve itself in [0, 1], by falling threshold; equal similarities are one point
  std::string protocol;
};

/// matches[q] must hold at least max(recall_values) references where there are that many.
Evaluation evaluate(const Dataset& dataset, const std::vector<std::vector<Match>>& matches, const std::vector<int>& recall_values);

/// The lowest similarity at which accepted first matches are right with at least `precision`; nothing when none is.
std::optional<double> calibrate_threshold(const Evaluation& evaluation, double precision);

/// Writes a copy of the model that knows its threshold, the precision it promises and the settings it was measured at.
void save_calibrated(const Model& model, const std::filesystem::path& out, double min_similarity, double precision, double rho, Size size);

}  // namespace revisit
