// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// WeiAD: SALAD with tiers of clusters, their weights, and a ghost token.
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "engine/model/checker.h"
#include "engine/model/key_names.h"
#include "engine/model/random_values.h"
#include "engine/model/transport_family.h"
#include "engine/model/words.h"

namespace revisit::model {
namespace {

constexpr Words<ClusterNorm, 3> kClusterNorms{
    {{ClusterNorm::kWeightAfter, "weight-after"}, {ClusterNorm::kSalad, "salad"}, {ClusterNorm::kNone, "none"}}};

constexpr const char* kTheta0 = "aggregator.theta0";
constexpr const char* kThetaD = "aggregator.thetaD";
constexpr const char* kMeanAlpha = "aggregator.mean_alpha";  // (M) of a frozen ranking
constexpr const char* kRanking = "aggregator.ranking";
constexpr const char* kFrozen = "frozen";

bool is_frozen(const std::string& word) {
  if (word != kFrozen) fail(ErrorCode::kBadModel, "'{}' is not a ranking of clusters; known is {}", word, kFrozen);
  return true;
}

class Weiad final : public TransportFamily {
  const char* name() const override { return kWeiad; }
  const char* title() const override { return "WeiAD"; }
  void write(const HeadConfig& config, Metadata& metadata) const override;
  HeadConfig read(const Fields& fields, int width) const override;
  void check(const HeadConfig& config, const Checker& check) const override;
  void add_tensors(const HeadConfig& config, int width, Shapes& shapes) const override;
  void fill_random(const std::string& name, const Shape& shape, const Uniform& uniform,
                   std::vector<float>& values) const override;
  std::span<const Rename> names() const override;
  std::optional<HeadConfig> infer(const ShapeReader& read, int width) const override;
};

void Weiad::write(const HeadConfig& config, Metadata& metadata) const {
  TransportFamily::write(config, metadata);
  const TransportHead& head = config.transport();
  metadata["aggregator.tiers"] = fmt::format("{}", fmt::join(head.tiers, ","));
  metadata["aggregator.ghost_penalty"] = fmt::format("{}", head.ghost_penalty);
  metadata["aggregator.tier_floor"] = fmt::format("{}", head.tier_floor);
  metadata["aggregator.dustbin"] = flag_text(head.dustbin);
  metadata["aggregator.ghost"] = flag_text(head.ghost);
  metadata["aggregator.norm"] = name_of(head.norm);
  if (head.frozen_ranking) metadata[kRanking] = kFrozen;  // added later: absent means by photo
}

HeadConfig Weiad::read(const Fields& fields, int width) const {
  HeadConfig config = TransportFamily::read(fields, width);
  TransportHead& head = config.transport();
  head.tiers = fields.list<int>("aggregator.tiers");
  head.ghost_penalty = fields.number<double>("aggregator.ghost_penalty");
  head.tier_floor = fields.number<double>("aggregator.tier_floor");
  head.dustbin = fields.flag("aggregator.dustbin");
  head.ghost = fields.flag("aggregator.ghost");
  head.norm = fields.word("aggregator.norm", cluster_norm_from);
  head.frozen_ranking = fields.has(kRanking) && fields.word(kRanking, is_frozen);
  return config;
}

void Weiad::check(const HeadConfig& config, const Checker& check) const {
  TransportFamily::check(config, check);
  const TransportHead& head = config.transport();
  check.whole("number of aggregator.tiers", static_cast<std::int64_t>(head.tiers.size()), 1, head.clusters);
  for (const int tier : head.tiers) check.whole("aggregator.tiers", tier, 1, head.clusters);
  const int sum = std::accumulate(head.tiers.begin(), head.tiers.end(), 0);  // at most 4096 x 4096
  if (sum != head.clusters) check.wrong("aggregator.tiers sum to {}, but there are {} clusters", sum, head.clusters);
  check.real("aggregator.ghost_penalty", head.ghost_penalty, 0, 1000);
  check.real("aggregator.tier_floor", head.tier_floor, 0, 1);
}

void Weiad::add_tensors(const HeadConfig& config, int width, Shapes& shapes) const {
  TransportFamily::add_tensors(config, width, shapes);
  const std::size_t tiers = config.transport().tiers.size();
  shapes[kTheta0] = {};
  // A single tier has no steps between tiers.
  if (tiers > 1) shapes[kThetaD] = {static_cast<std::int64_t>(tiers) - 1};
  if (config.transport().frozen_ranking) shapes[kMeanAlpha] = {config.transport().clusters};
}

void Weiad::fill_random(const std::string& name, const Shape& shape, const Uniform& uniform, std::vector<float>& values) const {
  if (name == kTheta0) return fill(values, uniform, 0.0, 0.0);
  // softplus(-2.2522) = 0.1: tier weights 1, 0.9, 0.8, 0.7.
  if (name == kThetaD) return fill(values, uniform, -2.2521684, 0.0);
  if (name == kMeanAlpha) return fill(values, uniform, 0.5, 0.5);
  TransportFamily::fill_random(name, shape, uniform, values);
}

std::span<const Rename> Weiad::names() const {
  static const std::vector<Rename> all = [this] {
    const auto shared = TransportFamily::names();
    std::vector<Rename> names(shared.begin(), shared.end());
    for (const char* own : {kTheta0, kThetaD, kMeanAlpha}) names.push_back({own, own});
    return names;
  }();
  return all;
}

std::optional<HeadConfig> Weiad::infer(const ShapeReader& read, int width) const {
  if (!read.has(kTheta0) && !read.has(kThetaD)) return std::nullopt;
  auto config = TransportFamily::infer(read, width);
  TransportHead& head = config->transport();
  const int tiers = read.dim({kThetaD}, 0).value_or(3) + 1;
  if (tiers > head.clusters) {
    fail(ErrorCode::kBadModel, "'{}': aggregator.thetaD makes {} tiers, more than its {} clusters", read.file(), tiers,
         head.clusters);
  }
  head.tiers = default_tiers(head.clusters, tiers);
  head.frozen_ranking = read.has(kMeanAlpha);
  return config;
}

}  // namespace

const HeadFamily& weiad_head() {
  static const Weiad family;
  return family;
}

const char* name_of(ClusterNorm norm) { return word_of(kClusterNorms, norm); }
ClusterNorm cluster_norm_from(const std::string& word) { return value_of(kClusterNorms, word, "cluster normalisation"); }

std::vector<int> default_tiers(int clusters, int tiers) {
  const std::vector<int> shares =
      tiers == 4 ? std::vector<int>{24, 20, 16, 4} : std::vector<int>(static_cast<std::size_t>(tiers), 1);
  const int total = std::accumulate(shares.begin(), shares.end(), 0);
  // In proportion, but at least one each; leftovers of rounding go to the best tiers.
  std::vector<int> sizes;
  for (const int share : shares) sizes.push_back(std::max(1, clusters * share / total));
  int sum = std::accumulate(sizes.begin(), sizes.end(), 0);
  for (std::size_t i = 0; sum < clusters; i = (i + 1) % sizes.size(), ++sum) ++sizes[i];
  while (sum > clusters) {  // many tiers for few clusters: take from the largest
    --*std::ranges::max_element(sizes);
    --sum;
  }
  return sizes;
}

}  // namespace revisit::model
