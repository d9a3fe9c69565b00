// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Conv-AP in a model file and in its published checkpoints.
#include "engine/model/convap_head.h"

#include <array>

#include "core/base/limits.h"
#include "engine/model/checker.h"
#include "engine/model/config.h"
#include "engine/model/head_family.h"
#include "engine/model/key_names.h"

namespace revisit::model {
namespace {

constexpr const char* kChannelPool = "aggregator.channel_pool";
constexpr std::array<Rename, 2> kConvapNames{{{"aggregator.channel_pool.weight", "aggregator.channel_pool.weight"},
                                              {"aggregator.channel_pool.bias", "aggregator.channel_pool.bias"}}};

class Convap final : public HeadFamily {
  const char* name() const override { return "convap"; }
  const char* title() const override { return "Conv-AP"; }
  int descriptor_dim(const HeadConfig& head) const override { return of(head).channels * of(head).rows * of(head).columns; }
  double macs(const HeadConfig& head, int width, int features) const override {
    return static_cast<double>(width) * (features + of(head).channels * of(head).rows * of(head).columns);
  }

  void write(const HeadConfig& head, Metadata& metadata) const override {
    metadata["aggregator.channels"] = std::to_string(of(head).channels);
    metadata["aggregator.regions"] = size_text(of(head).rows, of(head).columns);
  }
  HeadConfig read(const Fields& fields, int width) const override {
    const Size regions = fields.size("aggregator.regions");
    return {name(), ConvapHead{width, fields.number<int>("aggregator.channels"), regions.height, regions.width}};
  }
  void check(const HeadConfig& head, const Checker& check) const override {
    check.whole("aggregator.channels", of(head).channels, 1, 8192);
    check.whole("aggregator.regions rows", of(head).rows, 1, 64);
    check.whole("aggregator.regions columns", of(head).columns, 1, 64);
    check.whole("descriptor dimension", descriptor_dim(head), 1, static_cast<std::int64_t>(limits::kMaxDescriptorDim));
  }
  void add_tensors(const HeadConfig& head, int width, Shapes& shapes) const override {
    add_conv1x1(shapes, kChannelPool, of(head).channels, width);
  }

  std::vector<KnownModel> known() const override {
    return {{"Conv-AP", "", "ResNet-50", "320x320", "8192, 4096, 2048 or 512",
             "GSV-Cities: Toward Appropriate Supervised Visual Place Recognition", "none stated (code)",
             "MSLS-val R@1 83.1, R@5 90.3 (the table of \"Faster or Stronger\")",
             "github.com/amaralibey/gsv-cities: resnet50_ConvAP_{128,512,1024,2048}_2x2.ckpt"}};
  }

  std::span<const Rename> names() const override { return kConvapNames; }
  /// No tensor tells the regions: published are 2x2.
  std::optional<HeadConfig> infer(const ShapeReader& read, int width) const override {
    if (!read.any_starts_with(std::string(kChannelPool) + ".")) return std::nullopt;
    return HeadConfig{name(), ConvapHead{width, read.outputs(kChannelPool, 1024)}};
  }
  void set_input(const HeadConfig& /*head*/, const BackboneConfig& backbone, InputConfig& input) const override {
    input.size = round_to_stride({320, 320}, backbone.stride());
  }

  static const ConvapHead& of(const HeadConfig& head) { return head.as<ConvapHead>(); }
};

}  // namespace

const HeadFamily& convap_head() {
  static const Convap family;
  return family;
}

}  // namespace revisit::model
