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

#include "revisit/decision.h"
#include "revisit/ingest.h"
#include "revisit/lab/dataset.h"

namespace revisit {

/// The `wanted` of match_all for sets that are searched part by part; empty (every reference) for all others. Keeps a reference
/// to the data set.
std::function<bool(int, int)> search_filter(const Dataset& dataset);

struct RecallAt {
  int k = 1;
  double percent = 0;
  double low95 = 0;  ///< bootstrap over queries, 2,000 draws, fixed seed; Wilson's where all or none are right
  double high95 = 0;
};

/// Scores by the rules of the Mapillary SLS challenge: queries without a right reference are left out.
struct ScoreAt {
  int k = 1;
  double recall = 0;  ///< percent
  double map = 0;     ///< mean average precision of the first k, percent
};

struct PartScore {
  std::string name;              ///< the city; "all" for all of them
  int num_queries = 0;           ///< that count
  int num_without_positive = 0;  ///< left out
  int num_references = 0;
  std::vector<ScoreAt> at;
};

struct ChallengeScore {
  PartScore all;
  std::vector<PartScore> parts;
  std::string protocol;
  std::vector<std::string> notes;  ///< lines and keys of a prediction file that are not scored, and why
};

struct Evaluation {
  int num_queries = 0;
  int num_references = 0;
  int num_without_positive = 0;  ///< counted in the denominator of recall
  std::vector<RecallAt> recall;
  // Deciding "no": accept a query's first match when its similarity reaches a threshold.
  double average_precision = 0;  ///< percent
  double recall_at_full_precision =
      0;  ///< recall at 100 % precision: percent of the queries with a positive answered before the first wrong answer
  std::vector<double> precision, recall_curve,
      threshold;  ///< the curve itself in [0, 1], by falling threshold; equal similarities are one point
  std::string protocol;
  std::optional<ChallengeScore> challenge;  ///< of a set that is searched part by part
};

/// The protocol of a data set whose descriptors were PCA-whitened to `dim` values.
std::string whitened_protocol(const std::string& protocol, int dim);

/// Throws the first photo's Error when none could be used; `what` names them in the sentence: "queries".
void require_usable(const DescribedPhotos& photos, const std::string& what);

/// The rank of each query's first right match, from 1; 0 when there is none.
std::vector<int> first_right_ranks(const Dataset& dataset, const std::vector<std::vector<Match>>& matches);

/// matches[q] must hold at least max(recall_values) references where there are that many.
Evaluation evaluate(const Dataset& dataset, const std::vector<std::vector<Match>>& matches,
                    const std::vector<int>& recall_values);

/// The prediction file of the Mapillary SLS challenge: one line per query: its key and the keys of its first `count` matches
/// (fewer when a city has fewer references: all lines are equally long), with spaces between them. Queries without a match (their
/// photo could not be used) are left out. Returns the number of lines. Throws Error kUsage for a set without cities.
int write_msls_predictions(const std::filesystem::path& file, const Dataset& dataset,
                           const std::vector<std::vector<Match>>& matches, int count);

/// Scores such a file, whoever wrote it, by the tables of MSLS below `root`: no photo is needed. `dataset` is msls_test (the task
/// "all" of the challenge), msls_test_all, msls_val or msls_val_all. Throws Error kNotFound when the places are missing,
/// kBadFile for an invalid line and kMismatch for missing queries.
ChallengeScore score_msls_predictions(const std::filesystem::path& file, const std::filesystem::path& root,
                                      const std::string& dataset, const std::vector<int>& recall_values);

/// What a model finds when the part of one cluster is its whole descriptor.
struct ClusterRecall {
  int cluster = 0;
  std::vector<double> percent;  ///< recall for each k
};

/// Of each cluster of SALAD or WeiAD, for descriptors of full length. `recall_values` ascend. Throws Error kUsage for models with
/// another head, and without ground truth.
std::vector<ClusterRecall> recall_of_clusters(const Model& model, const Dataset& dataset, const DescribedPhotos& queries,
                                              const DescribedPhotos& references, const std::vector<int>& recall_values);

/// What decisions at a stated rate would have been worth.
struct RateOutcome {
  double rate = 0;
  int accepted = 0;
  int wrong = 0;  ///< of these, by the ground truth
  int right = 0;  ///< queries whose first match is right, accepted or not
  int kept = 0;   ///< of these, accepted
};

/// `verdicts` are decide_all of the matches, by a rule with a table.
std::vector<RateOutcome> rate_outcomes(const Dataset& dataset, const std::vector<std::vector<Match>>& matches,
                                       const std::vector<Verdicts>& verdicts, const std::vector<double>& rates);

/// The lowest similarity at which accepted first matches are right with at least `precision`; empty if there is none.
std::optional<double> calibrate_threshold(const Evaluation& evaluation, double precision);

/// Writes a copy of the model with its threshold, the precision it promises and the settings it was measured at: those of the
/// queries' complete spec. Rates of wrong answers that it had are dropped: the threshold decides.
void save_calibrated(const Model& model, const std::filesystem::path& out, double min_similarity, double precision,
                     const DescriptorSpec& spec);

}  // namespace revisit
