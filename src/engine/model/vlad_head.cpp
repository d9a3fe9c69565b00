// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// VLAD in a model file.
#include "engine/model/vlad_head.h"

#include "core/base/limits.h"
#include "engine/model/checker.h"
#include "engine/model/head_family.h"

namespace revisit::model {
namespace {

class Vlad final : public HeadFamily {
  const char* name() const override { return kVlad; }
  const char* title() const override { return "VLAD"; }
  int descriptor_dim(const HeadConfig& head) const override { return head.as<VladHead>().clusters * head.as<VladHead>().width; }
  int clusters(const HeadConfig& head) const override { return head.as<VladHead>().clusters; }
  double macs(const HeadConfig& head, int width, int features) const override {
    return static_cast<double>(features) * head.as<VladHead>().clusters * width;
  }

  void write(const HeadConfig& head, Metadata& metadata) const override {
    metadata["aggregator.clusters"] = std::to_string(head.as<VladHead>().clusters);
  }
  HeadConfig read(const Fields& fields, int width) const override {
    return {kVlad, VladHead{fields.number<int>("aggregator.clusters"), width}};
  }
  void check(const HeadConfig& head, const Checker& check) const override {
    check.whole("aggregator.clusters", head.as<VladHead>().clusters, 1, 4096);
    check.whole("aggregator.cluster_dim", head.as<VladHead>().width, 1, 8192);
    check.whole("descriptor dimension", descriptor_dim(head), 1, static_cast<std::int64_t>(limits::kMaxDescriptorDim));
  }
  void add_tensors(const HeadConfig& head, int width, Shapes& shapes) const override {
    shapes["aggregator.centres"] = {head.as<VladHead>().clusters, width};
  }
};

}  // namespace

const HeadFamily& vlad_head() {
  static const Vlad family;
  return family;
}

}  // namespace revisit::model
