// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Sizes, work, tensors and metadata of a residual network.
#include <fmt/format.h>

#include <algorithm>

#include "engine/model/checker.h"
#include "engine/model/fields.h"
#include "engine/model/random_values.h"
#include "engine/model/resnet_importer.h"

namespace revisit::model {
namespace {

class ResnetFamily final : public ConvFamily {
 public:
  const char* name() const override { return ResnetConfig::kFamily; }
  const std::string& arch(const BackboneConfig& config) const override { return config.resnet().arch; }
  int width(const BackboneConfig& config) const override {
    const ResnetConfig& resnet = config.resnet();
    return resnet.stages.empty() ? resnet.stem : resnet.stages.back().outer;
  }
  int blocks(const BackboneConfig& config) const override { return static_cast<int>(config.resnet().stages.size()); }
  Size grid(const BackboneConfig& config, Size input) const override;
  double macs(const BackboneConfig& config, Size input, std::span<const PatchesInBlock> patches) const override;
  void keep_blocks(BackboneConfig& config, int blocks) const override {
    config.resnet().stages.resize(static_cast<std::size_t>(blocks));
    config.resnet().arch = ResnetConfig::kFamily;
  }

  void write(const BackboneConfig& config, Metadata& out) const override;
  BackboneConfig read(const Fields& fields) const override;
  void check(const BackboneConfig& config, const Checker& check) const override;
  void add_tensors(const BackboneConfig& config, Shapes& shapes) const override;
  void fill_random(const BackboneConfig& config, const std::string& name, const Shape& shape, const Uniform& uniform,
                   std::vector<float>& values) const override;
  const BackboneImporter& importer() const override { return resnet_importer(); }
};

Size resnet_halved(Size map) { return {halved_up(map.height), halved_up(map.width)}; }
double resnet_area(Size map) { return static_cast<double>(map.height) * map.width; }

Size ResnetFamily::grid(const BackboneConfig& config, Size input) const {
  Size map = resnet_halved(resnet_halved(input));  // the stem and its pooling
  for (int stage = 1; stage < blocks(config); ++stage) map = resnet_halved(map);
  return map;
}

double ResnetFamily::macs(const BackboneConfig& config, Size input, std::span<const PatchesInBlock> /*patches*/) const {
  const ResnetConfig& resnet = config.resnet();
  Size map = resnet_halved(input);
  double macs = resnet_area(map) * 7 * 7 * 3 * resnet.stem;
  map = resnet_halved(map);
  for (int s = 0; s < blocks(config); ++s) {
    const auto [count, inner, outer] = resnet.stages[static_cast<std::size_t>(s)];
    for (int b = 0; b < count; ++b) {
      const double in = inputs_of(resnet, s, b);
      const Size before = map;
      if (s > 0 && b == 0) map = resnet_halved(map);
      const double area = resnet_area(map);
      // A bottleneck's first convolution still works at the size before.
      macs += resnet.bottleneck ? resnet_area(before) * in * inner + area * (9.0 * inner * inner + 1.0 * inner * outer)
                                : area * (9.0 * in * inner + 9.0 * inner * outer);
      if (has_shortcut(resnet, s, b)) macs += area * in * outer;
    }
  }
  return macs;
}

std::string stage_list(const ResnetConfig& resnet, int ResnetConfig::Stage::*member) {
  std::string out;
  for (const auto& stage : resnet.stages) out += (out.empty() ? "" : ",") + std::to_string(stage.*member);
  return out;
}

void ResnetFamily::write(const BackboneConfig& config, Metadata& out) const {
  const ResnetConfig& resnet = config.resnet();
  out["arch"] = resnet.arch;
  out["bottleneck"] = flag_text(resnet.bottleneck);
  out["stem"] = std::to_string(resnet.stem);
  out["stages"] = stage_list(resnet, &ResnetConfig::Stage::blocks);
  out["stages.inner"] = stage_list(resnet, &ResnetConfig::Stage::inner);
  out["stages.outer"] = stage_list(resnet, &ResnetConfig::Stage::outer);
}

BackboneConfig ResnetFamily::read(const Fields& fields) const {
  ResnetConfig resnet;
  resnet.arch = fields.text("arch");
  resnet.bottleneck = fields.flag("bottleneck");
  resnet.stem = fields.number<int>("stem");
  const auto blocks = fields.list<int>("stages"), inner = fields.list<int>("stages.inner"),
             outer = fields.list<int>("stages.outer");
  // Lists of different lengths become stages that check() refuses.
  for (std::size_t s = 0; s < std::max(std::max(blocks.size(), inner.size()), outer.size()); ++s) {
    const auto at = [s](const std::vector<int>& list) { return s < list.size() ? list[s] : 0; };
    resnet.stages.push_back({at(blocks), at(inner), at(outer)});
  }
  return resnet;
}

// The upper limits are well above any published network.
void ResnetFamily::check(const BackboneConfig& config, const Checker& check) const {
  const ResnetConfig& resnet = config.resnet();
  check.text("arch", resnet.arch);
  check.whole("stem", resnet.stem, 1, 8192);
  check.whole("number of stages", static_cast<std::int64_t>(resnet.stages.size()), 1, 8);
  for (const auto& [count, inner, outer] : resnet.stages) {
    check.whole("stages", count, 1, 256);
    check.whole("stages.inner", inner, 1, 8192);
    check.whole("stages.outer", outer, 1, 8192);
    if (!resnet.bottleneck && inner != outer) check.wrong("stages.inner {} is not stages.outer {}", inner, outer);
  }
}

void add_normalised(Shapes& shapes, const std::string& convolution, const std::string& norm, std::int64_t out, std::int64_t in,
                    std::int64_t side) {
  shapes[convolution + ".weight"] = {out, in, side, side};
  for (const char* part : {".weight", ".bias", ".running_mean", ".running_var"}) shapes[norm + part] = {out};
}

void ResnetFamily::add_tensors(const BackboneConfig& config, Shapes& shapes) const {
  const ResnetConfig& resnet = config.resnet();
  const std::string root = kBackboneRoot;
  add_normalised(shapes, root + "conv1", root + "bn1", resnet.stem, 3, 7);
  for (int s = 0; s < blocks(config); ++s) {
    const auto [count, inner, outer] = resnet.stages[static_cast<std::size_t>(s)];
    for (int b = 0; b < count; ++b) {
      const std::string block = fmt::format("{}layer{}.{}.", root, s + 1, b);
      const int in = inputs_of(resnet, s, b);
      if (resnet.bottleneck) {
        add_normalised(shapes, block + "conv1", block + "bn1", inner, in, 1);
        add_normalised(shapes, block + "conv2", block + "bn2", inner, inner, 3);
        add_normalised(shapes, block + "conv3", block + "bn3", outer, inner, 1);
      } else {
        add_normalised(shapes, block + "conv1", block + "bn1", inner, in, 3);
        add_normalised(shapes, block + "conv2", block + "bn2", outer, inner, 3);
      }
      if (has_shortcut(resnet, s, b)) add_normalised(shapes, block + "downsample.0", block + "downsample.1", outer, in, 1);
    }
  }
}

void ResnetFamily::fill_random(const BackboneConfig& /*config*/, const std::string& name, const Shape& shape,
                               const Uniform& uniform, std::vector<float>& values) const {
  if (name.ends_with(".running_mean")) return fill(values, uniform, 0.0, 0.05);
  if (name.ends_with(".running_var")) return fill(values, uniform, 1.0, 0.3);
  if (shape.size() == 1 && name.ends_with(".weight")) return fill(values, uniform, 0.8, 0.2);
  fill_layer(values, uniform, name, shape, 1.4);  // half of the values end at a ReLU
}

}  // namespace

const BackboneFamily& resnet_family() {
  static const ResnetFamily family;
  return family;
}

int inputs_of(const ResnetConfig& resnet, int stage, int block) {
  if (block > 0) return resnet.stages[static_cast<std::size_t>(stage)].outer;
  return stage > 0 ? resnet.stages[static_cast<std::size_t>(stage) - 1].outer : resnet.stem;
}

bool has_shortcut(const ResnetConfig& resnet, int stage, int block) {
  const bool smaller = stage > 0 && block == 0;
  return smaller || inputs_of(resnet, stage, block) != resnet.stages[static_cast<std::size_t>(stage)].outer;
}

}  // namespace revisit::model
