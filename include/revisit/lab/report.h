// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// What a run leaves behind: JSON for programs, csv for tables, pictures and one HTML page for people.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "revisit/decision.h"
#include "revisit/extractor.h"
#include "revisit/image.h"
#include "revisit/index.h"
#include "revisit/ingest.h"
#include "revisit/lab/compare.h"
#include "revisit/lab/dataset.h"
#include "revisit/lab/evaluate.h"
#include "revisit/lab/run.h"
#include "revisit/lab/sweep.h"

namespace revisit {

/// What a model made of the patches of one photo: enough to draw its heat map and the tokens it kept.
struct PatchScores {
  Size grid;                       ///< patches down and across
  std::string meaning;             ///< of the values: "pruning score", else "importance", else "assigned mass"
  std::vector<float> values;       ///< one per patch, NaN for a patch pruned before it was weighed; empty when the model has none
  std::vector<std::int64_t> kept;  ///< ascending indices of patches
  std::vector<std::int64_t>
      owner{};  ///< per patch: which of `kept` stands for it, -1 for one dropped; empty when none were merged
};

Size patch_grid(const Extractor& extractor);  ///< patches down and across its input; 0 x 0 for a model without patches
/// Throws Error kUsage when trace and grid do not belong together.
PatchScores patch_scores(const Trace& trace, Size grid);

/// What a model looked at, drawn over the photo. Pictures the model has no numbers for are left out.
struct TokenPictures {
  std::optional<Image> importance;  ///< heat map of patch_scores
  std::optional<Image> mass;        ///< transport mass of each patch: unweighted (SALAD) beside weighted by tier (WeiAD)
  std::optional<Image>
      kept;  ///< patches kept by this run, merged ones in orange, and what the same scores keep at rho 0.95 to 0.4
  std::optional<Image> transport;  ///< where the strongest clusters of each tier take their mass from
};

/// Throws Error kUsage when photo, trace and grid do not belong together.
TokenPictures draw_token_pictures(const Image& photo, const Trace& trace, Size grid);

/// The patches of one photo of a run.
struct PhotoPatches {
  bool reference = false;  ///< else a query
  int row = 0;
  PatchScores scores;
};

/// What a Recognizer said to a query.
struct Decision {
  bool recognised = false;
  std::string reason{};  ///< empty for a query that was skipped, and in a run that was read back
  Verdict verdict = Verdict::kNoMatch;
  std::optional<double> false_rate{};  ///< the least stated rate at which the first match would be accepted
};

struct RunReport {
  RunRecord run;
  Dataset dataset;
  std::vector<std::vector<Match>> matches;  ///< per query, best first
  std::optional<Evaluation> evaluation;     ///< when the data set is labelled
  std::vector<Skipped> skipped;
  std::vector<PhotoPatches> patches;         ///< of the photos report.html shows side by side; see add_patch_scores
  bool truth_from_positions = false;         ///< labels come from positions: unknown for a photo without one
  std::vector<Decision> decisions;           ///< per query, when a Recognizer was asked or answers have a stated rate
  std::vector<RateOutcome> outcomes{};       ///< of an evaluation, where rates are calibrated
  SecondLooks second_looks;                  ///< of the first matches, with --rerank
  std::vector<std::vector<double>> support;  ///< per query, of each match, with --sequence: see follow_sequence

  const SecondLook* look(int query, std::size_t rank) const;  ///< null where there was none; rank from 0
  std::optional<double> support_of(std::size_t query, std::size_t match) const;

  bool accepted(int query) const;              ///< the decision, else: has a match, and it reaches min_similarity
  bool right(int query) const;                 ///< its first match shows the same place; false when unlabelled
  bool is_positive(int query, int row) const;  ///< this reference shows the same place; false when unlabelled
  /// The same, or empty if unknown: unlabelled, or one of the two has no position and labels come from positions.
  std::optional<bool> verdict(int query, int row) const;
};

/// "R@1: 98.8, R@5: 99.7"
std::string recall_line(const Evaluation& evaluation);

std::string run_json(const RunReport& report);      ///< settings, times, recall: what `eval --json` prints
std::string matches_json(const RunReport& report);  ///< every query with its matches: what match --json and query --json print
std::string challenge_json(
    const ChallengeScore& score);  ///< recall and map, all and city by city: what `eval --score-msls --json` prints

void write_run_record(const std::filesystem::path& file, const RunReport& report);  ///< run_json as a file
/// csv: query,rank,reference,distance,similarity
void write_predictions(const std::filesystem::path& file, const RunReport& report);
/// Every query and its line to the first match as GeoJSON, with "right" when labelled. Returns false and writes no file when
/// no query and match have a latitude and longitude.
bool write_matches_geojson(const std::filesystem::path& file, const RunReport& report);

/// Describes again the few photos that report.html shows side by side and keeps the scores of their patches. Photos that can no
/// longer be read and models without patches are left out.
void add_patch_scores(RunReport& report, Extractor& for_queries, Extractor& for_references);

/// Makes the folder and writes run.json, predictions.csv, photos.csv (paths, positions, ground truth and matches by row),
/// tokens.json (patches), matches.geojson where places are known, and report.html: all that read_run needs. Returns the names of
/// the files.
std::vector<std::string> write_run(const std::filesystem::path& folder, const RunReport& report);

/// One self-contained page: recall, best and worst queries, map, settings. It loads nothing from elsewhere. A photo that
/// cannot be read is named in its place.
void write_report(const std::filesystem::path& file, const RunReport& report);

/// Query and first `count` matches side by side, ten per row: one 000.jpg per query with a 000.txt that names the files. Returns
/// how many. Throws Error kUsage for a count outside 0 to 100.
int write_prediction_pictures(const std::filesystem::path& folder, const RunReport& report, int count, bool only_wrong);

std::string sweep_json(const Sweep& sweep);
/// Makes the folder and writes sweep.csv, sweep.svg and sweep.png (recall over milliseconds, with the spread of the times) and
/// report.html. Returns their names, none for a sweep without points.
std::vector<std::string> draw_sweep(const std::filesystem::path& folder, const Sweep& sweep);
/// The same and sweep.json, from which read_run gives it back.
void write_sweep(const std::filesystem::path& folder, const Sweep& sweep);

/// A table of recall by data set with milliseconds and multiply-adds, one of the mean recalls, one of the differences.
std::string comparison_text(const Comparison& comparison);
std::string comparison_json(const Comparison& comparison);
/// Makes the folder and writes compare.md, compare.tex, compare.csv (one line per repetition and data set), compare.json,
/// compare.svg and compare-gmac.svg (mean recall over milliseconds and over multiply-adds).
void write_comparison(const std::filesystem::path& folder, const Comparison& comparison);

/// Reads back what write_run (run.json) or write_sweep (sweep.json) wrote, without a model. Recall is computed again from
/// predictions.csv and photos.csv. Throws Error kNotFound, kBadFile or kLimit naming the file.
std::variant<RunReport, Sweep> read_run(const std::filesystem::path& file);

}  // namespace revisit
