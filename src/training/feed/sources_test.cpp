// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
#include "training/feed/sources.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "training/feed/test_places.h"
#include "revisit/lab/synth.h"

namespace revisit::feed {
namespace {

using testing::expect_error;
using testing::TemporaryFolder;

TEST(GsvCities, KnownCitiesComeInTheFieldsOrderAndOthersByName) {
  const TemporaryFolder folder;
  for (const char* city : {"PRS", "Bangkok", "Zwolle", "Aachen", "OSL"}) testing::write_gsv_city(folder, city, 2, 4);
  const auto source = open_source(testing::gsv(folder), 4, 4);
  ASSERT_EQ(source->places(), 10);
  std::vector<std::string> cities;
  for (int place = 0; place < 10; place += 2) {
    EXPECT_EQ(source->group(place), place / 2);
    EXPECT_EQ(source->group(place + 1), place / 2);
    cities.push_back(source->image_name(place, 0).substr(7, 4));
  }
  EXPECT_EQ(cities, (std::vector<std::string>{"Bang", "OSL/", "PRS/", "Aach", "Zwol"}));
  EXPECT_EQ(source->images(3), 4);
  EXPECT_EQ(source->image(3, 2, {8, 8}).width, 24);
}

TEST(GsvCities, OnlyTheCitiesAskedForAreRead) {
  const TemporaryFolder folder;
  for (const char* city : {"Rome", "Bangkok"}) testing::write_gsv_city(folder, city, 2, 4);
  TrainSource rome = testing::gsv(folder);
  rome.cities = {"Rome"};
  EXPECT_EQ(open_source(rome, 4, 1)->places(), 2);
  rome.cities = {"Rome", "Atlantis"};
  expect_error([&] { open_source(rome, 4, 1); }, ErrorCode::kNotFound, "'Atlantis'");
  EXPECT_NE(testing::thrown_by([&] { open_source(rome, 4, 1); }).hint().find("Bangkok, Rome"), std::string::npos);
}

TEST(GsvCities, PlacesOfTooFewPicturesAreLeftOutAndMissingPicturesCounted) {
  const TemporaryFolder folder;
  testing::write_gsv_city(folder, "Rome", 3, 4);
  const auto pictures = photos_in(folder / "Images");
  std::filesystem::remove(pictures[5].path);  // of the second place
  const auto source = open_source(testing::gsv(folder), 4, 2);
  EXPECT_EQ(source->places(), 2);
  EXPECT_NE(source->describe().find("2 places of 1 cities, 1 of fewer than 4 pictures left out, 1 pictures do not exist"),
            std::string::npos)
      << source->describe();
  EXPECT_EQ(open_source(testing::gsv(folder), 3, 2)->places(), 3);
}

TEST(GsvCities, WhatIsMissingIsSaidInOneSentence) {
  const TemporaryFolder folder;
  const TrainSource source = testing::gsv(folder);
  expect_error([&] { open_source(source, 4, 2); }, ErrorCode::kNotFound, "Dataframes' does not exist");
  folder.write("Dataframes/readme.txt");
  expect_error([&] { open_source(source, 4, 2); }, ErrorCode::kNotFound, "Images' does not exist");
  folder.write("Images/Rome/x.txt");
  expect_error([&] { open_source(source, 4, 2); }, ErrorCode::kNotFound, "holds no .csv file");
  folder.write("Dataframes/Rome.csv", "place_id,year,month,northdeg,city_id,lat,panoid\n1,2014,5,3,Rome,1.5,a\n");
  expect_error([&] { open_source(source, 4, 2); }, ErrorCode::kBadFile, "Rome.csv' has no column 'lon'");
  folder.write("Dataframes/Rome.csv", testing::kGsvHeader);
  expect_error([&] { open_source(source, 4, 2); }, ErrorCode::kBadFile, "Rome.csv' lists no picture");
  folder.write("Dataframes/Rome.csv", std::string(testing::kGsvHeader) + "one,2014,5,3,Rome,1.5,2.5,a\n");
  expect_error([&] { open_source(source, 4, 2); }, ErrorCode::kBadFile, "line 2: the place_id 'one' is not a whole number");
  folder.write("Dataframes/Rome.csv", std::string(testing::kGsvHeader) + "1,2014,5,3,../Rome,1.5,2.5,a\n");
  expect_error([&] { open_source(source, 4, 2); }, ErrorCode::kBadFile, "line 2: the city_id '../Rome' is not a plain name");
  folder.write("Dataframes/Rome.csv", std::string(testing::kGsvHeader) + "1,2014,5,3,Roma,1.5,2.5,a\n");
  expect_error([&] { open_source(source, 4, 2); }, ErrorCode::kNotFound, "Images/Roma'");
  folder.write("Dataframes/Rome.csv", std::string(testing::kGsvHeader) + "1,2014,5,3,Rome,1.5,2.5,a\n");
  expect_error([&] { open_source(source, 4, 2); }, ErrorCode::kNotFound, "none of the 1 pictures");
  testing::write_gsv_city(folder, "Rome", 3, 3);
  expect_error([&] { open_source(source, 4, 2); }, ErrorCode::kUsage, "none of the 3 places of gsv-cities");
  expect_error([&] { open_source(source, 3, 5); }, ErrorCode::kUsage,
               "has 3 places with at least 3 pictures, but a batch takes 5");
  TrainSource nowhere = source;
  nowhere.path = folder / "nowhere";
  expect_error([&] { open_source(nowhere, 4, 2); }, ErrorCode::kNotFound, "nowhere' does not exist");
}

TEST(PlaceFolders, EveryFolderIsAPlaceAndSinglePicturesAreLeftOut) {
  const TemporaryFolder folder;
  testing::write_place_folders(folder, 3, 4);
  folder.write("lonely/only.jpg", testing::jpeg_of(1));
  folder.write("stray.jpg", testing::jpeg_of(1));
  const auto source = open_source(testing::folders(folder), 4, 3);
  ASSERT_EQ(source->places(), 3);
  EXPECT_EQ(source->images(1), 4);
  EXPECT_EQ(source->image_name(1, 2), "place11/2.jpg");
  EXPECT_TRUE(source->may_meet(0, 1));
  EXPECT_FALSE(source->may_meet(1, 1));
  EXPECT_NE(source->describe().find("3 places, 1 without two pictures"), std::string::npos) << source->describe();
  SplitMix random(1);
  auto drawn = source->draw(0, random);
  std::ranges::sort(drawn);
  EXPECT_EQ(drawn, (std::vector<int>{0, 1, 2, 3}));
}

TEST(PlaceFolders, WithPositionsPicturesShownTogetherWereTakenTogether) {
  const TemporaryFolder folder;
  testing::write_place_folders(folder, 2, 6);
  // Place 10 has two sides, 100 m apart; its last picture stands alone. Place 11 is far away and has no position for one picture.
  folder.write("positions.csv",
               "image,east,north,condition\nplace10/0.jpg,0,0,day\nplace10/1.jpg,0,9,night\nplace10/2.jpg,0,18,day\n"
               "place10/3.jpg,100,0,day\nplace10/4.jpg,100,5,day\nplace10/5.jpg,50,500,day\n"
               "place11/0.jpg,9000,0,day\nplace11/1.jpg,9000,1,day\nplace11/2.jpg,9000,2,day\nplace11/3.jpg,9000,3,day\n"
               "place11/4.jpg,9000,4,night\n");
  TrainSource asked = testing::folders(folder);
  asked.positive_m = 12;
  const auto source = open_source(asked, 4, 2);
  ASSERT_EQ(source->places(), 2);
  EXPECT_EQ(source->images(0), 5);
  EXPECT_EQ(source->images(1), 5);
  EXPECT_NE(source->describe().find("1 pictures without a position left out"), std::string::npos) << source->describe();
  std::set<std::set<int>> views;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SplitMix random(seed);
    const auto drawn = source->draw(0, random);
    views.insert({drawn.begin(), drawn.end()});
    EXPECT_GE(drawn.size(), 2U);
    SplitMix again(seed);
    const auto far = source->draw(1, again);
    EXPECT_EQ(far.size(), 5U);
    EXPECT_TRUE(far[0] == 4 || far[1] == 4) << "the other condition is shown first";
  }
  // 0 and 2 are 18 m apart: both are near 1, but not each other.
  EXPECT_EQ(views, (std::set<std::set<int>>{{0, 1}, {1, 2}, {3, 4}}));
}

TEST(PlaceFolders, PlacesWhoseCamerasComeNearDoNotMeet) {
  const TemporaryFolder folder;
  testing::write_place_folders(folder, 4, 2);
  std::string table = "image,lat,lon\n";
  for (int place = 0; place < 4; ++place) {  // along a meridian, 0.0005 degrees = 55.6 m apart
    for (int i = 0; i < 2; ++i) {
      table += "place" + std::to_string(10 + place) + "/" + std::to_string(i) + ".jpg," + std::to_string(45.0 + 0.0005 * place) +
               ",21.0\n";
    }
  }
  folder.write("positions.csv", table);
  const auto source = open_source(testing::folders(folder), 2, 2);
  for (int a = 0; a < 4; ++a) {
    for (int b = 0; b < 4; ++b) EXPECT_EQ(source->may_meet(a, b), std::abs(a - b) > 1) << a << ' ' << b;
  }
}

TEST(PlaceFolders, WhatIsMissingIsSaidInOneSentence) {
  const TemporaryFolder folder;
  TrainSource source = testing::folders(folder);
  expect_error([&] { open_source(source, 4, 2); }, ErrorCode::kNotFound, "holds no .jpg");
  folder.write("stray.jpg");
  expect_error([&] { open_source(source, 4, 2); }, ErrorCode::kNotFound, "none of them in the folder of a place");
  folder.write("a/1.jpg");
  folder.write("b/1.jpg");
  expect_error([&] { open_source(source, 4, 2); }, ErrorCode::kUsage, "none of the 2 places");
  folder.write("a/2.jpg");
  expect_error([&] { open_source(source, 4, 2); }, ErrorCode::kUsage,
               "has 1 places with at least 2 pictures, but a batch takes 2");
  folder.write("positions.csv", "image,condition\na/1.jpg,day\n");
  expect_error([&] { open_source(source, 4, 1); }, ErrorCode::kBadFile, "neither the columns lat and lon nor east and north");
  folder.write("positions.csv", "image,east,north\nc/1.jpg,1,2\n");
  expect_error([&] { open_source(source, 4, 1); }, ErrorCode::kBadFile, "has no position for any of the 3 photos");
  folder.write("positions.csv", "image,east,north\na/1.jpg,0,0\na/2.jpg,0,31\n");
  expect_error([&] { open_source(source, 4, 1); }, ErrorCode::kUsage, "none of the 1 places");
  EXPECT_NE(testing::thrown_by([&] { open_source(source, 4, 1); }).hint().find("positive_m"), std::string::npos);
  source.path = folder / "nowhere";
  expect_error([&] { open_source(source, 4, 2); }, ErrorCode::kNotFound, "nowhere' does not exist");
}

TEST(Pairs, APlaceIsAQueryItsNeighboursAndTheirReferences) {
  const TemporaryFolder folder;
  testing::write_pairs(folder, 40, 2);
  TrainSource asked = testing::pairs(folder);
  asked.tolerance_frames = 1;
  const auto source = open_source(asked, 4, 4);
  ASSERT_EQ(source->places(), 40);
  EXPECT_EQ(source->images(0), 2 + 3);
  EXPECT_EQ(source->images(20), 3 + 5);
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    SplitMix random(seed);
    const auto drawn = source->draw(20, random);
    EXPECT_EQ(std::set<int>(drawn.begin(), drawn.end()).size(), 8U);
    const bool first = source->image_name(20, drawn[0]).starts_with("query");
    EXPECT_NE(first, source->image_name(20, drawn[1]).starts_with("query")) << "both traverses are shown first";
  }
}

