// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/base/limits.h"
#include "hostile/cheap_refusal.h"
#include "lab/report/chart.h"
#include "revisit/lab/report.h"

namespace revisit {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::string text_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

const std::string kOddName = "='a \"b\",\nc\xFF\x1B[31m\\x0a.png";

class ReadRun : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("revisit_read_run_" + std::to_string(::getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    auto& data = report_.dataset;
    data.name = "town";
    data.protocol = "by hand";
    data.notes = {"a note"};
    data.labelled = true;
    for (int i = 0; i < 6; ++i) {
      if (i < 3) data.queries.push_back(photo("q" + std::to_string(i) + ".png", i));
      data.references.push_back(photo(i == 4 ? kOddName : "r" + std::to_string(i) + ".png", 10 * i));
    }
    data.references[5].position.reset();
    data.positives = {{0, 1, 2, 4}, {5}, {}};
    report_.matches = {{{4, 0.5F, 0.875F}, {1, 1.0F, 0.5F}}, {}, {{3, 0.1F, 0.3F}}};
    report_.evaluation = evaluate(data, report_.matches, {1, 5});
    report_.run.command = "match";
    report_.run.arguments = {"a", "b"};
    report_.run.min_similarity = 0.25;
    report_.run.spec = completed({.rho = 0.5, .size = Size{224, 280}});
    report_.run.reference_spec = report_.run.spec;
    report_.skipped = {{"q1.png", ErrorCode::kBadImage, "not a picture"}};
    report_.patches.push_back({false, 0, {{2, 2}, "pruning score", {0.5F, 0.25F, NAN, 1}, {0, 3}}});
  }
  void TearDown() override { fs::remove_all(folder_); }

  Photo photo(const std::string& name, int metres) {
    Image image{40, 30, std::vector<std::uint8_t>(3600, static_cast<std::uint8_t>(metres * 4))};
    const auto path = folder_ / ("p" + std::to_string(files_++) + ".png");
    save_png(image, path);
    return {name, path, position_from({47.0 + metres * 1e-5, 9.0}), {}};
  }

  /// The error that refuses the run; its exit code must be 3.
  std::string refusal(const char* file = "run.json") {
    try {
      read_run(folder_ / "run" / file);
    } catch (const Error& error) {
      EXPECT_EQ(exit_code_of(error.code()), 3) << error.what();
      return error.what();
    }
    return "(accepted)";
  }

  void write(const char* file, const std::string& text) { std::ofstream(folder_ / "run" / file, std::ios::binary) << text; }

  /// Puts another value at a key of a JSON file of the run, or takes the key out, and returns the refusal.
  std::string with(const char* file, const Json::json_pointer& key, const Json& value) {
    const auto before = text_of(folder_ / "run" / file);
    auto json = Json::parse(before);
    value.is_discarded() ? static_cast<void>(json.erase(key.back())) : static_cast<void>(json[key] = value);
    write(file, json.dump());
    auto sentence = refusal();
    write(file, before);
    return sentence;
  }

  std::string with_line(const char* file, const std::string& line) {
    const auto before = text_of(folder_ / "run" / file);
    write(file, before + line + "\n");
    auto sentence = refusal();
    write(file, before);
    return sentence;
  }

  std::string with_instead(const char* file, const std::string& part, const std::string& other) {
    const auto before = text_of(folder_ / "run" / file);
    const auto at = before.find(part);
    EXPECT_NE(at, std::string::npos) << part;
    write(file, before.substr(0, at) + other + before.substr(at + part.size()));
    auto sentence = refusal();
    write(file, before);
    return sentence;
  }

  fs::path folder_;
  RunReport report_;
  int files_ = 0;
};

TEST_F(ReadRun, GivesBackWhichPatchesAgree) {
  report_.second_looks.looks = {{{3.5F, {{0, 0, 0.75F, {1, 2, 0}, {3, 65'535, 0}}}}, {1.0F, {}}}, {}, {}};
  EXPECT_EQ(write_run(folder_ / "run", report_).size(), 7U);
  const auto run = read_run(folder_ / "run/run.json");
  const SecondLook* look = std::get<RunReport>(run).look(0, 0);
  ASSERT_NE(look, nullptr);
  EXPECT_EQ(look->score, 3.5F);
  ASSERT_EQ(look->pairs.size(), 1U);
  EXPECT_EQ(look->pairs[0].from, (LocalPatch{1, 2, 0}));
  EXPECT_EQ(look->pairs[0].to, (LocalPatch{3, 65'535, 0}));
  EXPECT_EQ(look->pairs[0].similarity, 0.75F);
  EXPECT_EQ(std::get<RunReport>(run).look(1, 0), nullptr);
  const auto refused = [&](const std::string& key, const Json& value, const std::string& part) {
    const auto sentence = with("looks.json", Json::json_pointer(key), value);
    EXPECT_NE(sentence.find(part), std::string::npos) << key << ": " << sentence;
  };
  refused("/looks/0/query", 3, "'query'");
  refused("/looks/0/query", -1, "'query'");
  refused("/looks/0/score", -1, "'score'");
  refused("/looks/0/patches", "x", "'patches'");
  refused("/looks/0/patches/0/1", 65'536, "four places");
  refused("/looks/0/patches/0/1", -1, "four places");
  refused("/looks/0/patches/0/4", "x", "not a number");
  refused("/looks/0/patches/0/5", 0, "four places");
  refused("/looks/0/patches/0", 7, "four places");
  Json many = Json::array();
  for (int i = 0; i < 257; ++i) many.push_back({1, 1, 1, 1, 0.5});
  refused("/looks/0/patches", many, "more than 256 rows");
  refused("/schema", 2, "schema");
}

TEST_F(ReadRun, GivesBackWhatWasWrittenAndDrawsTheSamePage) {
  const auto files = write_run(folder_ / "run", report_);
  for (const auto& name : files) EXPECT_TRUE(fs::exists(folder_ / "run" / name)) << name;
  EXPECT_EQ(files.size(), 6U);
  const auto run = read_run(folder_ / "run/run.json");
  const auto& again = std::get<RunReport>(run);
  EXPECT_EQ(again.dataset.positives, report_.dataset.positives);
  EXPECT_EQ(again.dataset.references[4].name, report_.dataset.references[4].name);
  EXPECT_FALSE(again.dataset.references[5].position.has_value());
  ASSERT_EQ(again.matches.size(), 3U);
  EXPECT_EQ(again.matches[0][0].row, 4);
  EXPECT_EQ(again.matches[0][0].similarity, 0.875F);
  EXPECT_TRUE(again.matches[1].empty());
  EXPECT_EQ(again.evaluation->recall.front().percent, report_.evaluation->recall.front().percent);
  ASSERT_EQ(again.skipped.size(), 1U);
  EXPECT_EQ(again.skipped[0].code, ErrorCode::kBadImage);
  EXPECT_EQ(again.patches.front().scores.kept, (std::vector<std::int64_t>{0, 3}));
  EXPECT_EQ(text_of(folder_ / "run/tokens.json").find("owner"), std::string::npos) << "nothing was merged";
  write_report(folder_ / "again.html", again);
  EXPECT_EQ(text_of(folder_ / "again.html"), text_of(folder_ / "run/report.html"));
}

TEST_F(ReadRun, GivesBackWhichPatchesWereMerged) {
  const std::vector<std::int64_t> owner{0, 3, -1, 3};
  report_.patches.front().scores.owner = owner;
  write_run(folder_ / "run", report_);
  const auto run = read_run(folder_ / "run/run.json");
  EXPECT_EQ(std::get<RunReport>(run).patches.front().scores.owner, owner);
  EXPECT_NE(text_of(folder_ / "run/report.html").find("merged ones orange"), std::string::npos);
  const Json::json_pointer key("/photos/0/owner");
  for (const Json& bad : {Json{0, 3, -1}, Json{0, 3, -2, 3}, Json{0, 2, -1, 3}, Json{0, 3, -1, -1}, Json{0, 4, -1, 3},
                          Json{0, "x", -1, 3}, Json{0, 3.5, -1, 3}, Json{0, 3, 18446744073709551615U, 3}, Json(7)}) {
    EXPECT_NE(with("tokens.json", key, bad).find("'owner'"), std::string::npos) << bad;
  }
}

TEST_F(ReadRun, AnUnlabelledRunStaysUnlabelled) {
  report_.dataset.labelled = false;
  report_.dataset.positives.clear();
  report_.evaluation.reset();
  report_.patches.clear();
  write_run(folder_ / "run", report_);
  const auto run = read_run(folder_ / "run/run.json");
  EXPECT_FALSE(std::get<RunReport>(run).dataset.labelled);
  EXPECT_FALSE(std::get<RunReport>(run).evaluation.has_value());
  EXPECT_FALSE(fs::exists(folder_ / "run/tokens.json"));
}

TEST_F(ReadRun, PhotosThatShareANameKeepTheirOwnMatches) {
  auto& data = report_.dataset;
  for (auto& query : data.queries) query.name = "x.jpg";
  data.queries.push_back(data.queries[0]);
  for (auto& reference : data.references) reference.name = "y.jpg";
  data.positives.push_back({2});
  report_.matches = {{}, {{4, 0.5F, 0.875F}, {1, 1.0F, 0.5F}}, {{3, 0.1F, 0.3F}}, {{2, 0.1F, 0.3F}, {0, 0.2F, 0.2F}}};
  report_.evaluation = evaluate(data, report_.matches, {1, 5});
  report_.patches.clear();
  write_run(folder_ / "run", report_);
  const auto run = read_run(folder_ / "run/run.json");
  const auto& again = std::get<RunReport>(run);
  ASSERT_EQ(again.matches.size(), 4U);
  for (std::size_t q = 0; q < 4; ++q) {
    ASSERT_EQ(again.matches[q].size(), report_.matches[q].size()) << q;
    for (std::size_t i = 0; i < again.matches[q].size(); ++i) EXPECT_EQ(again.matches[q][i].row, report_.matches[q][i].row) << q;
  }
  EXPECT_EQ(again.evaluation->recall.front().percent, 25);
}

TEST_F(ReadRun, AMissingPhotoIsNamedInItsPlace) {
  write_run(folder_ / "run", report_);
  fs::remove(report_.dataset.queries[0].path);
  const auto run = read_run(folder_ / "run/run.json");
  write_report(folder_ / "again.html", std::get<RunReport>(run));
  const auto page = text_of(folder_ / "again.html");
  EXPECT_NE(page.find("missing file:<br>" + report_.dataset.queries[0].path.string()), std::string::npos);
}

TEST_F(ReadRun, RefusesWhatCannotBeRight) {
  write_run(folder_ / "run", report_);
  ASSERT_EQ(refusal(), "(accepted)");
  const auto key = [](const char* name) { return Json::json_pointer(std::string("/") + name); };
  const Json gone(Json::value_t::discarded);
  EXPECT_NE(with("run.json", key("schema"), 2).find("schema 1"), std::string::npos);
  EXPECT_NE(with("run.json", key("rho"), gone).find("no 'rho'"), std::string::npos);
  EXPECT_NE(with("run.json", key("rho"), 7).find("'rho' must be a number in (0, 1]"), std::string::npos);
  EXPECT_NE(with("run.json", key("size"), {1, -1}).find("'size'"), std::string::npos);
  EXPECT_NE(with("run.json", key("recall"), {{"x", 1}}).find("'x'"), std::string::npos);
  EXPECT_NE(with("run.json", key("recall"), Json::array()).find("'recall'"), std::string::npos);
  EXPECT_NE(with("run.json", key("arguments"), {1}).find("'arguments'"), std::string::npos);
  EXPECT_NE(with("run.json", key("orientation"), "sideways").find("'orientation'"), std::string::npos);
  EXPECT_NE(with("run.json", key("skipped"), 3).find("'skipped' is not a list"), std::string::npos);
  EXPECT_NE(with("tokens.json", key("photos/0/row"), 99).find("'row'"), std::string::npos);
  EXPECT_NE(with("tokens.json", key("photos/0/grid"), {4096, 4097}).find("'grid'"), std::string::npos);
  EXPECT_NE(with("tokens.json", key("photos/0/grid"), {2, 3}).find("4 values for 6 patches"), std::string::npos);
  EXPECT_NE(with("tokens.json", key("photos/0/kept"), {3, 0}).find("'kept'"), std::string::npos);
  EXPECT_NE(with("tokens.json", key("photos/0/kept"), {4}).find("'kept'"), std::string::npos);
  EXPECT_NE(with("tokens.json", key("photos/0/values/0"), "x").find("'values'"), std::string::npos);
  EXPECT_NE(with("run.json", key("skipped/0/code"), "odd").find("'code' is 'odd'"), std::string::npos);
  EXPECT_NE(with_line("predictions.csv", "q2.png,2,r0.png,0,1").find("a match of 'q2.png' that photos.csv does not list"),
            std::string::npos);
  const std::string last = "q2.png,1,r3.png,0.1,0.3\n";
  const std::pair<const char*, const char*> edits[] = {
      {"nobody,1,r3.png,0,1\n", "query 'nobody' where photos.csv says 'q2.png' is next"},
      {"q2.png,3,r3.png,0,1\n", "rank '3' where photos.csv says '1' is next"},
      {"q2.png,1,nothing,0,1\n", "reference 'nothing' where photos.csv says 'r3.png' is next"},
      {"q2.png,1,r3.png,0,nan\n", "not a number"},
      {"", "ends before match 1 of query q2.png"}};
  for (const auto& [line, sentence] : edits) {
    const auto refused = with_instead("predictions.csv", last, line);
    EXPECT_NE(refused.find(sentence), std::string::npos) << refused;
  }
  for (const auto* rows : {"4|6", "4|x", "4|-1", "4|1|", "|"}) {
    const auto refused = with_instead("photos.csv", ",4|1\n", std::string(",") + rows + "\n");
    EXPECT_NE(refused.find("matches of query q0.png"), std::string::npos) << rows << ": " << refused;
  }
  EXPECT_NE(with_line("photos.csv", "query,late,x,,,,,,,").find("a query after the references"), std::string::npos);
  EXPECT_NE(with_line("photos.csv", "reference,x,x,1e99,0,,,,,").find("east_m"), std::string::npos);
  EXPECT_NE(with_line("photos.csv", "reference,x,x,,,,,north,,").find("some photos have a part"), std::string::npos);
  fs::remove(folder_ / "run/photos.csv");
  EXPECT_NE(refusal().find("photos.csv"), std::string::npos);
}

TEST_F(ReadRun, PositivesAreAscendingRowsOfReferences) {
  write_run(folder_ / "run", report_);
  const auto table = text_of(folder_ / "run/photos.csv");
  const auto at = table.find("0-2|4");
  ASSERT_NE(at, std::string::npos);
  for (const auto* list : {"0-6", "2-1", "3|3", "0-2|1", "-1", "x", "0-", "99999999999"}) {
    write("photos.csv", table.substr(0, at) + list + table.substr(at + 5));
    EXPECT_NE(refusal().find("positives of query q0.png"), std::string::npos) << list;
  }
}

TEST_F(ReadRun, AFileCutAnywhereIsRefusedOrStillWhole) {
  write_run(folder_ / "run", report_);
  for (const auto* file : {"run.json", "tokens.json"}) {
    const auto text = text_of(folder_ / "run" / file);
    for (std::size_t size = 0; size + 1 < text.size(); ++size) {  // without the last line end it is whole
      write(file, text.substr(0, size));
      ASSERT_NE(refusal(), "(accepted)") << file << " cut to " << size;
    }
    write(file, text);
  }
  const auto text = text_of(folder_ / "run/photos.csv");
  for (std::size_t size = 0; size < text.size(); size += 5) {
    write("photos.csv", text.substr(0, size));
    refusal();  // a shorter table may be a sound one; it must not do harm
  }
}

TEST_F(ReadRun, JsonIsBoundedInDepthValuesAndBytes) {
  fs::create_directories(folder_ / "run");
  const auto nested = [](int depth) {
    return "{\"schema\":1,\"x\":" + std::string(static_cast<std::size_t>(depth), '[') +
           std::string(static_cast<std::size_t>(depth), ']') + "}";
  };
  write("run.json", nested(limits::kMaxRunJsonDepth));
  EXPECT_NE(refusal().find("deeper"), std::string::npos);
  for (const int below : {1, 2}) {
    write("run.json", nested(limits::kMaxRunJsonDepth - below));
    EXPECT_EQ(refusal().find("deeper"), std::string::npos) << below;
  }
  std::string many = "{\"schema\":1,\"x\":[0";
  for (std::uint64_t i = 0; i < limits::kMaxRunJsonValues; ++i) many += ",0";
  write("run.json", many + "]}");
  EXPECT_NE(refusal().find("more than 4000000 values"), std::string::npos);
  write("run.json", "{}");
  fs::resize_file(folder_ / "run/run.json", limits::kMaxRunJsonBytes + 1);
  EXPECT_NE(refusal().find("64000000"), std::string::npos);
}

TEST_F(ReadRun, AVeryLongListOfObjectsCostsWhatItsBytesDo) {
  fs::create_directories(folder_ / "run");
  std::string many = "{\"schema\":1,\"runs\":[{}";
  for (int i = 0; i < 300'000; ++i) many += ",{}";
  write("run.json", many + "]}");
  testing::expect_cheap(
      "300,000 runs", [&] { read_run(folder_ / "run/run.json"); }, "run 1: it has no 'rho'");
}

TEST_F(ReadRun, ALongPathOfAPhotoIsRefusedBeforeItIsTakenApart) {
  write_run(folder_ / "run", report_);
  const auto text = text_of(folder_ / "run/photos.csv");
  const auto with_path = [&](std::size_t bytes) {
    std::string path = "p";
    while (path.size() < bytes) path += path.size() % 2 == 0 ? 'p' : '/';
    auto changed = text;
    const auto at = changed.find("q1.png");  // the name, then the path
    const auto start = changed.find(',', at) + 1;
    return changed.replace(start, changed.find(',', start) - start, path);
  };
  for (const std::size_t below : {1U, 0U}) {
    write("photos.csv", with_path(limits::kMaxPhotoName - below));
    EXPECT_EQ(refusal(), "(accepted)") << below;
  }
  write("photos.csv", with_path(limits::kMaxPhotoName + 1));
  EXPECT_NE(refusal().find("the path of a photo has 4097 bytes, the limit is 4096"), std::string::npos) << refusal();
}

TEST_F(ReadRun, ASweepIsDrawnAgainTheSame) {
  Sweep sweep;
  sweep.run.spec = completed({.size = Size{224, 224}});
  sweep.skipped = {{"q1.png", ErrorCode::kBadImage, "not a picture"}, {"q2.png", ErrorCode::kNotFound, "gone"}};
  for (const double rho : {1.0, 0.5}) sweep.points.push_back({"m", rho, 1, 8, 10 * rho, 12 * rho, *report_.evaluation});
  sweep.points[1].ms_low = 4.25;
  sweep.points[1].ms_high = 6.5;
  write_sweep(folder_ / "run", sweep);
  const auto run = read_run(folder_ / "run/sweep.json");
  write_sweep(folder_ / "again", std::get<Sweep>(run));
  for (const auto* file : {"sweep.csv", "sweep.json", "sweep.svg", "sweep.png", "report.html"})
    EXPECT_EQ(text_of(folder_ / "again" / file), text_of(folder_ / "run" / file)) << file;
  EXPECT_EQ(draw_sweep(folder_ / "drawn", sweep).size(), 4U);
  EXPECT_FALSE(fs::exists(folder_ / "drawn/sweep.json")) << "drawing again leaves what was read alone";
  const auto text = text_of(folder_ / "run/sweep.json");
  auto json = Json::parse(text);
  json["runs"] = Json::array();
  write("sweep.json", json.dump());
  EXPECT_NE(refusal("sweep.json").find("'runs' is empty"), std::string::npos);
  json = Json::parse(text);
  json["runs"][1]["recall"] = {{"2", 50}};
  write("sweep.json", json.dump());
  EXPECT_EQ(refusal("sweep.json").find("(accepted)"), std::string::npos);
  json = Json::parse(text);
  json["runs"][1]["ms_per_image_p5"] = 7;
  write("sweep.json", json.dump());
  EXPECT_NE(refusal("sweep.json").find("'ms_per_image_p5' is not a number from 0 to 6.5"), std::string::npos) << "more than p95";
}

TEST_F(ReadRun, GeoJsonHasPointsLinesAndVerdicts) {
  ASSERT_TRUE(write_matches_geojson(folder_ / "m.geojson", report_));
  const auto features = Json::parse(text_of(folder_ / "m.geojson"))["features"];
  ASSERT_EQ(features.size(), 5U) << "three queries, two of them with a match";
  EXPECT_EQ(features[1]["geometry"]["type"], "LineString");
  EXPECT_NEAR(features[1]["geometry"]["coordinates"][1][1].get<double>(), 47.0004, 1e-9) << "longitude first";
  EXPECT_TRUE(features[1]["properties"]["right"].get<bool>());
  EXPECT_FALSE(features[2]["properties"].contains("right")) << "no match, no verdict";
  EXPECT_FALSE(features[4]["properties"]["right"].get<bool>());
  for (auto& one : report_.dataset.references) one.position.reset();
  EXPECT_FALSE(write_matches_geojson(folder_ / "n.geojson", report_));
  EXPECT_FALSE(fs::exists(folder_ / "n.geojson"));
}

TEST(Drawing, PixelsAndSvgShowTheSame) {
  using namespace report;
  Drawing drawing{40, 20, "t", {}};
  drawing.shapes.emplace_back(Disc{{10, 10}, 5, Colour{200, 0, 0}, 1});
  drawing.shapes.emplace_back(Line{{{20, 10}, {40, 10}}, Colour{0, 0, 200}, 4, {}, 1});
  drawing.shapes.emplace_back(Words{{1, 19}, "caf\xFF <b>", {}, {}});
  const Image image = to_image(drawing, 2);
  ASSERT_EQ(image.width, 80);
  const auto at = [&](int x, int y, int c) {
    return image.rgb[3 * static_cast<std::size_t>(y * 80 + x) + static_cast<std::size_t>(c)];
  };
  EXPECT_EQ(at(20, 20, 0), 200);
  EXPECT_EQ(at(60, 20, 2), 200);
  EXPECT_EQ(at(60, 2, 0), 255);
  const auto svg = to_svg(drawing, true);
  EXPECT_NE(svg.find("<circle cx=\"10.0\" cy=\"10.0\" r=\"5\" fill=\"#c80000\"/>"), std::string::npos) << svg;
  EXPECT_NE(svg.find("stroke=\"#0000c8\""), std::string::npos);
  EXPECT_NE(svg.find("caf\xEF\xBF\xBD &lt;b&gt;"), std::string::npos);
}

}  // namespace
}  // namespace revisit
