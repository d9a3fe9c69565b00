// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// u_j = log b_j - LSE_i(S_ij + v_i), then v_i = log a_i - LSE_j(S_ij + u_j). Working with masses that count tokens instead
// of probabilities changes nothing: a common factor of a and b only shifts u.
#include "engine/aggregate/sinkhorn.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/fail.h"
#include "engine/aggregate/head_kernels.h"

namespace revisit::aggregate {
namespace {
constexpr float kNothing = -1e37F;  // score of a padding column: its exp is 0, sums with it stay finite
}

LogMarginals marginals(double n, int clusters, bool dustbin, bool ghost) {
  const double m = clusters;
  LogMarginals masses;
  if (ghost) masses.ghost = std::log(m);
  if (dustbin) {
    if (!ghost && n <= clusters) {
      fail_with_hint(ErrorCode::kUsage, "use a larger `rho` or `size`, or a WeiAD model",
                     "SALAD's assignment of tokens to {} clusters needs more than {} patch tokens, but there are {}", clusters,
                     clusters, n);
    }
    masses.dustbin = std::log(ghost ? n : n - m);
  } else {
    masses.cluster = std::log((ghost ? n + m : n) / m);
  }
  return masses;
}

double total_mass(std::span<const float> token_mass, int tokens) {
  return token_mass.empty() ? tokens : std::accumulate(token_mass.begin(), token_mass.end(), 0.0);
}

Transport sinkhorn(tensor::ConstMatrix scores, float extra, const LogMarginals& masses, int iterations, tensor::Arena& arena,
                   std::span<const float> token_mass) {
  const int tokens = scores.rows;
  const int clusters = scores.cols;
  const int rows = tokens + (masses.ghost ? 1 : 0);
  const int cols = clusters + (masses.dustbin ? 1 : 0);
  const int stride = padded(cols);

  tensor::Matrix plan = arena.matrix(rows, stride);
  plan.cols = cols;
  float* u = arena.floats(static_cast<std::size_t>(stride));
  float* v = arena.floats(static_cast<std::size_t>(rows));
  float* mass = arena.floats(static_cast<std::size_t>(rows));
  float* scratch = arena.floats(2 * static_cast<std::size_t>(stride));

  for (int i = 0; i < rows; ++i) {
    float* row = plan.row(i);
    if (i < tokens) {
      std::copy_n(scores.row(i), clusters, row);
    } else {
      std::fill_n(row, clusters, extra);
    }
    if (masses.dustbin) row[clusters] = extra;
    std::fill(row + cols, row + stride, kNothing);
  }
  std::fill_n(mass, tokens, 1.0F);
  std::ranges::copy(token_mass, mass);
  if (masses.ghost) mass[tokens] = static_cast<float>(std::exp(*masses.ghost));

  std::fill_n(v, rows, 0.0F);
  for (std::size_t i = 0; i < token_mass.size(); ++i)
    v[i] = std::log(token_mass[i]);  // as that many tokens of its kind would begin
  for (int iteration = 0; iteration < iterations; ++iteration) {
    column_log_sum_exp(plan, v, u, scratch);
    for (int j = 0; j < clusters; ++j) u[j] = static_cast<float>(masses.cluster - u[j]);
    if (masses.dustbin) u[clusters] = static_cast<float>(*masses.dustbin - u[clusters]);
    std::fill(u + cols, u + stride, 0.0F);

    // The last token update and the exponential of the result are one softmax: rows sum to their mass to the last bits even
    // where scores are so large that S + u + v would round.
    if (iteration + 1 < iterations) {
      row_log_sum_exp(plan, u, v);
    } else {
      row_softmax(plan, u, mass, v);
    }
    for (int i = 0; i < tokens; ++i) v[i] = token_mass.empty() ? -v[i] : std::log(mass[i]) - v[i];
    if (masses.ghost) v[tokens] = static_cast<float>(*masses.ghost - v[tokens]);
  }
  return {plan, u, v};
}

namespace reference {

std::vector<double> sinkhorn(tensor::ConstMatrix scores, float extra, const LogMarginals& masses, int iterations,
                             std::span<const float> token_mass) {
  const int tokens = scores.rows;
  const int clusters = scores.cols;
  const int rows = tokens + (masses.ghost ? 1 : 0);
  const int cols = clusters + (masses.dustbin ? 1 : 0);
  const auto s = [&](int i, int j) { return static_cast<double>(i < tokens && j < clusters ? scores.row(i)[j] : extra); };
  const auto log_sum_exp = [](int count, const auto& at) {
    double highest = -INFINITY;
    for (int k = 0; k < count; ++k) highest = std::max(highest, at(k));
    double sum = 0;
    for (int k = 0; k < count; ++k) sum += std::exp(at(k) - highest);
    return highest + std::log(sum);
  };

  std::vector<double> u(static_cast<std::size_t>(cols), 0.0);
  std::vector<double> v(static_cast<std::size_t>(rows), 0.0);
  for (std::size_t i = 0; i < token_mass.size(); ++i) v[i] = std::log(static_cast<double>(token_mass[i]));
  for (int iteration = 0; iteration < iterations; ++iteration) {
    for (int j = 0; j < cols; ++j) {
      const double log_mass = j < clusters ? masses.cluster : *masses.dustbin;
      u[static_cast<std::size_t>(j)] =
          log_mass - log_sum_exp(rows, [&](int i) { return s(i, j) + v[static_cast<std::size_t>(i)]; });
    }
    for (int i = 0; i < rows; ++i) {
      const double of_token =
          i < tokens && !token_mass.empty() ? std::log(static_cast<double>(token_mass[static_cast<std::size_t>(i)])) : 0.0;
      const double log_mass = i < tokens ? of_token : *masses.ghost;
      v[static_cast<std::size_t>(i)] =
          log_mass - log_sum_exp(cols, [&](int j) { return s(i, j) + u[static_cast<std::size_t>(j)]; });
    }
  }
  std::vector<double> log_plan;
  log_plan.reserve(static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols));
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < cols; ++j) log_plan.push_back(s(i, j) + u[static_cast<std::size_t>(j)] + v[static_cast<std::size_t>(i)]);
  }
  return log_plan;
}

}  // namespace reference
}  // namespace revisit::aggregate
