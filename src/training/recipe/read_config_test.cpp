// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fstream>

#include "training/recipe/test_config.h"

namespace revisit::recipe {
namespace {

TEST(TrainConfig, WhatIsNotSaidKeepsItsDefault) {
  const auto config = parsed(kTown);
  EXPECT_EQ(config.name, "run");
  EXPECT_EQ(config.steps, TrainConfig{}.steps);
  EXPECT_EQ(config.model.tiers, (std::vector<int>{24, 20, 16, 4}));
  ASSERT_EQ(config.data.sources.size(), 1U);
  EXPECT_EQ(config.data.sources[0].kind, TrainSource::Kind::kTown);
  EXPECT_EQ(config.data.sources[0].places, 2000);
}

TEST(TrainConfig, EveryKeyReachesItsMember) {
  const auto config = parsed(R"(
name = "mine"
seed = 9223372036854775807
device = "cuda"
precision = "bf16"
threads = 3
steps = 7
checkpoint_minutes = 0.5
[model]
arch = "vits14"
width = 96
depth = 5
heads = 2
patch = 8
aggregator = "weiad"
clusters = 6
cluster_dim = 10
token_dim = 11
hidden = 22
sinkhorn_iters = 4
tiers = [3, 2, 1]
tier_delta = 0.2
tie_deltas = false
ghost_penalty = 0.25
dustbin = false
ghost = false
trained_blocks = 2
dropout = 0.1
weitop = true
weitop_layer = 2
start = "local"
head_start = "vocabulary"
start_seed = 12
weitop_hidden = 13
kappa = 0.75
spread = 3
[data]
size = "98x126"
places_per_batch = 5
images_per_place = 3
mixed = false
workers = 2
[[data.source]]
kind = "gsv-cities"
path = "../GSV"
weight = 2
cities = ["Lisbon", "Oslo"]
[[data.source]]
kind = "folders"
path = "/elsewhere"
positive_m = 10
negative_m = 20.5
aligned = true
[[data.source]]
kind = "pairs"
path = "nordland"
queries = "summer"
references = "winter"
gt = "truth.csv"
tolerance_frames = 1
negative_frames = 9
stretch_frames = 99
aligned = true
[[data.source]]
kind = "town"
places = 30
seed = 4
[augment]
rand_augment = 1
rand_magnitude = 2
crop = 0.1
crop_min_area = 0.2
perspective = 0.3
perspective_strength = 0.25
flip = 0.5
light = 0.6
night = 0.7
[loss]
ms_alpha = 1.5
ms_beta = 2.5
ms_base = 0.5
miner_epsilon = 0.2
temperature = 0.3
gamma = 0.4
teacher_gradient = true
summed_kl = true
random_rho_from = 0.6
random_rho_after = 70
random_rho_share = 0.8
place = 0.9
[optimiser]
lr = 1e-4
head_lr = 2e-4
tier_lr_factor = 3
weitop_lr = 4e-4
weitop_eps = 1e-12
weight_decay = 0.05
warmup_steps = 6
decay_steps = 7
end_factor = 0.8
clip_norm = 9
orthogonal = true
[validation]
every_steps = 10
queries = "q"
references = "r"
gt = "gt.csv"
town_places = 11
town_seed = 12
rhos = [1, 0.5]
[distill]
photos = ["a", "/b"]
town_places = 1
town_share = 0.2
steps = 3
batch = 4
lr = 0.5
orthogonal = true
warmup_steps = 6
weight_decay = 0.7
renewed_share = 0.6
seen_share = 0.3
cached_crops = 8
cache = "crops"
[[distill.teacher]]
model = "big.pth"
block = 3
size = "28x42"
[[distill.teacher]]
model = "/other.safetensors"
)");
  EXPECT_EQ(config.name, "mine");
  EXPECT_EQ(config.seed, 9223372036854775807U);
  EXPECT_EQ(config.device, "cuda");
  EXPECT_EQ(config.precision, "bf16");
  EXPECT_EQ(config.threads, 3);
  EXPECT_EQ(config.steps, 7);
  EXPECT_EQ(config.checkpoint_minutes, 0.5);

  const auto& model = config.model;
  EXPECT_EQ(model.start, "local");
  EXPECT_EQ(model.head_start, "vocabulary");
  EXPECT_EQ(model.start_seed, 12U);
  EXPECT_TRUE(model.backbone.empty());
  EXPECT_EQ(model.arch, "vits14");
  EXPECT_EQ((std::vector<int>{model.width, model.depth, model.heads, model.patch}), (std::vector<int>{96, 5, 2, 8}));
  EXPECT_EQ((std::vector<int>{model.clusters, model.cluster_dim, model.token_dim, model.hidden, model.sinkhorn_iters}),
            (std::vector<int>{6, 10, 11, 22, 4}));
  EXPECT_EQ(model.tiers, (std::vector<int>{3, 2, 1}));
  EXPECT_EQ((std::vector<double>{model.tier_delta, model.ghost_penalty, model.dropout, *model.own.kappa}),
            (std::vector<double>{0.2, 0.25, 0.1, 0.75}));
  EXPECT_EQ((std::vector<bool>{model.tie_deltas, model.dustbin, model.ghost, model.weitop}),
            (std::vector<bool>{false, false, false, true}));
  EXPECT_EQ((std::vector<int>{model.trained_blocks, *model.own.prune_layer, model.weitop_hidden, *model.own.spread}),
            (std::vector<int>{2, 2, 13, 3}));

  const auto& data = config.data;
  EXPECT_EQ(data.size, (Size{98, 126}));
  EXPECT_FALSE(data.mixed);
  EXPECT_EQ(config.loss.random_rho_after, 70);
  EXPECT_EQ((std::vector<int>{data.places_per_batch, data.images_per_place, data.workers}), (std::vector<int>{5, 3, 2}));
  ASSERT_EQ(data.sources.size(), 4U);
  EXPECT_EQ(data.sources[0].kind, TrainSource::Kind::kGsvCities);
  EXPECT_EQ(data.sources[0].path, "/photos/GSV");
  EXPECT_EQ(data.sources[0].weight, 2);
  EXPECT_EQ(data.sources[0].cities, (std::vector<std::string>{"Lisbon", "Oslo"}));
  EXPECT_EQ(data.sources[1].kind, TrainSource::Kind::kFolders);
  EXPECT_EQ(data.sources[1].path, "/elsewhere");
  EXPECT_EQ(data.sources[1].positive_m, 10);
  EXPECT_EQ(data.sources[1].negative_m, 20.5);
  EXPECT_TRUE(data.sources[1].aligned);
  EXPECT_EQ(data.sources[2].kind, TrainSource::Kind::kPairs);
  EXPECT_EQ(data.sources[2].path, "/photos/recipes/nordland");
  EXPECT_EQ(data.sources[2].queries, "summer");
  EXPECT_EQ(data.sources[2].references, "winter");
  EXPECT_EQ(data.sources[2].gt, "truth.csv");
  EXPECT_EQ(data.sources[2].tolerance_frames, 1);
  EXPECT_EQ(data.sources[2].negative_frames, 9);
  EXPECT_EQ(data.sources[2].stretch_frames, 99);
  EXPECT_EQ(data.sources[3].places, 30);
  EXPECT_EQ(data.sources[3].seed, 4U);

  const auto& augment = config.augment;
  EXPECT_EQ(augment.rand_augment, 1);
  EXPECT_EQ(augment.rand_magnitude, 2);
  EXPECT_EQ((std::vector<double>{augment.crop, augment.crop_min_area, augment.perspective, augment.perspective_strength,
                                 augment.flip, augment.light, augment.night}),
            (std::vector<double>{0.1, 0.2, 0.3, 0.25, 0.5, 0.6, 0.7}));
  const auto& loss = config.loss;
  EXPECT_EQ((std::vector<double>{loss.ms_alpha, loss.ms_beta, loss.ms_base, loss.miner_epsilon, loss.temperature, loss.gamma,
                                 loss.random_rho_from, loss.random_rho_share, loss.place, loss.context}),
            (std::vector<double>{1.5, 2.5, 0.5, 0.2, 0.3, 0.4, 0.6, 0.8, 0.9, 0}));
  EXPECT_TRUE(loss.teacher_gradient && loss.summed_kl);
  const auto& optimiser = config.optimiser;
  EXPECT_EQ((std::vector<double>{optimiser.lr, optimiser.head_lr, optimiser.tier_lr_factor, optimiser.weitop_lr,
                                 optimiser.weitop_eps, optimiser.weight_decay, optimiser.end_factor, optimiser.clip_norm}),
            (std::vector<double>{1e-4, 2e-4, 3, 4e-4, 1e-12, 0.05, 0.8, 9}));
  EXPECT_EQ((std::vector<int>{optimiser.warmup_steps, optimiser.decay_steps}), (std::vector<int>{6, 7}));
  EXPECT_TRUE(optimiser.orthogonal && config.distill.orthogonal);
  const auto& validation = config.validation;
  EXPECT_EQ(validation.queries, "/photos/recipes/q");
  EXPECT_EQ(validation.references, "/photos/recipes/r");
  EXPECT_EQ(validation.gt, "/photos/recipes/gt.csv");
  EXPECT_EQ((std::vector<int>{validation.every_steps, validation.town_places}), (std::vector<int>{10, 11}));
  EXPECT_EQ(validation.town_seed, 12U);
  EXPECT_EQ(validation.rhos, (std::vector<double>{1, 0.5}));
  const auto& distill = config.distill;
  ASSERT_EQ(distill.teachers.size(), 2U);
  EXPECT_EQ(distill.teachers[0].model, "/photos/recipes/big.pth");
  EXPECT_EQ(distill.teachers[0].block, 3);
  EXPECT_EQ(distill.teachers[0].size, (Size{28, 42}));
  EXPECT_EQ(distill.teachers[1].model, "/other.safetensors");
  EXPECT_EQ(distill.teachers[1].block, -1);
  EXPECT_EQ(distill.teachers[1].size, (Size{224, 224}));
  EXPECT_EQ(distill.photos, (std::vector<std::filesystem::path>{"/photos/recipes/a", "/b"}));
  EXPECT_EQ((std::vector<int>{distill.town_places, distill.steps, distill.batch, distill.warmup_steps, distill.cached_crops}),
            (std::vector<int>{1, 3, 4, 6, 8}));
  EXPECT_EQ(
      (std::vector<double>{distill.town_share, distill.renewed_share, distill.lr, distill.weight_decay, distill.seen_share}),
      (std::vector<double>{0.2, 0.6, 0.5, 0.7, 0.3}));
  EXPECT_EQ(distill.cache, "/photos/recipes/crops");
}

TEST(TrainConfig, WhatThePaperLeavesOpenHasAKey) {
  const auto config = parsed(
      "[model]\ncluster_norm = \"none\"\nranking = \"frozen\"\nnorm_scale = \"raw\"\ninfer_size = \"322x294\"\n"
      "[validation]\ndataset = \"pitts30k_val\"\nroot = \"pitts\"\nkeep = \"last\"\n" +
      kTown);
  EXPECT_EQ(config.model.cluster_norm, "none");
  EXPECT_EQ(config.model.ranking, "frozen");
  EXPECT_EQ(config.model.own.norm_scale, "raw");
  EXPECT_EQ(config.infer_size(), (Size{322, 294}));
  EXPECT_EQ(config.validation.dataset, "pitts30k_val");
  EXPECT_EQ(config.validation.root, "/photos/recipes/pitts");
  EXPECT_EQ(config.validation.keep, "last");
  EXPECT_FALSE(config.validation.on_town());
  EXPECT_EQ(parsed(kTown).infer_size(), (Size{224, 224})) << "that of [data]";
  EXPECT_TRUE(parsed(kTown).validation.on_town());
}

TEST(TrainConfig, DistillationAloneNeedsNoPlaces) {
  const auto config = parsed("steps = 0\n[distill]\nsteps = 5\nphotos = [\"p\"]\n[[distill.teacher]]\nmodel = \"t.pth\"\n");
  EXPECT_EQ(config.steps, 0);
  EXPECT_TRUE(config.data.sources.empty());
}

TEST(TrainConfig, LettersBeyondAsciiStandInQuotesAndComments) {
  const auto config =
      parsed("\xEF\xBB\xBF# Malm\u00F6\n[[data.source]]\nkind = \"folders\"  # \u00FC \"\npath = '/Jyv\u00E4skyl\u00E4'\n");
  EXPECT_EQ(config.data.sources.at(0).path, "/Jyv\u00E4skyl\u00E4");
  for (const auto* toml :
       {"step\u00E9s = 1\n", "steps = 1\u00E9\n", "name = \"a\"\u0416\n", "steps = 1979-05-27=\"\u018E\"\n", "\u3001 = 1\n"}) {
    const auto refused = refusal(toml);
    EXPECT_EQ(refused.code, ErrorCode::kBadFile) << toml << refused.sentence;
  }
}

TEST(TrainConfig, TheCommandLineCountsBeforeTheFile) {
  TrainOverrides overrides;
  overrides.steps = 9;
  overrides.seed = 10;
  overrides.threads = 2;
  overrides.device = "cuda";
  const auto config = parsed("precision = \"bf16\"\nsteps = 1\nseed = 1\nthreads = 1\n" + kTown, overrides);
  EXPECT_EQ(config.steps, 9);
  EXPECT_EQ(config.seed, 10U);
  EXPECT_EQ(config.threads, 2);
  EXPECT_EQ(config.device, "cuda");
  overrides.device = "cpu";
  EXPECT_EQ(refusal("precision = \"fp16\"\ndevice = \"cuda\"\n" + kTown, overrides).sentence,
            "t.toml: precision is fp16, which needs device cuda, but device is cpu");
  overrides.precision = "fp8";
  EXPECT_EQ(refusal(kTown, overrides).sentence, "t.toml: precision is 'fp8', but must be one of f32, bf16, fp16");
  overrides.precision = "bf16";
  EXPECT_EQ(parsed("precision = \"f32\"\n" + kTown, overrides).precision, "bf16");
}

TEST(TrainConfig, AFileIsReadFromItsFolder) {
  const auto folder = std::filesystem::temp_directory_path() / "revisit_recipe_test";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "a.toml") << "[[data.source]]\nkind = \"folders\"\npath = \"places\"\n";
  EXPECT_EQ(load_train_config(folder / "a.toml").data.sources.at(0).path, folder / "places");
  std::filesystem::remove_all(folder);
  try {
    load_train_config(folder / "a.toml");
    FAIL() << "the file is gone";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kNotFound);
  }
}

}  // namespace
}  // namespace revisit::recipe
