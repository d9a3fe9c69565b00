// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The pipeline as a whole, on small random models.
#include "revisit/extractor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <thread>

#include "engine/extract/plan.h"
#include "engine/model/model_file.h"
#include "revisit/error.h"

namespace revisit {
namespace {

Image noise(int width, int height, unsigned seed) {
  Image image{width, height, std::vector<std::uint8_t>(3 * static_cast<std::size_t>(width * height))};
  std::mt19937 random(seed);
  for (auto& v : image.rgb) v = static_cast<std::uint8_t>(random() >> 24);
  return image;
}

Image constant(std::uint8_t value) { return {40, 30, std::vector<std::uint8_t>(3600, value)}; }

double cosine(const std::vector<float>& a, const std::vector<float>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

const Model& demo() {
  static const Model model = Model::random("demo");
  return model;
}

DescriptorSpec with_rho(double rho) {
  DescriptorSpec options;
  options.rho = rho;
  return options;
}

TEST(Extractor, GivesFiniteUnitVectorsForBlackWhiteConstantAndNoise) {
  Extractor extractor(demo(), with_rho(0.5));
  for (const Image& image : {constant(0), constant(255), constant(90), noise(64, 48, 1), noise(1, 1, 2), noise(5, 200, 3)}) {
    const auto descriptor = extractor.describe(image);
    ASSERT_EQ(static_cast<int>(descriptor.size()), extractor.descriptor_dim());
    EXPECT_NEAR(std::sqrt(cosine(descriptor, descriptor)), 1.0, 1e-6);
  }
}

TEST(Extractor, RepeatsItselfToTheByteAndAgreesAcrossThreads) {
  for (const double rho : {1.0, 0.7, 0.4}) {
    const DescriptorSpec spec = with_rho(rho);
    Extractor first(demo(), spec, 1), second(demo(), spec, 2), third(demo(), spec, 1);
    for (unsigned i = 0; i < 10; ++i) {
      const Image image = noise(90 + static_cast<int>(i), 70, i);
      Trace trace_one, trace_two;
      const auto a = first.describe(image, &trace_one);
      const auto b = second.describe(image, &trace_two);
      EXPECT_EQ(a, third.describe(image)) << "same threads, another extractor, no trace";
      EXPECT_GE(cosine(a, b), 0.999999);
      for (std::size_t k = 0; k < trace_one.kept.size(); ++k) {
        if (trace_one.kept[k] == trace_two.kept[k]) continue;
        const auto score = [&](std::int64_t token) { return trace_one.scores.values[static_cast<std::size_t>(token)]; };
        EXPECT_LT(std::abs(score(trace_one.kept[k]) - score(trace_two.kept[k])), 1e-5F);
      }
    }
  }
}

TEST(Extractor, AtAnotherRhoGivesWhatOneMadeForItGives) {
  DescriptorSpec spec = with_rho(1);
  spec.size = Size{56, 60};
  Extractor whole(demo(), spec, 1);
  Extractor half = whole.with_rho(0.5);
  Extractor whole_again = half.with_rho(1);
  spec.rho = 0.5;
  Extractor made_for_it(demo(), spec, 1);
  EXPECT_EQ(half.spec(), made_for_it.spec());
  EXPECT_EQ(half.threads(), 1);
  const Image image = noise(90, 70, 8);
  const auto first = whole.describe(image);
  const auto pruned = half.describe(image);
  EXPECT_NE(pruned, first);
  EXPECT_EQ(pruned, made_for_it.describe(image));
  EXPECT_EQ(whole_again.describe(image), first);
  EXPECT_THROW(whole.with_rho(0), Error);
}

/// Descriptors of `rounds` times these pictures, by each extractor in a thread of its own.
std::vector<std::vector<std::vector<float>>> described_at_once(std::vector<Extractor>& extractors,
                                                               const std::vector<Image>& images, int rounds) {
  std::vector<std::vector<std::vector<float>>> out(extractors.size());
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < extractors.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int round = 0; round < rounds; ++round) {
        for (const Image& image : images) out[t].push_back(extractors[t].describe(image));
      }
    });
  }
  for (auto& thread : threads) thread.join();
  return out;
}

