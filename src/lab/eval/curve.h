// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Deciding "no": precision and recall of first matches as the accepted similarity falls.
#pragma once

#include <vector>

#include "revisit/lab/evaluate.h"

namespace revisit::eval {

/// A query's first match.
struct Answer {
  double similarity = 0;
  bool right = false;
};

/// Fills the curve, average precision and recall at full precision. precision = right / accepted, recall = right / answerable,
/// where answerable counts the queries that have a positive: refusing the others costs nothing.
void fill_curve(std::vector<Answer> answers, int answerable, Evaluation& out);

}  // namespace revisit::eval
