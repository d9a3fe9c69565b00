// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// NetVLAD in a model file and in checkpoints of the VG benchmark and of hloc, whose weights come from MATLAB.
#include "engine/model/netvlad_head.h"

#include <array>

#include "core/base/limits.h"
#include "engine/model/checker.h"
#include "engine/model/config.h"
#include "engine/model/head_family.h"
#include "engine/model/key_names.h"
#include "engine/model/random_values.h"

namespace revisit::model {
namespace {

constexpr const char* kAssignment = "aggregator.conv.weight";
constexpr const char* kCentroids = "aggregator.centroids";    // (K, D)
constexpr const char* kMatlabCentres = "aggregator.centers";  // (D, K)
constexpr const char* kWhitening = "aggregator.whiten";
constexpr std::array<Rename, 6> kNetvladNames{{
    {"aggregation.conv.weight", kAssignment},
    {"aggregation.centroids", kCentroids},
    // hloc's
    {"netvlad.score_proj.weight", kAssignment},
    {"netvlad.centers", kMatlabCentres},
    {"whiten.weight", "aggregator.whiten.weight"},
    {"whiten.bias", "aggregator.whiten.bias"},
}};

class Netvlad final : public HeadFamily {
  const char* name() const override { return kNetvlad; }
  const char* title() const override { return "NetVLAD"; }
  int descriptor_dim(const HeadConfig& head) const override {
    return of(head).matlab() ? of(head).whitened : of(head).clusters * of(head).width;
  }
  int clusters(const HeadConfig& head) const override { return of(head).clusters; }
  double macs(const HeadConfig& head, int width, int features) const override {
    const double words = static_cast<double>(of(head).clusters) * width;
    return words * (2.0 * features + of(head).whitened);
  }

  void write(const HeadConfig& head, Metadata& metadata) const override {
    metadata["aggregator.clusters"] = std::to_string(of(head).clusters);
    metadata["aggregator.whitened"] = std::to_string(of(head).whitened);
  }
  HeadConfig read(const Fields& fields, int width) const override {
    return {kNetvlad, NetvladHead{fields.number<int>("aggregator.clusters"), width, fields.number<int>("aggregator.whitened")}};
  }
  void check(const HeadConfig& head, const Checker& check) const override {
    const auto most = static_cast<std::int64_t>(limits::kMaxDescriptorDim);
    check.whole("aggregator.clusters", of(head).clusters, 1, 4096);
    check.whole("dimension before a whitening", std::int64_t{of(head).clusters} * of(head).width, 1, most);
    check.whole("aggregator.whitened", of(head).whitened, 0, most);
  }
  void add_tensors(const HeadConfig& head, int width, Shapes& shapes) const override {
    const auto [clusters, unused, whitened] = of(head);
    shapes[kAssignment] = {clusters, width, 1, 1};
    if (of(head).matlab()) {
      shapes[kMatlabCentres] = {width, clusters};
      add_linear(shapes, kWhitening, whitened, std::int64_t{clusters} * width);
    } else {
      shapes[kCentroids] = {clusters, width};
    }
  }

  std::vector<KnownModel> known() const override {
    return {{"NetVLAD", "", "VGG-16 up to conv5_3", "480x640 (VG benchmark)", "32768; 4096 whitened", "",
             "MIT (code of the VG benchmark)", "MSLS-val R@1 82.6, R@5 89.6 (the table of \"Faster or Stronger\")",
             "github.com/gmberton/deep-visual-geo-localization-benchmark"}};
  }

  std::span<const Rename> names() const override { return kNetvladNames; }
  /// hloc's layout always has a whitening: without its tensors the import says that they are missing.
  std::optional<HeadConfig> infer(const ShapeReader& read, int width) const override {
    const bool matlab = read.has(kMatlabCentres) || read.any_starts_with(std::string(kWhitening) + ".");
    if (!matlab && !read.has(kCentroids)) return std::nullopt;
    const auto columns = read.dim({kMatlabCentres}, 1);
    const int clusters = read.dim({kCentroids, kAssignment}, 0).value_or(columns.value_or(64));
    return HeadConfig{kNetvlad, NetvladHead{clusters, width, matlab ? read.outputs(kWhitening, 4096) : 0}};
  }
  /// The VG benchmark's size. The MATLAB network takes pixels of 0 to 255 minus the mean colour of its training pictures, which a
  /// state dict does not hold: that of ImageNet stays unless the user gives another.
  void set_input(const HeadConfig& head, const BackboneConfig& backbone, InputConfig& input) const override {
    input.size = round_to_stride({480, 640}, backbone.stride());
    if (of(head).matlab()) input.std = {1 / 255.0F, 1 / 255.0F, 1 / 255.0F};
  }

  static const NetvladHead& of(const HeadConfig& head) { return head.as<NetvladHead>(); }
};

}  // namespace

const HeadFamily& netvlad_head() {
  static const Netvlad family;
  return family;
}

}  // namespace revisit::model
