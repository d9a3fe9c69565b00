// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The list of aggregators, and what a config gets from its own.
#include <fmt/ranges.h>

#include "engine/model/checker.h"
#include "engine/model/head_family.h"
#include "engine/model/key_names.h"
#include "engine/model/random_values.h"

namespace revisit::model {

#define REVISIT_HEAD(name) const HeadFamily& name##_head();
#include "engine/model/heads.def"

namespace {

/// A model that is only a backbone.
class NoHead final : public HeadFamily {
  const char* name() const override { return kNoHead; }
  const char* title() const override { return ""; }
  int descriptor_dim(const HeadConfig& /*head*/) const override { return 0; }
  double macs(const HeadConfig& /*head*/, int /*width*/, int /*features*/) const override { return 0; }
  void write(const HeadConfig& /*head*/, Metadata& /*metadata*/) const override {}
  HeadConfig read(const Fields& /*fields*/, int /*width*/) const override { return {}; }
  void check(const HeadConfig& /*head*/, const Checker& /*check*/) const override {}
  void add_tensors(const HeadConfig& /*head*/, int /*width*/, Shapes& /*shapes*/) const override {}
};

const HeadFamily& no_head() {
  static const NoHead family;
  return family;
}

}  // namespace

void HeadFamily::fill_random(const std::string& name, const Shape& shape, const Uniform& uniform,
                             std::vector<float>& values) const {
  fill_layer(values, uniform, name, shape);
}

std::span<const Rename> HeadFamily::names() const { return {}; }

std::span<const HeadFamily* const> head_families() {
#define REVISIT_HEAD(name) &name##_head(),
  static const HeadFamily* const all[] = {
      &no_head(),
#include "engine/model/heads.def"
  };
  return all;
}

const HeadFamily& head_family(const std::string& name) {
  for (const HeadFamily* family : head_families())
    if (name == family->name()) return *family;
  std::vector<std::string> known;  // only now: a photo that is described asks for its family too
  for (const HeadFamily* family : head_families()) known.emplace_back(family->name());
  fail(ErrorCode::kBadModel, "'{}' is not an aggregator; known are {}", name, fmt::join(known, ", "));
}

const HeadFamily& HeadConfig::family() const { return head_family(kind); }
int HeadConfig::descriptor_dim() const { return family().descriptor_dim(*this); }
int HeadConfig::clusters() const { return family().clusters(*this); }
double HeadConfig::macs(int width, int features) const { return family().macs(*this, width, features); }

TransportHead& HeadConfig::transport() {
  if (!own.has_value()) own = TransportHead{};
  auto* found = std::any_cast<TransportHead>(&own);
  if (found == nullptr) wrong_settings();
  return *found;
}

void HeadConfig::wrong_settings() const {
  fail(ErrorCode::kInternal, "the settings of aggregator '{}' are taken for another's", kind);
}

}  // namespace revisit::model
