// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
#include "revisit/recognizer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <numeric>
#include <random>
#include <thread>

#include "revisit/error.h"
#include "test_files.h"

namespace revisit {
namespace {

Image noise(unsigned seed) {
  Image image{40, 30, std::vector<std::uint8_t>(3600)};
  std::mt19937 random(seed);
  for (auto& v : image.rgb) v = static_cast<std::uint8_t>(random() >> 24U);
  return image;
}

Recognizer small(double min_similarity = 0.9999) {
  return Recognizer::in_memory(Model::random(kDemoModel),
                               {.spec = {.size = Size{28, 28}}, .threads = 1, .min_similarity = min_similarity});
}

TEST(Recognizer, SaysYesNoAndWhy) {
  Recognizer places = small();
  EXPECT_EQ(places.ask(noise(1)).reason, "no match: the collection is empty");
  places.add(noise(1), {.name = "one", .time_s = 10.0});
  places.add(noise(2), {.time_s = 20.0});
  const Answer same = places.ask(noise(1));
  EXPECT_TRUE(same.recognised) << same.reason;
  EXPECT_EQ(same.matches.front().name, "one");
  EXPECT_NEAR(same.margin, same.matches.front().similarity - 0.9999, 1e-6);
  EXPECT_EQ(same.threshold.origin, "asked for");
  const Answer recent = places.ask(noise(1), {.exclude_recent = 2});
  EXPECT_FALSE(recent.recognised);
  EXPECT_EQ(recent.reason, "no match: nothing is left to compare with");
  const Answer older = places.ask(noise(2), {.exclude_seconds = 5.0, .time_s = 20.0});
  EXPECT_EQ(older.matches.size(), 1U) << "the row of second 20 is too recent";
  EXPECT_EQ(older.matches.front().name, "one");
  EXPECT_THROW(places.ask(noise(2), {.exclude_seconds = 5.0}), Error) << "when the picture was taken is not known";
  EXPECT_THROW(places.add(noise(3), {.name = "one"}), Error) << "the name is taken";
  EXPECT_EQ(places.size(), 2);
  std::vector<std::string> names;
  places.for_each([&](int row, const IndexEntry& entry) { names.push_back(std::to_string(row) + entry.name); });
  EXPECT_EQ(names, (std::vector<std::string>{"0one", "11"}));
}

TEST(Recognizer, LooksAgain) {
  const testing::TemporaryFolder folder;
  const RecognizerOptions options{.spec = {.size = Size{112, 112}}, .threads = 1, .local = true};
  const Model model = Model::random(kDemoModel);
  for (const std::string& where : {std::string("memory:"), (folder / "db").string()}) {
    Recognizer places = Recognizer::open(where, model, options);
    for (unsigned i = 0; i < 4; ++i) places.add(noise(i), {.name = std::to_string(i)});
    EXPECT_TRUE(places.keeps_local());
    const Answer answer = places.ask(noise(2), {.top_k = 2, .rerank = 3});
    EXPECT_EQ(answer.reranked, 3);
    ASSERT_EQ(answer.matches.size(), 2U);
    EXPECT_EQ(answer.matches[0].name, "2");
    ASSERT_TRUE(answer.matches[0].look && answer.matches[1].look);
    EXPECT_EQ(answer.matches[0].look->pairs.size(), 64U) << "every patch is its own";
    for (const PatchPair& pair : answer.matches[0].look->pairs) {
      EXPECT_EQ(pair.from, pair.to);
      EXPECT_NEAR(pair.similarity, 1, 1e-5);
    }
    EXPECT_LT(answer.matches[1].look->score, answer.matches[0].look->score);
    EXPECT_EQ(places.ask(noise(2), {.rerank = 1000}).reranked, 4);
    EXPECT_FALSE(places.ask(noise(2)).matches[0].look);
    testing::expect_error([&] { places.ask(noise(2), {.rerank = 1001}); }, ErrorCode::kUsage, "`rerank` 1001 is outside 0..1000");
    testing::expect_error([&] { places.ask(noise(2), {.rerank = -1}); }, ErrorCode::kUsage, "outside 0..1000");
    const auto descriptor = places.describe(view_of(noise(2)));
    testing::expect_error([&] { places.ask_descriptors(descriptor, {.rerank = 2}); }, ErrorCode::kUsage, "local features of every query");
    if (where == "memory:") places.save(folder / "saved");
  }
  // What was saved can be looked at again.
  const Recognizer saved = Recognizer::open((folder / "saved").string(), model);
  EXPECT_TRUE(saved.keeps_local());
  EXPECT_EQ(saved.ask(noise(2), {.rerank = 3}).matches[0].name, "2");
  // Without local features the answer says how to add them.
  Recognizer without = Recognizer::in_memory(model, {.spec = options.spec, .threads = 1});
  without.add(noise(1), {.name = "one"});
  EXPECT_FALSE(without.keeps_local());
  testing::expect_error([&] { without.ask(noise(1), {.rerank = 5}); }, ErrorCode::kNotFound, "'one' in 'memory:' has none");
}

TEST(Recognizer, AcceptsFromTheThresholdOn) {
  EXPECT_TRUE(is_accepted(0.5, 0.5));
  EXPECT_FALSE(is_accepted(std::nextafter(0.5, 0.0), 0.5));
  EXPECT_TRUE(is_accepted(-1, std::nullopt));
}

TEST(Recognizer, ABudgetChoosesRho) {
  const testing::TemporaryFolder folder;
  const Model model = Model::random("demo");
  RecognizerOptions options{.threads = 1};
  EXPECT_FALSE(Recognizer::in_memory(model, options).budget());
  const auto now = std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch());
  save_calibration(folder.path(), {speed_settings(Extractor(model, {}, 1)), now.count(), {{1, 100, 100}, {0.2, 20, 20}}});
  options.budget_ms = 60;
  options.calibrations = folder.path();
  const Recognizer places = Recognizer::in_memory(model, options);
  ASSERT_TRUE(places.budget());
  EXPECT_NEAR(places.budget()->rho, 0.6, 1e-12);
  EXPECT_EQ(places.spec().rho, places.budget()->rho);
  options.spec.rho = 0.5;
  EXPECT_THROW(Recognizer::in_memory(model, options), Error);
  options.spec = {.keep_mass = 0.5};
  EXPECT_THROW(Recognizer::in_memory(model, options), Error);
}

TEST(Recognizer, FramesOfADriveSupportEachOther) {
  const Model model = Model::random(kDemoModel);
  const RecognizerOptions alone{.spec = {.size = Size{28, 28}}, .threads = 1, .min_similarity = 0.0};
  RecognizerOptions options = alone;
  options.sequence = 4;
  Recognizer drive = Recognizer::in_memory(model, options), still = Recognizer::in_memory(model, alone);
  for (unsigned i = 0; i < 60; ++i) {
    for (Recognizer* places : {&drive, &still}) places->add(noise(i));
  }
  const auto first_support = [&](unsigned seed) { return *drive.ask(noise(seed)).matches.front().support; };
  const Answer one = drive.ask(noise(20)), other = still.ask(noise(20));
  EXPECT_EQ(one.matches.size(), other.matches.size());
  EXPECT_EQ(one.matches.front().similarity, other.matches.front().similarity);
  EXPECT_FALSE(other.matches.front().support);
  first_support(21);
  const double third = first_support(22);
  drive.forget_sequence();
  const double first = first_support(22);
  EXPECT_NE(first, third) << "the frames before count";
  drive.forget_sequence();
  EXPECT_EQ(first_support(22), first) << "and are forgotten";
  options.sequence = 101;
  EXPECT_THROW(Recognizer::in_memory(model, options), Error);
}

TEST(Recognizer, IsAskedByManyThreadsWhileAnotherAdds) {
  Recognizer places = small();
  constexpr int kPlaces = 40;
  places.add(noise(0), {.name = "0"});
  std::atomic<bool> done = false;
  std::atomic<int> asked = 0, wrong = 0;
  std::vector<std::thread> askers;
  for (int t = 0; t < 3; ++t) {
    askers.emplace_back([&] {
      while (!done) {
        const Answer answer = places.ask(noise(0));
        if (!answer.recognised || answer.matches.front().name != "0") ++wrong;
        ++asked;
      }
    });
  }
  for (int i = 1; i < kPlaces; ++i) places.add(noise(static_cast<unsigned>(i)), {.name = std::to_string(i)});
  while (asked < 3) std::this_thread::yield();
  done = true;
  for (auto& asker : askers) asker.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(places.size(), kPlaces);
  EXPECT_EQ(places.ask(noise(kPlaces - 1)).matches.front().name, std::to_string(kPlaces - 1));
}

/// Blurred and sharp noise over each other: detail of every size, as in a photo of 12 megapixels.
Image large_picture(unsigned seed) {
  Image out = resize(noise(seed), {3000, 4000}, ResizeFilter::kBicubic);
  std::mt19937 random(seed);
  for (auto& v : out.rgb)
    v = static_cast<std::uint8_t>(std::clamp(static_cast<int>(v) + static_cast<int>(random() % 21U) - 10, 0, 255));
  return out;
}

TEST(Recognizer, DecodingFastHardlyChangesADescriptor) {
  for (const Size size : {Size{112, 112}, Size{322, 322}}) {
    DescriptorSpec spec{.size = size, .decode = "fast"};
    const Recognizer places = Recognizer::in_memory({.spec = spec});
    const auto file = encode_jpeg(large_picture(7), 90);
    const Image fast = decode_image(file, "x.jpg", decoding_of(places.spec()));
    EXPECT_EQ(fast.width, size.width == 112 ? 500 : 1000);
    const auto a = places.describe(view_of(fast));
    const auto b = places.describe(view_of(decode_image(file, "x.jpg")));
    EXPECT_NE(a, b);
    EXPECT_GT(std::inner_product(a.begin(), a.end(), b.begin(), 0.0), 0.995) << size.width;
  }
}

}  // namespace
}  // namespace revisit
