// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
#include "revisit/lab/report.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "lab/report/chart.h"
#include "lab/report/text.h"

namespace revisit {
namespace {

namespace fs = std::filesystem;

std::string contents(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

std::string svg(const report::Chart& chart) { return report::to_svg(report::draw_chart(chart)); }

class Report : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("revisit_report_" + std::to_string(::getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    for (int i = 0; i < 3; ++i) {
      report_.dataset.queries.push_back(photo("q" + std::to_string(i) + ".png", 60, 40, i));
      report_.dataset.references.push_back(photo("r" + std::to_string(i) + ".png", 40, 60, 10 * i));
    }
    report_.dataset.references[1].name = "<script>alert('1')</script>, \"b\".png";
    report_.dataset.name = "a & b";
    report_.dataset.labelled = true;
    report_.dataset.positives = {{0}, {2}, {}};
    report_.matches = {{{0, 0.5F, 0.875F}, {1, 1.0F, 0.5F}}, {{1, 0.75F, 0.71875F}}, {{1, 1.25F, 0.21875F}}};
    report_.evaluation = evaluate(report_.dataset, report_.matches, {1, 5});
    report_.run.command = "match";
    report_.run.min_similarity = 0.5;
  }
  void TearDown() override { fs::remove_all(folder_); }

  Photo photo(const std::string& name, int width, int height, int east_m) {
    Image image{width, height, std::vector<std::uint8_t>(static_cast<std::size_t>(3 * width * height), 128)};
    save_png(image, folder_ / name);
    Position position;
    position.east_m = east_m;
    position.north_m = 2.0 * east_m;
    return {name, folder_ / name, position, {}};
  }

  fs::path folder_;
  RunReport report_;
};

TEST_F(Report, ShowsWhichPatchesAgree) {
  const auto without = report_;
  write_report(folder_ / "without.html", without);
  EXPECT_EQ(count(contents(folder_ / "without.html"), "svg class=\"agree\""), 0U);
  const auto pair = [](int i) {
    const auto at = [&](int k) { return static_cast<std::uint16_t>(500 * i + k); };
    return PatchPair{i, i, 0.5F, {at(1), at(2), 0}, {at(3), at(4), 0}};
  };
  SecondLook look{12.5F, {}};
  for (int i = 0; i < 50; ++i) look.pairs.push_back(pair(i));
  report_.second_looks = {{{look, {0.25F, {}}}, {}, {{0.5F, {pair(1)}}}}, 3, 1.5};
  write_report(folder_ / "page.html", report_);
  const std::string page = contents(folder_ / "page.html");
  EXPECT_EQ(count(page, "svg class=\"agree\""), 2U);
  EXPECT_EQ(count(page, "<circle cx"), 2U * (50 + 1) + count(contents(folder_ / "without.html"), "<circle cx"));
  EXPECT_NE(page.find("second look: 50 patches of query and match 1 agree, score 12.5"), std::string::npos);
  const auto json = nlohmann::json::parse(matches_json(report_));
  const auto& matches = json["queries"][0]["matches"];
  EXPECT_EQ(matches[0]["local_score"], 12.5);
  EXPECT_EQ(matches[0]["agreeing_patches"], 50);
  EXPECT_EQ(matches[0]["patches"].size(), 50U);
  EXPECT_EQ(matches[0]["patches"][2], (nlohmann::json{0.0153, 0.0153, 0.0153, 0.0153, 0.5}));
  EXPECT_EQ(matches[1]["agreeing_patches"], 0);
  EXPECT_FALSE(matches[1].contains("patches")) << "only the first match has the table";
  EXPECT_EQ(json["reranked_candidates"], 3);
  EXPECT_EQ(json["rerank_ms_per_candidate"], 0.5);
  EXPECT_FALSE(nlohmann::json::parse(matches_json(without)).contains("reranked_candidates"));
}

TEST(ReportText, EscapesWhatHtmlWouldReadAndWhatIsNoUtf8) {
  EXPECT_EQ(report::escaped("<a href='x'>\"&\""), "&lt;a href=&#39;x&#39;&gt;&quot;&amp;&quot;");
  EXPECT_EQ(report::escaped("Caf\xC3\xA9"), "Caf\xC3\xA9");
  for (const auto* bad : {"\xFF", "\xC3", "\xC0\xAF", "\xED\xA0\x80", "\x01", "\xEF\xBF\xBF"}) {
    EXPECT_EQ(report::escaped(bad).substr(0, 3), "\xEF\xBF\xBD") << bad;
  }
}

TEST(ReportText, EncodesBase64) {
  const auto encoded = [](const std::string& text) { return report::base64(std::as_bytes(std::span(text))); };
  EXPECT_EQ(encoded(""), "");
  EXPECT_EQ(encoded("f"), "Zg==");
  EXPECT_EQ(encoded("fo"), "Zm8=");
  EXPECT_EQ(encoded("foobar"), "Zm9vYmFy");
}

TEST_F(Report, ThePageIsSelfContainedAndNamesAreNoMarkup) {
  write_report(folder_ / "report.html", report_);
  const auto page = contents(folder_ / "report.html");
  EXPECT_EQ(page.find("http:"), std::string::npos);
  EXPECT_EQ(page.find("https:"), std::string::npos);
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_NE(page.find("&lt;script&gt;"), std::string::npos);
  EXPECT_NE(page.find("<h1>a &amp; b</h1>"), std::string::npos);
  EXPECT_EQ(count(page, "data:image/jpeg;base64,"), 3U + 4U + 1U) << "queries, matches, one that should have been";
  EXPECT_EQ(count(page, "query: no match"), 1U);
  EXPECT_EQ(count(page, "<figure class=\"wrong\">"), 3U);
  EXPECT_NE(page.find("Map of matches"), std::string::npos);
  EXPECT_NE(page.find("33.3 %"), std::string::npos);
}

TEST_F(Report, AnExampleSaysWhereAndWhyBeforeItShowsWhatIsInside) {
  report_.matches = {{{0, 0.5F, 0.875F}}, {}, {}};
  report_.dataset.references[0].position = position_from({59.437, 24.745});
  report_.dataset.queries[0].position = position_from({59.437, 24.7452});
  report_.patches.push_back({false, 0, {{1, 2}, "pruning score", {0.5F, 1}, {1}}});
  write_report(folder_ / "report.html", report_);
  const auto page = contents(folder_ / "report.html");
  std::size_t at = 0;
  for (const auto* part :
       {"match 1: right", "similarity 0.875, 11 m", "Answer: near 59.437000, 24.745000, where match 1 was taken.",
        "Accepted: similarity 0.875 reaches the threshold 0.500.", "<details>", "class=\"maps\"",
        "1 of 2 patches of the query kept", "<td class=\"n\">0.8750</td>", "</details>"}) {
    const auto found = page.find(part, at);
    ASSERT_NE(found, std::string::npos) << part;
    at = found;
  }
}

TEST_F(Report, AnUnlabelledRunHasNoVerdicts) {
  report_.dataset.labelled = false;
  report_.dataset.positives.clear();
  report_.evaluation.reset();
  for (auto& one : report_.dataset.queries) one.position.reset();
  write_report(folder_ / "report.html", report_);
  const auto page = contents(folder_ / "report.html");
  EXPECT_EQ(count(page, "<figure class=\"wrong\">") + count(page, "<figure class=\"right\">"), 0U);
  EXPECT_EQ(page.find("Map of matches"), std::string::npos);
  EXPECT_FALSE(nlohmann::json::parse(run_json(report_)).contains("recall"));
}

TEST_F(Report, LabelsFromPositionsSayNothingOfPhotosWithoutOne) {
  report_.dataset.references[1].position.reset();
  EXPECT_EQ(report_.verdict(0, 0), true);
  EXPECT_EQ(report_.verdict(0, 1), false) << "a table of right references needs no positions";
  report_.truth_from_positions = true;
  EXPECT_EQ(report_.verdict(0, 0), true);
  EXPECT_EQ(report_.verdict(0, 2), false);
  EXPECT_EQ(report_.verdict(0, 1), std::nullopt);
  write_report(folder_ / "report.html", report_);
  const auto page = contents(folder_ / "report.html");
  EXPECT_EQ(count(page, "<figure class=\"wrong\">"), 0U);
  EXPECT_EQ(count(page, "<figure class=\"unknown\">"), 1U);
  EXPECT_EQ(write_prediction_pictures(folder_ / "preds", report_, 1, true), 0) << "none is known to be wrong";
}

TEST_F(Report, PredictionsAreOneLineAMatchAndReadBackExactly) {
  write_predictions(folder_ / "p.csv", report_);
  EXPECT_EQ(contents(folder_ / "p.csv"),
            "query,rank,reference,distance,similarity\n"
            "q0.png,1,r0.png,0.5,0.875\n"
            "q0.png,2,\"<script>alert('1')</script>, \"\"b\"\".png\",1,0.5\n"
            "q1.png,1,\"<script>alert('1')</script>, \"\"b\"\".png\",0.75,0.71875\n"
            "q2.png,1,\"<script>alert('1')</script>, \"\"b\"\".png\",1.25,0.21875\n");
  EXPECT_EQ(recall_line(*report_.evaluation), "R@1: 33.3, R@5: 33.3");
}

TEST_F(Report, JsonHasTheKeysOfTheContract) {
  const auto run = nlohmann::json::parse(run_json(report_));
  for (const auto* key : {"schema", "num_queries", "num_references", "num_without_positive", "recall", "recall_interval95",
                          "protocol", "rho", "ms_per_image", "end_to_end_ms"}) {
    EXPECT_TRUE(run.contains(key)) << key;
  }
  EXPECT_NEAR(run["recall"]["1"].get<double>(), 100.0 / 3, 1e-9);
  const auto matches = nlohmann::json::parse(matches_json(report_));
  EXPECT_EQ(matches["queries"].size(), 3U);
  EXPECT_EQ(matches["queries"][0]["matches"][1]["rank"], 2);
  EXPECT_NEAR(matches["queries"][1]["matches"][0]["metres"].get<double>(), 9 * std::sqrt(5.0), 1e-6);
  EXPECT_FALSE(matches["queries"][0]["matches"][0].contains("lat"));
  EXPECT_TRUE(matches["queries"][1]["accepted"].get<bool>());
  EXPECT_FALSE(matches["queries"][2]["accepted"].get<bool>());
  EXPECT_FALSE(matches["queries"][1].contains("reason"));

  report_.decisions = {{true, "alike enough"}, {false, "too far"}, {}};
  const auto asked = nlohmann::json::parse(matches_json(report_));
  EXPECT_FALSE(asked["queries"][1]["accepted"].get<bool>()) << "the recognizer has decided";
  EXPECT_EQ(asked["queries"][1]["reason"], "too far");
  EXPECT_FALSE(asked["queries"][2].contains("reason")) << "it was skipped";
}

TEST_F(Report, PredictionPicturesShowSquaresSideBySideInFrames) {
  EXPECT_EQ(write_prediction_pictures(folder_ / "preds", report_, 2, true), 2) << "query 0 is right";
  EXPECT_FALSE(fs::exists(folder_ / "preds/000.jpg"));
  EXPECT_EQ(write_prediction_pictures(folder_ / "preds", report_, 2, false), 3);
  const Image image = load_image(folder_ / "preds/000.jpg");
  EXPECT_EQ(image.width, 3 * 512 + 2 * 50);
  const auto pixel = [&](int x, int y) { return &image.rgb[3 * static_cast<std::size_t>(y * image.width + x)]; };
  EXPECT_NEAR(pixel(562 + 5, 300)[1], 133, 12) << "the frame of a right match is green";
  EXPECT_NEAR(pixel(2 * 562 + 5, 300)[0], 213, 12) << "the frame of a wrong one is orange";
  EXPECT_NEAR(pixel(256, 316)[0], 128, 12);
  const auto text = contents(folder_ / "preds/001.txt");
  EXPECT_NE(text.find("Query path:\n" + (folder_ / "q1.png").string()), std::string::npos);
  EXPECT_NE(text.find("Positives paths:\n" + (folder_ / "r2.png").string()), std::string::npos);
}

TEST_F(Report, AHundredPredictionsGoOnInFurtherRows) {
  report_.matches = {{}, {}, {}};
  report_.matches[1].assign(100, {1, 0.75F, 0.5F});
  report_.matches[1].back().row = 2;  // the right one
  ASSERT_EQ(write_prediction_pictures(folder_ / "preds", report_, 100, false), 1);
  const Image image = load_image(folder_ / "preds/001.jpg");
  EXPECT_EQ(image.width, 10 * 512 + 9 * 50);
  EXPECT_EQ(image.height, 11 * (60 + 512) + 10 * 50);
  const auto pixel = [&](int x, int y) { return &image.rgb[3 * static_cast<std::size_t>(y * image.width + x)]; };
  EXPECT_NEAR(pixel(9 * 562 + 5, 300)[0], 213, 12) << "the tenth tile, wrong";
  EXPECT_NEAR(pixel(5, 10 * 622 + 300)[1], 133, 12) << "the last match stands below in a row of its own";
  EXPECT_GT(pixel(562 + 5, 10 * 622 + 300)[2], 240) << "nothing beside it";
  for (const int count : {-1, 101}) {
    try {
      write_prediction_pictures(folder_ / "none", report_, count, false);
      ADD_FAILURE() << count;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kUsage);
    }
  }
  EXPECT_FALSE(fs::exists(folder_ / "none"));
}

TEST_F(Report, TellsRightFromWrong) {
  report_.matches.push_back({});
  report_.dataset.positives.push_back({1});
  EXPECT_TRUE(report_.right(0));
  EXPECT_FALSE(report_.right(1));
  EXPECT_FALSE(report_.right(2)) << "nothing would be";
  EXPECT_FALSE(report_.right(3)) << "no match";
  EXPECT_TRUE(report_.is_positive(1, 2));
  EXPECT_FALSE(report_.is_positive(1, 1));
  report_.dataset.labelled = false;
  report_.dataset.positives.clear();
  EXPECT_FALSE(report_.right(0) || report_.is_positive(0, 0));
}

TEST_F(Report, ASweepIsATableACurveAndAPage) {
  Sweep sweep;
  for (const double rho : {1.0, 0.5}) sweep.points.push_back({"m<1>", rho, 1, 8, 10 * rho, 12 * rho, *report_.evaluation});
  sweep.points[1].ms_low = 4.5;
  sweep.points[1].ms_high = 7;
  write_sweep(folder_ / "sweep", sweep);
  const auto csv = contents(folder_ / "sweep/sweep.csv");
  EXPECT_EQ(count(csv, "\n"), 3U);
  EXPECT_NE(csv.find(",,,f32,0\n"), std::string::npos) << "a spread that is not known";
  EXPECT_TRUE(csv.ends_with(",4.500,7.000,f32,1\n")) << csv;
  EXPECT_EQ(nlohmann::json::parse(contents(folder_ / "sweep/sweep.json"))["runs"].size(), 2U);
  const auto svg = contents(folder_ / "sweep/sweep.svg");
  EXPECT_TRUE(svg.starts_with("<svg xmlns="));
  EXPECT_EQ(count(svg, "<circle"), 3U) << "one of them in the legend";
  EXPECT_NE(svg.find("m&lt;1&gt;"), std::string::npos);
  const auto page = contents(folder_ / "sweep/report.html");
  EXPECT_EQ(page.find("http:"), std::string::npos);
  EXPECT_NE(page.find("4.5 to 7.0"), std::string::npos);
  EXPECT_EQ(page.find("Uneven times"), std::string::npos);
  sweep.points[1].ms_high = 7.6;
  sweep.points[1].evaluation.num_queries = 100;
  write_sweep(folder_ / "sweep", sweep);
  EXPECT_NE(contents(folder_ / "sweep/report.html").find("Uneven times:</b> m&lt;1&gt; at rho 0.5."), std::string::npos);
}

TEST(Chart, LabelsOfPointsThatCoincideStandApart) {
  const auto drawn =
      svg({"t", "x", "y", {{"", {{5, 50, "one"}, {5, 50, "two"}, {5, 50, "three"}, {9, 50, "far"}}, true}}, false});
  std::set<std::string> heights;
  for (const auto* label : {">one<", ">two<", ">three<"}) {
    const auto at = drawn.rfind(" y=\"", drawn.find(label));
    heights.insert(drawn.substr(at, drawn.find('"', at + 4) - at));
  }
  EXPECT_EQ(heights.size(), 3U) << drawn;
}

TEST(Chart, ASpreadIsABarThatTheAxisHasRoomFor) {
  report::Chart chart{"t", "x", "y", {{"s", {{5, 50, "", {}}, {95, 60, "", report::Spread{8, 97}}}, true}}, false};
  const auto with = svg(chart);
  EXPECT_NE(with.find(">100<"), std::string::npos) << "the axis reaches as far as the bar: " << with;
  chart.series[0].points[1].x_spread.reset();
  EXPECT_EQ(count(with, "<path"), count(svg(chart), "<path") + 3) << "a bar and its two ends, on the same axes";
}

TEST(Chart, OnePointAndNoPointsAreDrawnToo) {
  EXPECT_NE(svg({"t", "x", "y", {{"s", {{5, 50, ""}}, true}}, false}).find("<circle"), std::string::npos);
  for (const double percent : {0.0, 100.0}) {
    const auto flat = svg({"t", "x", "y", {{"s", {{5, percent, ""}, {9, percent, ""}}, true}}, false, 100});
    EXPECT_EQ(flat.find(">-"), std::string::npos) << "no axis below 0: " << flat;
    EXPECT_EQ(flat.find(">105<"), std::string::npos) << "nor above 100";
    EXPECT_EQ(flat.find("nan"), std::string::npos);
  }
  EXPECT_EQ(svg({"t", "x", "y", {}, false}).find("nan"), std::string::npos);
}

}  // namespace
}  // namespace revisit
