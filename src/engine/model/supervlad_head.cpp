// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// SuperVLAD in a model file and in its published checkpoints.
#include "engine/model/supervlad_head.h"

#include <array>

#include "core/base/limits.h"
#include "engine/model/checker.h"
#include "engine/model/head_family.h"
#include "engine/model/key_names.h"

namespace revisit::model {
namespace {

constexpr const char* kScores = "aggregator.conv.weight";
constexpr std::array<Rename, 1> kSupervladNames{{{"aggregation.conv.weight", kScores}}};

class Supervlad final : public HeadFamily {
  const char* name() const override { return kSupervlad; }
  const char* title() const override { return "SuperVLAD"; }
  int descriptor_dim(const HeadConfig& head) const override { return of(head).clusters * of(head).width; }
  int clusters(const HeadConfig& head) const override { return of(head).clusters; }
  double macs(const HeadConfig& head, int width, int features) const override {
    return static_cast<double>(features) * width * (2 * of(head).clusters + of(head).ghosts);
  }

  void write(const HeadConfig& head, Metadata& metadata) const override {
    metadata["aggregator.clusters"] = std::to_string(of(head).clusters);
    metadata["aggregator.ghosts"] = std::to_string(of(head).ghosts);
  }
  HeadConfig read(const Fields& fields, int width) const override {
    return {kSupervlad, SupervladHead{fields.number<int>("aggregator.clusters"), fields.number<int>("aggregator.ghosts"), width}};
  }
  void check(const HeadConfig& head, const Checker& check) const override {
    check.whole("aggregator.clusters", of(head).clusters, 1, 4096);
    check.whole("aggregator.ghosts", of(head).ghosts, 0, 4096);
    check.whole("descriptor dimension", descriptor_dim(head), 1, static_cast<std::int64_t>(limits::kMaxDescriptorDim));
  }
  void add_tensors(const HeadConfig& head, int width, Shapes& shapes) const override {
    shapes[kScores] = {of(head).clusters + of(head).ghosts, width, 1, 1};
  }

  std::vector<KnownModel> known() const override {
    return {{"SuperVLAD", "", "DINOv2 ViT-B/14", "322x322", "3072; 768 with one cluster",
             "SuperVLAD: Compact and Robust Image Descriptors for Visual Place Recognition", "MIT (code)",
             "MSLS-val R@1 91.5, R@5 95.9 (the table of \"Faster or Stronger\")", "github.com/Lu-Feng/SuperVLAD"}};
  }

  std::span<const Rename> names() const override { return kSupervladNames; }
  /// The tensor counts words and ghosts together. Published are 4 words with 1 ghost and 1 word with 2.
  std::optional<HeadConfig> infer(const ShapeReader& read, int width) const override {
    const auto rows = read.dim({kScores}, 0);
    if (!rows) return std::nullopt;
    const int ghosts = *rows == 3 ? 2 : *rows > 1 ? 1 : 0;
    return HeadConfig{kSupervlad, SupervladHead{*rows - ghosts, ghosts, width}};
  }

  static const SupervladHead& of(const HeadConfig& head) { return head.as<SupervladHead>(); }
};

}  // namespace

const HeadFamily& supervlad_head() {
  static const Supervlad family;
  return family;
}

}  // namespace revisit::model
