// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// How a matrix product is cut into pieces of work: some panels of weights against some rows.
#pragma once

#include <algorithm>

#include "core/tensor/parallel.h"

namespace revisit::tensor {

struct Piece {
  int first_row, rows;
  int first_panel, panels;
  int worker;
};

/// run(piece) for pieces that cover `rows` x `panels`, in parallel. `cost` says what one row of one panel takes, where 1 is as much as is
/// handed out at once, some 0.1 ms: much less, and handing out costs; much more, and all wait for the last one. Pieces have up to
/// `most_rows`, which should stay in the cache from panel to panel, cut at multiples of `row_step`.
template <typename Run>
void for_pieces(int rows, int panels, double cost, int most_rows, int row_step, const Run& run) {
  constexpr int kPiecesPerThread = 4;  // at least, so that all end together
  const int wanted = threads() > 1 ? kPiecesPerThread * threads() : 1;
  const int steps = (rows + row_step - 1) / row_step;
  const int down = std::clamp(std::max((rows + most_rows - 1) / most_rows, (wanted + panels - 1) / panels), 1, steps);
  const int tall = (steps + down - 1) / down * row_step;
  const int most_together = std::max(1, panels * down / wanted);
  const int together = static_cast<int>(std::clamp(1 / (cost * std::min(rows, tall)), 1.0, static_cast<double>(most_together)));
  const int across = (panels + together - 1) / together;
  parallel_for_worker(across * down, [&](int i, int worker) {
    const int row = i / across * tall, panel = i % across * together;
    if (row >= rows) return;
    run(Piece{row, std::min(tall, rows - row), panel, std::min(together, panels - panel), worker});
  });
}

}  // namespace revisit::tensor
