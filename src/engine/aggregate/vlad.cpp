// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Hard assignment and residual sums.
#include "engine/aggregate/vlad.h"

#include <algorithm>
#include <cstddef>
#include <span>

#include "core/tensor/kernels.h"
#include "engine/model/vlad_head.h"

namespace revisit::aggregate {
namespace {

std::vector<float> half_squares(const float* centres, int clusters, int dim) {
  std::vector<float> out(static_cast<std::size_t>(clusters));
  for (int k = 0; k < clusters; ++k) {
    const float norm = tensor::l2_norm(centres + static_cast<std::ptrdiff_t>(k) * dim, dim);
    out[static_cast<std::size_t>(k)] = -0.5F * norm * norm;
  }
  return out;
}

}  // namespace

NearestCentre::NearestCentre(const float* centres, int clusters, int dim)
    : offsets_(half_squares(centres, clusters, dim)), product_(centres, offsets_.data(), dim, clusters), clusters_(clusters) {}

void NearestCentre::operator()(tensor::ConstMatrix x, int* out, tensor::Arena& arena) const {
  const tensor::Arena::Scope scope(arena);
  const tensor::Matrix scores = arena.matrix(x.rows, clusters_);
  product_(x, scores, arena);
  for (int r = 0; r < x.rows; ++r) {
    out[r] = static_cast<int>(std::max_element(scores.row(r), scores.row(r) + clusters_) - scores.row(r));
  }
}

Vlad::Vlad(const model::LoadedModel& model)
    : clusters_(model.config.head.as<model::VladHead>().clusters),
      width_(model.config.backbone.width()),
      centres_(model.weights.f32_data("aggregator.centres", static_cast<std::int64_t>(clusters_) * width_)),
      nearest_(centres_, clusters_, width_) {}

void Vlad::aggregate(const tensor::Features& features, float* descriptor, tensor::Arena& arena, HeadTrace* /*trace*/) const {
  const tensor::Arena::Scope scope(arena);
  const tensor::ConstMatrix patches = features.spatial();
  const tensor::Matrix tokens = arena.matrix(patches.rows, width_);
  for (int r = 0; r < patches.rows; ++r) {
    std::copy(patches.row(r), patches.row(r) + width_, tokens.row(r));
    tensor::l2_normalise(tokens.row(r), width_);
  }
  const std::span<int> assigned = arena.numbers<int>(static_cast<std::size_t>(patches.rows));
  nearest_(tokens, assigned.data(), arena);

  std::fill(descriptor, descriptor + dim(), 0.0F);
  const std::span<const float> mass = features.mass();
  for (int r = 0; r < patches.rows; ++r) {
    const float times = mass.empty() ? 1 : mass[static_cast<std::size_t>(r)];
    const std::ptrdiff_t first = static_cast<std::ptrdiff_t>(assigned[static_cast<std::size_t>(r)]) * width_;
    for (int c = 0; c < width_; ++c) descriptor[first + c] += times * (tokens.row(r)[c] - centres_[first + c]);
  }
  for (int k = 0; k < clusters_; ++k) tensor::l2_normalise(descriptor + static_cast<std::ptrdiff_t>(k) * width_, width_);
  tensor::l2_normalise(descriptor, dim());
}

std::unique_ptr<Aggregator> make_vlad(const model::LoadedModel& model) { return std::make_unique<Vlad>(model); }

}  // namespace revisit::aggregate
