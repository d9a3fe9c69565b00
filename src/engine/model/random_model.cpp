// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Named models and seeded random weights for them.
#include <fmt/format.h>

#include "core/base/fail.h"
#include "engine/model/backbone_family.h"
#include "engine/model/config_check.h"
#include "engine/model/head_family.h"
#include "engine/model/model_file.h"
#include "engine/model/random_values.h"

namespace revisit::model {
namespace {

void fill_tensor(const Config& config, const std::string& name, const Shape& shape, std::uint64_t seed,
                 std::vector<float>& values) {
  const Uniform uniform(name, seed);
  if (name.starts_with(kBackboneRoot)) return config.backbone.family().fill_random(config.backbone, name, shape, uniform, values);
  if (name.starts_with(kHeadRoot)) return config.head.family().fill_random(name, shape, uniform, values);
  constexpr double kStudentGain = 2.0;  // spreads WeiToP's scores
  fill_layer(values, uniform, name, shape, name == "weitop.2.weight" ? kStudentGain : 1.0);
}

/// WeiAD and WeiToP in the paper's sizes.
void add_paper_head(Config& config) {
  config.head.kind = kWeiad;
  TransportHead& head = config.head.transport();
  head.clusters = 64;
  head.cluster_dim = 128;
  head.token_dim = 256;
  head.hidden = 512;
  head.tiers = default_tiers(64, 4);
  config.own = weitop_settings();
  config.weitop_hidden = 256;
}

Config demo_config() {
  Config config;
  auto& vit = config.vit();
  vit.width = 192;
  vit.depth = 4;
  vit.heads = 3;
  vit.patch = 14;
  vit.ffn_hidden = 768;
  vit.layer_scale = true;
  vit.pos_rows = vit.pos_cols = 16;
  config.input.size = {224, 224};
  add_paper_head(config);
  config.head.transport().cluster_dim = 32;
  config.head.transport().token_dim = 64;
  config.head.transport().hidden = 128;
  config.weitop_hidden = 64;
  return config;
}

}  // namespace

Config named_config(const std::string& arch) {
  if (arch == "demo") return demo_config();
  if (arch != "vits14" && arch != "vitb14" && arch != "vitl14") {
    fail(ErrorCode::kUsage, "no architecture is called '{}'; known are demo, vits14, vitb14, vitl14", arch);
  }
  Config config;
  config.vit() = *known_arch("dinov2_" + arch);
  config.vit().pos_rows = config.vit().pos_cols = 37;
  add_paper_head(config);
  return config;
}

std::shared_ptr<const LoadedModel> make_random(const Config& config, std::uint64_t seed) {
  check_config(config, "random model");
  auto model = std::make_shared<LoadedModel>();
  model->config = config;
  for (const auto& [name, shape] : required_tensors(config)) {
    std::int64_t count = 1;
    for (const auto size : shape) count *= size;
    std::vector<float> values(static_cast<std::size_t>(count));
    fill_tensor(config, name, shape, seed, values);
    model->weights.add_f32(name, shape, std::move(values));
  }
  model->config.licence = "Apache-2.0 (random weights)";
  model->config.provenance = fmt::format("random weights, seed {}", seed);
  model->config.fingerprint = fingerprint_of(model->weights);
  return model;
}

}  // namespace revisit::model
