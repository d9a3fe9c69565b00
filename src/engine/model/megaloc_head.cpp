// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// MegaLoc: SALAD, then a linear layer.
#include <algorithm>
#include <vector>

#include "core/base/limits.h"
#include "engine/model/checker.h"
#include "engine/model/key_names.h"
#include "engine/model/transport_family.h"

namespace revisit::model {
namespace {

constexpr const char* kMegalocLayer = "aggregator.linear";

class Megaloc final : public TransportFamily {
  const char* name() const override { return kMegaloc; }
  const char* title() const override { return "MegaLoc"; }
  double macs(const HeadConfig& config, int width, int features) const override {
    const TransportHead& head = config.transport();
    return TransportFamily::macs(config, width, features) + static_cast<double>(head.assembled_dim()) * head.projected;
  }

  /// The nearest multiples, halves to the even one.
  std::optional<Size> resized_tensor(Size size, int stride) const override {
    const auto nearest = [stride](int side) {
      const int below = side / stride, rest = 2 * (side % stride);
      const bool up = rest > stride || (rest == stride && below % 2 == 1);
      return std::max(1, below + (up ? 1 : 0)) * stride;
    };
    return Size{nearest(size.height), nearest(size.width)};
  }

  void write(const HeadConfig& config, Metadata& metadata) const override {
    TransportFamily::write(config, metadata);
    metadata["aggregator.projected"] = std::to_string(config.transport().projected);
  }
  HeadConfig read(const Fields& fields, int width) const override {
    HeadConfig config = TransportFamily::read(fields, width);
    config.transport().projected = fields.number<int>("aggregator.projected");
    return config;
  }
  void check(const HeadConfig& config, const Checker& check) const override {
    const auto most = static_cast<std::int64_t>(limits::kMaxDescriptorDim);
    check.whole("aggregator.projected", config.transport().projected, 1, most);
    TransportFamily::check(config, check);
    check.whole("dimension before the projection", config.transport().assembled_dim(), 1, most);
  }
  void add_tensors(const HeadConfig& config, int width, Shapes& shapes) const override {
    TransportFamily::add_tensors(config, width, shapes);
    add_linear(shapes, kMegalocLayer, config.transport().projected, config.transport().assembled_dim());
  }

  std::vector<KnownModel> known() const override {
    return {{"MegaLoc", "", "DINOv2 ViT-B/14", "sides rounded to multiples of 14", "8448",
             "MegaLoc: One Retrieval to Place Them All", "MIT (code)", "", "github.com/gmberton/MegaLoc"}};
  }

  /// SALAD's behind "agg.", and the layer.
  std::span<const Rename> names() const override {
    static const std::vector<std::string> foreign = [this] {
      std::vector<std::string> out;
      for (const Rename& one : TransportFamily::names()) {
        out.push_back(std::string(kHeadRoot) + "agg." + std::string(one.ours.substr(std::string_view(kHeadRoot).size())));
      }
      return out;
    }();
    static const std::vector<Rename> all = [this] {
      std::vector<Rename> out;
      for (std::size_t i = 0; i < foreign.size(); ++i) out.push_back({foreign[i], TransportFamily::names()[i].ours});
      for (const char* own : {"aggregator.linear.weight", "aggregator.linear.bias"}) out.push_back({own, own});
      return out;
    }();
    return all;
  }
  std::optional<HeadConfig> infer(const ShapeReader& read, int width) const override {
    if (!read.any_starts_with(std::string(kMegalocLayer) + ".")) return std::nullopt;
    HeadConfig config = TransportFamily::infer(read, width).value_or(HeadConfig{name(), TransportHead{}});
    config.transport().projected = read.outputs(kMegalocLayer, 8448);
    return config;
  }
};

}  // namespace

const HeadFamily& megaloc_head() {
  static const Megaloc family;
  return family;
}

}  // namespace revisit::model
