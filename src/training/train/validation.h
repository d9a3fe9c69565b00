// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Quality of the model on pictures it is not trained on, as users will run it: described by our own engine, not by torch.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/model/config.h"
#include "revisit/lab/evaluate.h"
#include "revisit/lab/train.h"

namespace revisit::train {

/// Percent of the queries with a right reference among their first 1, 5 and 10.
struct RecallAtRho {
  double rho = 1;
  double at1 = 0, at5 = 0, at10 = 0;
};
using Recalls = std::vector<RecallAtRho>;  ///< one for each of validation.rhos, in their order

/// Whether `a` is at least as good as `b`: mean R@1 over the rhos, then R@5, then R@10. A later model wins a tie.
bool at_least_as_good(const Recalls& a, const Recalls& b);

/// "rho 1: R@1 12.0  R@5 30.0  R@10 41.0; rho 0.5: ..."
std::string to_words(const Recalls& recalls);

/// Everything of a data set, described.
struct DescribedPair {
  DescribedPhotos queries, references;
};

class Validation {
 public:
  using Stop = std::function<bool()>;  ///< asked between two pictures

  /// Folders with ground truth, or a town of its own, rendered here and kept. Throws Error for unusable data.
  Validation(const TrainConfig& config, int threads);
  ~Validation();
  Validation(const Validation&) = delete;
  Validation& operator=(const Validation&) = delete;

  std::int64_t pictures() const;  ///< that one measurement describes: all of them at every rho
  const Dataset& dataset() const;
  std::string describe() const;       ///< "100 queries and 200 references of a town that is not trained on"
  const std::string& notice() const;  ///< about photos the last measurement could not use; may be empty
  /// Empty when `stop` ended it.
  std::optional<Recalls> measure(const model::LoadedModel& model, const Stop& stop);
  std::optional<DescribedPair> describe(const model::LoadedModel& model, double rho, const Stop& stop);
  /// Percent of the queries with a right reference among their first k, for each k, ascending.
  std::vector<double> recall(const DescribedPair& described, const std::vector<int>& at) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace revisit::train