TEST(Pairs, PlacesThatMeetAreAsFarApartAsAsked) {
  const TemporaryFolder folder;
  testing::write_pairs(folder, 60, 0);
  TrainSource asked = testing::pairs(folder);
  asked.tolerance_frames = 1;
  asked.negative_frames = 15;
  asked.stretch_frames = 30;
  const auto source = open_source(asked, 4, 2);
  EXPECT_EQ(source->stretch(), 30);
  for (int a = 0; a < 60; ++a) {
    for (int b = 0; b < 60; ++b) EXPECT_EQ(source->may_meet(a, b), std::abs(a - b) >= 15) << a << ' ' << b;
  }
}

TEST(Pairs, PlacesThatMeetShareNothingAndAreNoNeighbours) {
  const TemporaryFolder folder;
  testing::write_pairs(folder, 60, 2);
  for (const int tolerance : {0, 1, 2, 4}) {
    TrainSource asked = testing::pairs(folder);
    asked.tolerance_frames = tolerance;
    const auto source = open_source(asked, 4, 2);
    int meetings = 0;
    for (int a = 0; a < 60; ++a) {
      std::set<std::string> of_a;
      for (int i = 0; i < source->images(a); ++i) of_a.insert(source->image_name(a, i));
      for (int b = 0; b < 60; ++b) {
        EXPECT_EQ(source->may_meet(a, b), source->may_meet(b, a));
        if (!source->may_meet(a, b)) continue;
        ++meetings;
        EXPECT_GE(std::abs(a - b), std::max(1, 2 * tolerance));
        for (int i = 0; i < source->images(b); ++i) EXPECT_FALSE(of_a.contains(source->image_name(b, i))) << a << ' ' << b;
      }
    }
    EXPECT_GT(meetings, 1000);
  }
}

