// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// One bit of the catalogue flips on the disk, and a photo would lie 1,781 km away: what the user is told, and how it is repaired.
#include "run_program.h"

namespace revisit::testing {
namespace {

class DamagedIndex : public ProgramTest {
 protected:
  RunResult run(const std::vector<std::string>& arguments) {
    RunOptions options;
    options.folder = folder_;
    return run_program(arguments, options);
  }

  void SetUp() override {
    ProgramTest::SetUp();
    for (const char* name : {"0", "1", "2"}) picture(std::string("photos/") + name + ".png", name[0] - std::uint32_t{'0'} + 1);
    text_file("gps.csv", "image,lat,lon\n0.png,48.25,9.5\n1.png,48.3125,9.5\n2.png,48.5,9.5\n");
    ASSERT_EQ(run({"index", "add", "db", "photos", "--positions", "gps.csv", "--size", "28x28"}).exit_code, 0);
    std::string bytes = contents("db/catalogue.sqlite");
    const std::string latitude("\x40\x48\x28\0\0\0\0\0", 8);  // 48.3125, as SQLite stores it
    const std::size_t at = bytes.find(latitude);
    ASSERT_NE(at, std::string::npos);
    ASSERT_EQ(bytes.find(latitude, at + 1), std::string::npos);
    bytes[at + 1] = '\x40';  // 32.3125
    text_file("db/catalogue.sqlite", bytes);
  }
};

TEST_F(DamagedIndex, IsAnsweredFromByNoVerb) {
  const auto expect_refused = [&](const std::vector<std::string>& arguments) {
    SCOPED_TRACE(arguments[0] + " " + arguments[1]);
    const auto result = run(arguments);
    EXPECT_EQ(result.exit_code, 3);
    EXPECT_NE(result.err.find("the line of row 1 ('1.png') was changed on disk"), std::string::npos) << result.err;
    EXPECT_NE(result.err.find("restore the index from a copy"), std::string::npos) << result.err;
    EXPECT_EQ(result.out.find("32.3125"), std::string::npos) << result.out;
  };
  expect_refused({"query", "db", "photos/1.png"});
  expect_refused({"query", "db", "photos/0.png", "--near", "48.25,9.5", "--radius", "100"});
  expect_refused({"index", "info", "db"});
  expect_refused({"index", "export", "db", "-o", "places.csv"});
  expect_refused({"index", "export", "db", "-o", "places.geojson"});
  expect_refused({"index", "export", "db", "-o", "places.npy"});
  expect_refused({"index", "merge", "other", "db"});
  expect_refused({"index", "add", "db", "photos", "--size", "28x28"});
  EXPECT_FALSE(exists("places.csv") || exists("places.geojson")) << "nothing half is left";
  const auto verify = run({"index", "verify", "db", "--json"});
  EXPECT_EQ(verify.exit_code, 3);
  ASSERT_EQ(verify.json()["problems"].size(), 1U) << verify.out;
  EXPECT_EQ(verify.json()["problems"][0]["row"], 1);
}

TEST_F(DamagedIndex, IsMendedByAddingThePhotoAgain) {
  const auto mended = run({"index", "add", "db", "photos", "--positions", "gps.csv", "--size", "28x28", "--update", "--json"});
  EXPECT_EQ(mended.exit_code, 0) << mended.err;
  EXPECT_EQ(mended.json()["updated"], 1);
  EXPECT_EQ(mended.json()["unchanged"], 2);
  EXPECT_EQ(run({"index", "verify", "db"}).exit_code, 0);
  ASSERT_EQ(run({"index", "export", "db", "-o", "places.csv"}).exit_code, 0);
  EXPECT_NE(contents("places.csv").find("48.3125"), std::string::npos) << contents("places.csv");
  const auto found = run({"query", "db", "photos/1.png", "--json"});
  EXPECT_EQ(found.exit_code, 0) << found.err;
  EXPECT_NE(found.out.find("1.png"), std::string::npos) << found.out;
}

}  // namespace
}  // namespace revisit::testing