TEST(Extractor, GivesTheSameBitsBesideOthersAsAlone) {
  const Model model = demo();
  for (const char* precision : {"f32", "bf16", "int8"}) {
    DescriptorSpec spec = with_rho(0.5);
    spec.size = Size{70, 56};
    spec.precision = precision;
    const std::vector<Image> images{noise(90, 70, 1), noise(30, 200, 2), noise(64, 64, 3)};
    const Extractor first(model, spec, 2);
    const Extractor whole = first.with_rho(1);
    std::vector<Extractor> together;
    for (const int threads : {1, 1, 2, 3}) together.push_back(first.twin(threads));
    together.push_back(whole.twin(1));
    together.emplace_back(model, spec, 1);  // shares nothing but the model
    EXPECT_EQ(together[0].spec(), first.spec());
    EXPECT_EQ(together[3].threads(), 3);

    std::vector<std::vector<float>> alone, alone_whole;
    Extractor quiet(demo(), spec, 1);
    Extractor quiet_whole(demo(), whole.spec(), 1);
    for (int round = 0; round < 3; ++round) {
      for (const Image& image : images) {
        alone.push_back(quiet.describe(image));
        alone_whole.push_back(quiet_whole.describe(image));
      }
    }
    const auto got = described_at_once(together, images, 3);
    for (std::size_t t = 0; t < got.size(); ++t)
      EXPECT_EQ(got[t], t == 4 ? alone_whole : alone) << precision << ", extractor " << t;
  }
}

TEST(Extractor, OfOneModelMayBeMadeInSeveralThreads) {
  const Model model = demo();
  std::vector<std::vector<float>> out(4);
  std::vector<std::thread> threads;
  for (auto& one : out) threads.emplace_back([&] { one = Extractor(model, with_rho(0.5), 1).describe(noise(64, 64, 1)); });
  for (auto& thread : threads) thread.join();
  for (const auto& one : out) EXPECT_EQ(one, out.front());
}

TEST(Extractor, TracesWhatItDid) {
  Extractor extractor(demo(), with_rho(0.5));
  Trace trace;
  extractor.describe(noise(64, 64, 5), &trace);
  const std::int64_t patches = 256;
  EXPECT_EQ(trace.tokens_block0.shape, (std::vector<std::int64_t>{1 + patches, 192}));
  EXPECT_EQ(trace.logits.shape, (std::vector<std::int64_t>{patches}));
  EXPECT_EQ(trace.scores.shape, (std::vector<std::int64_t>{patches}));
  EXPECT_EQ(trace.kept.size(), 128U);
  EXPECT_TRUE(std::is_sorted(trace.kept.begin(), trace.kept.end()));
  EXPECT_EQ(trace.patches.shape, (std::vector<std::int64_t>{128, 192}));
  EXPECT_EQ(trace.cls.shape, (std::vector<std::int64_t>{192}));
  EXPECT_EQ(trace.transport.shape, (std::vector<std::int64_t>{128, 64}));
  EXPECT_EQ(trace.tier.size(), 64U);
  EXPECT_EQ(trace.tier_weight.shape, (std::vector<std::int64_t>{4}));
  EXPECT_EQ(trace.importance.shape, (std::vector<std::int64_t>{128}));

  Extractor whole(demo());
  Trace unpruned;
  whole.describe(noise(64, 64, 5), &unpruned);
  EXPECT_EQ(unpruned.kept.size(), 256U);
  EXPECT_EQ(unpruned.scores.values, trace.scores.values) << "scores are told at rho 1 too";
}

TEST(Extractor, RefusesRhoOutsideZeroToOne) {
  for (const double rho :
       {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(), 1.0000001, std::numeric_limits<double>::infinity()}) {
    try {
      Extractor extractor(demo(), with_rho(rho));
      FAIL() << "rho " << rho << " was accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kUsage);
    }
  }
  Extractor tiny(demo(), with_rho(1e-9));
  Trace trace;
  tiny.describe(noise(30, 30, 1), &trace);
  EXPECT_EQ(trace.kept.size(), 1U) << "one token always stays";
}

