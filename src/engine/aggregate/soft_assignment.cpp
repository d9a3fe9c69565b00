// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The softmax over words and the sums.
#include "engine/aggregate/soft_assignment.h"

#include <algorithm>

#include "core/tensor/kernels.h"
#include "engine/aggregate/head_kernels.h"
#include "engine/aggregate/head_parts.h"

namespace revisit::aggregate {

SoftAssignment::SoftAssignment(const float* scores, const float* bias, int width, int words)
    : scores_(scores, bias, width, words) {}

SoftAssignment::Result SoftAssignment::operator()(const tensor::Features& features, tensor::Arena& arena) const {
  const tensor::ConstMatrix cells = features.spatial();
  const int words = scores_.out(), width = scores_.in();
  const Result out{arena.matrix(words, width), arena.numbers<double>(static_cast<std::size_t>(words))};
  const tensor::Arena::Scope scope(arena);
  const tensor::Matrix unit = arena.matrix(cells.rows, width), shares = arena.matrix(cells.rows, words);
  for (int r = 0; r < cells.rows; ++r) {
    std::copy_n(cells.row(r), width, unit.row(r));
    tensor::l2_normalise(unit.row(r), width);
  }
  scores_(unit, shares, arena);
  tensor::softmax_rows(shares, 1.0F);

  std::ranges::fill(out.mass, 0.0);
  const std::span<const float> patches = features.mass();
  for (int r = 0; r < cells.rows; ++r) {
    float* share = shares.row(r);
    for (int k = 0; k < words; ++k) {
      if (!patches.empty()) share[k] *= patches[static_cast<std::size_t>(r)];
      out.mass[static_cast<std::size_t>(k)] += share[k];
    }
  }
  weighted_sums(shares, unit, out.sums);
  return out;
}

void normalise_rows(tensor::Matrix rows) {
  for (int k = 0; k < rows.rows; ++k) l2_normalise(rows.row(k), static_cast<std::size_t>(rows.cols));
  l2_normalise(rows.data, static_cast<std::size_t>(rows.rows) * static_cast<std::size_t>(rows.cols));
}

}  // namespace revisit::aggregate
