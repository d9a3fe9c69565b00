// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// torchvision's names, and those of its layers in a Sequential, as CosPlace and the VG benchmark save them.
#include "engine/model/vgg_importer.h"

#include <fmt/format.h>

#include <array>

namespace revisit::model {
namespace {

constexpr std::array<std::string_view, 8> kVggPrefixes{
    "", "module.", "backbone.", "backbone.model.", "module.backbone.", "module.backbone.model.", "model.", "encoder."};
constexpr std::string_view kVggFeatures = "features.";
constexpr int kMostIndex = 200;  // of a layer; VGG-19 ends at 34

VggConfig vgg16() { return {"vgg16", {{64, 64}, {128, 128}, {256, 256, 256}, {512, 512, 512}, {512, 512, 512}}}; }

class VggNaming final : public Naming {
 public:
  explicit VggNaming(bool sequential) : sequential_(sequential) {}

  std::span<const std::string_view> prefixes() const override { return kVggPrefixes; }

  Place place(std::string_view rest) const override {
    if (!sequential_) {
      if (rest.starts_with("classifier.")) return {Place::Kind::kIgnored};
      if (!rest.starts_with(kVggFeatures)) return {};
      rest.remove_prefix(kVggFeatures.size());
    }
    const std::string_view whole = rest;
    if (!take_number(rest)) return {};
    if (rest != ".weight" && rest != ".bias") return {Place::Kind::kUnexpected};  // such as of a batch normalisation
    return {Place::Kind::kPlaced, fmt::format("{}{}{}", kBackboneRoot, kVggFeatures, whole)};
  }
  std::vector<std::string> source_names(std::string_view ours) const override {
    return {std::string(sequential_ ? ours.substr(kVggFeatures.size()) : ours)};
  }

 private:
  bool sequential_;
};

class VggImporter final : public ConvImporter {
 public:
  const char* readable() const override { return "VGG (torchvision)"; }
  std::span<const Naming* const> namings() const override {
    static const VggNaming torchvision(false), sequential(true);
    static const std::array<const Naming*, 2> all{&torchvision, &sequential};
    return all;
  }

  /// Two indices from one convolution to the next, three where a pooling lies between them.
  BackboneConfig infer(const ShapeReader& read, std::optional<int> /*heads*/, std::optional<Size> /*size*/) const override {
    VggConfig vgg;
    for (int index = 0, last = -3; index <= kMostIndex && index - last <= 3; ++index) {
      const std::string name = fmt::format("{}{}{}", kBackboneRoot, kVggFeatures, index);
      const auto channels = read.dim({name + ".weight", name + ".bias"}, 0);
      if (!channels) continue;
      if (index - last == 3) vgg.stages.emplace_back();
      if (vgg.stages.empty()) break;
      vgg.stages.back().push_back(*channels);
      last = index;
    }
    if (vgg.stages.empty()) vgg.stages = {{64}};  // so that what is missing has a name
    if (vgg.stages == vgg16().stages) vgg.arch = vgg16().arch;
    return vgg;
  }
  std::string origin(const KeyMap& /*keys*/, const BackboneConfig& /*config*/) const override { return "VGG (torchvision)"; }

  std::vector<std::string> arch_names() const override { return {vgg16().arch}; }
  std::optional<BackboneConfig> known(const std::string& arch, const BackboneConfig& /*like*/) const override {
    if (arch == vgg16().arch) return vgg16();
    return std::nullopt;
  }
  std::string sizes(const BackboneConfig& config) const override {
    std::size_t layers = 0;
    for (const auto& stage : config.vgg().stages) layers += stage.size();
    return fmt::format("{} convolutions in {} stages, {} channels", layers, config.vgg().stages.size(), config.width());
  }

 protected:
  Size usual_size() const override { return {480, 640}; }
};

}  // namespace

const BackboneImporter& vgg_importer() {
  static const VggImporter importer;
  return importer;
}

}  // namespace revisit::model
