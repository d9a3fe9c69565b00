// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// torchvision's names, and those of its layers in a Sequential, as CosPlace and the VG benchmark save them.
#include "engine/model/resnet_importer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace revisit::model {
namespace {

constexpr std::array<std::string_view, 8> kResnetPrefixes{
    "", "module.", "backbone.", "backbone.model.", "module.backbone.", "module.backbone.model.", "model.", "encoder."};

struct KnownResnet {
  const char* name;
  bool bottleneck;
  std::array<int, 4> blocks;
};
// Every one has a stem of 64 and stages of 64, 128, 256 and 512, times 4 behind a bottleneck.
constexpr std::array<KnownResnet, 5> kKnownResnets{{{"resnet18", false, {2, 2, 2, 2}},
                                                    {"resnet34", false, {3, 4, 6, 3}},
                                                    {"resnet50", true, {3, 4, 6, 3}},
                                                    {"resnet101", true, {3, 4, 23, 3}},
                                                    {"resnet152", true, {3, 8, 36, 3}}}};

ResnetConfig config_of(const KnownResnet& known, std::size_t stages) {
  ResnetConfig out;
  out.arch = known.name;
  out.bottleneck = known.bottleneck;
  out.stem = 64;
  for (std::size_t s = 0; s < std::min<std::size_t>(stages, 4); ++s) {
    const int inner = 64 << s;
    out.stages.push_back({known.blocks[s], inner, known.bottleneck ? 4 * inner : inner});
  }
  return out;
}

/// The name of a network that has these stages, all or the first of them.
std::string name_of(const ResnetConfig& resnet) {
  for (const KnownResnet& known : kKnownResnets) {
    const ResnetConfig other = config_of(known, resnet.stages.size());
    // Two blocks in each of few stages could be several of them: the first one.
    if (other.bottleneck == resnet.bottleneck && other.stem == resnet.stem && other.stages == resnet.stages) return known.name;
  }
  return ResnetConfig::kFamily;
}

bool is_norm_part(std::string_view end) {
  return end == ".weight" || end == ".bias" || end == ".running_mean" || end == ".running_var";
}

/// What a layer's name ends with says: a convolution has a weight, a norm four tensors and a counter.
Place place_end(std::string_view end, bool norm, const std::string& ours) {
  if (norm && end == ".num_batches_tracked") return {Place::Kind::kIgnored};
  if (norm ? is_norm_part(end) : end == ".weight") return {Place::Kind::kPlaced, ours + std::string(end)};
  return {Place::Kind::kUnexpected};
}

/// ".0.conv1.weight", below a stage.
Place place_in_stage(std::string_view rest, int stage) {
  rest.remove_prefix(1);
  const auto block = take_number(rest);
  if (!block) return {Place::Kind::kUnexpected};
  for (const std::string_view layer : {".conv1", ".conv2", ".conv3", ".bn1", ".bn2", ".bn3", ".downsample.0", ".downsample.1"}) {
    if (!rest.starts_with(layer)) continue;
    return place_end(rest.substr(layer.size()), layer.starts_with(".bn") || layer == ".downsample.1",
                     fmt::format("{}layer{}.{}{}", kBackboneRoot, stage, *block, layer));
  }
  return {Place::Kind::kUnexpected};
}

class ResnetNaming final : public Naming {
 public:
  explicit ResnetNaming(bool sequential) : sequential_(sequential) {}

  std::span<const std::string_view> prefixes() const override { return kResnetPrefixes; }

