// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Named architectures and seeded random weights for them.
//
// Value i of a tensor depends only on (seed, tensor name, i), so any number of threads gives the same bits on every
// machine: word w is splitmix64's output function at  start + (w + 1) * 0x9E3779B97F4A7C15, where start is the xxh3 of the
// name with the seed. Word w makes values 2w (its bits 63-40) and 2w + 1 (bits 39-16): 24 bits u stand for
// (2u + 1) / 2^24 - 1, which lies in (-1, 1) and is exact in f32.
#include <fmt/format.h>
#include <xxhash.h>

#include <cmath>
#include <string_view>
#include <thread>

#include "core/base/fail.h"
#include "core/base/random.h"
#include "engine/model/architecture.h"
#include "engine/model/config_check.h"
#include "engine/model/model_file.h"

namespace revisit::model {
namespace {

class Uniform {
 public:
  Uniform(const std::string& name, std::uint64_t seed) : start_(XXH3_64bits_withSeed(name.data(), name.size(), seed)) {}

  std::uint64_t word(std::uint64_t w) const { return scatter(start_ + w * kSplitMixStep); }
  static double value(std::uint64_t bits) {
    return static_cast<double>(2 * static_cast<std::int64_t>(bits & 0xFFFFFF) + 1) * 0x1p-24 - 1.0;
  }
  static double even(std::uint64_t word) { return value(word >> 40); }
  static double odd(std::uint64_t word) { return value(word >> 16); }

  /// In (-1, 1), mean 0, variance 1/3.
  double operator()(std::uint64_t i) const { return i % 2 == 0 ? even(word(i / 2)) : odd(word(i / 2)); }

