// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Shared by the descriptions of SALAD, WeiAD and MegaLoc.
#pragma once

#include "engine/model/head_family.h"

namespace revisit::model {

class TransportFamily : public HeadFamily {
 public:
  int descriptor_dim(const HeadConfig& head) const override { return head.transport().descriptor_dim(); }
  int clusters(const HeadConfig& head) const override { return head.transport().clusters; }
  double macs(const HeadConfig& head, int width, int features) const override;
  void write(const HeadConfig& head, Metadata& metadata) const override;
  HeadConfig read(const Fields& fields, int width) const override;
  void check(const HeadConfig& head, const Checker& check) const override;
  void add_tensors(const HeadConfig& head, int width, Shapes& shapes) const override;
  void fill_random(const std::string& name, const Shape& shape, const Uniform& uniform,
                   std::vector<float>& values) const override;
  std::span<const Rename> names() const override;
  std::optional<HeadConfig> infer(const ShapeReader& read, int width) const override;
};

}  // namespace revisit::model
