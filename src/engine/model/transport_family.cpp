// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The MLPs for CLS, features and scores, and the dustbin.
#include "engine/model/transport_family.h"

#include <algorithm>
#include <array>

#include "core/base/limits.h"
#include "engine/model/checker.h"
#include "engine/model/key_names.h"
#include "engine/model/random_values.h"

namespace revisit::model {
namespace {

// Foreign names equal ours.
constexpr Rename same(std::string_view name) { return {name, name}; }
constexpr std::array<Rename, 13> kNames{same("aggregator.token_features.0.weight"),
                                        same("aggregator.token_features.0.bias"),
                                        same("aggregator.token_features.2.weight"),
                                        same("aggregator.token_features.2.bias"),
                                        same("aggregator.cluster_features.0.weight"),
                                        same("aggregator.cluster_features.0.bias"),
                                        same("aggregator.cluster_features.3.weight"),
                                        same("aggregator.cluster_features.3.bias"),
                                        same("aggregator.score.0.weight"),
                                        same("aggregator.score.0.bias"),
                                        same("aggregator.score.3.weight"),
                                        same("aggregator.score.3.bias"),
                                        same("aggregator.dust_bin")};

}  // namespace

double TransportFamily::macs(const HeadConfig& config, int width, int features) const {
  const TransportHead& head = config.transport();
  const double per_patch = 2.0 * width * head.hidden + static_cast<double>(head.hidden) * (head.cluster_dim + head.clusters) +
                           static_cast<double>(head.clusters) * head.cluster_dim;
  return per_patch * features + static_cast<double>(head.hidden) * (width + head.token_dim);
}

void TransportFamily::write(const HeadConfig& config, Metadata& metadata) const {
  const TransportHead& head = config.transport();
  metadata["aggregator.clusters"] = std::to_string(head.clusters);
  metadata["aggregator.cluster_dim"] = std::to_string(head.cluster_dim);
  metadata["aggregator.token_dim"] = std::to_string(head.token_dim);
  metadata["aggregator.hidden"] = std::to_string(head.hidden);
  metadata["aggregator.sinkhorn_iters"] = std::to_string(head.sinkhorn_iters);
}

HeadConfig TransportFamily::read(const Fields& fields, int /*width*/) const {
  TransportHead head;
  head.clusters = fields.number<int>("aggregator.clusters");
  head.cluster_dim = fields.number<int>("aggregator.cluster_dim");
  head.token_dim = fields.number<int>("aggregator.token_dim");
  head.hidden = fields.number<int>("aggregator.hidden");
  head.sinkhorn_iters = fields.number<int>("aggregator.sinkhorn_iters");
  return {name(), head};
}

void TransportFamily::check(const HeadConfig& config, const Checker& check) const {
  const TransportHead& head = config.transport();
  check.whole("aggregator.clusters", head.clusters, 1, 4096);
  check.whole("aggregator.cluster_dim", head.cluster_dim, 1, 8192);
  check.whole("descriptor dimension", head.descriptor_dim(), 1, static_cast<std::int64_t>(limits::kMaxDescriptorDim));
  check.whole("aggregator.token_dim", head.token_dim, 1, 8192);
  check.whole("aggregator.hidden", head.hidden, 1, 8192);
  check.whole("aggregator.sinkhorn_iters", head.sinkhorn_iters, 1, 100);
}

void TransportFamily::add_tensors(const HeadConfig& config, int width, Shapes& shapes) const {
  const TransportHead& head = config.transport();
  const std::string root = kHeadRoot;
  add_linear(shapes, root + "token_features.0", head.hidden, width);
  add_linear(shapes, root + "token_features.2", head.token_dim, head.hidden);
  add_conv1x1(shapes, root + "cluster_features.0", head.hidden, width);
  add_conv1x1(shapes, root + "cluster_features.3", head.cluster_dim, head.hidden);
  add_conv1x1(shapes, root + "score.0", head.hidden, width);
  add_conv1x1(shapes, root + "score.3", head.clusters, head.hidden);
  shapes[root + "dust_bin"] = {};
}

void TransportFamily::fill_random(const std::string& name, const Shape& shape, const Uniform& uniform,
                                  std::vector<float>& values) const {
  constexpr double kScoreGain = 4.0;  // spreads the scores so that the transport is far from uniform
  if (name == "aggregator.dust_bin") return fill(values, uniform, 1.0, 0.0);
  fill_layer(values, uniform, name, shape, name == "aggregator.score.3.weight" ? kScoreGain : 1.0);
}

std::span<const Rename> TransportFamily::names() const { return kNames; }

std::optional<HeadConfig> TransportFamily::infer(const ShapeReader& read, int /*width*/) const {
  const std::string root = kHeadRoot;
  if (std::ranges::none_of(kNames, [&](const Rename& one) { return read.has(std::string(one.ours)); })) return std::nullopt;
  TransportHead head;
  head.hidden = read.outputs(root + "score.0", read.outputs(root + "cluster_features.0", 512));
  head.clusters = read.outputs(root + "score.3", 64);
  head.cluster_dim = read.outputs(root + "cluster_features.3", 128);
  head.token_dim = read.outputs(root + "token_features.2", 256);
  return HeadConfig{name(), head};
}

}  // namespace revisit::model
