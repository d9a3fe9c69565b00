// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Numbers in their shortest form that reads back exactly, so that equal words mean equal settings.
#include "training/train/settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <system_error>

#include "core/base/fail.h"
#include "engine/model/config.h"
#include "engine/model/provenance.h"

namespace revisit::train {
namespace {

/// Collects settings under the name of their table.
class Words {
 public:
  explicit Words(Settings& out) : out_(out) {}

  Words& table(std::string name) {
    table_ = name.empty() ? "" : std::move(name) + ".";
    return *this;
  }
  Words& text(const char* key, const std::string& value) {
    out_.emplace_back(table_ + key, model::as_utf8(value));
    return *this;
  }
  template <typename T>
  Words& number(const char* key, const T& value) {
    return text(key, fmt::format("{}", value));
  }
  /// A setting added later: runs from before it can continue.
  template <typename T>
  Words& changed(const char* key, const T& value, const T& usual) {
    return value == usual ? *this : number(key, value);
  }
  template <typename T>
  Words& list(const char* key, const std::vector<T>& values) {
    return text(key, fmt::format("[{}]", fmt::join(values, ", ")));
  }
  Words& path(const char* key, const std::filesystem::path& value) { return text(key, settled_path(value)); }
  Words& size(const char* key, Size value) { return text(key, fmt::format("{}x{}", value.height, value.width)); }

