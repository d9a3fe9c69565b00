// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Stated rates beside what the ground truth says.
#include "revisit/lab/evaluate.h"

namespace revisit {

std::vector<RateOutcome> rate_outcomes(const Dataset& dataset, const std::vector<std::vector<Match>>& matches,
                                       const std::vector<Verdicts>& verdicts, const std::vector<double>& rates) {
  const std::vector<int> ranks = first_right_ranks(dataset, matches);
  std::vector<RateOutcome> out;
  for (const double rate : rates) {
    RateOutcome one{rate};
    for (std::size_t q = 0; q < verdicts.size(); ++q) {
      const bool right = ranks[q] == 1, accepted = verdicts[q].false_rate && *verdicts[q].false_rate <= rate;
      one.accepted += accepted ? 1 : 0;
      one.wrong += accepted && !right ? 1 : 0;
      one.right += right ? 1 : 0;
      one.kept += accepted && right ? 1 : 0;
    }
    out.push_back(one);
  }
  return out;
}

}  // namespace revisit