TEST(Pairs, QueriesThatShareNoReferenceAreNoNeighbours) {
  const TemporaryFolder folder;
  testing::write_pairs(folder, 20, 0);  // pictures without an order, such as web cameras
  EXPECT_EQ(open_source(testing::pairs(folder), 2, 2)->images(10), 2);
}

TEST(Pairs, WhatIsMissingIsSaidInOneSentence) {
  const TemporaryFolder folder;
  testing::write_pairs(folder, 3, 0);
  TrainSource source = testing::pairs(folder);
  source.references = "summer";
  expect_error([&] { open_source(source, 2, 2); }, ErrorCode::kNotFound, "summer' does not exist");
  source = testing::pairs(folder);
  source.gt = "truth.csv";
  expect_error([&] { open_source(source, 2, 2); }, ErrorCode::kNotFound, "truth.csv");
  folder.write("truth.csv", "query,reference\n1000.jpg,1000.jpg\n");
  expect_error([&] { open_source(source, 2, 2); }, ErrorCode::kBadFile, "has no column 'accepted_refs'");
  folder.write("truth.csv", "query,best_ref\n1000.jpg,\n");
  expect_error([&] { open_source(source, 2, 2); }, ErrorCode::kUsage, "none of the 3 places");
  folder.write("truth.csv", "query,best_ref\n1000.jpg,1000.jpg\n");
  expect_error([&] { open_source(source, 2, 2); }, ErrorCode::kUsage, "has 1 places");
}

