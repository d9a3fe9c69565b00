// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// What a run leaves behind: JSON for programs, csv for tables, pictures and one HTML page for people.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "revisit/dataset.h"
#include "revisit/evaluate.h"
#include "revisit/image.h"
#include "revisit/index.h"

namespace revisit {

/// How a run was made.
struct RunRecord {
  std::string version;
  std::string command;                 ///< "match", "eval", "sweep"
  std::vector<std::string> arguments;  ///< as typed, the program's name and the command left out
  std::string started;                 ///< "2026-01-31T12:00:00Z"
  std::string model;
  std::string fingerprint;
  std::string aggregator;  ///< the head's, or cls, mean, gem
  std::string pruner;
  double rho = 1;
  double reference_rho = 1;
  Size size;  ///< of the input
  int dim = 0;
  int threads = 0;  ///< 0: every core
  std::string cpu;
  Orientation orientation = Orientation::kApply;
  double ms_per_image = 0;   ///< median forward time of a query, decoding excluded
  double end_to_end_ms = 0;  ///< median with decoding
  double reference_ms_per_image = 0;
  std::optional<double> min_similarity;  ///< below it the answer is "no match"
};

struct RunReport {
  RunRecord run;
  Dataset dataset;
  std::vector<std::vector<Match>> matches;  ///< per query, best first
  std::optional<Evaluation> evaluation;     ///< when the data set is labelled
  std::vector<Skipped> skipped;

  bool accepted(int query) const;  ///< has a match, and it reaches min_similarity
};

/// "R@1: 98.8, R@5: 99.7"
std::string recall_line(const Evaluation& evaluation);

std::string run_json(const RunReport& report);      ///< settings, times, recall: what `eval --json` prints
std::string matches_json(const RunReport& report);  ///< every query with its matches: what `match --json` prints

void write_run_record(const std::filesystem::path& file, const RunReport& report);  ///< run_json as a file
/// csv: query,rank,reference,distance,similarity
void write_predictions(const std::filesystem::path& file, const RunReport& report);
/// One self-contained page: recall, best and worst queries, map, settings. Nothing in it is fetched from elsewhere.
void write_report(const std::filesystem::path& file, const RunReport& report);

/// Query and first `count` matches side by side, one 000.jpg a query with a 000.txt that names the files. Returns how many.
int write_prediction_pictures(const std::filesystem::path& folder, const RunReport& report, int count, bool only_wrong);

/// One setting of a sweep.
struct SweepPoint {
  std::string model;
  double rho = 1;
  double reference_rho = 1;
  int dim = 0;
  double ms_per_image = 0;
  double end_to_end_ms = 0;
  Evaluation evaluation;
};

struct Sweep {
  RunRecord run;  ///< of its first point
  std::vector<SweepPoint> points;
  std::vector<Skipped> skipped;
};

std::string sweep_json(const Sweep& sweep);
/// sweep.csv, sweep.json, sweep.svg (recall over milliseconds) and report.html. Makes the folder.
void write_sweep(const std::filesystem::path& folder, const Sweep& sweep);

}  // namespace revisit
