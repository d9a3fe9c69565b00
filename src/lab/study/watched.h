// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// A run under the eyes of whoever started it: what is told, and how it is stopped.
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/base/stop_scope.h"
#include "revisit/error.h"
#include "revisit/lab/run.h"

namespace revisit::study {

class Watched {
 public:
  explicit Watched(const RunWatch& watch) : watch_(watch), scope_([this] { return stop(); }, "the run was stopped") {}

  /// Does the work; false when it was stopped on the way.
  template <typename Work>
  bool finishes(const Work& work) {
    try {
      work();
      return true;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::kInterrupted || !stopped_) throw;
      return false;
    }
  }

  void notice(const std::string& sentence);

  /// By all extractors in turn; `what` is "queries" or "references". Throws when no photo could be used, and when it is stopped.
  std::vector<DescribedPhotos> describe(std::span<Extractor> extractors, const std::vector<Photo>& photos, const char* what);

 private:
  bool stop() { return stopped_ = stopped_ || (watch_.stop && watch_.stop()); }

  const RunWatch& watch_;
  bool stopped_ = false;
  std::set<std::string> said_;
  StopScope scope_;
};

/// Each photo once: the same ones are skipped at every setting.
void keep_skipped(const DescribedPhotos& photos, std::vector<Skipped>& all);

/// An extractor, or its Error with `lead` in front: for checking many before the first one runs.
Extractor possible(const Model& model, const DescriptorSpec& spec, int threads, const std::string& lead);

}  // namespace revisit::study