TEST(Town, PicturesOfAPlaceDifferInTheirConditions) {
  const auto source = open_source(testing::town(5), 4, 4);
  SplitMix random(3);
  const auto drawn = source->draw(2, random);
  ASSERT_EQ(drawn.size(), 36U);
  std::set<int> moods;
  for (const int index : drawn) {
    EXPECT_LT(index, source->images(2));
    moods.insert(index % 36);
  }
  EXPECT_EQ(moods.size(), 36U);
  const Image first = source->image(2, drawn[0], {40, 40});
  EXPECT_GE(first.height, 40);
  EXPECT_GE(first.width, 40);
  EXPECT_EQ(first.rgb, source->image(2, drawn[0], {40, 40}).rgb);
  EXPECT_NE(first.rgb, source->image(2, drawn[1], {40, 40}).rgb);
  EXPECT_NE(first.rgb, source->image(3, drawn[0], {40, 40}).rgb);
}

TEST(Town, IsNoneOfTheTownsThatSynthMakes) {
  const SceneCamera camera;
  const Image shown = render_place(1, 0, camera, {}, {44, 58});
  for (const std::uint64_t seed : {0, 1, 2}) {
    const auto source = open_source(testing::town(1, seed), 2, 1);
    for (int index = 0; index < 36; ++index) EXPECT_NE(source->image(0, index, {40, 40}).rgb, shown.rgb);
  }
}

TEST(Town, TooFewPlacesAreRefused) {
  expect_error([] { open_source(testing::town(3), 4, 4); }, ErrorCode::kUsage, "has 3 places, but a batch takes 4");
  expect_error([] { open_source(testing::town(0), 4, 0); }, ErrorCode::kUsage, "a town has 1 to 10,000,000 places, not 0");
}

TEST(Sources, ThatShowTheSamePlacesAreRefused) {
  const TemporaryFolder folder;
  const auto refused = [](const TrainSource& a, const TrainSource& b) {
    try {
      check_apart({a, b});
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kUsage);
      return true;
    }
    return false;
  };
  EXPECT_TRUE(refused(testing::town(5, 1), testing::town(9, 1)));
  EXPECT_FALSE(refused(testing::town(5, 1), testing::town(5, 2)));
  TrainSource winter = testing::pairs(folder), autumn = winter;
  winter.queries = "winter";
  autumn.queries = "autumn";
  EXPECT_TRUE(refused(winter, autumn)) << "the same references";
  autumn.references = "spring";
  EXPECT_FALSE(refused(winter, autumn));
  TrainSource rome = testing::gsv(folder), miami = rome;
  EXPECT_TRUE(refused(rome, miami));
  rome.cities = {"Rome"};
  miami.cities = {"Miami"};
  EXPECT_FALSE(refused(rome, miami));
  TrainSource roundabout = testing::folders(folder);
  roundabout.path = folder.path() / "x" / "..";
  EXPECT_TRUE(refused(testing::folders(folder), roundabout));
}

TEST(Sources, NumbersAreGroupedForReading) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(62'000), "62,000");
  EXPECT_EQ(grouped(-1'234'567), "-1,234,567");
}

}  // namespace
}  // namespace revisit::feed
