// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Config <-> the string metadata of a model file: flat readable keys, numbers in their shortest form that reads back exactly.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <string_view>

#include "core/base/fail.h"
#include "engine/model/config_check.h"
#include "engine/model/model_file.h"

namespace revisit::model {
namespace {

constexpr int kFormat = 1;

std::string size_text(int height, int width) { return fmt::format("{}x{}", height, width); }
const char* flag_text(bool value) { return value ? "true" : "false"; }

/// Looks up keys and turns their text into values; errors name the file, the key and the text.
class Fields {
 public:
  Fields(const std::map<std::string, std::string>& metadata, const std::string& name) : metadata_(metadata), name_(name) {}

  bool has(const std::string& key) const { return metadata_.contains(key); }

  const std::string& text(const std::string& key) const {
    const auto found = metadata_.find(key);
    if (found == metadata_.end()) fail(ErrorCode::kBadModel, "'{}': its metadata lacks '{}'", name_, key);
    return found->second;
  }

  template <typename T>
  T number(const std::string& key) const {
    return parse<T>(key, text(key));
  }

  template <typename T>
  std::vector<T> list(const std::string& key) const {
    std::vector<T> out;
    std::string_view rest = text(key);
    while (true) {
      const auto comma = rest.find(',');
      out.push_back(parse<T>(key, rest.substr(0, comma)));
      if (comma == std::string_view::npos) return out;
      rest.remove_prefix(comma + 1);
    }
  }

  std::array<float, 3> rgb(const std::string& key) const {
    const auto values = list<float>(key);
    if (values.size() != 3) fail(ErrorCode::kBadModel, "'{}': {} '{}' is not three numbers", name_, key, text(key));
    return {values[0], values[1], values[2]};
  }

  Size size(const std::string& key) const {
    const std::string_view value = text(key);
    const auto cross = value.find('x');
    if (cross == std::string_view::npos) fail(ErrorCode::kBadModel, "'{}': {} '{}' is not HEIGHTxWIDTH", name_, key, value);
    return {parse<int>(key, value.substr(0, cross)), parse<int>(key, value.substr(cross + 1))};
  }

  bool flag(const std::string& key) const {
    const auto& value = text(key);
    if (value != "true" && value != "false") {
      fail(ErrorCode::kBadModel, "'{}': {} '{}' is neither true nor false", name_, key, value);
    }
    return value == "true";
  }

  void setting(const Setting& one, DescriptorSpec& spec) const {
    const std::string& value = text(one.model_key);
    const auto parsed = one.parse(value);
    try {
      if (parsed) return one.set(spec, *parsed);
    } catch (const Error&) {
      // The sentence below says the same and names the file.
    }
    fail(ErrorCode::kBadModel, "'{}': {} is '{}', but must be {}", name_, one.model_key, value, one.wanted);
  }

  template <typename Enum>
  Enum word(const std::string& key, Enum (*from)(const std::string&)) const {
    try {
      return from(text(key));
    } catch (const Error& error) {
      fail(ErrorCode::kBadModel, "'{}': {}: {}", name_, key, error.what());
    }
  }

 private:
  template <typename T>
  T parse(const std::string& key, std::string_view value) const {
    T out{};
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), out);
    if (error != std::errc{} || end != value.data() + value.size()) {
      fail(ErrorCode::kBadModel, "'{}': {} '{}' is no usable number", name_, key, text(key));
    }
    return out;
  }

  const std::map<std::string, std::string>& metadata_;
  const std::string& name_;
};

void head_to_metadata(const HeadConfig& head, std::map<std::string, std::string>& out) {
  out["aggregator"] = name_of(head.kind);
  if (head.kind == HeadKind::kNone) return;
  out["aggregator.clusters"] = std::to_string(head.clusters);
  if (head.kind == HeadKind::kVlad) return;
  out["aggregator.cluster_dim"] = std::to_string(head.cluster_dim);
  out["aggregator.token_dim"] = std::to_string(head.token_dim);
  out["aggregator.hidden"] = std::to_string(head.hidden);
  out["aggregator.sinkhorn_iters"] = std::to_string(head.sinkhorn_iters);
  if (head.kind != HeadKind::kWeiad) return;
  out["aggregator.tiers"] = fmt::format("{}", fmt::join(head.tiers, ","));
  out["aggregator.ghost_penalty"] = fmt::format("{}", head.ghost_penalty);
  out["aggregator.tier_floor"] = fmt::format("{}", head.tier_floor);
  out["aggregator.dustbin"] = flag_text(head.dustbin);
  out["aggregator.ghost"] = flag_text(head.ghost);
  out["aggregator.norm"] = name_of(head.norm);
}

