// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// How a run was made, and how one that takes hours is watched and stopped.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "revisit/ingest.h"
#include "revisit/model.h"

namespace revisit {

/// How a run was made.
struct RunRecord {
  std::string version;
  std::string commit;                  ///< of the source it was built from, when known
  std::string command;                 ///< "match", "eval", "sweep"
  std::vector<std::string> arguments;  ///< as typed, the program's name and the command left out
  std::string started;                 ///< "2026-01-31T12:00:00Z"
  std::string model;
  std::string fingerprint;        ///< of the model's weights
  std::string aggregator;         ///< the head's, or cls, mean, gem
  DescriptorSpec spec;            ///< how the queries were described
  DescriptorSpec reference_spec;  ///< how the references were
  int dim = 0;
  int threads = 0;  ///< 0: every core
  std::string cpu;
  double ms_per_image = 0;   ///< median forward time of a query, decoding excluded
  double end_to_end_ms = 0;  ///< median with decoding
  double reference_ms_per_image = 0;
  double mean_kept = 1;                  ///< share of its patches a query kept, on average
  std::optional<double> min_similarity;  ///< below it the answer is "no match"
  std::optional<double> max_false_rate;  ///< of answers, where they are accepted at a stated rate
  std::string calibration;               ///< behind that rate: "calibrated on 1203 photos of the index"
};

/// All but version, commit, command, arguments, start and times, which are for the caller to add.
RunRecord run_record(const std::string& model_name, const Model& model, const DescriptorSpec& queries,
                     const DescriptorSpec& references, int dim, int threads);

/// What a program shows of a run while it lasts, and how it ends one. Everything is called on the thread of the run.
struct RunWatch {
  /// Before the first photo and after each; `what` is described: "queries" or "references".
  std::function<void(const std::string& what, int done, int total)> progress;
  std::function<void(const std::string& sentence)> notice;       ///< about data and settings, each sentence once
  std::function<void(const DescribedPhotos& photos)> described;  ///< after the last photo: which were skipped, and why
  std::function<bool()> stop;  ///< asked often, also while a photo is read; from the first yes on the run ends
};

}  // namespace revisit
