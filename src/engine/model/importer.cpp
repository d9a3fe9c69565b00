// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Importing a foreign checkpoint: names -> architecture -> checks -> our model file. Each step is one function below.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "core/base/fail.h"
#include "core/base/stop_scope.h"
#include "core/formats/printable.h"
#include "engine/model/backbone_family.h"
#include "engine/model/backbone_importer.h"
#include "engine/model/config_check.h"
#include "engine/model/containers.h"
#include "engine/model/head_family.h"
#include "engine/model/key_names.h"
#include "engine/model/model_file.h"
#include "engine/model/provenance.h"
#include "engine/model/values.h"
#include "revisit/model.h"

namespace revisit {
namespace model {
namespace {

/// "a, b, c, d, e and 9 more"
std::string listed(const std::vector<std::string>& items) {
  constexpr std::size_t kShown = 5;
  const std::size_t shown = std::min(kShown, items.size());
  std::string out;
  for (std::size_t i = 0; i < shown; ++i) out += (i == 0 ? "" : ", ") + printable(items[i]);
  if (items.size() > shown) out += fmt::format(" and {} more", items.size() - shown);
  return out;
}

/// Shape of one of our tensors: the source's, or its parts stacked. Empty when a part is absent or the parts do not fit.
std::optional<std::vector<std::int64_t>> stacked_shape(const Weights& source, const std::vector<std::string>& parts) {
  std::vector<std::int64_t> shape;
  for (const auto& part : parts) {
    if (part.empty()) return std::nullopt;
    const auto& next = source.at(part).shape;
    if (shape.empty()) {
      shape = next;
    } else if (next.size() != shape.size() || !std::equal(next.begin() + 1, next.end(), shape.begin() + 1) ||
               __builtin_add_overflow(shape[0], next[0], shape.data())) {
      return std::nullopt;
    }
  }
  return shape;
}

Shapes shapes_of(const Weights& source, const KeyMap& keys) {
  Shapes shapes;
  for (const auto& [ours, parts] : keys.placed) {
    if (const auto shape = stacked_shape(source, parts)) shapes[ours] = *shape;
  }
  return shapes;
}

/// Differences between a checkpoint and a config, each list in the source's names.
struct Differences {
  std::vector<std::string> missing;
  std::vector<std::string> shapes;  // "name is [..], not [..]"
  std::vector<std::string> unexpected;

