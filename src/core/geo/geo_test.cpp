// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Places against known values, round trips, and file names.
#include "revisit/geo.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "revisit/error.h"

namespace revisit {
namespace {

TEST(Utm, AgreesWithPublishedCoordinates) {
  const Utm tower = to_utm({43.642567, -79.387139});  // CN Tower, Toronto: 17T 630084 4833439
  EXPECT_EQ(tower.zone, 17);
  EXPECT_TRUE(tower.northern);
  EXPECT_NEAR(tower.east_m, 630084.3, 1.0);
  EXPECT_NEAR(tower.north_m, 4833438.6, 1.0);
  const Utm origin = to_utm({0, 3});
  EXPECT_EQ(origin.zone, 31);
  EXPECT_NEAR(origin.east_m, 500000, 1e-6);
  EXPECT_NEAR(origin.north_m, 0, 1e-6);
}

TEST(Utm, UsesTheWiderZonesOfNorway) { EXPECT_EQ(to_utm({60.39, 5.32}).zone, 32); }

TEST(Utm, CountsTheSouthFromTenThousandKilometres) {
  const Utm sydney = to_utm({-33.8568, 151.2153});
  EXPECT_FALSE(sydney.northern);
  EXPECT_EQ(sydney.zone, 56);
  EXPECT_NEAR(sydney.north_m, 6252308, 50);
}

TEST(Utm, ComesBackWithinAMicrometreEverywhere) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> lat(-90, 90), lon(-180, 180);
  double worst = 0;
  for (int i = 0; i < 2000; ++i) {
    const LatLon place{lat(random), lon(random)};
    const LatLon back = to_lat_lon(to_utm(place));
    worst = std::max(worst, distance_m(position_from(place), position_from(back)));
  }
  EXPECT_LT(worst, 1e-6);
  for (const double pole : {90.0, -90.0}) EXPECT_NEAR(to_lat_lon(to_utm({pole, 0})).lat_deg, pole, 1e-9);
}

TEST(Utm, RefusesPlacesOffTheGlobe) {
  for (const LatLon place :
       {LatLon{90.001, 0}, LatLon{-91, 0}, LatLon{0, 180.5}, LatLon{0, -181}, LatLon{NAN, 0}, LatLon{0, INFINITY}}) {
    try {
      to_utm(place);
      ADD_FAILURE() << place.lat_deg << " " << place.lon_deg;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kBadFile);
      EXPECT_NE(std::string(error.what()).find("off the globe"), std::string::npos);
    }
  }
  for (const Utm& place : {Utm{500000, 0, 0, true}, Utm{500000, 0, 61, true}, Utm{NAN, 0, 31, true}, Utm{5e6, 0, 31, true},
                           Utm{5e5, 2e7, 31, true}}) {
    EXPECT_THROW(to_lat_lon(place), Error);
  }
}

TEST(Distance, FollowsTheEllipsoidAcrossTheBorderOfTwoZones) {
  const Position west = position_from({48, 5.9999}), east = position_from({48, 6.0001});
  EXPECT_NEAR(distance_m(west, east), 14.92, 0.05);
  EXPECT_GT(std::abs(west.east_m - east.east_m), 400'000);
  EXPECT_NEAR(distance_m(position_from({0, 179.9999}), position_from({0, -179.9999})), 22.26, 0.01);
}

TEST(Distance, IsPlanarWithoutGeographicPlaces) {
  const Position a{3, 0, {}, {}}, b{0, 4, {}, {}};
  EXPECT_DOUBLE_EQ(distance_m(a, b), 5);
  EXPECT_DOUBLE_EQ(distance_m(position_from({10, 10}), position_from({10, 10})), 0);
}

TEST(PositionNames, AreReadFromFullAndFromShortNames) {
  const auto full = position_from_name("a@b/@0584234.12@4477104.50@17@T@040.43928@-080.00634@pano@0@271.5@@@@200912@x@.jpg");
  ASSERT_TRUE(full);
  EXPECT_DOUBLE_EQ(full->east_m, 584234.12);
  EXPECT_DOUBLE_EQ(full->north_m, 4477104.50);
  ASSERT_TRUE(full->geographic);
  EXPECT_NEAR(full->geographic->lat_deg, 40.44, 0.01);
  EXPECT_NEAR(full->geographic->lon_deg, -80.006, 0.01);
  EXPECT_DOUBLE_EQ(full->heading_deg.value(), 271.5);
  const auto mock = position_from_name("@0@17000@@@@@17@@@@@@@@.jpg");
  ASSERT_TRUE(mock);
  EXPECT_DOUBLE_EQ(mock->north_m, 17000);
  EXPECT_FALSE(mock->geographic);
  EXPECT_FALSE(mock->heading_deg);
  EXPECT_TRUE(position_from_name("@1.5@-2.5@.jpg"));
}

TEST(PositionNames, TakeDegreesWhenTheyDisagreeWithTheMetres) {
  const auto found = position_from_name("@0500000.00@0000000.00@31@N@010.00000@0020.00000@@@@@@@@@.jpg");
  ASSERT_TRUE(found && found->geographic);
  EXPECT_DOUBLE_EQ(found->geographic->lat_deg, 10);
  EXPECT_DOUBLE_EQ(found->geographic->lon_deg, 20);
}

TEST(PositionNames, IgnoreNamesThatCarryNoNumbers) {
  for (const auto* name : {"", "a.jpg", "@", "@@@", "@1@.jpg", "@1@2", "me@home@now@.jpg", "@1x@2@.jpg", "@nan@1@.jpg",
                           "@inf@1@.jpg", "@1e300@1@.jpg", "@1@ 2@.jpg", "@1@2@/x.jpg", "@0x10@2@.jpg"}) {
    EXPECT_FALSE(position_from_name(name)) << name;
  }
}

TEST(PositionNames, AreWrittenWithTheWidthsOfTheField) {
  EXPECT_EQ(name_with_position({12.345, 6.789, {}, {}}, "n"), "@0000012.35@0000006.79@@@@@@@@@@@@n@.jpg");
  Position place = position_from({-33.8568, 151.2153});
  place.heading_deg = 90;
  const std::string name = name_with_position(place, "", ".png");
  EXPECT_EQ(std::ranges::count(name, '@'), 15);
  EXPECT_NE(name.find("@56@H@-33.85680@0151.21530@"), std::string::npos) << name;
  EXPECT_NE(name.find("@90.0@"), std::string::npos) << name;
}

TEST(PositionNames, ComeBackWithinACentimetre) {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> lat(-80, 84), lon(-180, 180);
  for (int i = 0; i < 500; ++i) {
    const Position place = position_from({lat(random), lon(random)});
    const auto back = position_from_name("x/" + name_with_position(place, "note"));
    ASSERT_TRUE(back && back->geographic);
    EXPECT_LT(distance_m(place, *back), 0.011) << place.geographic->lat_deg << " " << place.geographic->lon_deg;
    EXPECT_NEAR(back->east_m, place.east_m, 0.0051);
  }
}

TEST(PositionNames, RefuseNotesThatWouldBreakTheName) {
  for (const auto& note : {std::string("a@b"), std::string("a/b"), std::string("a\0b", 3)})
    EXPECT_THROW(name_with_position({}, note), Error);
}

}  // namespace
}  // namespace revisit
