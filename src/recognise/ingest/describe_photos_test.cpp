// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Several extractors over the same photos: what each of them gives, and whose turn it is.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "core/base/fail.h"
#include "core/base/stop_scope.h"
#include "recognise/ingest/describe_each.h"
#include "revisit/ingest.h"
#include "test_files.h"

namespace revisit {
namespace {

class DescribePhotos : public ::testing::Test {
 protected:
  static constexpr int kPhotos = 4;

  DescribePhotos() {
    for (int i = 0; i < kPhotos; ++i) {
      Image image{20, 16, std::vector<std::uint8_t>(960)};
      for (std::size_t k = 0; k < image.rgb.size(); ++k) image.rgb[k] = static_cast<std::uint8_t>(k * (3 + 2 * i) % 251);
      const auto path = folder_ / (std::to_string(i) + ".png");
      save_png(image, path);
      photos_.push_back({std::to_string(i), path, std::nullopt, std::nullopt});
    }
  }

  testing::TemporaryFolder folder_;
  std::vector<Photo> photos_;
};

TEST_F(DescribePhotos, SeveralExtractorsGiveWhatEachGivesAlone) {
  folder_.write("1.png", "no picture");
  std::vector<Extractor> extractors;
  extractors.emplace_back(Model::random(kDemoModel), DescriptorSpec{.size = Size{56, 56}}, 1);
  extractors.push_back(extractors.front().with_rho(0.5));
  int calls = 0;
  const auto together =
      describe_photos(extractors, photos_, [&](int done, int total) { return ++calls == done && total == kPhotos; });
  EXPECT_EQ(calls, kPhotos);
  ASSERT_EQ(together.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    const DescribedPhotos alone = describe_photos(extractors[i], photos_);
    EXPECT_EQ(together[i].rows, alone.rows);
    EXPECT_EQ(together[i].dim, alone.dim);
    EXPECT_EQ(together[i].skipped_rows, (std::vector<int>{1}));
    ASSERT_EQ(together[i].skipped.size(), 1U);
    EXPECT_EQ(together[i].skipped.front().reason, alone.skipped.front().reason);
    EXPECT_GT(together[i].median_forward_ms, 0);
  }
  EXPECT_NE(together[0].rows, together[1].rows);
}

TEST_F(DescribePhotos, EachDescriberIsTheFirstInTurn) {
  std::string turns;
  std::vector<Describer> describers;
  for (const char letter : {'a', 'b', 'c'}) {
    describers.push_back({1, [&turns, letter](const Image& /*image*/, StageTimes& times, LocalFeatures* /*local*/) {
                            turns += letter;
                            times.blocks_ms = letter - 'a' + 1;
                            return std::vector<float>{static_cast<float>(letter)};
                          }});
  }
  const auto out = describe_each(photos_, {.orientation = Orientation::kIgnore}, describers, {});
  EXPECT_EQ(turns, "abcbcacababc");
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(out[i].rows, std::vector<float>(kPhotos, static_cast<float>('a' + i)));
    EXPECT_EQ(out[i].median_forward_ms, static_cast<double>(i + 1));
  }
}

TEST_F(DescribePhotos, ExtractorsThatTurnPhotosDifferentlyAreRefused) {
  std::vector<Extractor> extractors;
  for (const char* orientation : {"apply", "ignore"})
    extractors.emplace_back(Model::random(kDemoModel), DescriptorSpec{.size = Size{28, 28}, .orientation = orientation}, 1);
  testing::expect_error([&] { describe_photos(extractors, photos_); }, ErrorCode::kUsage, "must agree in `orientation`");
  EXPECT_TRUE(describe_photos(std::span<Extractor>(), photos_).empty());
}

/// Many photos, some of which cannot be used, and a describer of which one way is much slower than the other.
class ManyPhotos : public DescribePhotos {
 protected:
  static constexpr int kMany = 120;
  using Millis = std::chrono::milliseconds;