TEST(Extractor, PrunesAfterAnyBlockAndRightAfterTheEmbedding) {
  for (int layer = 0; layer <= 4; ++layer) {
    DescriptorSpec options = with_rho(0.3);
    options.prune_layer = layer;
    options.prune = "norm";
    Extractor extractor(demo(), options);
    Trace trace;
    const auto descriptor = extractor.describe(noise(64, 64, 9), &trace);
    EXPECT_NEAR(std::sqrt(cosine(descriptor, descriptor)), 1.0, 1e-6);
    EXPECT_EQ(trace.kept.size(), 77U);
  }
  DescriptorSpec options = with_rho(0.3);
  options.prune_layer = 5;  // the demo model has four blocks
  EXPECT_THROW(Extractor(demo(), options), Error);
}

TEST(Extractor, RandomPruningFollowsItsSeed) {
  const auto kept = [](std::uint64_t seed, unsigned picture = 9) {
    DescriptorSpec options = with_rho(0.5);
    options.prune = "random";
    options.seed = seed;
    Extractor extractor(demo(), options);
    Trace trace;
    extractor.describe(noise(64, 64, picture), &trace);
    return trace.kept;
  };
  EXPECT_EQ(kept(1), kept(1));
  EXPECT_NE(kept(1), kept(2));
  EXPECT_NE(kept(1), kept(1, 10)) << "the same cells of every picture would be a coarser grid";
}

TEST(Extractor, TheModelsSpreadIsOfItsOwnPrunerAndAFlagWins) {
  model::Config config = demo().loaded().config;
  config.own.spread = 2;
  const auto spread = [&](const char* prune, std::optional<int> asked) {
    DescriptorSpec options = with_rho(0.5);
    if (prune != nullptr) options.prune = prune;
    options.spread = asked;
    return make_plan(config, options, 0).spec.spread;
  };
  EXPECT_EQ(spread(nullptr, {}), 2);
  EXPECT_EQ(spread("weitop", {}), 2);
  EXPECT_EQ(spread("random", {}), 1);
  EXPECT_EQ(spread("norm", {}), 1);
  EXPECT_EQ(spread("random", 3), 3);
  EXPECT_EQ(spread(nullptr, 1), 1);
}

TEST(Extractor, RefusesTensorsThatAreNoMultipleOfThePatch) {
  Extractor extractor(demo());
  const std::vector<float> pixels(3 * 28 * 30, 0.1F);
  EXPECT_THROW(extractor.describe_tensor(pixels, {28, 30}), Error);
  EXPECT_THROW(extractor.describe_tensor(pixels, {28, 42}), Error) << "too few values";
  EXPECT_NO_THROW(extractor.describe_tensor(std::vector<float>(3 * 28 * 42, 0.1F), {28, 42}));
}

TEST(Extractor, CountsLessWorkForASmallerRho) {
  const Model vitb = Model::random("vitb14");
  EXPECT_NEAR(Extractor(vitb).gmac(), 50.4 + 0.47, 0.15);  // algorithms: backbone + aggregator
  EXPECT_NEAR(Extractor(vitb, with_rho(0.5)).gmac() / Extractor(vitb).gmac(), 0.53, 0.02);
}

/// A small random model with every value of the tensors that match `part` replaced.
Model altered_model(const std::string& part, float value) {
  auto config = model::named_config("demo");
  config.vit().depth = 2;
  const auto original = model::make_random(config, 1);
  auto altered = std::make_shared<model::LoadedModel>();
  altered->config = original->config;
  for (const auto& [name, tensor] : original->weights.all()) {
    auto values = model::to_f32(tensor);
    if (name.find(part) != std::string::npos) std::fill(values.begin(), values.end(), value);
    altered->weights.add_f32(name, tensor.shape, std::move(values));
  }
  return Model(altered);
}

TEST(Extractor, NamesTheModelWhenItsWeightsGiveNoFiniteDescriptor) {
  Extractor extractor(altered_model("model.norm.weight", std::numeric_limits<float>::quiet_NaN()));
  try {
    extractor.describe(noise(30, 30, 1));
    FAIL() << "NaN came out";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kBadModel);
  }
}

