// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The scores of the Mapillary SLS challenge, part by part and over all: every query that has a right reference counts the same.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "revisit/lab/evaluate.h"

namespace revisit::eval {

class ChallengeCounter {
 public:
  /// recall_values: ascending, each once.
  ChallengeCounter(const std::vector<std::string>& parts, std::vector<int> recall_values);

  void count_references(int part, int count);
  /// positives ascending; `ranked` best first, -1 for references of other parts.
  void add(int part, std::span<const int> positives, std::span<const int> ranked);
  ChallengeScore score() const;

 private:
  PartScore part_score(const std::string& name, std::span<const std::size_t> indices) const;

  struct Sums {
    int queries = 0;
    int without_positive = 0;
    int references = 0;
    std::vector<int> hits;          // by k
    std::vector<double> precision;  // sum of average precisions, by k
  };
  std::vector<std::string> names_;
  std::vector<int> ks_;
  std::vector<Sums> sums_;
};

/// Average precision of the first k: the mean of the precisions at each right reference, over the number that could be found
/// there.
double average_precision_at(int k, std::span<const int> positives, std::span<const int> ranked);

ChallengeScore score_parts(const Dataset& dataset, const std::vector<std::vector<Match>>& matches, const std::vector<int>& ks);

}  // namespace revisit::eval
