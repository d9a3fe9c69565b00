// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Models, pruners and settings against each other on several data sets: what is asked for, what came out, and how sure a
// difference is.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "revisit/extractor.h"
#include "revisit/lab/dataset.h"
#include "revisit/lab/run.h"

namespace revisit {

struct CompareDataset {
  std::string name;            ///< as tables show it
  FolderPair folders;          ///< two folders with their ground truth, or
  std::string named;           ///< a data set of the field and
  std::filesystem::path root;  ///< where it lies
};

/// What becomes one line of the tables for each rho.
struct CompareRow {
  std::string name;
  std::vector<std::string> models;  ///< files or names; several are repetitions of one training: mean and spread over them
  std::vector<double> rhos{1};
  int seeds = 1;        ///< of random pruning: further repetitions
  DescriptorSpec spec;  ///< but for rho and seed
  std::string line;     ///< rows of one line are joined in the plots: a pruner trained anew for each rho; empty: the row's name
};

/// Numbers of others, for each of the rhos: shown apart and never ranked with what was measured.
struct CompareLiterature {
  std::string name;
  std::vector<double> rhos{1};
  std::vector<double> ms_per_image, gmac;                            ///< one for each rho, or none
  std::map<int, std::map<std::string, std::vector<double>>> recall;  ///< percent by k and data set
  std::map<int, std::vector<double>> mean_recall;                    ///< by k
};

/// "of" less "from", query by query.
struct CompareDifference {
  std::string of, from;  ///< names of rows
  double of_rho = 1, from_rho = 1;
};

struct CompareConfig {
  std::string name = "compare";
  std::vector<int> recall_values{1, 5, 10};
  std::vector<CompareDataset> datasets;
  std::vector<CompareRow> rows;
  std::vector<CompareDifference> differences;
  std::vector<int> recall_columns{};  ///< the table has a column for each data set at these k; empty: the first recall value
  std::vector<std::string> mean_without{};  ///< a second mean leaves these data sets out
  std::vector<CompareLiterature> literature{};
};

/// Reads TOML; refuses what cannot be meant as load_train_config does. Relative paths are taken from the config's folder.
CompareConfig load_compare_config(const std::filesystem::path& path);
CompareConfig parse_compare_config(const std::string& toml, const std::string& name, const std::filesystem::path& folder);

/// One model with one setting on one data set.
struct CompareCell {
  std::vector<int> ranks;  ///< of the first right match of each query, from 1; 0: none among those looked at
};

/// What a descriptor costs with one model and one setting, measured on the first queries while nothing else of the run goes on.
struct CompareCost {
  double ms_per_image = 0;  ///< median forward time
  double gmac = 0;          ///< mean over these photos
};

/// A row at one rho.
struct CompareLine {
  std::string name;
  double rho = 1;
  std::vector<std::vector<CompareCell>> repetitions;  ///< each with a cell a data set
  std::vector<CompareCost> costs{};                   ///< of each repetition
};

/// What a comparison found.
struct Comparison {
  CompareConfig config;
  std::vector<CompareLine> lines;      ///< those that are done, in the order of the config
  std::vector<std::string> protocols;  ///< of the data sets
  std::vector<int> num_queries;
  std::string cpu;
  int threads = 0;
  std::vector<Skipped> skipped;
  bool stopped = false;  ///< some lines are missing
};

struct CompareOptions {
  /// Where cells are kept: the same run goes on where one was stopped, and a new row costs only itself. Empty: nowhere.
  std::filesystem::path cells;
  int threads = 0;                                           ///< 0: every core
  std::function<Model(const std::string& name)> open_model;  ///< default: find_model
  RunWatch watch;
  std::function<void(const CompareLine& line)> line;  ///< measured, or known already
};

/// Measures what the config asks for; a run that was stopped has the lines that are complete. Throws Error kUsage, before the
/// first photo, for what a model cannot do and for a data set without ground truth.
Comparison run_compare(const CompareConfig& config, const CompareOptions& options = {});

struct MeanAndSpread {
  double mean = 0;
  double deviation = 0;  ///< of a sample; 0 for a single value
};

/// Percent, over the repetitions.
MeanAndSpread recall_of(const CompareLine& line, std::size_t dataset, int k);
/// The mean over the data sets, each counting the same; `left_out` are numbers of some that do not count.
MeanAndSpread mean_recall_of(const CompareLine& line, int k, const std::set<std::size_t>& left_out = {});
/// Of the repetitions: the median time and the mean of the multiply-adds.
CompareCost cost_of(const CompareLine& line);

struct PairedDifference {
  double percent = 0;
  double low95 = 0;  ///< bootstrap over the queries of each data set, the same for both; 2,000 draws, fixed seed
  double high95 = 0;
};

/// recall@k of `of` less that of `from`: repetitions averaged for each query, then queries, then data sets.
PairedDifference paired_difference(const CompareLine& of, const CompareLine& from, int k);

}  // namespace revisit
