// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Entropic optimal transport between patch tokens (rows) and clusters (columns), in the log domain, regularisation 1.
// A ghost token is an extra last row, a dustbin cluster an extra last column; both score z everywhere.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/tensor/arena.h"
#include "core/tensor/matrix.h"

namespace revisit::aggregate {

/// Logarithms of the mass each row and column must hold. Masses count tokens: a patch token has mass 1 (log 0) unless sinkhorn()
/// is told.
struct LogMarginals {
  double cluster = 0;
  std::optional<double> ghost;    // of the ghost row, when there is one
  std::optional<double> dustbin;  // of the dustbin column, when there is one
};

/// The marginals of the four forms (tokens N >= 1, or the sum of their masses, clusters M >= 1; both sides sum to the same):
///   dustbin + ghost  rows 1 x N, M      columns 1 x M, N              WeiAD (as SuperGlue), any N
///   dustbin          rows 1 x N         columns 1 x M, N - M          SALAD, needs N > M
///   ghost            rows 1 x N, M      columns (N + M) / M x M
///   neither          rows 1 x N         columns N / M x M
/// Throws Error kUsage when the second form is asked for with N <= M.
LogMarginals marginals(double tokens, int clusters, bool dustbin, bool ghost);

/// Where the iterations end. Memory belongs to the arena.
struct Transport {
  tensor::Matrix plan;  // (N + ghost, M + dustbin), rows padded: P. Token rows sum to their mass, columns only nearly
  const float* cluster_potential = nullptr;  // u (M + dustbin)
  const float* token_potential = nullptr;    // v (N + ghost): log P_ij = S~_ij + u_j + v_i
};

/// `scores` is S (N, M), `extra` is z. Each iteration updates the cluster side, then the token side (iterations >= 1).
/// Finite for any finite scores of reasonable size (10^4 is), any N. `token_mass` (N): what each token's row holds; empty: 1
/// each.
Transport sinkhorn(tensor::ConstMatrix scores, float extra, const LogMarginals& masses, int iterations, tensor::Arena& arena,
                   std::span<const float> token_mass = {});

/// N of marginals(): the sum of the masses, or `tokens` where there are none.
double total_mass(std::span<const float> token_mass, int tokens);

namespace reference {
/// log P (N + ghost, M + dustbin) by plain loops in double.
std::vector<double> sinkhorn(tensor::ConstMatrix scores, float extra, const LogMarginals& masses, int iterations,
                             std::span<const float> token_mass = {});
}  // namespace reference

}  // namespace revisit::aggregate