  Place place(std::string_view rest) const override {
    const std::string root = kBackboneRoot;
    if (!sequential_) {
      if (rest.starts_with("conv1")) return place_end(rest.substr(5), false, root + "conv1");
      if (rest.starts_with("bn1")) return place_end(rest.substr(3), true, root + "bn1");
      if (rest.starts_with("fc.")) return {Place::Kind::kIgnored};
      constexpr std::string_view kLayer = "layer";
      if (!rest.starts_with(kLayer)) return {};
      rest.remove_prefix(kLayer.size());
      const auto stage = take_number(rest);
      return stage && *stage >= 1 && *stage <= 8 ? place_in_stage(rest, *stage) : Place{Place::Kind::kUnexpected};
    }
    // 0 is the convolution, 1 its norm, 2 and 3 have no tensors, 4 to 7 are the stages.
    const auto index = take_number(rest);
    if (!index) return {};
    if (*index == 0) return place_end(rest, false, root + "conv1");
    if (*index == 1) return place_end(rest, true, root + "bn1");
    if (*index >= 4 && *index <= 7) return place_in_stage(rest, *index - 3);
    return {Place::Kind::kUnexpected};
  }

  std::vector<std::string> source_names(std::string_view ours) const override {
    if (!sequential_) return {std::string(ours)};
    for (const auto& [theirs, layer] : {std::pair{"0", "conv1"}, {"1", "bn1"}}) {
      if (ours.starts_with(layer)) return {theirs + std::string(ours.substr(std::string_view(layer).size()))};
    }
    std::string_view rest = ours.substr(std::string_view("layer").size());
    const auto stage = take_number(rest);
    return {fmt::format("{}{}", stage.value_or(0) + 3, rest)};
  }

 private:
  bool sequential_;
};

class ResnetImporter final : public ConvImporter {
 public:
  const char* readable() const override { return "ResNet (torchvision)"; }
  std::span<const Naming* const> namings() const override {
    static const ResnetNaming torchvision(false), sequential(true);
    static const std::array<const Naming*, 2> all{&torchvision, &sequential};
    return all;
  }

  BackboneConfig infer(const ShapeReader& read, std::optional<int> /*heads*/, std::optional<Size> /*size*/) const override {
    const std::string root = kBackboneRoot;
    ResnetConfig resnet;
    resnet.stem = read.dim({root + "conv1.weight", root + "bn1.weight"}, 0).value_or(64);
    resnet.bottleneck = read.has(root + "layer1.0.conv3.weight") || read.any_ends_with(".conv3.weight");
    for (int s = 1; s == 1 || (s <= 8 && read.any_starts_with(fmt::format("{}layer{}.", root, s))); ++s) {
      const std::string layer = fmt::format("{}layer{}.", root, s), first = layer + "0.";
      const int inner =
          read.dim({first + "conv1.weight", first + "bn1.weight", first + "conv2.weight"}, 0).value_or(64 << (s - 1));
      const int outer =
          resnet.bottleneck ? read.dim({first + "conv3.weight", first + "bn3.weight"}, 0).value_or(4 * inner) : inner;
      resnet.stages.push_back({read.count_of(layer), inner, outer});
    }
    resnet.arch = name_of(resnet);
    return resnet;
  }
  std::string origin(const KeyMap& /*keys*/, const BackboneConfig& /*config*/) const override { return "ResNet (torchvision)"; }

  std::vector<std::string> arch_names() const override {
    std::vector<std::string> out;
    for (const KnownResnet& known : kKnownResnets) out.emplace_back(known.name);
    return out;
  }
  std::optional<BackboneConfig> known(const std::string& arch, const BackboneConfig& like) const override {
    for (const KnownResnet& one : kKnownResnets) {
      if (arch == one.name) return config_of(one, like.resnet().stages.size());
    }
    return std::nullopt;
  }
  std::string sizes(const BackboneConfig& config) const override {
    const ResnetConfig& resnet = config.resnet();
    std::string blocks;
    for (const auto& stage : resnet.stages) blocks += (blocks.empty() ? "" : "+") + std::to_string(stage.blocks);
    return fmt::format("{} blocks{}, {} channels", blocks, resnet.bottleneck ? " with bottlenecks" : "", config.width());
  }

 protected:
  Size usual_size() const override { return {320, 320}; }
};

}  // namespace

const BackboneImporter& resnet_importer() {
  static const ResnetImporter importer;
  return importer;
}

}  // namespace revisit::model
