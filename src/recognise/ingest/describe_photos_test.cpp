// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Several extractors over the same photos: what each of them gives, and whose turn it is.
#include <gtest/gtest.h>

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
    describers.push_back({1, [&turns, letter](const Image& /*image*/, StageTimes& times) {
                            turns += letter;
                            times.blocks_ms = letter - 'a' + 1;
                            return std::vector<float>{static_cast<float>(letter)};
                          }});
  }
  const auto out = describe_each(photos_, Orientation::kIgnore, describers, {});
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

}  // namespace
}  // namespace revisit
