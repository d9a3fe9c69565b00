// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Words of enums, one table each: what a model file says and what the command line takes.
#include "engine/model/config.h"

#include <array>
#include <utility>

#include "core/base/fail.h"

namespace revisit::model {
namespace {

template <typename Enum, std::size_t N>
using Words = std::array<std::pair<Enum, const char*>, N>;

constexpr Words<PosRule, 4> kPosRules{
    {{PosRule::kHub, "hub"}, {PosRule::kHubAntialias, "hub-antialias"}, {PosRule::kHf, "hf"}, {PosRule::kTimm, "timm"}}};
constexpr Words<HeadKind, 4> kHeadKinds{
    {{HeadKind::kNone, "none"}, {HeadKind::kWeiad, "weiad"}, {HeadKind::kSalad, "salad"}, {HeadKind::kVlad, "vlad"}}};
constexpr Words<ClusterNorm, 3> kClusterNorms{
    {{ClusterNorm::kWeightAfter, "weight-after"}, {ClusterNorm::kSalad, "salad"}, {ClusterNorm::kNone, "none"}}};
constexpr Words<ResizeFilter, 2> kResizeFilters{{{ResizeFilter::kBilinear, "bilinear"}, {ResizeFilter::kBicubic, "bicubic"}}};

template <typename Enum, std::size_t N>
const char* word_of(const Words<Enum, N>& words, Enum value) {
  for (const auto& [candidate, word] : words) {
    if (candidate == value) return word;
  }
  return "unknown";
}

template <typename Enum, std::size_t N>
Enum value_of(const Words<Enum, N>& words, const std::string& word, const char* what) {
  std::string known;
  for (const auto& [value, candidate] : words) {
    if (word == candidate) return value;
    known += (known.empty() ? "" : ", ") + std::string(candidate);
  }
  fail(ErrorCode::kBadModel, "'{}' is no {}; known are {}", word, what, known);
}

}  // namespace

DescriptorSpec weitop_settings() {
  DescriptorSpec own;
  own.prune = "weitop";
  for (const Setting& one : settings()) {
    if (one.model_key != nullptr && !one.of_pruner && std::holds_alternative<std::monostate>(one.get(own))) one.set(own, one.usual);
  }
  return own;
}

const char* name_of(PosRule rule) { return word_of(kPosRules, rule); }
const char* name_of(HeadKind kind) { return word_of(kHeadKinds, kind); }
const char* name_of(ClusterNorm norm) { return word_of(kClusterNorms, norm); }
const char* name_of(ResizeFilter filter) { return word_of(kResizeFilters, filter); }

PosRule pos_rule_from(const std::string& word) { return value_of(kPosRules, word, "position rule"); }
HeadKind head_kind_from(const std::string& word) { return value_of(kHeadKinds, word, "aggregator"); }
ClusterNorm cluster_norm_from(const std::string& word) { return value_of(kClusterNorms, word, "cluster normalisation"); }
ResizeFilter resize_filter_from(const std::string& word) { return value_of(kResizeFilters, word, "resize filter"); }

}  // namespace revisit::model