  bool any() const { return !missing.empty() || !shapes.empty() || !unexpected.empty(); }
  std::string text() const {
    std::vector<std::string> parts;
    if (!shapes.empty()) parts.push_back(fmt::format("{} of another shape: {}", shapes.size(), listed(shapes)));
    if (!missing.empty()) parts.push_back(fmt::format("{} missing: {}", missing.size(), listed(missing)));
    if (!unexpected.empty()) parts.push_back(fmt::format("{} unexpected: {}", unexpected.size(), listed(unexpected)));
    return fmt::format("{}", fmt::join(parts, "; "));
  }
};

Differences differences(const Weights& source, const KeyMap& keys, const Config& config) {
  const auto required = required_tensors(config);
  Differences out;
  for (const auto& [ours, want] : required) {
    const auto placed = keys.placed.find(ours);
    const auto names = keys.source_names(ours);
    if (placed == keys.placed.end()) {
      out.missing.insert(out.missing.end(), names.begin(), names.end());
      continue;
    }
    bool complete = true;
    for (std::size_t i = 0; i < placed->second.size(); ++i) {
      if (!placed->second[i].empty()) continue;
      out.missing.push_back(names[i]);
      complete = false;
    }
    if (!complete) continue;
    const auto shape = stacked_shape(source, placed->second);
    if (!shape || !same_but_ones(*shape, want)) {
      const auto& first = placed->second.front();
      out.shapes.push_back(placed->second.size() == 1
                               ? fmt::format("{} is {}, not [{}]", first, source.at(first).shape_text(), fmt::join(want, ", "))
                               : fmt::format("{} with its key and value does not stack to [{}]", first, fmt::join(want, ", ")));
    }
  }
  for (const auto& [ours, parts] : keys.placed) {
    if (required.contains(ours)) continue;
    std::ranges::copy_if(parts, std::back_inserter(out.unexpected), [](const std::string& part) { return !part.empty(); });
  }
  out.unexpected.insert(out.unexpected.end(), keys.unexpected.begin(), keys.unexpected.end());
  return out;
}

/// "DINOv2 (torch hub), timm ViT, WeiAD and SALAD checkpoints"
std::string readable() {
  std::string out = "revisit reads ";
  for (const BackboneFamily* family : backbone_families()) out += fmt::format("{}, ", family->importer().readable());
  std::vector<std::string> heads;
  for (const HeadFamily* family : head_families()) {
    if (!family->names().empty()) heads.emplace_back(family->title());
  }
  const std::string last = heads.back();
  heads.pop_back();
  return out + fmt::format("{} and {} checkpoints", fmt::join(heads, ", "), last);
}

std::string origin_of(const KeyMap& keys, const Config& config) {
  return config.head.is_none() ? keys.family->importer().origin(keys, config.backbone) : config.head.family().title();
}

void check_size(Size size, int stride) {
  const Size nearest = round_to_stride(size, stride);
  if (size == nearest) return;
  fail(ErrorCode::kUsage, "`size` {}x{} is not a multiple of the network's patch of {} pixels; the nearest is {}x{}", size.height,
       size.width, stride, nearest.height, nearest.width);
}

/// The defaults for this kind of checkpoint, then what the caller asked for.
void set_input(Config& config, const KeyMap& keys, const ImportOptions& options) {
  keys.family->importer().complete(config, keys, options);
  config.head.family().set_input(config.head, config.backbone, config.input);
  InputConfig& input = config.input;
  input.size = options.size.value_or(input.size);
  check_size(input.size, config.backbone.stride());
  input.mean = options.mean.value_or(input.mean);
  input.std = options.std.value_or(input.std);
  input.resize = options.resize.value_or(input.resize);
  for (std::size_t c = 0; c < 3; ++c) {
    if (!std::isfinite(input.mean[c]) || !std::isfinite(input.std[c]) || input.std[c] <= 0) {
      fail(ErrorCode::kUsage, "`mean` {} with `std` {} cannot normalise an image", input.mean[c], input.std[c]);
    }
  }
}

/// Fails unless the checkpoint has the requested architecture, listing the differences.
void check_arch(const std::string& wanted, const Weights& source, const KeyMap& keys, const Config& config,
                const std::string& name) {
  const BackboneConfig& found = config.backbone;
  const BackboneImporter& importer = found.family().importer();
  if (wanted == found.arch()) return;
  const auto known = importer.known(wanted, found);
  if (!known) {
    if (wanted != found.family().name()) {
      fail(ErrorCode::kUsage, "architecture '{}' is unknown; known are {}", wanted, fmt::join(importer.arch_names(), ", "));
    }
    fail(ErrorCode::kBadModel, "'{}' is {}, not {}", name, found.arch(), wanted);
  }
  Config target = config;
  target.backbone = *known;
  const Differences other = differences(source, keys, target);
  fail_with_hint(ErrorCode::kBadModel, "leave `arch` out to import what the file holds", "'{}' is {} ({}, {}), not {}: {}", name,
                 found.arch(), importer.sizes(found), importer.settings_beside_shapes(found), wanted,
                 other.any() ? other.text() : fmt::format("that has {}", importer.settings_beside_shapes(*known)));
}

struct NonFinite {
  float value;
  std::int64_t element;
};

std::optional<NonFinite> find_nonfinite(const TensorView& tensor) {
  std::optional<NonFinite> found;
  std::int64_t at = 0;
  for_each_chunk(tensor, [&](std::span<const float> values) {
    const auto bad = std::ranges::find_if(values, [](float value) { return !std::isfinite(value); });
    if (bad != values.end() && !found) found = NonFinite{*bad, at + (bad - values.begin())};
    at += static_cast<std::int64_t>(values.size());
  });
  return found;
}

/// Refuses NaN and infinity in any tensor that is used, or with `allow` notes the first in the config.
void check_finite(const Weights& source, const KeyMap& keys, bool allow, Config& config, const std::string& name) {
  for (const auto& [ours, shape] : required_tensors(config)) {
    for (const auto& part : keys.placed.at(ours)) {
      const auto bad = find_nonfinite(source.at(part));
      if (!bad) continue;
      if (!allow) {
        fail_with_hint(ErrorCode::kBadModel, "`allow_nonfinite` imports it anyway, for inspection only",
                       "'{}': tensor '{}' holds {} at element {}", name, part, bad->value, bad->element);
      }
      if (config.nonfinite.empty()) config.nonfinite = ours;
    }
  }
}

/// f32 tensors keep pointing into the source; others are widened, and parts are stacked.
Weights take_weights(const std::shared_ptr<const Checkpoint>& checkpoint, const KeyMap& keys, const Config& config,
                     const std::string& name) {
  Weights out;
  for (const auto& [ours, shape] : required_tensors(config)) {
    const auto& parts = keys.placed.at(ours);
    for (const auto& part : parts) {
      const TensorView& tensor = checkpoint->weights.at(part);
      if (!is_floating(tensor.dtype)) {
        fail(ErrorCode::kBadModel, "'{}': tensor '{}' is {}, not floating point", name, part, name_of(tensor.dtype));
      }
    }
    const TensorView& first = checkpoint->weights.at(parts.front());
    if (parts.size() == 1 && first.dtype == DType::kF32) {
      out.add(ours, TensorView{DType::kF32, shape, first.data}, checkpoint);
      continue;
    }
    std::vector<float> values = to_f32(first);
    for (std::size_t i = 1; i < parts.size(); ++i) {
      const auto more = to_f32(checkpoint->weights.at(parts[i]));
      values.insert(values.end(), more.begin(), more.end());
    }
    out.add_f32(ours, shape, std::move(values));
  }
  return out;
}

std::string licence_of(const Checkpoint& checkpoint) {
  for (const char* key : {"licence", "license"}) {
    const auto found = checkpoint.metadata.find(key);
    if (found != checkpoint.metadata.end() && !found->second.empty()) return found->second.substr(0, 200);
  }
  return "unknown";
}

/// Options that also apply to model files.
bool changes_settings(const ImportOptions& options) {
  return options.half || options.size || options.own != DescriptorSpec{} || options.licence;
}

/// The settings to record in a model file. Throws Error kUsage for one it cannot keep or has no use for.
void set_own(const DescriptorSpec& own, Config& config, const std::string& name) {
  for (const Setting& one : settings()) {
    if (std::holds_alternative<std::monostate>(one.get(own))) continue;
    if (one.model_key == nullptr || std::string_view(one.name) == "prune") {
      fail(ErrorCode::kUsage, "`{}` is not a setting that a model file keeps", one.name);
    }
    if (one.kept_with_pruner() && !config.own.prune)
      fail(ErrorCode::kUsage, "'{}' has no pruner, so `{}` would do nothing", name, one.name);
    one.set(config.own, one.get(own));
  }
}

/// A model file has its own settings: the other options of an import are for checkpoints.
std::shared_ptr<const LoadedModel> read_model_file(const std::filesystem::path& from, const ImportOptions& options,
                                                   ImportReport* report) {
  if (options.heads || options.arch || options.mean || options.std || options.resize || options.pos_rule) {
    fail_with_hint(
        ErrorCode::kUsage, "leave the other options out",
        "'{}' is a revisit model file: only `half`, `size`, `licence`, `precision` and the settings of its pruner can be changed",
        from.string());
  }
  auto model = load_model_file(from);
  if (options.size) check_size(*options.size, model->config.backbone.stride());
  if (report == nullptr) return model;
  *report = {};
  report->family = "revisit";
  for (const auto& [name, tensor] : model->weights.all()) report->used.push_back(name);
  report->info = Model(model).info();
  return model;
}

}  // namespace

std::shared_ptr<const LoadedModel> import_checkpoint(const std::filesystem::path& from, const ImportOptions& options,
                                                     ImportReport* report) {
  const std::string name = from.string();
  const auto checkpoint = std::make_shared<const Checkpoint>(read_checkpoint(from));
  const Weights& source = checkpoint->weights;
  if (checkpoint->metadata.contains("revisit.format")) {
    if (changes_settings(options)) return read_model_file(from, options, report);
    fail_with_hint(ErrorCode::kBadModel, "use it as it is, or make it smaller with `half`",
                   "'{}' is already a revisit model file", name);
  }

  std::vector<std::string> names;
  for (const auto& [key, tensor] : source.all()) names.push_back(key);
  const KeyMap keys = map_keys(names);
  if (!keys.has_backbone()) {
    const std::string head = keys.placed.empty() ? "" : fmt::format("the head of {}, but ", keys.head->title());
    fail_with_hint(ErrorCode::kBadModel, readable(), "'{}' holds {}no network that revisit knows; its {} tensors are {}", name,
                   head, names.size(), names.empty() ? "none" : listed(names));
  }

  auto made = std::make_shared<LoadedModel>();
  Config& config = made->config;
  config = infer_config(*keys.family, shapes_of(source, keys), options.heads, options.size, name);
  const bool has_aggregator = std::ranges::any_of(keys.unexpected, [&](const std::string& key) {
    return key.starts_with(keys.wrapper + kHeadRoot) || key.starts_with(keys.wrapper + kForeignHeadRoot);
  });
  if (config.head.is_none() && has_aggregator) {
    fail_with_hint(ErrorCode::kBadModel, readable(), "'{}' has an aggregator that revisit does not know: {}", name,
                   listed(keys.unexpected));
  }
  check_backbone(config.backbone, name);
  if (options.arch) check_arch(*options.arch, source, keys, config, name);
  set_input(config, keys, options);
  check_config(config, name);
  const Differences found = differences(source, keys, config);
  if (found.any()) {
    fail_with_hint(ErrorCode::kBadModel, readable(), "'{}' is not a complete {} ({}): {}", name, config.backbone.arch(),
                   keys.family->importer().sizes(config.backbone), found.text());
  }

  made->weights = take_weights(checkpoint, keys, config, name);
  check_finite(source, keys, options.allow_nonfinite, config, name);
  config.licence = as_utf8(licence_of(*checkpoint));
  config.provenance = as_utf8(from.filename().string());
  config.fingerprint = fingerprint_of(made->weights);

  if (report != nullptr) {
    *report = {};
    report->family = origin_of(keys, config);
    for (const auto& [ours, parts] : keys.placed) report->used.insert(report->used.end(), parts.begin(), parts.end());
    std::ranges::sort(report->used);
    report->ignored = keys.ignored;
    report->info = Model(made).info();
  }
  return made;
}

}  // namespace model

ImportReport import_model(const std::filesystem::path& from, const std::filesystem::path& to, const ImportOptions& options) {
  const StopScope scope(options.stop, fmt::format("stopped before '{}' was written", to.string()));
  ImportReport report;
  auto made = model::import_checkpoint(from, options, &report);
  if (model::changes_settings(options)) {
    if (options.half) model::require_whole(made->config, from.string(), "stored in 16 bits");
    model::LoadedModel changed = options.half ? model::with_half_matrices(*made) : *made;
    if (options.size) changed.config.input.size = *options.size;
    model::set_own(options.own, changed.config, from.string());
    model::check_config(changed.config, from.string());
    if (options.licence) changed.config.licence = *options.licence;
    made = std::make_shared<const model::LoadedModel>(std::move(changed));
    report.info = Model(made).info();
  }
  model::save_model_file(to, *made);
  return report;
}

}  // namespace revisit
