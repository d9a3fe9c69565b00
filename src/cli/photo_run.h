// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// What match, eval, sweep and query share: the data set, describing both of its sides, and the record of the run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/console.h"
#include "cli/model_options.h"
#include "cli/progress.h"
#include "revisit/lab/dataset.h"
#include "revisit/lab/report.h"
#include "revisit/recognizer.h"

namespace revisit::cli {

/// The data set of eval and sweep, under the usual flag names.
struct DataArgs {
  std::string queries_folder;
  std::string database_folder;
  std::optional<std::string> gt;
  std::optional<std::string> positions;
  std::string dataset;
  std::string root;
  double positive_dist_threshold_m = 25;
  bool no_labels = false;
  std::vector<int> recall_values{1, 5, 10, 20};
  std::vector<int> image_size;  ///< H W, or the shorter edge
  std::optional<double> reference_rho;
  std::optional<int> dim;  ///< PCA-whitened
  int batch_size = 1;
};

void add_data_options(std::vector<Option>& options, DataArgs& args);
/// The settings of eval and sweep, which use photos as stored: orientation is ignored unless requested.
void add_run_options(std::vector<Option>& options, DataArgs& args, ModelArgs& model,
                     std::initializer_list<std::string_view> without = {});

/// Loads the set and prints its notes. One without ground truth is refused unless --no-labels is given.
Dataset load_data(const DataArgs& args, Console& console);

/// --image-size becomes the size; one number is the shorter edge of the first reference.
void apply_image_size(const DataArgs& args, const Dataset& dataset, DescriptorSpec& spec, Console& console);

/// Notes in the protocol that descriptors are whitened.
void mention_whitening(Dataset& dataset, const std::optional<int>& dim);

/// A run on the terminal: progress, notices and skipped photos. From the first photo on a signal stops it between two steps;
/// until then it ends the program.
class RunDisplay {
 public:
  explicit RunDisplay(Console& console) : console_(console) {}
  RunDisplay(const RunDisplay&) = delete;
  RunDisplay& operator=(const RunDisplay&) = delete;

  RunWatch watch();  ///< must not outlive this
  /// What is said when nothing is left of a run that a signal stopped.
  Interrupted interrupted() const;

 private:
  void show(const std::string& what, int done, int total);
  void finish(const DescribedPhotos& photos);

  Console& console_;
  std::optional<Progress> progress_;
  std::string what_;
  int done_ = 0, total_ = 0;
};

struct Side {
  DescribedPhotos photos;
  DescriptorSpec spec;  ///< complete
};

/// Photos of which something was left out: the first few, and how many more there are. None is named twice.
void mention_left_out(const std::vector<std::string>& notes, Console& console);

/// Describes with progress, `local` with local features; skipped photos are named. Throws when no photo could be used, and
/// Interrupted.
Side describe_side(Extractor& extractor, const std::vector<Photo>& photos, const char* label, Console& console,
                   bool local = false);
Side describe_side(const Recognizer& places, const std::vector<Photo>& photos, const char* label, Console& console,
                   bool local = false);
Side describe_side(const Model& model, const DescriptorSpec& spec, int threads, const std::vector<Photo>& photos,
                   const char* label, Console& console, bool local = false);

/// Everything about a run except its times and the threshold.
RunRecord record_of(const char* command, const std::string& model_name, const Model& model, const Side& queries,
                    const DescriptorSpec& references, int threads, const Console& console);
/// What only the program knows of a run.
void sign(RunRecord& run, const char* command, const std::string& started, const Console& console);

/// Times of both sides into the record, skipped photos and notes of both into the report.
void add_sides(RunReport& report, const Side& queries, const Side& references);

/// "2026-01-31T12:00:00Z" or, for folder names, "2026-01-31_12-00-00".
std::string utc_now(bool for_folder = false);

}  // namespace revisit::cli
