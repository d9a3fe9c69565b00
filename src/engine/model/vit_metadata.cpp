// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// A vision transformer in the metadata of a model file, and the ranges of its settings.
#include <array>

#include "engine/model/checker.h"
#include "engine/model/fields.h"
#include "engine/model/vit_family.h"
#include "engine/model/words.h"

namespace revisit::model {
namespace {

constexpr Words<PosRule, 4> kPosRules{
    {{PosRule::kHub, "hub"}, {PosRule::kHubAntialias, "hub-antialias"}, {PosRule::kHf, "hf"}, {PosRule::kTimm, "timm"}}};

}  // namespace

const char* name_of(PosRule rule) { return word_of(kPosRules, rule); }
PosRule pos_rule_from(const std::string& word) { return value_of(kPosRules, word, "position rule"); }

void VitFamily::write(const BackboneConfig& config, Metadata& out) const {
  const VitConfig& vit = config.vit();
  out["arch"] = vit.arch;
  out["width"] = std::to_string(vit.width);
  out["depth"] = std::to_string(vit.depth);
  out["heads"] = std::to_string(vit.heads);
  out["patch"] = std::to_string(vit.patch);
  out["registers"] = std::to_string(vit.registers);
  out["swiglu"] = flag_text(vit.swiglu);
  out["ffn_hidden"] = std::to_string(vit.ffn_hidden);
  out["layer_scale"] = flag_text(vit.layer_scale);
  out["pos_grid"] = size_text(vit.pos_rows, vit.pos_cols);
  out["pos_rule"] = name_of(vit.pos_rule);
  out["norm_eps"] = fmt::format("{}", vit.norm_eps);
}

BackboneConfig VitFamily::read(const Fields& fields) const {
  VitConfig vit;
  vit.arch = fields.text("arch");
  vit.width = fields.number<int>("width");
  vit.depth = fields.number<int>("depth");
  vit.heads = fields.number<int>("heads");
  vit.patch = fields.number<int>("patch");
  vit.registers = fields.number<int>("registers");
  vit.swiglu = fields.flag("swiglu");
  vit.ffn_hidden = fields.number<int>("ffn_hidden");
  vit.layer_scale = fields.flag("layer_scale");
  const Size grid = fields.size("pos_grid");
  vit.pos_rows = grid.height;
  vit.pos_cols = grid.width;
  vit.pos_rule = fields.word("pos_rule", pos_rule_from);
  vit.norm_eps = fields.number<float>("norm_eps");
  return vit;
}

// The upper limits are well above any published network.
void VitFamily::check(const BackboneConfig& config, const Checker& check) const {
  const VitConfig& vit = config.vit();
  check.whole("width", vit.width, 1, 8192);
  check.whole("depth", vit.depth, 1, 128);
  check.whole("heads", vit.heads, 1, 256);
  check.multiple("width", vit.width, "heads", vit.heads);
  check.whole("patch", vit.patch, 1, 64);
  check.whole("registers", vit.registers, 0, 64);
  check.whole("ffn_hidden", vit.ffn_hidden, 1, 32768);
  check.whole("pos_grid rows", vit.pos_rows, 1, 256);
  check.whole("pos_grid columns", vit.pos_cols, 1, 256);
  check.real("norm_eps", static_cast<double>(vit.norm_eps), 1e-12, 1e-2);
  check.text("arch", vit.arch);
}

}  // namespace revisit::model