  ManyPhotos() {
    folder_.write("bad.png", "no picture");
    std::vector<Photo> many;
    for (int i = 0; i < kMany; ++i) {
      many.push_back(photos_[static_cast<std::size_t>(i % kPhotos)]);
      if (i % 10 == 7) many.back().path = folder_ / "bad.png";
    }
    photos_ = std::move(many);
  }

  /// The extractor's, slowed down; counts the photos described apart.
  Describer slowed(Millis together, Millis apart) {
    Describer out = describer_of(extractor_);
    out.describe = [this, together](const Image& image, StageTimes& times, LocalFeatures* local) {
      std::this_thread::sleep_for(together);
      std::vector<float> row = extractor_.describe(image, nullptr, local);
      times.blocks_ms = 1;
      return row;
    };
    out.alone = [this, apart, alone = out.alone] {
      Describer one = alone();
      one.describe = [this, apart, describe = one.describe](const Image& image, StageTimes& times, LocalFeatures* local) {
        std::this_thread::sleep_for(apart);
        if (++apart_ == fails_at_) fail(ErrorCode::kBadModel, "not finite");
        return describe(image, times, local);
      };
      return one;
    };
    return out;
  }

  DescribedPhotos describe(const Describer& describer, const std::function<bool(int, int)>& progress = {}) {
    return std::move(describe_each(photos_, {}, {describer}, progress).front());
  }

  Extractor extractor_{Model::random(kDemoModel), {.size = Size{28, 28}}, 3};
  std::atomic<int> apart_{0};
  int fails_at_ = 0;
};

TEST_F(ManyPhotos, GiveTheSameBitsHoweverTheyAreDescribed) {
  const DescribedPhotos together = describe(slowed(Millis(0), Millis(30)));
  EXPECT_GT(apart_, 0) << "it was tried";
  EXPECT_LT(apart_, 30);
  int calls = 0;
  apart_ = 0;
  const DescribedPhotos apart =
      describe(slowed(Millis(10), Millis(0)), [&](int done, int total) { return ++calls == done && total == kMany; });
  EXPECT_EQ(calls, kMany);
  EXPECT_GT(apart_, kMany / 2);
  EXPECT_EQ(apart.rows, together.rows);
  EXPECT_EQ(apart.skipped_rows, together.skipped_rows);
  EXPECT_EQ(apart.skipped_rows.size(), 12U);
  EXPECT_EQ(apart.median_forward_ms, 1) << "of those described by all threads";
  Extractor single(Model::random(kDemoModel), {.size = Size{28, 28}}, 1);
  EXPECT_EQ(describe_photos(single, photos_).rows, together.rows);
}

TEST_F(ManyPhotos, StopInOrder) {
  testing::expect_error([&] { describe(slowed(Millis(10), Millis(0)), [](int done, int /*total*/) { return done < 100; }); },
                        ErrorCode::kInterrupted, "stopped after 100 of 120 photos");
  EXPECT_GT(apart_, 0);
  int done = 0;
  const StopScope scope([&] { return done >= 110; }, "stopped as asked");
  photos_.resize(111);
  save_png({7000, 7000, std::vector<std::uint8_t>(147'000'000)}, folder_ / "large.png");  // decoding it takes its time
  photos_.back().path = folder_ / "large.png";
  testing::expect_error(
      [&] { describe(slowed(Millis(10), Millis(0)), [&](int now, int /*total*/) { return done = now, true; }); },
      ErrorCode::kInterrupted, "stopped as asked");
}

TEST_F(ManyPhotos, WhatAWorkerThrowsReachesTheCaller) {
  fails_at_ = 15;
  int done = 0;
  testing::expect_error(
      [&] { describe(slowed(Millis(10), Millis(0)), [&](int now, int /*total*/) { return done = now, true; }); },
      ErrorCode::kBadModel, "not finite");
  EXPECT_GT(done, 30);
  EXPECT_LT(done, kMany);
}

}  // namespace
}  // namespace revisit
