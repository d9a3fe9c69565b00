// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// What a backbone makes of one picture and an aggregator reads: tokens, or a map of features.
#pragma once

#include <span>
#include <variant>

#include "core/tensor/matrix.h"
#include "core/tensor/tokens.h"

namespace revisit::tensor {

/// H x W cells of C channels. The channels of a cell lie together, so that a cell is a row, as a patch is in tokens.
struct FeatureMap {
  Matrix cells;     // (H * W, C), row by row of the map
  int rows = 0;     // H
  int columns = 0;  // W
};

/// A view, like what it holds: the values belong to an arena.
class Features {
 public:
  Features(Tokens tokens) : any_(tokens) {}  // NOLINT: a Features is either
  Features(FeatureMap map) : any_(map) {}    // NOLINT

  bool are_tokens() const { return std::holds_alternative<Tokens>(any_); }
  /// Throws Error kBadModel for a map: the network and what reads it do not fit together.
  Tokens& tokens();
  const Tokens& tokens() const;
  /// Throws Error kBadModel for tokens.
  FeatureMap& map();
  const FeatureMap& map() const;

  /// Everything, as it lies: (prefix + patches, D) or (H * W, C).
  ConstMatrix values() const;
  /// (N, D), dense: one row per patch or cell of the map, D its token or its channels.
  ConstMatrix spatial() const;
  /// (N) how many patches each row of spatial() stands for, for what weighs by it; empty: one each, as the cells of a map.
  std::span<const float> mass() const;

 private:
  std::variant<Tokens, FeatureMap> any_;
};

}  // namespace revisit::tensor