HeadConfig head_from_metadata(const Fields& fields, int width) {
  HeadConfig head;
  head.kind = fields.word("aggregator", head_kind_from);
  if (head.kind == HeadKind::kNone) return head;
  head.clusters = fields.number<int>("aggregator.clusters");
  if (head.kind == HeadKind::kVlad) {
    head.cluster_dim = width;
    return head;
  }
  head.cluster_dim = fields.number<int>("aggregator.cluster_dim");
  head.token_dim = fields.number<int>("aggregator.token_dim");
  head.hidden = fields.number<int>("aggregator.hidden");
  head.sinkhorn_iters = fields.number<int>("aggregator.sinkhorn_iters");
  if (head.kind != HeadKind::kWeiad) return head;
  head.tiers = fields.list<int>("aggregator.tiers");
  head.ghost_penalty = fields.number<double>("aggregator.ghost_penalty");
  head.tier_floor = fields.number<double>("aggregator.tier_floor");
  head.dustbin = fields.flag("aggregator.dustbin");
  head.ghost = fields.flag("aggregator.ghost");
  head.norm = fields.word("aggregator.norm", cluster_norm_from);
  return head;
}

VitConfig vit_from_metadata(const Fields& fields) {
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

// The model's own settings. What came later may be missing and is the usual choice then.
void own_from_metadata(const Fields& fields, Config& config) {
  if (fields.text("pruner") == "none") return;
  for (const Setting& one : settings()) {
    if (one.model_key != nullptr && (!one.of_pruner || fields.has(one.model_key))) fields.setting(one, config.own);
  }
  if (config.has_weitop()) config.weitop_hidden = fields.number<int>("pruner.hidden");
}

void own_to_metadata(const Config& config, std::map<std::string, std::string>& out) {
  out["pruner"] = "none";
  for (const Setting& one : settings()) {
    const SettingValue value = one.get(config.own);
    if (one.model_key == nullptr || std::holds_alternative<std::monostate>(value)) continue;
    if (one.of_pruner && value == one.usual) continue;  // came later: absent means the usual
    out[one.model_key] = text_of(value);
  }
  if (config.has_weitop()) out["pruner.hidden"] = std::to_string(config.weitop_hidden);
}

}  // namespace

std::map<std::string, std::string> to_metadata(const Config& config) {
  std::map<std::string, std::string> out;
  out["revisit.format"] = std::to_string(kFormat);
  const VitConfig& vit = config.vit;
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
  out["size"] = size_text(config.input.size.height, config.input.size.width);
  out["mean"] = fmt::format("{}", fmt::join(config.input.mean, ","));
  out["std"] = fmt::format("{}", fmt::join(config.input.std, ","));
  out["resize"] = name_of(config.input.resize);
  head_to_metadata(config.head, out);
  own_to_metadata(config, out);
  if (config.calibration) {
    out["calibration.min_similarity"] = fmt::format("{}", config.calibration->min_similarity);
    out["calibration.precision"] = fmt::format("{}", config.calibration->precision);
    out["calibration.rho"] = fmt::format("{}", config.calibration->rho);
    out["calibration.size"] = size_text(config.calibration->size.height, config.calibration->size.width);
    out["calibration.arithmetic"] = config.calibration->arithmetic;
  }
  out["licence"] = config.licence;
  out["provenance"] = config.provenance;
  out["fingerprint"] = config.fingerprint;
  if (!config.nonfinite.empty()) out["nonfinite"] = config.nonfinite;
  return out;
}

Config from_metadata(const std::map<std::string, std::string>& metadata, const std::string& name) {
  const Fields fields(metadata, name);
  if (!fields.has("revisit.format")) {
    fail_with_hint(ErrorCode::kBadModel, fmt::format("revisit model import {} -o OUT.safetensors", name),
                   "'{}' holds weights but is no revisit model file", name);
  }
  const int format = fields.number<int>("revisit.format");
  if (format > kFormat) {
    fail_with_hint(ErrorCode::kBadModel, "update revisit, or import the original checkpoint again",
                   "'{}' has model format {}, newer than {}, the newest this version of revisit reads", name, format, kFormat);
  }
  if (format < 1) fail(ErrorCode::kBadModel, "'{}' has model format {}, which never existed", name, format);

  Config config;
  config.vit = vit_from_metadata(fields);
  config.input.size = fields.size("size");
  config.input.mean = fields.rgb("mean");
  config.input.std = fields.rgb("std");
  config.input.resize = fields.word("resize", resize_filter_from);
  config.head = head_from_metadata(fields, config.vit.width);
  own_from_metadata(fields, config);
  if (fields.has("calibration.min_similarity")) {
    config.calibration = Calibration{fields.number<double>("calibration.min_similarity"),
                                     fields.number<double>("calibration.precision"), fields.number<double>("calibration.rho")};
    if (fields.has("calibration.size")) config.calibration->size = fields.size("calibration.size");
    if (fields.has("calibration.arithmetic")) config.calibration->arithmetic = fields.text("calibration.arithmetic");
  }
  config.licence = fields.text("licence");
  config.provenance = fields.text("provenance");
  config.fingerprint = fields.text("fingerprint");
  if (fields.has("nonfinite")) config.nonfinite = fields.text("nonfinite");
  check_config(config, name);
  return config;
}

}  // namespace revisit::model
