// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Places 1, 3, 5, ... of the patches are places 2, 4, 6, ... of the sequence, in which CLS stands first: A without CLS.
#include "engine/reduce/matching.h"

#include <algorithm>
#include <numeric>

#include "core/tensor/kernels.h"
#include "core/tensor/nearest.h"
#include "core/tensor/parallel.h"
#include "engine/reduce/one_cut.h"

namespace revisit::reduce {
namespace {

std::size_t index_of(int i) { return static_cast<std::size_t>(i); }

/// Keys of the patches at every second place from `first`, (n, head dim): their mean over heads, of length 1.
tensor::Matrix metric(tensor::ConstMatrix keys, int heads, int prefix, const std::vector<int>& order, int first,
                      tensor::Arena& arena) {
  const int count = (static_cast<int>(order.size()) - first + 1) / 2;
  const int size = keys.cols / heads;
  const tensor::Matrix out = arena.matrix(count, size);
  tensor::parallel_for(count, [&](int i) {
    const float* key = keys.row(prefix + order[index_of(first + 2 * i)]);
    float* to = out.row(i);
    std::copy_n(key, size, to);
    for (int h = 1; h < heads; ++h) {
      for (int c = 0; c < size; ++c) to[c] += key[h * size + c];
    }
    tensor::l2_normalise(to, size);  // so that dividing by the number of heads would change nothing
  });
  return out;
}

}  // namespace

void Matching::restart(int patches) {
  order_.resize(index_of(patches));
  std::iota(order_.begin(), order_.end(), 0);
}

std::span<const int> Matching::match(const tensor::Tokens& tokens, tensor::ConstMatrix keys, int r, tensor::Arena& arena) {
  const int patches = tokens.patches();
  const std::span<int> into = arena.numbers<int>(index_of(patches));
  std::iota(into.begin(), into.end(), 0);
  r = std::min(r, most_merged(patches));
  if (r < 1) return into;
  {
    const tensor::Arena::Scope scope(arena);
    const tensor::Matrix a = metric(keys, heads_, tokens.prefix, order_, 1, arena);
    const tensor::Matrix b = metric(keys, heads_, tokens.prefix, order_, 0, arena);
    best_.resize(index_of(a.rows));
    products_.resize(index_of(a.rows));
    tensor::nearest_rows(a, b, best_.data(), products_.data(), arena);
  }
  choose_best(products_, r, merged_);
  for (const int i : merged_) into[index_of(order_[index_of(2 * i + 1)])] = order_[index_of(2 * best_[index_of(i)])];

  // Where each living patch will stand, then the order of the method in these numbers.
  next_.assign(index_of(patches), 0);
  for (int i = 0, count = 0; i < patches; ++i) next_[index_of(i)] = into[index_of(i)] == i ? count++ : -1;
  merged_.clear();
  for (int first : {1, 0}) {
    for (int i = first; i < patches; i += 2) {
      const int place = next_[index_of(order_[index_of(i)])];
      if (place >= 0) merged_.push_back(place);
    }
  }
  order_.swap(merged_);
  return into;
}

}  // namespace revisit::reduce