 private:
  Settings& out_;
  std::string table_;
};

const char* name_of(TrainSource::Kind kind) {
  switch (kind) {
    case TrainSource::Kind::kGsvCities: return "gsv-cities";
    case TrainSource::Kind::kFolders: return "folders";
    case TrainSource::Kind::kPairs: return "pairs";
    case TrainSource::Kind::kTown: return "town";
  }
  return "?";
}

void add_model(Words& words, const TrainModel& model) {
  words.table("model").path("backbone", model.backbone).text("arch", model.arch).number("width", model.width);
  words.changed("start", model.start, TrainModel{}.start);
  words.number("depth", model.depth).number("heads", model.heads).number("patch", model.patch);
  words.text("aggregator", model.aggregator).number("clusters", model.clusters).number("cluster_dim", model.cluster_dim);
  words.number("token_dim", model.token_dim).number("hidden", model.hidden).number("sinkhorn_iters", model.sinkhorn_iters);
  words.list("tiers", model.tiers).number("tier_delta", model.tier_delta).number("tie_deltas", model.tie_deltas);
  words.number("ghost_penalty", model.ghost_penalty).number("dustbin", model.dustbin).number("ghost", model.ghost);
  words.number("trained_blocks", model.trained_blocks).number("dropout", model.dropout).number("weitop", model.weitop);
  words.number("weitop_hidden", model.weitop_hidden);
  for (const Setting& one : settings()) {
    if (!one.kept_with_pruner() || (std::string_view(one.name) == "prune_options" && !model.own.prune_options)) continue;
    words.text(one.name, text_of(one.get(overlaid(model.own, model::weitop_settings()))));
  }
  words.changed("prune_rho", model.own.rho.value_or(1), 1.0);
  words.changed("head_start", model.head_start, TrainModel{}.head_start);
  words.changed("start_seed", model.start_seed, TrainModel{}.start_seed);
  words.changed("weitop_only", model.weitop_only, false);
  words.changed("cluster_norm", model.cluster_norm, TrainModel{}.cluster_norm);
  words.changed("ranking", model.ranking, TrainModel{}.ranking);
  if (model.infer_size.height > 0) words.size("infer_size", model.infer_size);
}

void add_data(Words& words, const TrainData& data) {
  words.table("data").size("size", data.size).number("places_per_batch", data.places_per_batch);
  words.number("images_per_place", data.images_per_place).number("mixed", data.mixed).number("variants", data.variants);
  for (std::size_t i = 0; i < data.sources.size(); ++i) {
    const TrainSource& source = data.sources[i];
    words.table(fmt::format("data.source[{}]", i + 1)).text("kind", name_of(source.kind)).path("path", source.path);
    words.number("weight", source.weight).list("cities", source.cities).text("queries", source.queries.string());
    words.text("references", source.references.string())
        .text("gt", source.gt.string())
        .number("tolerance_frames", source.tolerance_frames)
        .number("negative_frames", source.negative_frames)
        .changed("stretch_frames", source.stretch_frames, 0);
    words.number("positive_m", source.positive_m).number("negative_m", source.negative_m).number("places", source.places);
    words.number("seed", source.seed).number("aligned", source.aligned);
  }
}

void add_augment(Words& words, const TrainAugment& augment) {
  words.table("augment").number("rand_augment", augment.rand_augment).number("rand_magnitude", augment.rand_magnitude);
  words.number("crop", augment.crop).number("crop_min_area", augment.crop_min_area);
  words.number("perspective", augment.perspective).number("perspective_strength", augment.perspective_strength);
  words.number("flip", augment.flip).number("light", augment.light).number("night", augment.night);
}

void add_learning(Words& words, const TrainLoss& loss, const TrainOptimiser& optimiser) {
  words.table("loss").number("ms_alpha", loss.ms_alpha).number("ms_beta", loss.ms_beta).number("ms_base", loss.ms_base);
  words.number("miner_epsilon", loss.miner_epsilon).number("temperature", loss.temperature).number("gamma", loss.gamma);
  words.number("teacher_gradient", loss.teacher_gradient).number("summed_kl", loss.summed_kl);
  words.number("random_rho_from", loss.random_rho_from).number("random_rho_after", loss.random_rho_after);
  words.changed("random_rho_share", loss.random_rho_share, TrainLoss{}.random_rho_share);
  words.changed("place", loss.place, TrainLoss{}.place).changed("context", loss.context, TrainLoss{}.context);
  words.changed("stages", loss.stages, TrainLoss{}.stages);
  words.table("optimiser").number("lr", optimiser.lr).number("head_lr", optimiser.head_lr);
  words.number("tier_lr_factor", optimiser.tier_lr_factor).number("weitop_lr", optimiser.weitop_lr);
  words.number("weitop_eps", optimiser.weitop_eps).number("weight_decay", optimiser.weight_decay);
  words.number("warmup_steps", optimiser.warmup_steps).number("decay_steps", optimiser.decay_steps);
  words.number("end_factor", optimiser.end_factor).number("clip_norm", optimiser.clip_norm);
  words.changed("orthogonal", optimiser.orthogonal, false);
  words.changed("predictor_lr", optimiser.predictor_lr, TrainOptimiser{}.predictor_lr);
}

void add_validation(Words& words, const TrainValidation& validation) {
  words.table("validation").number("every_steps", validation.every_steps).path("queries", validation.queries);
  words.path("references", validation.references).path("gt", validation.gt).number("town_places", validation.town_places);
  words.number("town_seed", validation.town_seed).list("rhos", validation.rhos);
  words.changed("dataset", validation.dataset, std::string()).changed("keep", validation.keep, TrainValidation{}.keep);
  if (!validation.root.empty()) words.path("root", validation.root);
}

/// A list has one entry per value, all under its key.
std::map<std::string, std::vector<std::string>> by_key(const Settings& settings) {
  std::map<std::string, std::vector<std::string>> out;
  for (const auto& [key, value] : settings) out[key].push_back(value);
  return out;
}

}  // namespace

std::string settled_path(const std::filesystem::path& path) {
  std::error_code error;
  const auto found = path.empty() ? path : std::filesystem::weakly_canonical(path, error);
  return (error ? path : found).string();
}

Settings settings_of(const TrainConfig& config) {
  Settings out;
  Words words(out);
  words.text("name", config.name).number("seed", config.seed).text("device", config.device).text("precision", config.precision);
  add_model(words, config.model);
  add_data(words, config.data);
  add_augment(words, config.augment);
  add_learning(words, config.loss, config.optimiser);
  add_validation(words, config.validation);
  return out;
}

void check_same_settings(const Settings& run, const Settings& now, const std::string& folder) {
  const auto before = by_key(run), after = by_key(now);
  for (const auto& [key, values] : after) {
    const auto found = before.find(key);
    if (found != before.end() && found->second == values) continue;
    fail_with_hint(ErrorCode::kMismatch, "continue with the configuration of that run, or start a new one with another `out`",
                   "the run in '{}' was started with {} {}, but now it is '{}'", folder, key,
                   found == before.end() ? "not set" : fmt::format("'{}'", fmt::join(found->second, "', '")),
                   fmt::join(values, "', '"));
  }
  for (const auto& [key, values] : before) {
    if (after.contains(key)) continue;
    fail(ErrorCode::kMismatch, "the run in '{}' was started with {} '{}', which is not set now", folder, key,
         fmt::join(values, "', '"));
  }
}

}  // namespace revisit::train
