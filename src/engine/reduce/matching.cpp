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

/// Keys of the patches, their mean over heads, of length 1: (patches, head dim), those of A first, then those of B.
tensor::Matrix metric(tensor::ConstMatrix keys, int heads, int prefix, const std::vector<int>& order, tensor::Arena& arena) {
  const int count = static_cast<int>(order.size()), in_a = most_merged(count), size = keys.cols / heads;
  const tensor::Matrix out = arena.matrix(count, size);
  tensor::parallel_for(count, [&](int i) {
    const float* key = keys.row(prefix + order[index_of(i < in_a ? 2 * i + 1 : 2 * (i - in_a))]);
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
    const int in_a = most_merged(patches);
    const tensor::Matrix all = metric(keys, heads_, tokens.prefix, order_, arena);
    best_.resize(index_of(in_a));
    products_.resize(index_of(in_a));
    tensor::nearest_rows(all.rows_from(0, in_a), all.rows_from(in_a, patches - in_a), best_.data(), products_.data(), arena);
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
