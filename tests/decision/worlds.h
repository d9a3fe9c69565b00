// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Made-up worlds to hold stated rates against: a town is rendered and described once, then worlds are drawn from its pictures.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "revisit/decision.h"
#include "revisit/extractor.h"

namespace revisit::worlds {

struct PoolOptions {
  std::uint64_t seed = 0;
  int places = 480;
  int pictures = 4;  ///< of a place, half of them by day
  int alike = 4;     ///< places of an estate whose streets look alike; half of all places lie in one
};

/// Pictures of a town and how alike any two of them are.
class Pool {
 public:
  Pool(Extractor& extractor, const PoolOptions& options);
  const PoolOptions& options() const { return options_; }
  int pictures() const { return options_.places * options_.pictures; }
  int place_of(int picture) const { return picture / options_.pictures; }
  bool by_night(int picture) const { return picture % options_.pictures >= options_.pictures / 2; }
  float similarity(int a, int b) const {
    return alike_[static_cast<std::size_t>(a) * static_cast<std::size_t>(pictures()) + static_cast<std::size_t>(b)];
  }
  /// What a query finds among `rows`; places it must not be told by are left out.
  Evidence ask(int query, std::span<const int> rows, int without_place, int* best) const;

 private:
  PoolOptions options_;
  std::vector<float> alike_;
};

/// The pictures of a collection asked about all pictures of other places, as `calibrate_index` does.
std::vector<Evidence> strangers(const Pool& pool, std::span<const int> rows);

struct World {
  std::vector<int> rows;     ///< pictures of the collection
  std::vector<int> queries;  ///< never one of them
};

/// One of many: collection size, share of revisits, share of night, and whether estates come whole are drawn from `number`.
/// `revisits` false: nothing asked about has been there before.
World make_world(const Pool& pool, int number, bool revisits);

struct Counts {
  int asked = 0, revisits = 0, right = 0;  ///< right: the best match shows the place, accepted or not
  int accepted = 0, wrong = 0;
};

Counts judge(const Pool& pool, const World& world, const DecisionTable& table, double rate);

}  // namespace revisit::worlds
