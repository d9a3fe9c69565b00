// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Max pooling in a model file: nothing to learn, nothing to set.
#include "engine/model/head_family.h"

namespace revisit::model {
namespace {

struct MaxHead {
  int width = 0;
};

class Max final : public HeadFamily {
  const char* name() const override { return "max"; }
  const char* title() const override { return "max pooling"; }
  int descriptor_dim(const HeadConfig& head) const override { return head.as<MaxHead>().width; }
  double macs(const HeadConfig& /*head*/, int /*width*/, int /*features*/) const override { return 0; }
  void write(const HeadConfig& /*head*/, Metadata& /*metadata*/) const override {}
  HeadConfig read(const Fields& /*fields*/, int width) const override { return {name(), MaxHead{width}}; }
  void check(const HeadConfig& /*head*/, const Checker& /*check*/) const override {}
  void add_tensors(const HeadConfig& /*head*/, int /*width*/, Shapes& /*shapes*/) const override {}
};

}  // namespace

const HeadFamily& max_head() {
  static const Max family;
  return family;
}

}  // namespace revisit::model
