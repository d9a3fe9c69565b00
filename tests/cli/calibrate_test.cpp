// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// calibrate, and the answers it changes.
#include <random>

#include "run_program.h"

namespace revisit::testing {
namespace {

class Calibrate : public ProgramTest {
 protected:
  static constexpr int kPhotos = 60;
  RunResult run(const std::vector<std::string>& arguments) {
    RunOptions options;
    options.folder = folder_;
    return run_program(arguments, options);
  }
  /// Large coloured squares, so that no two seeds look alike.
  void squares(const std::string& name, unsigned seed) const {
    std::mt19937 random(seed);
    Image image{4, 4, {}};
    for (int i = 0; i < 48; ++i) image.rgb.push_back(static_cast<std::uint8_t>(random() >> 24U));
    std::filesystem::create_directories((folder_ / name).parent_path());
    save_png(resize(image, {64, 64}, ResizeFilter::kBicubic), folder_ / name);
  }
  void SetUp() override {
    ProgramTest::SetUp();
    std::string places = "image,east,north\n";
    for (int i = 0; i < kPhotos; ++i) {
      squares("photos/" + std::to_string(i) + ".png", static_cast<unsigned>(i + 1));
      places += std::to_string(i) + ".png," + std::to_string(200 * i) + ",0\n";
    }
    text_file("places.csv", places);
  }
  RunResult add(const std::string& index, bool placed) {
    std::vector<std::string> words{"index", "add", index, "photos", "--size", "28x28"};
    if (placed) words.insert(words.end(), {"--positions", "places.csv"});
    return run(words);
  }
};

TEST_F(Calibrate, AnIndexAnswersAtItsOwnRatesFromThenOn) {
  ASSERT_EQ(add("db", true).exit_code, 0);
  const auto made = run({"calibrate", "db", "--json"});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const auto object = made.json();
  EXPECT_EQ(object["photos"], kPhotos);
  EXPECT_EQ(object["by"], "position");
  EXPECT_EQ(object["rates"].back()["rate"], 0.07) << "60 photos tell no finer rate";
  EXPECT_TRUE(exists("db/calibration.txt"));
  EXPECT_EQ(run({"index", "verify", "db"}).exit_code, 0);
  EXPECT_EQ(run({"index", "info", "db", "--json"}).json()["calibrated_photos"], kPhotos);

  const auto known = run({"query", "db", "photos/3.png", "--json"}).json();
  EXPECT_EQ(known["max_false_rate"], 0.1);
  EXPECT_EQ(known["calibration"], "calibrated on 60 photos of the index");
  EXPECT_EQ(known["queries"][0]["verdict"], "likely") << known;
  EXPECT_EQ(known["queries"][0]["false_rate"], 0.07);
  EXPECT_TRUE(known["queries"][0]["accepted"].get<bool>());
  EXPECT_NE(run({"query", "db", "photos/3.png"}).out.find("  likely, false rate 0.07"), std::string::npos);
  const auto sure = run({"query", "db", "photos/3.png", "--max-false-rate", "0.01", "--json"}).json();
  EXPECT_FALSE(sure["queries"][0]["accepted"].get<bool>()) << "nothing is sure after 60 photos";
  EXPECT_EQ(sure["queries"][0]["verdict"], "no match");
  squares("other.png", 999);
  EXPECT_NE(run({"query", "db", "other.png"}).out.find("other.png -> no match (best "), std::string::npos);
}

TEST_F(Calibrate, AReportKeepsTheVerdicts) {
  ASSERT_EQ(add("db", true).exit_code, 0);
  ASSERT_EQ(run({"calibrate", "db"}).exit_code, 0);
  ASSERT_EQ(run({"query", "db", "photos/3.png", "-o", "out"}).exit_code, 0);
  EXPECT_NE(contents("out/photos.csv").find(",likely,0.07\n"), std::string::npos) << contents("out/photos.csv");
  EXPECT_NE(contents("out/report.html").find("Likely: accepted down to a false rate of 0.07."), std::string::npos);
  ASSERT_EQ(run({"report", "out/run.json", "-o", "again"}).exit_code, 0);
  EXPECT_NE(contents("again/report.html").find("Likely: accepted down to a false rate of 0.07."), std::string::npos);
}

TEST_F(Calibrate, SaysWhatIsMissing) {
  ASSERT_EQ(add("db", false).exit_code, 0);
  const auto none = run({"calibrate", "db"});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_NE(none.err.find("only 0 of the 60 have a position and 0 a time"), std::string::npos) << none.err;
  EXPECT_FALSE(exists("db/calibration.txt"));
  EXPECT_EQ(run({"calibrate", "db", "--photos", "5"}).exit_code, 0) << "one drive in order";
  const auto two = run({"calibrate", "db", "db"});
  EXPECT_EQ(two.exit_code, 2);
  EXPECT_NE(two.err.find("an index is calibrated on its own photos, but 2 were named"), std::string::npos) << two.err;
  EXPECT_EQ(run({"query", "db", "photos/3.png", "--max-false-rate", "0.7"}).exit_code, 2);
  EXPECT_EQ(run({"query", "db", "photos/3.png", "--max-false-rate", "0.1", "--dim", "8"}).exit_code, 2);
  text_file("db/calibration.txt", "1 photos=many");
  const auto broken = run({"query", "db", "photos/3.png"});
  EXPECT_EQ(broken.exit_code, 3);
  EXPECT_NE(broken.err.find("calibration.txt' has 'many' as its photos"), std::string::npos) << broken.err;
}

TEST_F(Calibrate, AModelCarriesRatesToEveryIndex) {
  ASSERT_EQ(add("db", true).exit_code, 0);
  const auto made = run({"calibrate", "db", "-o", "model.safetensors"});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  EXPECT_FALSE(exists("db/calibration.txt"));
  EXPECT_NE(run({"model", "inspect", "model.safetensors"}).out.find("false rates   calibrated on 60 photos down to 0.07"),
            std::string::npos);
  const auto found = run({"match", "photos", "photos", "--model", "model.safetensors", "--size", "28x28", "--json"}).json();
  EXPECT_EQ(found["calibration"], "the model's, calibrated on 60 photos");
  for (const auto& query : found["queries"]) EXPECT_TRUE(query.contains("verdict")) << query;
  const auto refused = run({"match", "photos", "photos", "--model", "demo", "--size", "28x28", "--max-false-rate", "0.1"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("neither the collection nor the model is calibrated"), std::string::npos) << refused.err;
}

}  // namespace
}  // namespace revisit::testing
