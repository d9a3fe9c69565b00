// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// eval --msls-challenge and --score-msls on a tree in the layout of Mapillary Street-Level Sequences.
#include "run_program.h"

namespace revisit::testing {
namespace {

class Msls : public ProgramTest {
 protected:
  // Query i of a city is the picture of its reference i, 100 m from the next; the pictures of two cities are the same, so that a
  // search over all of them at once would find the first city's.
  void SetUp() override {
    ProgramTest::SetUp();
    for (const std::string city : {"miami", "athens", "buenosaires", "stockholm", "bengaluru", "kampala"}) {
      for (const std::string side : {"query", "database"}) {
        const std::string base = "msls/test/" + city + "/" + side + "/";
        std::string table = ",key,easting,northing\n", task = ",all\n";
        for (int i = 0; i < 3; ++i) {
          const std::string key = city + side.substr(0, 1) + std::to_string(i), row = std::to_string(i);
          table += row + "," + key + "," + std::to_string(100 * i) + ",0\n";
          task += row + ",True\n";
          picture(base + "images/" + key + ".jpg", static_cast<std::uint32_t>(i + 1));
        }
        text_file(base + "postprocessed.csv", table);
        text_file(base + "subtask_index.csv", task);
      }
    }
  }

  RunResult eval(std::vector<std::string> more) {
    more.insert(more.begin(), "eval");
    RunOptions options;
    options.folder = folder_;
    return run_program(more, options);
  }
  RunResult predict(std::vector<std::string> more) {
    more.insert(more.begin(), {"--dataset", "msls_test", "--root", "msls", "--size", "56x70"});
    return eval(more);
  }
};

TEST_F(Msls, PredictionsAreWrittenCityByCityAndScored) {
  const auto made = predict({"--msls-challenge", "predictions.txt", "--recall-values", "1", "3", "--json"});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const auto challenge = made.json()["challenge"];
  EXPECT_EQ(challenge["num_queries"], 18);
  EXPECT_DOUBLE_EQ(challenge["recall"]["1"].get<double>(), 100);
  EXPECT_DOUBLE_EQ(challenge["cities"]["kampala"]["map"]["3"].get<double>(), 100);
  EXPECT_NE(made.json()["protocol"].get<std::string>().find("searched city by city"), std::string::npos);
  const auto text = contents("predictions.txt");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 18);
  EXPECT_TRUE(text.starts_with("miamiq0 miamid0 miamid")) << text;
  EXPECT_NE(text.find("\nkampalaq2 kampalad2 kampalad"), std::string::npos) << text;

  const auto scored = eval({"--score_msls", "predictions.txt", "--root", "msls", "--recall-values", "1", "3"});
  EXPECT_EQ(scored.exit_code, 0) << scored.err;
  EXPECT_NE(scored.out.find("all           R@1 100.0  R@3 100.0  mAP@1 100.0"), std::string::npos) << scored.out;
  EXPECT_NE(scored.out.find("\n  stockholm "), std::string::npos) << scored.out;
  EXPECT_NE(scored.out.find("\nprotocol: "), std::string::npos) << scored.out;
  const auto object = eval({"--score-msls", "predictions.txt", "--root", "msls", "--recall-values", "1,3", "--json"}).json();
  EXPECT_EQ(object["schema"], 1);
  EXPECT_EQ(object["cities"].size(), 6U);
  EXPECT_EQ(object["recall"], challenge["recall"]);
}

TEST_F(Msls, WhatCannotBeWrittenOrScoredIsSaidInASentence) {
  EXPECT_EQ(eval({"--score-msls", "none.txt"}).exit_code, 2);
  EXPECT_EQ(eval({"--score-msls", "none.txt", "--root", "msls"}).exit_code, 3);
  text_file("bad.txt", "miamiq0 miamid0\nmiamiq0 miamid1\n");
  const auto twice = eval({"--score-msls", "bad.txt", "--root", "msls", "--recall-values", "1"});
  EXPECT_EQ(twice.exit_code, 3);
  EXPECT_NE(twice.err.find("line 2: the query 'miamiq0' already has predictions in line 1"), std::string::npos) << twice.err;
  const auto few = eval({"--score-msls", "bad.txt", "--root", "msls"});
  EXPECT_NE(few.err.find("too few for recall@20"), std::string::npos) << few.err;
  const auto other = eval({"--queries_folder", "msls/test/miami/query", "--database_folder", "msls/test/miami/database",
                           "--no-labels", "--msls-challenge", "out.txt"});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_NE(other.err.find("--msls-challenge writes predictions for msls_test"), std::string::npos) << other.err;
  EXPECT_FALSE(exists("out.txt"));
}

TEST_F(Msls, APhotoThatCannotBeReadHasNoLine) {
  text_file("msls/test/athens/query/images/athensq1.jpg", "no picture");
  const auto made = predict({"--msls-challenge", "predictions.txt"});
  EXPECT_EQ(made.exit_code, 4) << made.err;
  EXPECT_NE(made.err.find("1 of 18 queries could not be described and has no line in predictions.txt"), std::string::npos)
      << made.err;
  const auto text = contents("predictions.txt");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 17);
  EXPECT_EQ(text.find("athensq1"), std::string::npos);
}

}  // namespace
}  // namespace revisit::testing
