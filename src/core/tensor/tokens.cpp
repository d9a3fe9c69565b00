// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Dropping patches from a token sequence, and merging them. Living patches own themselves, so that one step of owner[owner[p]]
// passes on what became of them to the patches they stand for.
#include "core/tensor/tokens.h"

#include <algorithm>
#include <cstring>

#include "core/base/fail.h"

namespace revisit::tensor {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

template <typename T>
void move_forward(std::span<T> values, int from, int to) {
  if (!values.empty()) values[at(to)] = values[at(from)];
}

/// Everything that is told of the patch at `from`, to a place before it.
void move_patch(Tokens& tokens, int from, int to) {
  if (from == to) return;
  const Matrix patches = tokens.patch_values();
  std::memcpy(patches.row(to), patches.row(from), sizeof(float) * at(patches.cols));
  move_forward(tokens.kept, from, to);
  move_forward(tokens.mass, from, to);
}

void cut(Tokens& tokens, int count) {
  if (!tokens.kept.empty()) tokens.kept = tokens.kept.first(at(count));
  if (!tokens.mass.empty()) tokens.mass = tokens.mass.first(at(count));
  for (int& owner : tokens.owner) {
    if (owner >= 0) owner = tokens.owner[at(owner)];
  }
  tokens.values.rows = tokens.prefix + count;
}

}  // namespace

void keep_patches(Tokens& tokens, const std::vector<int>& positions) {
  const int count = static_cast<int>(positions.size());
  if (!tokens.owner.empty()) {
    for (int i = 0, next = 0; i < tokens.patches(); ++i) {
      if (next < count && positions[at(next)] == i) {
        ++next;
      } else {
        tokens.owner[at(tokens.kept[at(i)])] = -1;
      }
    }
  }
  for (int i = 0; i < count; ++i) move_patch(tokens, positions[at(i)], i);  // positions ascend: rows only move forward
  cut(tokens, count);
}

void merge_patches(Tokens& tokens, std::span<const int> into) {
  const int patches = tokens.patches();
  const std::size_t wanted = at(patches);
  const auto stays = [&](int i) { return i >= 0 && i < patches && into[at(i)] == i; };
  if (into.size() != wanted || tokens.kept.size() != wanted || tokens.mass.size() != wanted || tokens.owner.size() < wanted ||
      !std::ranges::all_of(into, stays)) {
    fail(ErrorCode::kInternal, "{} patches cannot be merged into {} places as given", patches, into.size());
  }
  const Matrix values = tokens.patch_values();
  for (int i = 0; i < patches; ++i) {
    const int to = into[at(i)];
    if (to == i) continue;
    const float mass = tokens.mass[at(to)] + tokens.mass[at(i)];
    const float share = tokens.mass[at(i)] / mass;  // the mean so far moves towards the next: no sums to keep
    const float* from = values.row(i);
    float* mean = values.row(to);
    for (int c = 0; c < values.cols; ++c) mean[c] += share * (from[c] - mean[c]);
    tokens.mass[at(to)] = mass;
    tokens.owner[at(tokens.kept[at(i)])] = tokens.kept[at(to)];
  }
  int next = 0;
  for (int i = 0; i < patches; ++i) {
    if (into[at(i)] == i) move_patch(tokens, i, next++);
  }
  cut(tokens, next);
}

bool any_merged(const Tokens& tokens) {
  return std::ranges::any_of(tokens.mass, [](float mass) { return mass != 1; });
}

}  // namespace revisit::tensor