TEST(Extractor, DoesNotRunAModelImportedInSpiteOfItsNaN) {
  auto loaded = std::make_shared<model::LoadedModel>(altered_model("nothing", 0).loaded());
  loaded->config.nonfinite = "aggregator.score.0.weight";
  EXPECT_THROW(Extractor{Model(loaded)}, Error);
}

TEST(Extractor, IsNotSlowedDownByDenormalWeights) {
  const auto least_ms = [](const Model& model) {  // what else the machine does only adds to it
    Extractor extractor(model);
    double least = 1e9;
    for (unsigned i = 0; i < 15; ++i) {
      const Stopwatch watch;
      extractor.describe(noise(60, 60, i));
      least = std::min(least, watch.ms());
    }
    return least;
  };
  // Every product of the second block's fc1 is denormal, so are its activations.
  const double normal = least_ms(altered_model("nothing", 0));
  const double denormal = least_ms(altered_model("blocks.1.mlp.fc1.weight", 1e-40F));
  EXPECT_LE(denormal / normal, 2.0);
}

TEST(Plan, AutoIsTheFastestPrecisionThatAnswersAsF32DoesAndASlowOneIsMentioned) {
  auto config = model::named_config("demo");
  const std::string fastest = is_fast(tensor::Precision::kBf16) ? "bf16" : "f32";
  EXPECT_EQ(make_plan(config, {.precision = "auto"}, 0).spec.precision, fastest);
  EXPECT_EQ(make_plan(config, {}, 0).spec.precision, "f32") << "of a model without a choice of its own";
  config.own.precision = "auto";
  EXPECT_EQ(make_plan(config, {}, 0).spec.precision, fastest);
  EXPECT_EQ(make_plan(config, {.precision = "f32"}, 0).spec.precision, "f32");
  for (const auto& [word, precision] :
       {std::pair("bf16", tensor::Precision::kBf16), std::pair("int8", tensor::Precision::kInt8)}) {
    const Plan plan = make_plan(config, {.precision = word}, 0);
    EXPECT_EQ(plan.precision, precision);
    ASSERT_EQ(plan.notices.size(), is_fast(precision) ? 0U : 1U);
    for (const auto& notice : plan.notices)
      EXPECT_NE(notice.find(std::string(" products in ") + word), std::string::npos) << notice;
  }
}

TEST(Plan, RoundsAnySizeToTheNearestMultipleOfThePatchAndSaysSo) {
  std::mt19937 random(3);
  const auto config = model::named_config("demo");
  for (int i = 0; i < 2000; ++i) {
    DescriptorSpec options;
    options.size = Size{static_cast<int>(1 + random() % 900), static_cast<int>(1 + random() % 900)};
    const Plan plan = make_plan(config, options, 0);
    for (const auto& [got, wanted] :
         {std::pair(plan.spec.size->height, options.size->height), std::pair(plan.spec.size->width, options.size->width)}) {
      ASSERT_EQ(got % 14, 0);
      ASSERT_GE(got, 14);
      ASSERT_LE(std::abs(got - wanted), std::max(7, 14 - wanted));
    }
    ASSERT_EQ(plan.notices.size(), plan.spec.size == options.size ? 0U : 1U);
  }
  EXPECT_EQ(model::round_to_stride({321, 323}, 14), (Size{322, 322}));
  EXPECT_EQ(model::round_to_stride({500, 375}, 14), (Size{504, 378}));
  EXPECT_EQ(model::round_to_stride({1, 13}, 14), (Size{14, 14}));
}

TEST(Plan, RefusesSizesAndThreadsOutOfRange) {
  const auto config = model::named_config("demo");
  for (const Size size : {Size{0, 10}, Size{10, -1}, Size{4097, 10}}) {
    DescriptorSpec options;
    options.size = size;
    EXPECT_THROW(make_plan(config, options, 0), Error);
  }
  DescriptorSpec largest;
  largest.size = Size{4096, 4096};
  EXPECT_NO_THROW(make_plan(config, largest, 0));
  EXPECT_THROW(make_plan(config, {}, -1), Error);
  EXPECT_THROW(make_plan(config, {.prune = "wietop"}, 0), Error);
}

}  // namespace
}  // namespace revisit
