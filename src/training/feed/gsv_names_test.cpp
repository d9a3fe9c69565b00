// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
#include "training/feed/gsv_names.h"

#include <gtest/gtest.h>

#include "test_files.h"

namespace revisit::feed {
namespace {

using testing::TemporaryFolder;

const GsvRow kRow{"Bangkok", 123, 2014, 5, 35, "13.7500000", "100.5", "A_b-C"};

TEST(GsvNames, FollowTheFieldsPattern) {
  EXPECT_EQ(gsv_stem(kRow, kRow.lat, kRow.lon), "Bangkok_0000123_2014_05_035_13.7500000_100.5_A_b-C");
}

TEST(GsvNames, ShortestTextIsThatOfPython) {
  EXPECT_EQ(shortest_text("13.7500000"), "13.75");
  EXPECT_EQ(shortest_text("13"), "13.0");
  EXPECT_EQ(shortest_text("-0.10"), "-0.1");
  EXPECT_EQ(shortest_text("0.0001"), "0.0001");
  EXPECT_EQ(shortest_text("0.00001"), "1e-05");
  EXPECT_EQ(shortest_text("45.75174775294593"), "45.75174775294593");
  EXPECT_EQ(shortest_text("0.1000000000000000055511151231257827"), "0.1");
  EXPECT_EQ(shortest_text("north"), "");
}

TEST(GsvNames, APictureIsFoundByTheTablesOwnDigits) {
  const TemporaryFolder folder;
  folder.write("Bangkok_0000123_2014_05_035_13.7500000_100.5_A_b-C.jpg");
  folder.write("Bangkok_0000123_2014_05_035_13.75_100.5_A_b-C.jpg");
  GsvFolder pictures(folder.path());
  EXPECT_EQ(pictures.find(kRow), "Bangkok_0000123_2014_05_035_13.7500000_100.5_A_b-C.jpg");
}

TEST(GsvNames, APictureIsFoundByTheShortestDigitsAndUnderAnUpperCaseExtension) {
  const TemporaryFolder folder;
  folder.write("Bangkok_0000123_2014_05_035_13.75_100.5_A_b-C.JPG");
  GsvFolder pictures(folder.path());
  EXPECT_EQ(pictures.find(kRow), "Bangkok_0000123_2014_05_035_13.75_100.5_A_b-C.JPG");
}

TEST(GsvNames, APictureWithAnotherLastDigitIsFoundByItsPanorama) {
  const TemporaryFolder folder;
  folder.write("Bangkok_0000123_2014_05_035_13.750000000000002_100.5_A_b-C.jpg");
  folder.write("Bangkok_0000124_2014_05_035_13.750000000000002_100.5_A_b-C.jpg");  // another place
  folder.write("Bangkok_0000123_2014_05_035_13.750000000000002_100.5_A_b-D.jpg");  // another panorama
  folder.write("Bangkok_oddly_named.jpg");
  folder.write("Bangkok_.jpg");
  GsvFolder pictures(folder.path());
  EXPECT_EQ(pictures.find(kRow), "Bangkok_0000123_2014_05_035_13.750000000000002_100.5_A_b-C.jpg");
}

TEST(GsvNames, OfTwoPicturesOfAPanoramaTheFirstByNameIsTaken) {
  const TemporaryFolder folder;
  for (const char* day : {"09", "07", "08"}) {
    folder.write(std::string("Bangkok_0000123_2014_") + day + "_035_13.7_100.5_A_b-C.jpg");
  }
  GsvFolder pictures(folder.path());
  EXPECT_EQ(pictures.find(kRow), "Bangkok_0000123_2014_07_035_13.7_100.5_A_b-C.jpg");
}

TEST(GsvNames, APictureThatIsNotThereIsNotFound) {
  const TemporaryFolder folder;
  folder.write("Rome_0000123_2014_05_035_13.7500000_100.5_A_b-C.jpg");
  folder.write("Bangkok_0000123_2014_05_035_13.7500000_100.5_A_b-C.txt");
  GsvFolder pictures(folder.path());
  EXPECT_EQ(pictures.find(kRow), std::nullopt);
}

TEST(GsvNames, AFolderThatIsNotThereIsNamed) {
  const TemporaryFolder folder;
  testing::expect_error([&] { GsvFolder(folder / "Images/Bangkok"); }, ErrorCode::kNotFound, "Images/Bangkok");
}

}  // namespace
}  // namespace revisit::feed
