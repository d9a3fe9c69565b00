// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// GeM with its exponent in a model file.
#include "engine/model/gem_head.h"

#include <array>

#include "core/base/limits.h"
#include "engine/model/checker.h"
#include "engine/model/head_family.h"
#include "engine/model/key_names.h"
#include "engine/model/random_values.h"

namespace revisit::model {
namespace {

constexpr const char* kExponent = "aggregator.p";
constexpr std::array<Rename, 1> kGemNames{{{kExponent, kExponent}}};

class Gem final : public HeadFamily {
  const char* name() const override { return "gem"; }
  const char* title() const override { return "GeM"; }
  int descriptor_dim(const HeadConfig& head) const override { return head.as<GemHead>().width; }
  double macs(const HeadConfig& /*head*/, int width, int features) const override {
    return static_cast<double>(features) * width;
  }
  void write(const HeadConfig& /*head*/, Metadata& /*metadata*/) const override {}
  HeadConfig read(const Fields& /*fields*/, int width) const override { return {name(), GemHead{width}}; }
  void check(const HeadConfig& head, const Checker& check) const override {
    check.whole("descriptor dimension", descriptor_dim(head), 1, static_cast<std::int64_t>(limits::kMaxDescriptorDim));
  }
  void add_tensors(const HeadConfig& /*head*/, int /*width*/, Shapes& shapes) const override { shapes[kExponent] = {1}; }
  void fill_random(const std::string& /*name*/, const Shape& /*shape*/, const Uniform& uniform,
                   std::vector<float>& values) const override {
    fill(values, uniform, 3.0, 0.5);
  }

  std::span<const Rename> names() const override { return kGemNames; }
  std::optional<HeadConfig> infer(const ShapeReader& read, int width) const override {
    if (!read.has(kExponent)) return std::nullopt;
    return HeadConfig{name(), GemHead{width}};
  }
};

}  // namespace

const HeadFamily& gem_head() {
  static const Gem family;
  return family;
}

}  // namespace revisit::model
