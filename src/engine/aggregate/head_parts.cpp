// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The MLPs and the assembly of optimal-transport heads.
#include "engine/aggregate/head_parts.h"

#include <algorithm>
#include <cmath>

#include "engine/model/load_linear.h"

namespace revisit::aggregate {
namespace {

constexpr double kTiny = 1e-12;  // below this a vector has no direction and is left as it is, nearly zero

double norm_of(const float* x, std::size_t count) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += static_cast<double>(x[i]) * x[i];
  return std::sqrt(sum);
}

void scale(float* x, std::size_t count, double factor) {
  for (std::size_t i = 0; i < count; ++i) x[i] = static_cast<float>(x[i] * factor);
}

}  // namespace

Mlp::Mlp(const model::Weights& weights, const std::string& name, int second, int in, int hidden, int out)
    : first_(model::load_linear(weights, name + ".0", in, hidden, {.after = tensor::Linear::After::kRelu})),
      second_(model::load_linear(weights, name + "." + std::to_string(second), hidden, out)) {}

tensor::Matrix Mlp::operator()(tensor::ConstMatrix x, tensor::Arena& arena) const {
  const tensor::Matrix y = arena.matrix(x.rows, second_.out());
  const tensor::Arena::Scope scope(arena);
  const tensor::Matrix hidden = arena.matrix(x.rows, first_.out());
  first_(x, hidden, arena);
  second_(hidden, y, arena);
  return y;
}

// The second layer's index in the checkpoint differs: the two patch MLPs have a dropout in between, the CLS one has not.
HeadMlps::HeadMlps(const model::Weights& weights, const model::TransportHead& head, int width)
    : token_features_(weights, "aggregator.token_features", 2, width, head.hidden, head.token_dim),
      cluster_features_(weights, "aggregator.cluster_features", 3, width, head.hidden, head.cluster_dim),
      score_(weights, "aggregator.score", 3, width, head.hidden, head.clusters) {}

HeadMlps::Result HeadMlps::operator()(const tensor::Tokens& tokens, tensor::Arena& arena) const {
  const tensor::ConstMatrix patches = tokens.patch_values();
  return {token_features_(tokens.cls(), arena), cluster_features_(patches, arena), score_(patches, arena)};
}

void normalise_clusters(tensor::Matrix sums, const float* weights, model::ClusterNorm norm) {
  const auto count = static_cast<std::size_t>(sums.cols);
  for (int j = 0; j < sums.rows; ++j) {
    double factor = weights != nullptr ? weights[j] : 1.0;
    if (norm == model::ClusterNorm::kWeightAfter) factor /= std::max(norm_of(sums.row(j), count), kTiny);
    if (norm == model::ClusterNorm::kSalad) factor /= std::max(std::abs(factor) * norm_of(sums.row(j), count), kTiny);
    scale(sums.row(j), count, factor);
  }
}

void assemble(tensor::ConstMatrix token, tensor::ConstMatrix clusters, float* descriptor) {
  const auto token_dim = static_cast<std::size_t>(token.cols);
  const auto m = static_cast<std::size_t>(clusters.rows);
  const auto l = static_cast<std::size_t>(clusters.cols);
  std::copy_n(token.row(0), token_dim, descriptor);
  l2_normalise(descriptor, token_dim);
  float* flat = descriptor + token_dim;
  for (std::size_t j = 0; j < m; ++j) {
    const float* row = clusters.row(static_cast<int>(j));
    for (std::size_t c = 0; c < l; ++c) flat[c * m + j] = row[c];
  }
  l2_normalise(descriptor, token_dim + m * l);
}

void trace_steps(const HeadMlps::Result& mlps, const Transport& transport, float extra, tensor::ConstMatrix sums,
                 HeadTrace& trace) {
  trace = {};
  trace.token_feature = values_of(mlps.token);
  trace.features = values_of(mlps.features);
  trace.scores = values_of(mlps.scores);
  trace.cluster_sums = values_of(sums);
  const tensor::Matrix& plan = transport.plan;
  trace.plan = values_of(plan);
  const int tokens = mlps.scores.rows;
  const int clusters = mlps.scores.cols;
  trace.transport = values_of({plan.data, tokens, clusters, plan.stride});
  trace.log_plan.reserve(trace.plan.size());
  for (int i = 0; i < plan.rows; ++i) {
    for (int j = 0; j < plan.cols; ++j) {
      const double score = i < tokens && j < clusters ? mlps.scores.row(i)[j] : extra;
      trace.log_plan.push_back(static_cast<float>(score + transport.cluster_potential[j] + transport.token_potential[i]));
    }
  }
}

std::vector<float> values_of(tensor::ConstMatrix x) {
  std::vector<float> out;
  out.reserve(static_cast<std::size_t>(x.rows) * static_cast<std::size_t>(x.cols));
  for (int i = 0; i < x.rows; ++i) out.insert(out.end(), x.row(i), x.row(i) + x.cols);
  return out;
}

void l2_normalise(float* x, std::size_t count) { scale(x, count, 1.0 / std::max(norm_of(x, count), kTiny)); }

}  // namespace revisit::aggregate
