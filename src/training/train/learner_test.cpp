// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
#include "training/train/learner.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <optional>
#include <vector>

#include "core/tensor/tiles.h"
#include "revisit/error.h"
#include "training/train/test_networks.h"

namespace revisit::train {
namespace {

constexpr int kPlaces = 4, kPerPlace = 2;
constexpr Size kSize{42, 42};

TrainConfig config() {
  TrainConfig out;
  out.model.trained_blocks = 3;
  out.optimiser.lr = 1e-3;
  out.optimiser.head_lr = 3e-3;
  out.optimiser.end_factor = 1;
  return out;
}

std::shared_ptr<const model::LoadedModel> start() { return model::make_random(testing::small_config(), 11); }

/// Pictures of one place are alike.
feed::Batch batch(std::int64_t step) {
  feed::Batch out;
  out.step = step;
  out.images = kPlaces * kPerPlace;
  out.size = kSize;
  const std::size_t values = 3 * 42 * 42;
  SplitMix noise(static_cast<std::uint64_t>(100 + step));
  for (int image = 0; image < out.images; ++image) {
    const int place = image / kPerPlace;
    SplitMix scene(static_cast<std::uint64_t>(place));
    for (std::size_t i = 0; i < values; ++i)
      out.pixels.push_back(static_cast<float>(2 * scene.uniform() - 1 + 1.5 * noise.uniform()));
    out.labels.push_back(place);
    out.names.push_back("place" + std::to_string(place));
  }
  return out;
}

bool same(const model::LoadedModel& a, const model::LoadedModel& b) {
  return a.config.fingerprint == b.config.fingerprint && model::fingerprint_of(a.weights) == model::fingerprint_of(b.weights);
}

TEST(Learner, LowersTheLossOfABatchItSeesAgainAndAgain) {
  use_threads(1);
  Learner learner(config(), *start());
  const double first = learner.learn(batch(0)).place_loss;
  StepResult last;
  for (int i = 0; i < 25; ++i) last = learner.learn(batch(0));
  EXPECT_TRUE(last.finite);
  EXPECT_LT(last.place_loss, 0.8 * first);
}

TEST(Learner, SaysWhatHappenedInTheStep) {
  use_threads(1);
  const TrainConfig settings = config();
  Learner learner(settings, *start());
  const StepResult result = learner.learn(batch(0));
  ASSERT_TRUE(result.distillation.has_value());
  EXPECT_NEAR(result.loss, result.place_loss + settings.loss.gamma * *result.distillation, 1e-6 * result.loss);
  EXPECT_EQ(result.rho, 1);
  EXPECT_EQ(result.lr, 1e-3);
  EXPECT_GT(result.gradient_norm, 0);
  EXPECT_GE(result.b_acc, 0);
  EXPECT_LE(result.b_acc, 1);
  ASSERT_EQ(result.tier_weights.size(), 4U);
  EXPECT_NEAR(result.tier_weights[0], 1, 0.4);  // lr x 100 a step at most
  EXPECT_GT(result.tier_weights[0], result.tier_weights[1]);
  ASSERT_TRUE(result.ghost.has_value());
  EXPECT_GT(*result.ghost, 0);
  ASSERT_TRUE(result.tier_agreement.has_value());
  EXPECT_GT(*result.tier_agreement, 0);
}

TEST(Learner, RepeatsItselfToTheBit) {
  use_threads(1);
  Learner one(config(), *start()), other(config(), *start());
  for (int step = 0; step < 3; ++step) {
    const StepResult a = one.learn(batch(step)), b = other.learn(batch(step));
    EXPECT_EQ(a.loss, b.loss);
    EXPECT_EQ(a.gradient_norm, b.gradient_norm);
  }
  EXPECT_TRUE(same(one.model(), other.model()));
}

TEST(Learner, GoesOnFromItsStateAsIfNothingHadHappened) {
  use_threads(1);
  TrainConfig settings = config();
  settings.loss.random_rho_from = 0.3;  // some steps without WeiToP's gradient
  Learner straight(settings, *start());
  std::optional<LearnerState> state;
  std::vector<double> losses;
  for (int step = 0; step < 8; ++step) {
    if (step == 4) state = straight.state();
    losses.push_back(straight.learn(batch(step)).loss);
  }
  Learner taken_up(settings, state->model);
  taken_up.restore(*state);
  for (int step = 4; step < 8; ++step) EXPECT_EQ(taken_up.learn(batch(step)).loss, losses[static_cast<std::size_t>(step)]);
  EXPECT_TRUE(same(straight.model(), taken_up.model()));
}

/// The model that a recipe with this pruner starts from.
std::shared_ptr<const model::LoadedModel> start_with(const TrainModel& settings) {
  model::Config config = testing::small_config();
  config.own = {};
  config.own.prune = settings.own.prune;
  config.weitop_hidden = 0;
  config.predictors = *settings.own.prune == "dynamicvit" ? 3 : 0;
  return model::make_random(config, 11);
}

TrainConfig config_with(const char* prune) {
  TrainConfig out = config();
  out.model.weitop = false;
  out.model.own.prune = prune;
  out.model.own.rho = 0.6;
  out.optimiser.lr = 3e-4;
  return out;
}

TEST(Learner, LearnsWithEveryPrunerAndGoesOnFromItsState) {
  use_threads(1);
  for (const char* prune : {"tome", "tofu", "dynamicvit", "evit", "fastv"}) {
    SCOPED_TRACE(prune);
    TrainConfig settings = config_with(prune);
    if (settings.model.own.prune == "dynamicvit") settings.loss.context = 0.5;
    const auto begin = start_with(settings.model);
    const auto* teacher = settings.loss.context > 0 ? begin.get() : nullptr;
    Learner straight(settings, *begin, nullptr, teacher);
    std::optional<LearnerState> state;
    std::vector<StepResult> steps;
    for (int step = 0; step < 24; ++step) {
      if (step == 12) state = straight.state();
      feed::Batch one = batch(0);
      one.step = step;
      steps.push_back(straight.learn(one));
      ASSERT_TRUE(steps.back().finite);
    }
    EXPECT_EQ(steps.front().rho, 0.6);
    const auto mean = [&](std::size_t first) {
      double sum = 0;
      for (std::size_t i = first; i < first + 4; ++i) sum += steps[i].place_loss / 4;
      return sum;
    };
    EXPECT_LT(mean(20), 0.85 * mean(0));
    EXPECT_EQ(steps.front().stages.has_value(), settings.model.own.prune == "dynamicvit");
    EXPECT_EQ(steps.front().kept.has_value(), settings.model.own.prune == "dynamicvit");
    EXPECT_EQ(steps.front().context.has_value(), teacher != nullptr);
    if (steps.front().stages) {
      EXPECT_NEAR(steps.front().loss,
                  steps.front().place_loss + settings.loss.stages * *steps.front().stages + 0.5 * *steps.front().context, 1e-5);
    }

    Learner taken_up(settings, state->model, nullptr, teacher);
    taken_up.restore(*state);
    for (int step = 12; step < 24; ++step) {
      feed::Batch one = batch(0);
      one.step = step;
      EXPECT_EQ(taken_up.learn(one).loss, steps[static_cast<std::size_t>(step)].loss);
    }
    EXPECT_TRUE(same(straight.model(), taken_up.model()));
  }
}

TEST(Learner, PredictorsComeToKeepTheShareWanted) {
  use_threads(1);
  TrainConfig settings = config_with("dynamicvit");
  settings.loss.place = 0;  // nothing else to learn
  settings.loss.stages = 20;
  settings.optimiser.predictor_lr = 3e-3;
  Learner learner(settings, *start_with(settings.model));
  double first = 0, last = 0;
  for (int step = 0; step < 40; ++step) {
    feed::Batch one = batch(0);
    one.step = step;
    const StepResult result = learner.learn(one);
    if (step < 5) first += *result.stages / 5;
    if (step >= 35) last += *result.stages / 5;
  }
  EXPECT_LT(last, 0.5 * first) << first << " at first";
}

TEST(Learner, PrunedBatchesTeachPlacesOnly) {
  use_threads(1);
  TrainConfig settings = config();
  settings.loss.random_rho_from = 0.3;
  Learner learner(settings, *start());
  int pruned = 0, whole = 0;
  for (int step = 0; step < 12; ++step) {
    const StepResult result = learner.learn(batch(step));
    EXPECT_TRUE(result.finite);
    EXPECT_EQ(result.distillation.has_value(), result.rho == 1);
    (result.rho < 1 ? pruned : whole) += 1;
  }
  EXPECT_GT(pruned, 0);
  EXPECT_GT(whole, 0);
}

TEST(Learner, ThePrunedModelLearnsFromTheWholeOneItWas) {
  use_threads(1);
  TrainConfig settings = config();
  settings.loss.place = 0;
  settings.loss.gamma = 0;
  settings.loss.context = 2;
  settings.model.dropout = 0;
  const auto beginning = start();
  const StepResult whole = Learner(settings, *beginning, nullptr, beginning.get()).learn(batch(0));
  ASSERT_TRUE(whole.context.has_value());
  EXPECT_NEAR(*whole.context, 0, 1e-5) << "nothing was dropped and nothing learnt yet";
  settings.loss.random_rho_from = 0.5;
  settings.loss.random_rho_share = 1;
  Learner learner(settings, *beginning, nullptr, beginning.get());
  const StepResult first = learner.learn(batch(0));
  EXPECT_LT(first.rho, 1);
  EXPECT_GT(*first.context, 0.01);
  EXPECT_NEAR(first.loss, 2 * *first.context, 1e-6);
  StepResult last;
  for (int i = 0; i < 25; ++i) last = learner.learn(batch(0));
  EXPECT_LT(*last.context, 0.8 * *first.context);
  const auto moved = learner.model();
  EXPECT_EQ(model::to_f32(moved.weights.at("weitop.0.weight")), model::to_f32(beginning->weights.at("weitop.0.weight")));
  settings.loss.random_rho_from = 1;
  EXPECT_GT(*Learner(settings, moved, nullptr, beginning.get()).learn(batch(0)).context, 1e-4) << "the teacher has not moved";
  EXPECT_LT(*Learner(settings, moved, nullptr, &moved).learn(batch(0)).context, 1e-5);

  EXPECT_FALSE(Learner(config(), *beginning).learn(batch(0)).context.has_value());
  EXPECT_THROW(Learner(settings, *beginning), Error) << "nobody to teach it";
}

TEST(Learner, WeitopAloneLearnsWhatTheModelWeighs) {
  use_threads(1);
  TrainConfig settings = config();
  settings.model.trained_blocks = 0;
  settings.model.weitop_only = true;
  settings.optimiser.weitop_lr = 1e-3;
  const auto before = start();
  Learner learner(settings, *before);
  const double first = *learner.learn(batch(0)).distillation;
  StepResult last;
  for (int i = 0; i < 40; ++i) last = learner.learn(batch(0));
  EXPECT_LT(*last.distillation, 0.5 * first);
  const auto after = learner.model();
  for (const auto& [name, tensor] : before->weights.all()) {
    const bool moved = model::to_f32(tensor) != model::to_f32(after.weights.at(name));
    EXPECT_EQ(moved, name.starts_with("weitop.")) << name;
  }
}

TEST(Learner, ABatchThatGivesNaNChangesNothing) {
  use_threads(1);
  Learner learner(config(), *start());
  learner.learn(batch(0));
  const auto before = learner.state();
  feed::Batch bad = batch(1);
  bad.pixels[1000] = NAN;
  EXPECT_FALSE(learner.learn(bad).finite);
  const auto after = learner.state();
  EXPECT_TRUE(same(before.model, after.model));
  EXPECT_EQ(model::checksum_of(before.optimiser, {}), model::checksum_of(after.optimiser, {}));
}

TEST(Learner, ClipsTheGradientOnlyWhenItIsLonger) {
  use_threads(1);
  TrainConfig settings = config();
  settings.optimiser.clip_norm = 1e6;
  Learner plain(config(), *start()), loose(settings, *start());
  const double norm = plain.learn(batch(0)).gradient_norm;
  EXPECT_EQ(loose.learn(batch(0)).gradient_norm, norm);
  EXPECT_TRUE(same(plain.model(), loose.model()));
  // Adam divides by the gradient's length, so one step cannot tell; its moments can.
  settings.optimiser.clip_norm = norm / 10;
  Learner tight(settings, *start());
  tight.learn(batch(0));
  const auto state_of = [](const Learner& learner) {
    return model::to_f32(learner.state().optimiser.at("m/aggregator.score.3.weight"));
  };
  const auto whole = state_of(plain), tenth = state_of(tight);
  ASSERT_EQ(whole.size(), tenth.size());
  for (std::size_t i = 0; i < whole.size(); i += 17) EXPECT_NEAR(tenth[i], whole[i] / 10, 1e-3 * std::abs(whole[i]) + 1e-12);
}

TEST(Learner, AFrozenRankingFollowsTheBatches) {
  use_threads(1);
  model::Config frozen = testing::small_config();
  frozen.head.transport().frozen_ranking = true;
  const auto begins = model::make_random(frozen, 11);
  const auto means_of = [](const model::LoadedModel& model) { return model::to_f32(model.weights.at("aggregator.mean_alpha")); };
  Learner learner(config(), *begins);
  EXPECT_TRUE(learner.learn(batch(0)).finite);
  const auto before = means_of(*begins), after = means_of(learner.model());
  ASSERT_EQ(before.size(), 12U);
  for (std::size_t j = 0; j < before.size(); ++j) {
    // alpha lies between -1/2, all ghost, and the mass of every patch, 9; on average it is a little below 1.
    EXPECT_GT(after[j], 0.99 * before[j] - 0.005 - 1e-6) << j;
    EXPECT_LT(after[j], 0.99 * before[j] + 0.09) << j;
  }
  EXPECT_NE(before, after);
  EXPECT_FALSE(learner.state().optimiser.contains("m/aggregator.mean_alpha")) << "it has no gradient";
  EXPECT_TRUE(model::make_random(testing::small_config(), 11)->weights.all().size() + 1 == begins->weights.all().size());
}

TEST(Learner, SaladLearnsWithoutTiersAndWeitop) {
  use_threads(1);
  model::Config salad = testing::small_config();
  salad.head.kind = model::kSalad;
  salad.head.transport().tiers.clear();
  salad.head.transport().clusters = 6;  // fewer than the 9 patches
  salad.own = {};
  Learner learner(config(), *model::make_random(salad, 3));
  const StepResult result = learner.learn(batch(0));
  EXPECT_TRUE(result.finite);
  EXPECT_FALSE(result.distillation || result.ghost || result.tier_agreement);
  EXPECT_TRUE(result.tier_weights.empty());
}

TEST(Learner, LearnsOnTilesNearlyWhatItLearnsWithoutThem) {
  if (!tensor::bfloat_products_usable()) GTEST_SKIP() << "this processor has no bfloat16 products (AVX-512 BF16 or AMX)";
  TrainConfig settings = config();
  const auto loss = [&](const char* precision) {
    settings.precision = precision;
    Learner learner(settings, *start());
    const StepResult result = learner.learn(batch(0));
    EXPECT_TRUE(result.finite);
    EXPECT_GT(result.gradient_norm, 0);
    return result.loss;
  };
  const double plain = loss("f32"), tiles = loss("bf16");
  EXPECT_NE(plain, tiles);
  EXPECT_NEAR(tiles, plain, 0.02 * std::abs(plain));
}

TEST(Learner, RefusesDevicesAndPrecisionsItCannotServe) {
  TrainConfig settings = config();
  settings.precision = "fp16";
  EXPECT_THROW(Learner(settings, *start()), Error);
  settings.precision = "bf16";
  if (!tensor::bfloat_products_usable()) {
    EXPECT_THROW(Learner(settings, *start()), Error);
  }
  if (torch::cuda::is_available()) GTEST_SKIP() << "this machine has cuda";
  settings.device = "cuda";
  try {
    const Learner learner(settings, *start());
    FAIL() << "cuda was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUsage);
    EXPECT_NE(std::string(error.what()).find("cuda"), std::string::npos);
    EXPECT_NE(error.hint().find("`device` cpu"), std::string::npos);
  }
}

}  // namespace
}  // namespace revisit::train
