// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "lab/dataset/msls_tables.h"
#include "test_files.h"
#include "lab/eval/challenge.h"

namespace revisit {
namespace {

using testing::expect_error;
using testing::TemporaryFolder;

const std::vector<std::string> kCities = {"miami", "athens", "buenosaires", "stockholm", "bengaluru", "kampala"};

// Every city has the same places, as cities do whose UTM zones differ: only the city tells them apart. Query a is near r0 and r1,
// b near r2, c near nothing, p is a panorama and x is not part of the task; r3 is out of reach, p a panorama.
void write_city(const TemporaryFolder& folder, const std::string& city, bool places = true) {
  const std::string query = "test/" + city + "/query/", database = "test/" + city + "/database/";
  const auto row = [&](int i, const std::string& key, int east) {
    return fmt::format("{},{}_{},{},0,1,False\n", i, city, key, east);
  };
  const std::string head = ",key,easting,northing,unique_cluster,night\n";
  if (places) {
    folder.write(query + "postprocessed.csv",
                 head + row(0, "qa", 0) + row(1, "qb", 100) + row(2, "qc", 900) + row(3, "qp", 0) + row(4, "qx", 0));
    folder.write(database + "postprocessed.csv",
                 head + row(0, "r0", 5) + row(1, "r1", 24) + row(2, "r2", 125) + row(3, "r3", 126) + row(4, "rp", 1));
    const std::string raw = ",key,lon,lat,ca,captured_at,pano\n";
    folder.write(query + "raw.csv",
                 raw + fmt::format("0,{0}_qa,18.1,59.3,0,2018-03-01,False\n1,{0}_qp,18.1,59.3,0,2018-03-01,True\n", city));
    folder.write(database + "raw.csv", raw + fmt::format("0,{}_rp,18.1,59.3,0,2018-03-01,True\n", city));
  }
  const auto sequence = [&](const std::vector<std::string>& keys) {
    std::string out = ",key,sequence_key,frame_number\n";
    for (std::size_t i = 0; i < keys.size(); ++i) out += fmt::format("{},{}_{},s,{}\n", i, city, keys[i], i);
    return out;
  };
  folder.write(query + "seq_info.csv", sequence({"qa", "qb", "qc", "qp", "qx"}));
  folder.write(database + "seq_info.csv", sequence({"r0", "r1", "r2", "r3", "rp"}));
  folder.write(query + "subtask_index.csv", ",all,s2w\n0,True,False\n1,True,False\n2,True,False\n3,True,False\n4,False,True\n");
  folder.write(database + "subtask_index.csv", ",all,s2w\n0,True,False\n1,True,False\n2,True,False\n3,True,False\n4,True,True\n");
}

// One line per query: "a r1 r3 r0" becomes the keys of the city.
std::string lines_of(const std::string& city, const std::vector<std::string>& lines) {
  std::string out;
  for (const auto& line : lines) {
    std::istringstream words(line);
    std::string word, row;
    while (words >> word) row += (row.empty() ? city + "_q" : " " + city + "_") + word;
    out += row + "\n";
  }
  return out;
}

class MslsPredictions : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const auto& city : kCities) write_city(folder_, city);
  }

  // In every city a is right at 2 and 3, b at 1; in miami b is wrong.
  std::string good() const {
    std::string out = "# a remark\n" + lines_of("miami", {"b r0 r1 r3", "a r3 r1 r0"});
    for (std::size_t i = 1; i < kCities.size(); ++i) out += lines_of(kCities[i], {"a r3 r1 r0", "b r2 r1 r0"});
    return out;
  }
  ChallengeScore score(const std::string& text, const std::vector<int>& ks = {1, 2, 3},
                       const std::string& set = "msls_test") const {
    return score_msls_predictions(folder_.write("predictions.txt", text), folder_.path(), set, ks);
  }
  void expect_refused(const std::string& text, ErrorCode code, const std::string& part) const {
    expect_error([&] { score(text); }, code, part);
  }

  TemporaryFolder folder_;
};

TEST(AveragePrecision, IsThatOfTheFirstK) {
  const std::vector<int> positives = {2, 5, 9}, ranked = {5, 1, 2, 7, 9};
  EXPECT_DOUBLE_EQ(eval::average_precision_at(1, positives, ranked), 1);
  EXPECT_DOUBLE_EQ(eval::average_precision_at(2, positives, ranked), 1.0 / 2);
  EXPECT_DOUBLE_EQ(eval::average_precision_at(3, positives, ranked), (1 + 2.0 / 3) / 3);
  EXPECT_DOUBLE_EQ(eval::average_precision_at(9, positives, ranked), (1 + 2.0 / 3 + 3.0 / 5) / 3);
  EXPECT_DOUBLE_EQ(eval::average_precision_at(3, positives, std::vector<int>{5, 5, -1}), 1.0 / 3) << "a reference counts once";
}

