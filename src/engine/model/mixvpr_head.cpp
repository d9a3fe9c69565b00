// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// MixVPR in a model file and in its published checkpoints.
#include "engine/model/mixvpr_head.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "core/base/limits.h"
#include "engine/model/checker.h"
#include "engine/model/config.h"
#include "engine/model/head_family.h"
#include "engine/model/key_names.h"
#include "engine/model/random_values.h"

namespace revisit::model {
namespace {

constexpr int kMostMixers = 32;
constexpr const char* kMixers = "aggregator.mix.";
constexpr const char* kChannelProjection = "aggregator.channel_proj";
constexpr const char* kRowProjection = "aggregator.row_proj";

class Mixvpr final : public HeadFamily {
  const char* name() const override { return "mixvpr"; }
  const char* title() const override { return "MixVPR"; }
  int descriptor_dim(const HeadConfig& head) const override { return of(head).channels * of(head).rows; }
  double macs(const HeadConfig& config, int width, int features) const override {
    const MixvprHead& head = of(config);
    return 2.0 * head.depth * width * features * head.hidden +
           static_cast<double>(features) * head.channels * (width + head.rows);
  }

  void write(const HeadConfig& head, Metadata& metadata) const override {
    metadata["aggregator.cells"] = std::to_string(of(head).cells);
    metadata["aggregator.depth"] = std::to_string(of(head).depth);
    metadata["aggregator.hidden"] = std::to_string(of(head).hidden);
    metadata["aggregator.channels"] = std::to_string(of(head).channels);
    metadata["aggregator.rows"] = std::to_string(of(head).rows);
  }
  HeadConfig read(const Fields& fields, int width) const override {
    const auto number = [&](const char* key) { return fields.number<int>(std::string(kHeadRoot) + key); };
    return {name(), MixvprHead{width, number("cells"), number("depth"), number("hidden"), number("channels"), number("rows")}};
  }
  void check(const HeadConfig& config, const Checker& check) const override {
    const MixvprHead& head = of(config);
    check.whole("aggregator.cells", head.cells, 1, 65536);
    check.whole("aggregator.depth", head.depth, 0, kMostMixers);
    check.whole("aggregator.hidden", head.hidden, 1, 65536);
    check.whole("aggregator.channels", head.channels, 1, 8192);
    check.whole("aggregator.rows", head.rows, 1, 8192);
    const auto dim = std::int64_t{head.channels} * head.rows;
    check.whole("descriptor dimension", dim, 1, static_cast<std::int64_t>(limits::kMaxDescriptorDim));
  }
  void add_tensors(const HeadConfig& config, int width, Shapes& shapes) const override {
    const MixvprHead& head = of(config);
    for (int i = 0; i < head.depth; ++i) {
      const std::string mixer = fmt::format("{}{}.mix.", kMixers, i);
      add_norm(shapes, mixer + "0", head.cells);
      add_linear(shapes, mixer + "1", head.hidden, head.cells);
      add_linear(shapes, mixer + "3", head.cells, head.hidden);
    }
    add_linear(shapes, kChannelProjection, head.channels, width);
    add_linear(shapes, kRowProjection, head.rows, head.cells);
  }
  void fill_random(const std::string& tensor, const Shape& shape, const Uniform& uniform,
                   std::vector<float>& values) const override {
    if (tensor.ends_with(".mix.0.weight")) return fill(values, uniform, 1.0, 0.2);
    fill_layer(values, uniform, tensor, shape);
  }

  std::vector<KnownModel> known() const override {
    return {{"MixVPR", "", "ResNet-50 up to layer3", "320x320, no other", "4096, 512 or 128",
             "MixVPR: Feature Mixing for Visual Place Recognition", "none stated (code)",
             "MSLS-val R@1 88.0, R@5 92.7 (the table of \"Faster or Stronger\")",
             "github.com/amaralibey/MixVPR: resnet50_MixVPR_4096_channels(1024)_rows(4).ckpt and others"}};
  }

  /// Foreign names equal ours.
  std::span<const Rename> names() const override {
    static const std::vector<std::string> all_names = [] {
      std::vector<std::string> out;
      for (const char* part : {"weight", "bias"}) {
        for (const char* layer : {kChannelProjection, kRowProjection}) out.push_back(fmt::format("{}.{}", layer, part));
        for (int i = 0; i < kMostMixers; ++i) {
          for (const int layer : {0, 1, 3}) out.push_back(fmt::format("{}{}.mix.{}.{}", kMixers, i, layer, part));
        }
      }
      return out;
    }();
    static const std::vector<Rename> all = [] {
      std::vector<Rename> out;
      for (const std::string& one : all_names) out.push_back({one, one});
      return out;
    }();
    return all;
  }
  std::optional<HeadConfig> infer(const ShapeReader& read, int width) const override {
    const bool mixes = read.any_starts_with(kMixers);
    if (!mixes && !read.any_starts_with(std::string(kRowProjection) + ".")) return std::nullopt;
    const std::string first = std::string(kMixers) + "0.mix.";
    MixvprHead head;
    head.width = width;
    head.cells = read.dim({first + "0.weight", first + "0.bias", first + "3.bias"}, 0)
                     .value_or(read.dim({std::string(kRowProjection) + ".weight"}, 1).value_or(400));
    head.depth = mixes ? read.count_of(kMixers) : 0;
    head.hidden = read.outputs(first + "1", head.cells);
    head.channels = read.outputs(kChannelProjection, 1024);
    head.rows = read.outputs(kRowProjection, 4);
    return HeadConfig{name(), head};
  }
  /// The square size that gives so many cells, if there is one: a network halves a few times.
  void set_input(const HeadConfig& config, const BackboneConfig& backbone, InputConfig& input) const override {
    const int side = static_cast<int>(std::lround(std::sqrt(of(config).cells)));
    for (int scale = backbone.stride(); side * scale <= 4096; scale *= 2) {
      const Size size{side * scale, side * scale};
      if (backbone.grid(size) != Size{side, side}) continue;
      input.size = size;
      return;
    }
  }

  static const MixvprHead& of(const HeadConfig& head) { return head.as<MixvprHead>(); }
};

}  // namespace

const HeadFamily& mixvpr_head() {
  static const Mixvpr family;
  return family;
}

}  // namespace revisit::model