 private:
  std::uint64_t start_;
};

/// values[i] = middle + reach * uniform(i), on two threads when it pays.
void fill(std::vector<float>& values, const Uniform& uniform, double middle, double reach) {
  const auto run = [&](std::size_t begin, std::size_t end) {  // begin is even
    for (std::size_t i = begin; i < end; i += 2) {
      const std::uint64_t word = uniform.word(i / 2);
      values[i] = static_cast<float>(middle + reach * Uniform::even(word));
      if (i + 1 < end) values[i + 1] = static_cast<float>(middle + reach * Uniform::odd(word));
    }
  };
  if (values.size() < 200'000) return run(0, values.size());
  const std::size_t half = values.size() / 4 * 2;
  std::thread other(run, half, values.size());
  run(0, half);
  other.join();
}

/// A position table: per channel a coarse lattice of random heights, read bilinearly, plus a little noise, so that
/// neighbouring patches get similar positions as in trained networks. Row 0 is CLS.
void fill_positions(std::vector<float>& values, const Uniform& uniform, const VitConfig& vit) {
  constexpr std::uint64_t kLattice = 6;
  const auto width = static_cast<std::size_t>(vit.width);
  const auto height_at = [&](std::uint64_t y, std::uint64_t x, std::uint64_t channel) {
    return 0.5 * uniform(values.size() + (y * kLattice + x) * width + channel);
  };
  const auto lattice_place = [](int i, int count) {
    return count > 1 ? static_cast<double>(i) / (count - 1) * (kLattice - 1.000001) : 0.0;
  };
  for (std::size_t c = 0; c < width; ++c) values[c] = static_cast<float>(0.3 * uniform(c));
  for (int row = 0; row < vit.pos_rows; ++row) {
    const double y = lattice_place(row, vit.pos_rows);
    const auto y0 = static_cast<std::uint64_t>(y);
    const double fy = y - static_cast<double>(y0);
    for (int col = 0; col < vit.pos_cols; ++col) {
      const double x = lattice_place(col, vit.pos_cols);
      const auto x0 = static_cast<std::uint64_t>(x);
      const double fx = x - static_cast<double>(x0);
      const std::size_t base = (1 + static_cast<std::size_t>(row) * static_cast<std::size_t>(vit.pos_cols) + col) * width;
      for (std::size_t c = 0; c < width; ++c) {
        const double top = (1 - fx) * height_at(y0, x0, c) + fx * height_at(y0, x0 + 1, c);
        const double bottom = (1 - fx) * height_at(y0 + 1, x0, c) + fx * height_at(y0 + 1, x0 + 1, c);
        values[base + c] = static_cast<float>((1 - fy) * top + fy * bottom + 0.03 * uniform(base + c));
      }
    }
  }
}

/// Weights of a matrix have variance gain^2 / fan_in. Sharper queries and keys give attention that is not flat; score.3
/// spreads the scores so that the transport is far from uniform.
double gain_of(std::string_view name) {
  if (name.ends_with("attn.qkv.weight")) return 1.4;
  if (name.ends_with("attn.proj.weight")) return 0.7;
  if (name.ends_with("score.3.weight")) return 4.0;
  if (name.ends_with("weitop.2.weight")) return 2.0;
  return 1.0;
}

void fill_tensor(const std::string& name, const std::vector<std::int64_t>& shape, std::vector<float>& values,
                 const VitConfig& vit, std::uint64_t seed) {
  const Uniform uniform(name, seed);
  const bool is_norm = name.find("norm") != std::string::npos;  // norm1, norm2 and the final norm
  if (name == "aggregator.dust_bin") return fill(values, uniform, 1.0, 0.0);
  if (name == "aggregator.theta0") return fill(values, uniform, 0.0, 0.0);
  // softplus(-2.2522) = 0.1: tier weights 1, 0.9, 0.8, 0.7.
  if (name == "aggregator.thetaD") return fill(values, uniform, -2.2521684, 0.0);
  if (name.ends_with("pos_embed")) return fill_positions(values, uniform, vit);
  if (name.ends_with("cls_token") || name.ends_with("register_tokens")) return fill(values, uniform, 0.0, 0.8);
  if (name.ends_with(".gamma")) return fill(values, uniform, 0.55, 0.45);
  if (is_norm && name.ends_with(".weight")) return fill(values, uniform, 1.0, 0.2);
  if (name.ends_with(".bias")) return fill(values, uniform, 0.0, 0.05);
  std::int64_t fan_in = 1;
  for (std::size_t i = 1; i < shape.size(); ++i) fan_in *= shape[i];
  fill(values, uniform, 0.0, gain_of(name) * std::sqrt(3.0 / static_cast<double>(fan_in)));
}

/// WeiAD and WeiToP in the paper's sizes.
void add_paper_head(Config& config) {
  config.head.kind = HeadKind::kWeiad;
  config.head.clusters = 64;
  config.head.cluster_dim = 128;
  config.head.token_dim = 256;
  config.head.hidden = 512;
  config.head.tiers = default_tiers(64, 4);
  config.own = weitop_settings();
  config.weitop_hidden = 256;
}

Config demo_config() {
  Config config;
  config.vit.width = 192;
  config.vit.depth = 4;
  config.vit.heads = 3;
  config.vit.patch = 14;
  config.vit.ffn_hidden = 768;
  config.vit.layer_scale = true;
  config.vit.pos_rows = config.vit.pos_cols = 16;
  config.input.size = {224, 224};
  add_paper_head(config);
  config.head.cluster_dim = 32;
  config.head.token_dim = 64;
  config.head.hidden = 128;
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
  config.vit = *known_arch("dinov2_" + arch);
  config.vit.pos_rows = config.vit.pos_cols = 37;
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
    fill_tensor(name, shape, values, config.vit, seed);
    model->weights.add_f32(name, shape, std::move(values));
  }
  model->config.licence = "Apache-2.0 (random weights)";
  model->config.provenance = fmt::format("random weights, seed {}", seed);
  model->config.fingerprint = fingerprint_of(model->weights);
  return model;
}

}  // namespace revisit::model