TEST_F(MslsPredictions, AreScoredCityByCityAndOverAll) {
  const ChallengeScore result = score(good());
  ASSERT_EQ(result.parts.size(), 6U);
  const PartScore& miami = result.parts[0];
  EXPECT_EQ(miami.name, "miami");
  EXPECT_EQ(miami.num_queries, 2);
  EXPECT_EQ(miami.num_without_positive, 0) << "c has no line and needs none";
  EXPECT_EQ(miami.num_references, 4) << "the panorama is none";
  ASSERT_EQ(miami.at.size(), 3U);
  EXPECT_DOUBLE_EQ(miami.at[0].recall, 0);
  EXPECT_DOUBLE_EQ(miami.at[1].recall, 50);
  EXPECT_DOUBLE_EQ(miami.at[2].recall, 50);
  EXPECT_DOUBLE_EQ(miami.at[1].map, 100 * (0.5 / 2) / 2);
  EXPECT_DOUBLE_EQ(miami.at[2].map, 100 * ((1.0 / 2 + 2.0 / 3) / 2) / 2);
  EXPECT_DOUBLE_EQ(result.parts[5].at[0].recall, 50);
  EXPECT_EQ(result.all.num_queries, 12);
  EXPECT_DOUBLE_EQ(result.all.at[0].recall, 100.0 * 5 / 12);
  EXPECT_DOUBLE_EQ(result.all.at[2].recall, 100.0 * 11 / 12);
  EXPECT_TRUE(result.notes.empty()) << result.notes[0];
  EXPECT_NE(result.protocol.find("task \"all\""), std::string::npos) << result.protocol;
}

TEST_F(MslsPredictions, SayWhatDidNotCount) {
  std::string text = good();
  text.replace(text.find("miami_r3"), 8, "athens_r0");
  text += lines_of("kampala", {"c r0 r1 r2", "x r0 r1 rp"});
  const ChallengeScore result = score(text);
  EXPECT_EQ(result.all.num_without_positive, 1);
  ASSERT_EQ(result.notes.size(), 3U);
  EXPECT_NE(result.notes[0].find("1 query: skipped"), std::string::npos) << result.notes[0];
  EXPECT_NE(result.notes[1].find("1 prediction: wrong, from a city other than the query's"), std::string::npos)
      << result.notes[1];
  EXPECT_NE(result.notes[2].find("1 prediction: wrong, a panorama"), std::string::npos) << result.notes[2];
}

TEST_F(MslsPredictions, AreTakenAsOtherToolsWriteThem) {
  std::string text = "\xEF\xBB\xBF";
  for (const char c : good()) text += c == '\n' ? "\r\n" : std::string(1, c);
  EXPECT_DOUBLE_EQ(score(text + "\r\n").all.at[0].recall, 100.0 * 5 / 12);
  expect_error([&] { score(good(), {1}, "msls_test_all"); }, ErrorCode::kMismatch, "no predictions for 6 of 18 queries");
}

TEST_F(MslsPredictions, ThatCannotBeRightAreRefusedWithTheLine) {
  expect_refused(good() + "stranger r1 r2 r3\n", ErrorCode::kBadFile, "line 14: 'stranger' is not a query of 6 cities of test");
  expect_refused(good() + lines_of("kampala", {"c r0 r1 stranger"}), ErrorCode::kBadFile,
                 "line 14: prediction 3, 'kampala_stranger', is not a database photo");
  expect_refused(good() + lines_of("kampala", {"a r0 r1 r2"}), ErrorCode::kBadFile,
                 "line 14: the query 'kampala_qa' already has predictions in line 12");
  expect_refused(good() + lines_of("kampala", {"c r0 r1 r0"}), ErrorCode::kBadFile, "is predicted twice, at 1 and 3");
  expect_refused(good() + lines_of("kampala", {"c r0 r1"}), ErrorCode::kBadFile,
                 "'kampala_qc' has 2 predictions, but that of line 2 has 3");
  expect_refused("kampala_qa\n", ErrorCode::kBadFile, "line 1: the query 'kampala_qa' has no predictions");
  expect_refused("kampala_qa,kampala_qb kampala_r1\n", ErrorCode::kBadFile, "has a comma");
  expect_refused("# nothing\n\n", ErrorCode::kBadFile, "holds no predictions");
  expect_refused("", ErrorCode::kBadFile, "holds no predictions");
  expect_refused(lines_of("kampala", {"a r0 r1 r2", "b r0 r1 r2"}), ErrorCode::kMismatch,
                 "no predictions for 10 of 12 queries; the first is 'miami_qa' of miami");
  expect_error([&] { score(good(), {1, 5}); }, ErrorCode::kMismatch, "has 3 predictions per query, too few for recall@5");
  expect_error([&] { score(good(), {0}); }, ErrorCode::kUsage, "`recall_values` holds 0, but the least is 1");
  expect_error([&] { score(good(), {1}, "nordland"); }, ErrorCode::kUsage, "'nordland' is not a part of");
  expect_error([&] { score_msls_predictions(folder_ / "none.txt", folder_.path(), "msls_test", {1}); }, ErrorCode::kNotFound,
               "none.txt");
}

