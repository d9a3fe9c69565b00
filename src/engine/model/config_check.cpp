// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Ranges of every number in a config. The upper ends lie well above any published network.
#include "engine/model/config_check.h"

#include <cmath>
#include <numeric>

#include "core/base/fail.h"
#include "core/base/limits.h"

namespace revisit::model {
namespace {

class Checker {
 public:
  explicit Checker(const std::string& name) : name_(name) {}

  void whole(const char* key, std::int64_t value, std::int64_t low, std::int64_t high) const {
    if (value < low || value > high) {
      fail(ErrorCode::kBadModel, "'{}': {} is {}, outside {} to {}", name_, key, value, low, high);
    }
  }
  void real(const char* key, double value, double low, double high) const {
    if (!(value >= low && value <= high)) {  // also true for NaN
      fail(ErrorCode::kBadModel, "'{}': {} is {}, outside {} to {}", name_, key, value, low, high);
    }
  }
  void multiple(const char* key, int value, const char* of, int divisor) const {
    if (value % divisor != 0) fail(ErrorCode::kBadModel, "'{}': {} {} is no multiple of {} {}", name_, key, value, of, divisor);
  }
  void text(const char* key, const std::string& value) const {
    if (value.size() > kMaxTextBytes) {
      fail(ErrorCode::kBadModel, "'{}': {} has {} bytes, more than {}", name_, key, value.size(), kMaxTextBytes);
    }
  }
  [[noreturn]] void wrong_tiers(int sum, int clusters) const {
    fail(ErrorCode::kBadModel, "'{}': aggregator.tiers sum to {}, but there are {} clusters", name_, sum, clusters);
  }

 private:
  const std::string& name_;
};

void check_input(const InputConfig& input, int patch, const Checker& check) {
  for (const int side : {input.size.height, input.size.width}) {
    check.whole("size", side, patch, 4096);
    check.multiple("size", side, "patch", patch);
  }
  for (std::size_t c = 0; c < 3; ++c) {
    check.real("mean", static_cast<double>(input.mean[c]), -1000, 1000);
    check.real("std", static_cast<double>(input.std[c]), 1e-6, 1000);
  }
}

void check_head(const HeadConfig& head, const Checker& check) {
  if (head.kind == HeadKind::kNone) return;
  check.whole("aggregator.clusters", head.clusters, 1, 4096);
  check.whole("aggregator.cluster_dim", head.cluster_dim, 1, 8192);
  check.whole("descriptor dimension", head.descriptor_dim(), 1, static_cast<std::int64_t>(limits::kMaxDescriptorDim));
  if (head.kind == HeadKind::kVlad) return;
  check.whole("aggregator.token_dim", head.token_dim, 1, 8192);
  check.whole("aggregator.hidden", head.hidden, 1, 8192);
  check.whole("aggregator.sinkhorn_iters", head.sinkhorn_iters, 1, 100);
  if (head.kind != HeadKind::kWeiad) return;
  check.whole("number of aggregator.tiers", static_cast<std::int64_t>(head.tiers.size()), 1, head.clusters);
  for (const int tier : head.tiers) check.whole("aggregator.tiers", tier, 1, head.clusters);
  const int sum = std::accumulate(head.tiers.begin(), head.tiers.end(), 0);  // at most 4096 x 4096
  if (sum != head.clusters) check.wrong_tiers(sum, head.clusters);
  check.real("aggregator.ghost_penalty", head.ghost_penalty, 0, 1000);
  check.real("aggregator.tier_floor", head.tier_floor, 0, 1);
}

void check_own(const Config& config, const Checker& check, const std::string& name) {
  if (config.has_weitop()) check.whole("pruner.hidden", config.weitop_hidden, 1, 8192);
  if (config.own.prune_layer) check.whole("pruner.layer", *config.own.prune_layer, 0, config.vit.depth);
  try {
    check_spec(config.own);
  } catch (const Error& error) {
    fail(ErrorCode::kBadModel, "'{}': {}", name, error.what());
  }
}

}  // namespace

void check_vit(const VitConfig& vit, const std::string& name) {
  const Checker check(name);
  check.whole("width", vit.width, 1, 8192);
  check.whole("depth", vit.depth, 1, 128);
  check.whole("heads", vit.heads, 1, 256);
  check.multiple("width", vit.width, "heads", vit.heads);
  check.whole("patch", vit.patch, 1, 64);
  check.whole("registers", vit.registers, 0, 64);
  check.whole("ffn_hidden", vit.ffn_hidden, 1, 32768);
  check.whole("pos_grid rows", vit.pos_rows, 1, 256);
  check.whole("pos_grid columns", vit.pos_cols, 1, 256);
  check.real("norm_eps", static_cast<double>(vit.norm_eps), 1e-12, 1e-2);
  check.text("arch", vit.arch);
}

void check_config(const Config& config, const std::string& name) {
  const Checker check(name);
  check_vit(config.vit, name);
  check_input(config.input, config.vit.patch, check);
  check_head(config.head, check);
  check_own(config, check, name);
  if (config.calibration) {
    check.real("calibration.min_similarity", config.calibration->min_similarity, -1, 1);
    check.real("calibration.precision", config.calibration->precision, 0, 1);
    check.real("calibration.rho", config.calibration->rho, 1e-9, 1);
    check.whole("calibration.size", config.calibration->size.height, 0, 4200);
    check.whole("calibration.size", config.calibration->size.width, 0, 4200);
    check.text("calibration.arithmetic", config.calibration->arithmetic);
  }
  check.text("licence", config.licence);
  check.text("provenance", config.provenance);
  check.text("fingerprint", config.fingerprint);
}

}  // namespace revisit::model
