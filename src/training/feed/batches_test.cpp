// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
#include "training/feed/batches.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "training/feed/test_places.h"
#include "core/image/preprocess.h"

namespace revisit::feed {
namespace {

using testing::expect_error;
using testing::TemporaryFolder;

const Normalisation kPlain{{0.5F, 0.5F, 0.5F}, {0.25F, 0.25F, 0.25F}};
const TrainAugment kNothing{.rand_augment = 0};
const TrainAugment kEverything{.rand_augment = 2, .crop = 0.5, .perspective = 0.5, .flip = 0.5, .light = 0.5, .night = 0.3};

TrainData data_of(std::vector<TrainSource> sources, int places_per_batch, int images_per_place, int workers = 2) {
  TrainData out;
  out.size = {12, 16};
  out.places_per_batch = places_per_batch;
  out.images_per_place = images_per_place;
  out.sources = std::move(sources);
  out.workers = workers;
  return out;
}

void expect_equal(const Batch& a, const Batch& b) {
  EXPECT_EQ(a.step, b.step);
  EXPECT_EQ(a.names, b.names);
  EXPECT_EQ(a.labels, b.labels);
  EXPECT_EQ(a.unreadable, b.unreadable);
  EXPECT_TRUE(a.pixels == b.pixels) << "the pixels of step " << a.step << " differ";
}

TEST(Batches, HoldThePicturesOfEachPlaceOneAfterTheOther) {
  const TemporaryFolder folder;
  testing::write_place_folders(folder, 6, 4);
  const auto data = data_of({testing::folders(folder)}, 3, 4);
  BatchLoader loader(data, kNothing, kPlain, 1, 0);
  EXPECT_EQ(loader.batches_per_epoch(), 2);
  std::set<std::string> names;
  for (std::int64_t step = 0; step < 2; ++step) {
    const Batch batch = loader.next();
    EXPECT_EQ(batch.step, step);
    EXPECT_EQ(batch.images, 12);
    EXPECT_EQ(batch.size, (Size{12, 16}));
    ASSERT_EQ(batch.pixels.size(), 12U * 3 * 12 * 16);
    ASSERT_EQ(batch.names.size(), 12U);
    EXPECT_TRUE(batch.unreadable.empty());
    for (std::size_t i = 0; i < 12; ++i) {
      EXPECT_EQ(batch.labels[i], static_cast<std::int64_t>(i / 4));
      const auto name = batch.names[i].substr(batch.names[i].rfind(' ') + 1);
      EXPECT_EQ(name.substr(0, 7), batch.names[i / 4 * 4].substr(batch.names[i / 4 * 4].rfind(' ') + 1, 7));
      names.insert(name);
      std::vector<float> want(std::size_t{3} * 12 * 16);
      const Image image = resize(load_image(folder / name), {12, 16}, ResizeFilter::kBilinear);
      normalise_to_planes(image, kPlain.mean, kPlain.std, want.data());
      EXPECT_TRUE(std::equal(want.begin(), want.end(), batch.pixels.begin() + static_cast<std::ptrdiff_t>(i * want.size())));
    }
  }
  EXPECT_EQ(names.size(), 24U) << "an epoch shows every place, and each of its four pictures";
  EXPECT_GE(loader.seconds_waited(), 0);
}

TEST(Batches, DependOnTheStepAloneNotOnWorkersOrWhereTheRunBegan) {
  const TemporaryFolder one, two;
  testing::write_place_folders(one, 7, 5);
  testing::write_pairs(two, 60, 1);
  auto aligned = testing::pairs(two);
  aligned.aligned = true;
  const std::vector<TrainSource> sources{testing::folders(one), aligned, testing::town(4)};
  std::vector<Batch> first;
  {
    BatchLoader loader(data_of(sources, 8, 3, 1), kEverything, kPlain, 5, 0);
    for (int i = 0; i < 9; ++i) first.push_back(loader.next());
  }
  BatchLoader again(data_of(sources, 8, 3, 4), kEverything, kPlain, 5, 7);
  expect_equal(again.next(), first[7]);
  expect_equal(again.next(), first[8]);
  BatchLoader other(data_of(sources, 8, 3, 2), kEverything, kPlain, 6, 7);
  EXPECT_NE(other.next().pixels, first[7].pixels);
  EXPECT_NE(first[0].pixels, first[7].pixels);
}

TEST(Batches, TakeFromEachSourceInProportionToItsWeight) {
  const TemporaryFolder one, two;
  testing::write_place_folders(one, 12, 2);
  testing::write_gsv_city(two, "Rome", 12, 2);
  auto folders = testing::folders(one), rome = testing::gsv(two), unused = testing::town(1);
  folders.weight = 3;
  rome.weight = 1;
  unused.weight = 0;
  BatchLoader loader(data_of({folders, unused, rome}, 8, 2), kNothing, kPlain, 1, 0);
  EXPECT_EQ(loader.batches_per_epoch(), 6) << "until the slowest source has shown all";
  for (int step = 0; step < 6; ++step) {
    std::map<std::string, int> shown;
    for (const auto& name : loader.next().names) ++shown[name.substr(0, name.find(' '))];
    EXPECT_EQ(shown, (std::map<std::string, int>{{"folders", 12}, {"gsv-cities", 4}}));
  }
  const std::string told = loader.describe();
  EXPECT_NE(told.find("12 places; gsv-cities"), std::string::npos) << told;
  EXPECT_NE(told.find("; 6 batches per epoch"), std::string::npos) << told;
  EXPECT_EQ(told.find("town"), std::string::npos) << told;
}

TEST(Batches, OfOneSourceEachComeInProportionToItsWeightToo) {
  const TemporaryFolder one, two;
  testing::write_place_folders(one, 12, 2);
  testing::write_gsv_city(two, "Rome", 12, 2);
  auto folders = testing::folders(one), rome = testing::gsv(two);
  folders.weight = 3;
  rome.weight = 1;
  auto data = data_of({folders, rome}, 4, 2);
  data.mixed = false;
  BatchLoader loader(data, kNothing, kPlain, 1, 0);
  std::map<std::string, int> batches, shown;
  for (int step = 0; step < 12; ++step) {
    std::set<std::string> kinds;
    for (const auto& name : loader.next().names) {
      kinds.insert(name.substr(0, name.find(' ')));
      ++shown[name];
    }
    ASSERT_EQ(kinds.size(), 1U);
    ++batches[*kinds.begin()];
    EXPECT_LE(batches["gsv-cities"] * 3, batches["folders"] + 3) << "spread out, not one after the other";
  }
  EXPECT_EQ(batches, (std::map<std::string, int>{{"folders", 9}, {"gsv-cities", 3}}));
  for (const auto& [name, times] : shown) EXPECT_EQ(times, name.starts_with("folders") ? 3 : 1) << name;
  EXPECT_EQ(shown.size(), 48U);

  BatchLoader later(data, kNothing, kPlain, 1, 30), from_start(data, kNothing, kPlain, 1, 0);
  for (int step = 0; step < 30; ++step) from_start.next();
  expect_equal(later.next(), from_start.next());
}

TEST(Batches, RepeatPicturesChangedOtherwiseWhereAPlaceHasTooFew) {
  const TemporaryFolder folder;
  testing::write_place_folders(folder, 2, 2);
  TrainAugment crop = kNothing;
  crop.crop = 1;
  BatchLoader loader(data_of({testing::folders(folder)}, 2, 4), crop, kPlain, 1, 0);
  const Batch batch = loader.next();
  EXPECT_EQ(batch.names[0], batch.names[2]);
  EXPECT_NE(batch.names[0], batch.names[1]);
  const std::size_t values = std::size_t{3} * 12 * 16;
  EXPECT_FALSE(std::equal(batch.pixels.begin(), batch.pixels.begin() + static_cast<std::ptrdiff_t>(values),
                          batch.pixels.begin() + static_cast<std::ptrdiff_t>(2 * values)));
}

TEST(Batches, MirrorAllPicturesOfAPlaceOrNone) {
  const TemporaryFolder folder;
  testing::write_place_folders(folder, 8, 3);
  TrainAugment flip = kNothing;
  flip.flip = 0.5;
  BatchLoader plain(data_of({testing::folders(folder)}, 8, 3), kNothing, kPlain, 1, 0);
  BatchLoader mirrored(data_of({testing::folders(folder)}, 8, 3), flip, kPlain, 1, 0);
  const Batch a = plain.next(), b = mirrored.next();
  ASSERT_EQ(a.names, b.names);
  const std::ptrdiff_t values = 3 * 12 * 16;
  int turned = 0;
  for (std::ptrdiff_t place = 0; place < 8; ++place) {
    int of_place = 0;
    for (std::ptrdiff_t i = 3 * place; i < 3 * place + 3; ++i) {
      const auto at = a.pixels.begin() + i * values;
      of_place += std::equal(at, at + values, b.pixels.begin() + i * values) ? 0 : 1;
    }
    EXPECT_TRUE(of_place == 0 || of_place == 3) << place;
    turned += of_place / 3;
  }
  EXPECT_GT(turned, 0);
  EXPECT_LT(turned, 8);
}

TEST(Batches, AnUnreadablePictureIsNamedAndReplacedByAnotherOfItsPlace) {
  const TemporaryFolder folder;
  testing::write_place_folders(folder, 3, 4);
  folder.write("place11/2.jpg", "this is not a picture");
  folder.write("place12/0.jpg", testing::jpeg_of(3).substr(0, 300));
  BatchLoader loader(data_of({testing::folders(folder)}, 3, 4, 3), kNothing, kPlain, 1, 0);
  for (int step = 0; step < 4; ++step) {
    const Batch batch = loader.next();
    ASSERT_EQ(batch.unreadable.size(), 2U);
    std::string both = batch.unreadable[0] + batch.unreadable[1];
    EXPECT_NE(both.find("place11/2.jpg"), std::string::npos) << both;
    EXPECT_NE(both.find("place12/0.jpg"), std::string::npos) << both;
    for (std::size_t i = 0; i < 12; ++i) {
      EXPECT_EQ(batch.names[i].find("place11/2.jpg"), std::string::npos);
      EXPECT_NE(batch.names[i].find(batch.names[i / 4 * 4].substr(batch.names[i].find("place"), 7)), std::string::npos);
    }
  }
}

TEST(Batches, APlaceWithoutAReadablePictureEndsTheRunAtItsBatch) {
  const TemporaryFolder folder;
  testing::write_gsv_city(folder, "Rome", 6, 2);
  for (const auto& photo : photos_in(folder / "Images")) {
    if (photo.name.find("_0000003_") != std::string::npos) folder.write("Images/" + photo.name, "no picture");
  }
  BatchLoader loader(data_of({testing::gsv(folder)}, 1, 2), kNothing, kPlain, 1, 0);
  int delivered = 0;
  const auto all = [&] {
    for (int step = 0; step < 6; ++step, ++delivered) EXPECT_EQ(loader.next().step, step);
  };
  expect_error(all, ErrorCode::kBadImage, "none of the pictures of a place of gsv-cities");
  EXPECT_LT(delivered, 6);
  expect_error([&] { loader.next(); }, ErrorCode::kBadImage, "_0000003_");

  // A run that starts later sees it at the same step.
  BatchLoader later(data_of({testing::gsv(folder)}, 1, 2), kNothing, kPlain, 1, delivered);
  expect_error([&] { later.next(); }, ErrorCode::kBadImage, "_0000003_");
}

TEST(Batches, ALoaderMayBeLeftAtAnyTime) {
  const TemporaryFolder folder;
  testing::write_place_folders(folder, 4, 2);
  for (int taken = 0; taken < 4; ++taken) {
    BatchLoader loader(data_of({testing::folders(folder)}, 2, 2, 3), kNothing, kPlain, 1, 0);
    for (int i = 0; i < taken; ++i) loader.next();
  }
}

TEST(Batches, WhatCannotBeMeantIsRefused) {
  const auto load = [](const TrainData& data) { BatchLoader(data, kNothing, kPlain, 1, 0); };
  const TrainSource town = testing::town(4);
  expect_error([&] { load(data_of({}, 2, 2)); }, ErrorCode::kUsage, "no source");
  expect_error([&] { load(data_of({town}, 0, 2)); }, ErrorCode::kUsage, "places_per_batch is 0");
  expect_error([&] { load(data_of({town}, 2, 0)); }, ErrorCode::kUsage, "images_per_place is 0");
  expect_error([&] { load(data_of({town}, 2, 2, 0)); }, ErrorCode::kUsage, "workers is 0");
  expect_error([&] { load(data_of({town}, 5, 2)); }, ErrorCode::kUsage, "has 4 places, but a batch takes 5");
  expect_error([&] { load(data_of({town, town}, 2, 2)); }, ErrorCode::kUsage, "two sources use the town of seed 1");
  TrainData flat = data_of({town}, 2, 2);
  flat.size.height = 0;
  expect_error([&] { load(flat); }, ErrorCode::kUsage, "a side of the pictures is 0");
}

TEST(Batches, OfFixedVariantsRepeatThemselvesForEverySeed) {
  const TemporaryFolder folder;
  testing::write_place_folders(folder, 4, 5);
  auto data = data_of({testing::folders(folder)}, 4, 3);
  data.variants = 2;
  std::map<std::int64_t, std::vector<float>> seen;
  const std::size_t values = 3 * 12 * 16;
  for (const std::uint64_t seed : {1, 2}) {
    BatchLoader loader(data, kEverything, kPlain, seed, 0);
    for (int step = 0; step < 8; ++step) {
      const Batch batch = loader.next();
      ASSERT_EQ(batch.pictures.size(), 12U);
      for (std::size_t i = 0; i < 12; ++i) {
        EXPECT_TRUE(batch.tokens[i].empty()) << "nobody knows any";
        const auto first = batch.pixels.begin() + static_cast<std::ptrdiff_t>(i * values);
        const std::vector<float> pixels(first, first + static_cast<std::ptrdiff_t>(values));
        const auto [known, is_new] = seen.emplace(batch.pictures[i], pixels);
        EXPECT_TRUE(is_new || known->second == pixels) << "picture " << batch.pictures[i] << " has changed";
      }
    }
  }
  EXPECT_EQ(seen.size(), 4U * 2 * 3);
  EXPECT_EQ(seen.rbegin()->first, 4 * 2 * 3 - 1) << "numbers without gaps";
}

TEST(Batches, DoNotReadPlacesThatAreKnown) {
  const TemporaryFolder folder;
  testing::write_place_folders(folder, 4, 2);
  auto data = data_of({testing::folders(folder)}, 4, 2);
  data.variants = 1;
  // Places 0 and 1 are known completely, place 2 has one known picture of two.
  const auto known = [](std::int64_t picture, std::vector<std::uint16_t>& tokens) {
    if (picture > 4) return false;
    tokens = {static_cast<std::uint16_t>(100 + picture)};
    return true;
  };
  BatchLoader loader(data, kNothing, kPlain, 1, 0, known);
  const Batch batch = loader.next();
  for (std::size_t i = 0; i < 8; ++i) {
    const auto picture = batch.pictures[i];
    EXPECT_EQ(batch.labels[i], static_cast<std::int64_t>(i / 2));
    if (picture < 4) {
      EXPECT_EQ(batch.tokens[i], std::vector<std::uint16_t>{static_cast<std::uint16_t>(100 + picture)});
    } else {
      EXPECT_TRUE(batch.tokens[i].empty()) << "a place is known as a whole or not at all";
    }
  }
}

}  // namespace
}  // namespace revisit::feed