TEST_F(MslsPredictions, CutOrSpoiltAnywhereAreRefusedWithTheFileOrScored) {
  const std::string text = good();
  int refused = 0;
  const auto attempt = [&](const std::string& spoilt) {
    try {
      EXPECT_LE(score(spoilt, {1}).all.at[0].recall, 100);
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("predictions.txt"), std::string::npos) << error.what();
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
      ++refused;
    }
  };
  for (std::size_t size = 0; size < text.size(); size += 3) attempt(text.substr(0, size));
  for (std::size_t at = 0; at < text.size(); at += 7) {
    std::string spoilt = text;
    spoilt[at] = "\0\n ,#\xFF"[at % 6];
    attempt(spoilt);
  }
  EXPECT_GT(refused, static_cast<int>(text.size() / 3)) << "a file that lacks a query is refused";
}

TEST_F(MslsPredictions, NeedPlacesAndTablesThatAgree) {
  const std::string text = good();
  folder_.write("test/athens/query/subtask_index.csv", ",all\n0,True\n");
  expect_refused(text, ErrorCode::kMismatch, "subtask_index.csv' has 1 rows, but");
  write_city(folder_, "athens");
  folder_.write("test/athens/database/postprocessed.csv",
                ",key,easting,northing\n0,miami_r0,5,0\n1,a,5,0\n2,b,5,0\n3,c,5,0\n4,d,5,0\n");
  expect_refused(text, ErrorCode::kBadFile, "the key 'miami_r0' also belongs to another city");
  for (const auto* side : {"query", "database"}) {
    for (const auto* table : {"postprocessed.csv", "raw.csv"})
      std::filesystem::remove(folder_ / (std::string("test/athens/") + side + "/" + table));
  }
  expect_refused(text, ErrorCode::kNotFound, "athens/query/seq_info.csv' does not say where");
  const TemporaryFolder empty;
  expect_error([&] { score_msls_predictions(folder_ / "predictions.txt", empty.path(), "msls_test", {1}); }, ErrorCode::kNotFound,
               "test/miami/query/postprocessed.csv' does not exist");
}

TEST_F(MslsPredictions, PlacesMayComeAsDegreesAlone) {
  for (const auto* side : {"query", "database"}) {
    const std::string base = std::string("test/stockholm/") + side;
    std::filesystem::remove(folder_ / (base + "/postprocessed.csv"));
    std::string raw = ",key,lon,lat,ca,captured_at,pano\n";
    // Two sides of the border of two UTM zones: 11 m apart in truth, hundreds of kilometres as metres of their planes.
    const bool query = std::string(side) == "query";
    for (const auto* key : {"qa", "qb", "qc", "qp", "qx", "r0", "r1", "r2", "r3", "rp"})
      raw += fmt::format("0,stockholm_{},{},59.3,0,2018-03-01,False\n", key, query ? 17.9999 : 18.0001);
    folder_.write(base + "/raw.csv", raw);
  }
  const auto result = score(good() + lines_of("stockholm", {"c r0 r1 r2", "p r0 r1 r2"}));
  EXPECT_EQ(result.parts[3].num_queries, 4);
  EXPECT_DOUBLE_EQ(result.parts[3].at[0].recall, 100);
  std::filesystem::remove(folder_ / "test/stockholm/query/raw.csv");
  write_city(folder_, "stockholm");
  std::filesystem::remove(folder_ / "test/stockholm/database/postprocessed.csv");
  folder_.write("test/stockholm/database/raw.csv",
                ",key,lon,lat\n0,stockholm_r0,18,59\n1,stockholm_r1,18,59\n2,stockholm_r2,18,59\n"
                "3,stockholm_r3,18,59\n4,stockholm_rp,18,59\n");
  expect_refused(good(), ErrorCode::kMismatch, "some places of a city are metres");
}

