// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The head of CosPlace and EigenPlaces, which share their layout.
#include "engine/model/cosplace_head.h"

#include <array>

#include "core/base/limits.h"
#include "engine/model/checker.h"
#include "engine/model/config.h"
#include "engine/model/head_family.h"
#include "engine/model/key_names.h"
#include "engine/model/random_values.h"

namespace revisit::model {
namespace {

constexpr const char* kGemExponent = "aggregator.gem.p";
constexpr const char* kProjection = "aggregator.fc";
constexpr std::array<Rename, 6> kCosplaceNames{{
    {"aggregation.1.p", kGemExponent},
    {"aggregation.3.weight", "aggregator.fc.weight"},
    {"aggregation.3.bias", "aggregator.fc.bias"},
    // as gsv-cities and SALAD name it
    {kGemExponent, kGemExponent},
    {"aggregator.fc.weight", "aggregator.fc.weight"},
    {"aggregator.fc.bias", "aggregator.fc.bias"},
}};

class Cosplace final : public HeadFamily {
  const char* name() const override { return "cosplace"; }
  const char* title() const override { return "CosPlace/EigenPlaces"; }
  int descriptor_dim(const HeadConfig& head) const override { return of(head).dim; }
  double macs(const HeadConfig& head, int width, int features) const override {
    return 2.0 * features * width + static_cast<double>(width) * of(head).dim;
  }

  void write(const HeadConfig& head, Metadata& metadata) const override {
    metadata["aggregator.dim"] = std::to_string(of(head).dim);
  }
  HeadConfig read(const Fields& fields, int width) const override {
    return {name(), CosplaceHead{width, fields.number<int>("aggregator.dim")}};
  }
  void check(const HeadConfig& head, const Checker& check) const override {
    check.whole("aggregator.dim", of(head).dim, 1, static_cast<std::int64_t>(limits::kMaxDescriptorDim));
  }
  void add_tensors(const HeadConfig& head, int width, Shapes& shapes) const override {
    shapes[kGemExponent] = {1};
    add_linear(shapes, kProjection, of(head).dim, width);
  }
  void fill_random(const std::string& tensor, const Shape& shape, const Uniform& uniform,
                   std::vector<float>& values) const override {
    if (tensor == kGemExponent) return fill(values, uniform, 3.0, 0.5);
    fill_layer(values, uniform, tensor, shape);
  }

  std::vector<KnownModel> known() const override {
    return {{"CosPlace", "", "VGG-16, ResNet-18, ResNet-50 or ResNet-101", "any, 512x512 by default here",
             "32 to 2048; up to 512 for VGG-16 and ResNet-18", "Rethinking Visual Geo-localization for Large-Scale Applications",
             "MIT (code)", "MSLS-val R@1 87.4, R@5 93.0 (the table of \"Faster or Stronger\", VGG-16)",
             "github.com/gmberton/CosPlace, releases v1.0: {Backbone}_{dim}_cosplace.pth"},
            {"EigenPlaces", "", "VGG-16, ResNet-18, ResNet-50 or ResNet-101", "any, 512x512 by default here",
             "128 to 2048; up to 512 for VGG-16 and ResNet-18",
             "EigenPlaces: Training Viewpoint Robust Models for Visual Place Recognition", "MIT (code)",
             "MSLS-val R@1 89.3, R@5 93.7 (the table of \"Faster or Stronger\", ResNet-50)",
             "github.com/gmberton/EigenPlaces, releases v1.0: {Backbone}_{dim}_eigenplaces.pth"}};
  }

  std::span<const Rename> names() const override { return kCosplaceNames; }
  std::optional<HeadConfig> infer(const ShapeReader& read, int width) const override {
    if (!read.has(kGemExponent) && !read.any_starts_with(std::string(kProjection) + ".")) return std::nullopt;
    return HeadConfig{name(), CosplaceHead{width, read.outputs(kProjection, 512)}};
  }
  /// They are run on photos of any size; 512 is the size its authors' evaluation offers.
  void set_input(const HeadConfig& /*head*/, const BackboneConfig& backbone, InputConfig& input) const override {
    input.size = round_to_stride({512, 512}, backbone.stride());
  }

  static const CosplaceHead& of(const HeadConfig& head) { return head.as<CosplaceHead>(); }
};

}  // namespace

const HeadFamily& cosplace_head() {
  static const Cosplace family;
  return family;
}

}  // namespace revisit::model
