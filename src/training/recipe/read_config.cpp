// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// TOML to TrainConfig: one function per table, one line per key, with its range. Consistency between keys is in
// check.cpp.
#include "core/base/fail.h"
#include "core/base/file.h"
#include "core/base/limits.h"
#include "engine/spec/toml_spec.h"
#include "revisit/lab/dataset.h"
#include "revisit/lab/train.h"
#include "training/recipe/check.h"

namespace revisit {
namespace {

constexpr int kWidest = 8'192;       // of a layer
constexpr int kMostPlaces = 65'536;  // of a batch, and pictures of a place

// Pruner settings kept in the model, except the layer, which has its own key: weitop_layer.
bool is_of_weitop(const Setting& setting) {
  const std::string_view name = setting.name;
  return setting.kept_with_pruner() && name != "prune" && name != "prune_layer";
}

void read(Section& in, TrainModel& out) {
  in.path("backbone", out.backbone);
  if (!out.backbone.empty()) in.refuse("arch", "names a random backbone, but backbone names a file");
  in.choice("arch", out.arch, {"demo", "vits14", "vitb14", "vitl14"});
  in.whole("width", out.width, 0, kWidest);
  in.whole("depth", out.depth, 0, 128);
  in.whole("heads", out.heads, 0, 128);
  in.whole("patch", out.patch, 0, 64);
  if (!out.backbone.empty()) in.refuse("start", "says how a random backbone begins, but backbone names a file");
  in.choice("start", out.start, {"normal", "local"});
  in.choice("aggregator", out.aggregator, {"weiad", "salad"});
  in.choice("head_start", out.head_start, {"random", "vocabulary", "own"});
  in.seed("start_seed", out.start_seed);
  in.whole("clusters", out.clusters, 1, 1'024);
  in.whole("cluster_dim", out.cluster_dim, 1, kWidest);
  in.whole("token_dim", out.token_dim, 1, kWidest);
  in.whole("hidden", out.hidden, 1, kWidest);
  in.whole("sinkhorn_iters", out.sinkhorn_iters, 1, 100);
  in.wholes("tiers", out.tiers, 1, 1'024);
  in.number("tier_delta", out.tier_delta, {0, 10});
  in.flag("tie_deltas", out.tie_deltas);
  in.number("ghost_penalty", out.ghost_penalty, {0, 100});
  in.flag("dustbin", out.dustbin);
  in.flag("ghost", out.ghost);
  in.choice("cluster_norm", out.cluster_norm, {"weight-after", "salad", "none"});
  in.choice("ranking", out.ranking, {"photo", "frozen"});
  in.whole("trained_blocks", out.trained_blocks, 0, 128);
  in.number("dropout", out.dropout, {0, 1, false, true});
  in.flag("weitop", out.weitop);
  if (in.has("weitop_layer")) in.whole("weitop_layer", out.own.prune_layer.emplace(), 0, 127);
  in.whole("weitop_hidden", out.weitop_hidden, 1, kWidest);
  in.flag("weitop_only", out.weitop_only);
  in.size("infer_size", out.infer_size);
  if (in.has("prune")) in.choice("prune", out.own.prune.emplace(), {"dynamicvit", "evit", "fastv", "tofu", "tome"});
  if (in.has("prune_rho")) in.number("prune_rho", out.own.rho.emplace(), kRho);
  read_settings(in, out.own, &is_of_weitop);
}

constexpr const char* kKinds[] = {"gsv-cities", "folders", "pairs", "town"};  // in the order of TrainSource::Kind

void read(Section& in, TrainSource& out) {
  using Kind = TrainSource::Kind;
  std::string kind;
  in.choice("kind", kind, {std::begin(kKinds), std::end(kKinds)});
  in.require("kind", "gsv-cities, folders, pairs or town");
  for (int i = 0; i < 4; ++i) {
    if (kind == kKinds[i]) out.kind = static_cast<Kind>(i);
  }
  const auto only_for = [&](std::initializer_list<Kind> kinds, std::initializer_list<const char*> keys) {
    for (const auto one : kinds) {
      if (one == out.kind) return;
    }
    for (const auto* key : keys) in.refuse(key, "does not apply to a source of kind " + kind);
  };
  in.path("path", out.path);
  in.number("weight", out.weight, kPositive);
  in.texts("cities", out.cities);
  in.path_as_written("queries", out.queries);
  in.path_as_written("references", out.references);
  in.path_as_written("gt", out.gt);
  in.whole("tolerance_frames", out.tolerance_frames, 0, 1'000);
  in.whole("negative_frames", out.negative_frames, 0, 100'000);
  in.whole("stretch_frames", out.stretch_frames, 0, 10'000'000);
  in.number("positive_m", out.positive_m, kPositive);
  in.number("negative_m", out.negative_m, kPositive);
  in.whole("places", out.places, 2, 10'000'000);
  in.seed("seed", out.seed);
  in.flag("aligned", out.aligned);

  only_for({Kind::kGsvCities}, {"cities"});
  only_for({Kind::kPairs}, {"queries", "references", "gt", "tolerance_frames", "negative_frames", "stretch_frames"});
  only_for({Kind::kFolders}, {"positive_m", "negative_m"});
  only_for({Kind::kTown}, {"places", "seed"});
  only_for({Kind::kFolders, Kind::kPairs}, {"aligned"});
  only_for({Kind::kGsvCities, Kind::kFolders, Kind::kPairs}, {"path"});
  if (out.kind != Kind::kTown) in.require("path", "the folder of the photos");
  if (out.kind == Kind::kPairs) {
    in.require("queries", "the folder of one traverse, relative to path");
    in.require("references", "the folder of the other traverse, relative to path");
  }
}

void read(Section& in, TrainData& out, const Origin& origin) {
  in.size("size", out.size);
  in.whole("places_per_batch", out.places_per_batch, 2, kMostPlaces);
  in.whole("images_per_place", out.images_per_place, 2, kMostPlaces);
  in.flag("mixed", out.mixed);
  in.whole("workers", out.workers, 1, 256);
  in.whole("variants", out.variants, 0, 10'000);
  in.path("cache", out.cache);
  int number = 0;
  for (const auto& table : in.tables("source")) {
    Section source(table, fmt::format("[[data.source]] {}", ++number), origin);
    read(source, out.sources.emplace_back());
    source.finish();
  }
}

void read(Section& in, TrainAugment& out) {
  in.whole("rand_augment", out.rand_augment, 0, 16);
  in.whole("rand_magnitude", out.rand_magnitude, 0, 30);
  in.number("crop", out.crop, kShare);
  in.number("crop_min_area", out.crop_min_area, {0, 1, true});
  in.number("perspective", out.perspective, kShare);
  in.number("perspective_strength", out.perspective_strength, {0, 0.33});
  in.number("flip", out.flip, kShare);
  in.number("light", out.light, kShare);
  in.number("night", out.night, kShare);
}

void read(Section& in, TrainLoss& out) {
  in.number("ms_alpha", out.ms_alpha, kPositive);
  in.number("ms_beta", out.ms_beta, kPositive);
  in.number("ms_base", out.ms_base, {-1, 1});
  in.number("miner_epsilon", out.miner_epsilon, {0, 2});
  in.number("temperature", out.temperature, kPositive);
  in.number("gamma", out.gamma, kNotNegative);
  in.flag("teacher_gradient", out.teacher_gradient);
  in.flag("summed_kl", out.summed_kl);
  in.number("random_rho_from", out.random_rho_from, kRho);
  in.whole("random_rho_after", out.random_rho_after, 0, 1'000'000'000);
  in.number("random_rho_share", out.random_rho_share, {0, 1, true});
  in.number("place", out.place, kNotNegative);
  in.number("context", out.context, kNotNegative);
  in.number("stages", out.stages, kNotNegative);
}

void read(Section& in, TrainOptimiser& out) {
  in.number("lr", out.lr, {0, 1, true});
  in.number("head_lr", out.head_lr, kShare);
  in.number("tier_lr_factor", out.tier_lr_factor, kNotNegative);
  in.number("weitop_lr", out.weitop_lr, kShare);
  in.number("weitop_eps", out.weitop_eps, {0, 1, true});
  in.number("predictor_lr", out.predictor_lr, kShare);
  in.number("weight_decay", out.weight_decay, kShare);
  in.whole("warmup_steps", out.warmup_steps, 0, kManySteps);
  in.whole("decay_steps", out.decay_steps, 1, kManySteps);
  in.number("end_factor", out.end_factor, kShare);
  in.number("clip_norm", out.clip_norm, kNotNegative);
  in.flag("orthogonal", out.orthogonal);
}

/// A data set of the field, or two folders.
template <typename Set>
void read_where(Section& in, Set& out) {
  in.choice("dataset", out.dataset, named_datasets());
  in.path("root", out.root);
  in.path("queries", out.queries);
  in.path("references", out.references);
  in.path("gt", out.gt);
}

void read(Section& in, TrainValidation& out) {
  in.whole("every_steps", out.every_steps, 0, kManySteps);
  read_where(in, out);
  in.choice("keep", out.keep, {"best", "last"});
  in.whole("town_places", out.town_places, 2, 100'000);
  in.seed("town_seed", out.town_seed);
  in.numbers("rhos", out.rhos, kRho);
}

void read(Section& in, AblationSet& out) {
  in.text("name", out.name);
  in.require("name", "how the tables call the data set");
  read_where(in, out);
}

void read(Section& in, TrainTeacher& out) {
  in.path("model", out.model);
  in.require("model", "a model file or a checkpoint");
  in.whole("block", out.block, -1, 127);
  in.size("size", out.size);
}

void read(Section& in, TrainDistill& out, const Origin& origin) {
  int number = 0;
  for (const auto& table : in.tables("teacher")) {
    Section teacher(table, fmt::format("[[distill.teacher]] {}", ++number), origin);
    read(teacher, out.teachers.emplace_back());
    teacher.finish();
  }
  in.paths("photos", out.photos);
  in.whole("town_places", out.town_places, 0, 10'000'000);
  in.number("town_share", out.town_share, kShare);
  in.whole("steps", out.steps, 0, kManySteps);
  in.whole("batch", out.batch, 1, 65'536);
  in.number("lr", out.lr, {0, 1, true});
  in.flag("orthogonal", out.orthogonal);
  in.whole("warmup_steps", out.warmup_steps, 0, kManySteps);
  in.number("weight_decay", out.weight_decay, kShare);
  in.number("renewed_share", out.renewed_share, kShare);
  in.number("seen_share", out.seen_share, {0, 1, true});
  in.whole("cached_crops", out.cached_crops, 1, 100'000'000);
  in.path("cache", out.cache);
}

void read(Section& in, TrainConfig& out) {
  in.text("name", out.name);
  in.seed("seed", out.seed);
  in.choice("device", out.device, {"cpu", "cuda"});
  in.choice("precision", out.precision, {"f32", "bf16", "fp16"});
  in.whole("threads", out.threads, 0, limits::kMaxThreads);
  in.whole("steps", out.steps, 0, kManySteps);
  in.number("checkpoint_minutes", out.checkpoint_minutes, {0, 10'080, true});
}

// Reads the table [key] into `out`.
template <typename Part, typename... More>
void read_table(Section& top, const std::string& key, const Origin& origin, Part& out, const More&... more) {
  const TomlTable table = top.table(key);
  Section section(table, "[" + key + "]", origin);
  read(section, out, more...);
  section.finish();
}

void apply(const TrainOverrides& overrides, TrainConfig& config) {
  if (overrides.device) config.device = *overrides.device;
  if (overrides.precision) config.precision = *overrides.precision;
  if (overrides.threads) config.threads = *overrides.threads;
  if (overrides.steps) config.steps = *overrides.steps;
  if (overrides.seed) config.seed = *overrides.seed;
}

}  // namespace

TrainConfig parse_train_config(const std::string& toml, const std::string& name, const std::filesystem::path& folder,
                               const TrainOverrides& overrides) {
  const TomlTable document = parse_toml(toml, name);
  const Origin origin{name, folder};
  TrainConfig config;
  Section top(document, "", origin);
  read(top, config);
  read_table(top, "model", origin, config.model);
  read_table(top, "data", origin, config.data, origin);
  read_table(top, "augment", origin, config.augment);
  read_table(top, "loss", origin, config.loss);
  read_table(top, "optimiser", origin, config.optimiser);
  read_table(top, "validation", origin, config.validation);
  read_table(top, "distill", origin, config.distill, origin);
  int number = 0;
  for (const auto& table : top.tables("ablation")) {
    Section set(table, fmt::format("[[ablation]] {}", ++number), origin);
    read(set, config.ablation.emplace_back());
    set.finish();
  }
  top.finish();
  apply(overrides, config);
  recipe::check(config, name);
  return config;
}

TrainConfig load_train_config(const std::filesystem::path& path, const TrainOverrides& overrides) {
  const auto bytes = read_file(path, limits::kMaxConfigBytes);
  const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return parse_train_config(text, path.string(), path.parent_path(), overrides);
}

}  // namespace revisit