TEST_F(MslsPredictions, OfARunAreWrittenAndScoreTheSame) {
  for (const auto& city : kCities) {
    for (const auto* name : {"query/images/{}_qa", "query/images/{}_qb", "query/images/{}_qc", "database/images/{}_r0",
                             "database/images/{}_r1", "database/images/{}_r2", "database/images/{}_r3"})
      folder_.write("test/" + city + "/" + fmt::format(fmt::runtime(name), city) + ".jpg");
  }
  const Dataset set = load_named("msls_test", folder_.path());
  ASSERT_EQ(set.queries.size(), 18U);
  ASSERT_EQ(set.references.size(), 24U);
  EXPECT_EQ(set.parts, kCities);
  const auto wanted = search_filter(set);
  EXPECT_TRUE(wanted(0, 3));
  EXPECT_FALSE(wanted(0, 4)) << "of athens";
  EXPECT_FALSE(search_filter(Dataset{}));

  std::vector<std::vector<Match>> matches(set.queries.size());
  for (int q = 0; q < 18; ++q) {
    for (int i = 0; i < 4; ++i) {
      Match match;
      match.row = q / 3 * 4 + (i + q) % 4;
      matches[static_cast<std::size_t>(q)].push_back(match);
    }
  }
  const auto file = folder_ / "predictions.txt";
  EXPECT_EQ(write_msls_predictions(file, set, matches, 25), 18);
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  EXPECT_EQ(line, "miami_qa miami_r0 miami_r1 miami_r2 miami_r3");
  const auto from_file = score_msls_predictions(file, folder_.path(), "msls_test", {1, 2, 4});
  const auto from_run = evaluate(set, matches, {1, 2, 4});
  ASSERT_TRUE(from_run.challenge.has_value());
  EXPECT_EQ(from_run.num_without_positive, 6);
  EXPECT_EQ(from_run.challenge->all.num_queries, 12);
  EXPECT_EQ(from_file.all.num_without_positive, 6);
  for (std::size_t j = 0; j < 3; ++j) {
    EXPECT_DOUBLE_EQ(from_file.all.at[j].recall, from_run.challenge->all.at[j].recall);
    EXPECT_DOUBLE_EQ(from_file.all.at[j].map, from_run.challenge->all.at[j].map);
    EXPECT_NEAR(from_run.recall[j].percent * 18, from_run.challenge->all.at[j].recall * 12, 1e-9) << "another denominator";
  }

  matches[0].clear();  // its photo could not be read
  matches[5].pop_back();
  EXPECT_EQ(write_msls_predictions(file, set, matches, 25), 17);
  expect_error([&] { score_msls_predictions(file, folder_.path(), "msls_test", {1}); }, ErrorCode::kMismatch,
               "no predictions for 1 of 12 queries; the first is 'miami_qa'");
  std::ifstream shorter(file);
  while (std::getline(shorter, line)) EXPECT_EQ(std::count(line.begin(), line.end(), ' '), 3) << "as many as the shortest has";
}

TEST_F(MslsPredictions, CanBeWrittenWhereThePlacesAreNotPublished) {
  const TemporaryFolder bare;
  for (const auto& city : kCities) {
    write_city(bare, city, false);
    for (const auto* key : {"qa", "qb", "qc", "qp"}) bare.write("test/" + city + "/query/images/" + city + "_" + key + ".jpg");
    for (const auto* key : {"r0", "r1", "r2", "r3", "rp"})
      bare.write("test/" + city + "/database/images/" + city + "_" + key + ".jpg");
  }
  const Dataset set = load_named("msls_test", bare.path());
  EXPECT_FALSE(set.labelled);
  EXPECT_TRUE(set.positives.empty());
  EXPECT_EQ(set.queries.size(), 24U) << "nothing tells a panorama, and the task leaves x out";
  EXPECT_NE(set.protocol.find("without ground truth"), std::string::npos) << set.protocol;
  EXPECT_NE(set.protocol.find("searched city by city"), std::string::npos) << set.protocol;
  const std::vector<std::vector<Match>> matches(set.queries.size(), std::vector<Match>(1));
  EXPECT_EQ(write_msls_predictions(bare / "predictions.txt", set, matches, 25), 24);
  Dataset other;
  other.name = "nordland";
  expect_error([&] { write_msls_predictions(bare / "none.txt", other, {}, 25); }, ErrorCode::kUsage,
               "'nordland' is not the test set");
  EXPECT_FALSE(std::filesystem::exists(bare / "none.txt"));
}

}  // namespace
}  // namespace revisit
