// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Sizes, work, tensors and metadata of a VGG network.
#include <fmt/format.h>

#include "engine/model/checker.h"
#include "engine/model/fields.h"
#include "engine/model/random_values.h"
#include "engine/model/vgg_importer.h"

namespace revisit::model {
namespace {

class VggFamily final : public ConvFamily {
 public:
  const char* name() const override { return VggConfig::kFamily; }
  const std::string& arch(const BackboneConfig& config) const override { return config.vgg().arch; }
  int width(const BackboneConfig& config) const override {
    const auto& stages = config.vgg().stages;
    return stages.empty() || stages.back().empty() ? 0 : stages.back().back();
  }
  int blocks(const BackboneConfig& config) const override { return static_cast<int>(config.vgg().stages.size()); }
  Size grid(const BackboneConfig& config, Size input) const override {
    for (int stage = 1; stage < blocks(config); ++stage) input = {input.height / 2, input.width / 2};
    return input;
  }
  double macs(const BackboneConfig& config, Size input, std::span<const PatchesInBlock> /*patches*/) const override {
    double macs = 0, in = 3;
    for (const auto& stage : config.vgg().stages) {
      for (const int out : stage) {
        macs += static_cast<double>(input.height) * input.width * 9 * in * out;
        in = out;
      }
      input = {input.height / 2, input.width / 2};
    }
    return macs;
  }
  void keep_blocks(BackboneConfig& config, int blocks) const override {
    config.vgg().stages.resize(static_cast<std::size_t>(blocks));
    config.vgg().arch = VggConfig::kFamily;
  }

  void write(const BackboneConfig& config, Metadata& out) const override {
    const VggConfig& vgg = config.vgg();
    out["arch"] = vgg.arch;
    std::string layers, channels;
    for (const auto& stage : vgg.stages) {
      layers += (layers.empty() ? "" : ",") + std::to_string(stage.size());
      for (const int one : stage) channels += (channels.empty() ? "" : ",") + std::to_string(one);
    }
    out["stages"] = layers;
    out["channels"] = channels;
  }
  BackboneConfig read(const Fields& fields) const override {
    VggConfig vgg;
    vgg.arch = fields.text("arch");
    const auto channels = fields.list<int>("channels");
    std::size_t at = 0;
    for (const int layers : fields.list<int>("stages")) {
      auto& stage = vgg.stages.emplace_back();
      for (int i = 0; i < layers && at < channels.size(); ++i) stage.push_back(channels[at++]);
    }
    if (at < channels.size()) vgg.stages.clear();  // which check() refuses
    return vgg;
  }
  // The upper limits are well above any published network.
  void check(const BackboneConfig& config, const Checker& check) const override {
    const VggConfig& vgg = config.vgg();
    check.text("arch", vgg.arch);
    check.whole("number of stages", static_cast<std::int64_t>(vgg.stages.size()), 1, 8);
    for (const auto& stage : vgg.stages) {
      check.whole("stages", static_cast<std::int64_t>(stage.size()), 1, 64);
      for (const int channels : stage) check.whole("channels", channels, 1, 8192);
    }
  }
  void add_tensors(const BackboneConfig& config, Shapes& shapes) const override {
    const VggConfig& vgg = config.vgg();
    int in = 3;
    for (int s = 0; s < blocks(config); ++s) {
      const auto& stage = vgg.stages[static_cast<std::size_t>(s)];
      for (int i = 0; i < static_cast<int>(stage.size()); ++i) {
        const std::string name = fmt::format("{}features.{}", kBackboneRoot, features_index(vgg, s, i));
        const int out = stage[static_cast<std::size_t>(i)];
        shapes[name + ".weight"] = {out, in, 3, 3};
        shapes[name + ".bias"] = {out};
        in = out;
      }
    }
  }
  void fill_random(const BackboneConfig& /*config*/, const std::string& name, const Shape& shape, const Uniform& uniform,
                   std::vector<float>& values) const override {
    fill_layer(values, uniform, name, shape, 1.4);  // half of the values end at a ReLU
  }
  const BackboneImporter& importer() const override { return vgg_importer(); }
};

}  // namespace

const BackboneFamily& vgg_family() {
  static const VggFamily family;
  return family;
}

int features_index(const VggConfig& vgg, int stage, int layer) {
  int index = 2 * layer;
  for (int s = 0; s < stage; ++s) index += 2 * static_cast<int>(vgg.stages[static_cast<std::size_t>(s)].size()) + 1;
  return index;
}

}  // namespace revisit::model
