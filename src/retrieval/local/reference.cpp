// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The second look in plain loops and doubles, for tests.
#include <algorithm>
#include <cmath>

#include "retrieval/local/local.h"

namespace revisit::retrieval::reference {
namespace {

double cosine(const LocalFeatures& a, int i, const LocalFeatures& b, int j) {
  double dot = 0, aa = 0, bb = 0;
  for (int k = 0; k < a.dim; ++k) {
    const double x = a.codes[static_cast<std::size_t>(i * a.dim + k)], y = b.codes[static_cast<std::size_t>(j * b.dim + k)];
    dot += x * y;
    aa += x * x;
    bb += y * y;
  }
  return aa > 0 && bb > 0 ? dot / std::sqrt(aa * bb) : 0;
}

int nearest(const LocalFeatures& of, int patch, const LocalFeatures& among) {
  int out = -1;
  double best = 0;
  for (int j = 0; j < among.count(); ++j) {
    const double similarity = cosine(of, patch, among, j);
    if (similarity > best) {
      best = similarity;
      out = j;
    }
  }
  return out;
}

struct Vote {
  PatchPair pair;
  double x, y, weight, support = 0;
};

}  // namespace

SecondLook second_look(const LocalFeatures& query, const LocalFeatures& reference) {
  std::vector<Vote> votes;
  for (int q = 0; q < query.count(); ++q) {
    const int r = nearest(query, q, reference);
    if (r < 0 || nearest(reference, r, query) != q) continue;
    const LocalPatch a = query.patches[static_cast<std::size_t>(q)], b = reference.patches[static_cast<std::size_t>(r)];
    const double similarity = cosine(query, q, reference, r);
    votes.push_back({{q, r, static_cast<float>(similarity), a, b},
                     (b.x - a.x) / 65'536.0,
                     (b.y - a.y) / 65'536.0,
                     similarity * (a.weight / 65'535.0) * (b.weight / 65'535.0)});
  }
  SecondLook out;
  double all = 0, best = 0;
  for (Vote& one : votes) {
    for (const Vote& other : votes) {
      const double distance = std::hypot(one.x - other.x, one.y - other.y) / static_cast<double>(kReach);
      one.support += other.weight * std::pow(std::max(0.0, 1 - distance * distance), 2);
    }
    all += one.weight * one.support;
    best = std::max(best, one.support);
  }
  out.score = static_cast<float>(std::sqrt(all));
  for (const Vote& one : votes) {
    if (one.support >= best / 2 && one.weight > 0) out.pairs.push_back(one.pair);
  }
  return out;
}

}  // namespace revisit::retrieval::reference
