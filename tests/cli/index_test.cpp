// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// index add, info, verify, merge, export and query as a user runs them.
#include <fstream>

#include "core/formats/npy.h"
#include "run_program.h"

namespace revisit::testing {
namespace {

namespace fs = std::filesystem;

class IndexVerbs : public ProgramTest {
 protected:
  RunResult run(std::vector<std::string> arguments, RunOptions options = {}) {
    options.folder = folder_;
    return run_program(arguments, options);
  }
  RunResult add(std::vector<std::string> more, const std::string& index = "db") {
    more.insert(more.begin(), {"index", "add", index});
    more.insert(more.end(), {"--size", "28x28"});
    return run(more);
  }
  nlohmann::json info(const std::string& index = "db") { return run({"index", "info", index, "--json"}).json(); }
  void pictures(const std::string& folder, int count, std::uint32_t first = 1) const {
    for (int i = 0; i < count; ++i) {
      picture(folder + "/" + std::to_string(i) + ".png", first + static_cast<std::uint32_t>(i));
    }
  }
};

TEST_F(IndexVerbs, AddingAgainChangesNothingAndExitsWithZero) {
  pictures("photos", 5);
  const auto first = add({"photos"});
  EXPECT_EQ(first.exit_code, 0) << first.err;
  EXPECT_EQ(first.out, "added 5; 'db' has 5 rows\n");
  const auto second = add({"photos", "--json"});
  EXPECT_EQ(second.exit_code, 0) << second.err;
  EXPECT_EQ(second.json()["added"], 0);
  EXPECT_EQ(second.json()["unchanged"], 5);
  EXPECT_EQ(second.json()["skipped"].size(), 0U);
  const auto object = info();
  EXPECT_EQ(object["schema"], 1);
  EXPECT_EQ(object["rows"], 5);
  EXPECT_EQ(object["dtype"], "f32");
  EXPECT_EQ(object["size"], nlohmann::json({28, 28}));
  EXPECT_EQ(object["orientation"], "apply");
  EXPECT_EQ(object["rho"], 1.0);
  EXPECT_EQ(run({"index", "verify", "db"}).exit_code, 0);
}

TEST_F(IndexVerbs, NeitherPhotosNorTheIndexItselfAreWrittenOver) {
  pictures("photos", 2);
  pictures("more", 2, 9);
  const auto forgotten = run({"index", "add", "photos", "more", "--size", "28x28"});
  EXPECT_EQ(forgotten.exit_code, 2) << forgotten.out;
  EXPECT_NE(forgotten.err.find("'photos' is not an index, but a folder with other files, such as '"), std::string::npos)
      << forgotten.err;
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_ / "photos"), {}), 2) << "nothing was put there";
  ASSERT_EQ(add({"photos"}).exit_code, 0);
  EXPECT_EQ(run({"index", "export", "db", "-o", "db/vectors.bin", "--format", "npy"}).exit_code, 2);
  EXPECT_EQ(run({"index", "verify", "db"}).exit_code, 0);
  const auto nowhere = run({"index", "export", "db", "-o", "p.geojson", "-q", "--json"});
  EXPECT_EQ(nowhere.json()["left_out"], 2) << "they have no position";
  EXPECT_NE(nowhere.err.find("left out 2 of 2 photos without latitude"), std::string::npos) << nowhere.err;
}

TEST_F(IndexVerbs, DuplicatesRenamedChangedAndDeletedPhotosAreTold) {
  pictures("photos", 3);
  ASSERT_EQ(add({"photos"}).exit_code, 0);
  fs::copy(folder_ / "photos/0.png", folder_ / "photos/copy.png");
  fs::rename(folder_ / "photos/1.png", folder_ / "photos/renamed.png");
  picture("photos/2.png", 77);
  const auto result = add({"photos", "--json"}).json();
  EXPECT_EQ(result["added"], 0);
  EXPECT_EQ(result["unchanged"], 1) << "0.png";
  EXPECT_EQ(result["duplicates"].size(), 2U) << "copy.png and renamed.png";
  EXPECT_EQ(result["changed"], nlohmann::json({"2.png"}));
  EXPECT_EQ(info()["missing_files"], 1) << "1.png";
  EXPECT_NE(add({"photos"}).err.find("--update describes changed photos again"), std::string::npos);

  const auto update = add({"photos", "--update", "--json"}).json();
  EXPECT_EQ(update["updated"], 1);
  EXPECT_EQ(info()["rows"], 3);
  EXPECT_EQ(info()["replaced_rows"], 1);
  const auto found = run({"query", "db", "photos/2.png", "-k", "3", "--json"}).json();
  ASSERT_EQ(found["queries"][0]["matches"].size(), 3U) << "a replaced row is not searched";
  EXPECT_EQ(found["queries"][0]["matches"][0]["reference"], "2.png");
  EXPECT_GT(found["queries"][0]["matches"][0]["similarity"].get<double>(), 0.9999);
}

TEST_F(IndexVerbs, PhotosThatChangedPlacesAreBothDescribedAgain) {
  pictures("photos", 2);
  ASSERT_EQ(add({"photos"}).exit_code, 0);
  fs::rename(folder_ / "photos/0.png", folder_ / "photos/x.png");
  fs::rename(folder_ / "photos/1.png", folder_ / "photos/0.png");
  fs::rename(folder_ / "photos/x.png", folder_ / "photos/1.png");
  const auto result = add({"photos", "--update", "--json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.json()["updated"], 2);
  EXPECT_EQ(result.json()["rows"], 2);
  for (const auto* name : {"0.png", "1.png"}) {
    const auto best = run({"query", "db", std::string("photos/") + name, "-k", "1", "--json"}).json()["queries"][0]["matches"][0];
    EXPECT_EQ(best["reference"], name);
  }
}

TEST_F(IndexVerbs, AReportOfAQueryShowsWhatCanBeFoundAndNothingElse) {
  pictures("photos", 3);
  ASSERT_EQ(add({"photos"}).exit_code, 0);
  picture("photos/1.png", 50);
  ASSERT_EQ(add({"photos", "--update"}).exit_code, 0);
  const auto result = run({"query", "db", "photos/1.png", "-k", "1", "-o", "out"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(contents("out/predictions.csv").find("\n1.png,1,1.png,"), std::string::npos) << contents("out/predictions.csv");
  EXPECT_EQ(nlohmann::json::parse(contents("out/run.json"))["num_references"], 3) << "not the replaced row";
  EXPECT_EQ(run({"report", "out/run.json", "-o", "again"}).exit_code, 0);
}

TEST_F(IndexVerbs, EverySourceOfPhotosIsTaken) {
  pictures("a", 2, 1);
  pictures("b/c", 2, 11);
  picture("one.png", 21);
  picture("d/listed.png", 31);
  text_file("d/list.txt", "# two photos\nlisted.png\r\n" + path("one.png") + "\n");
  picture("e/tabled.png", 41);
  text_file("e/table.csv", "image,lat,lon,time\ntabled.png,59.4,24.7,2024-05-01T12:00:00Z\n");
  picture("f/mapped.png", 51);
  text_file("f/map.geojson",
            R"({"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"type":"Point","coordinates":[24.8,59.5]},)"
            R"("properties":{"image":"mapped.png"}}]})");
  const auto result = add({"a", "b/*/*.png", "d/list.txt", "e/table.csv", "f/map.geojson"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(info()["rows"], 8);
  EXPECT_EQ(info()["with_position"], 2);
  EXPECT_EQ(info()["with_time"], 1);
  // The names of b are relative to b; 0.png is of a.
  ASSERT_EQ(run({"index", "export", "db", "--format", "csv", "-o", "all.csv"}).exit_code, 0);
  const auto table = contents("all.csv");
  EXPECT_NE(table.find("\nc/0.png,"), std::string::npos) << table;
  EXPECT_NE(table.find("\ntabled.png,59.4,24.7,"), std::string::npos) << table;
  EXPECT_NE(table.find(",1714564800,"), std::string::npos) << table;

  const auto near = run({"query", "db", "one.png", "--near", "59.4,24.7", "--radius", "100", "--json"}).json();
  ASSERT_EQ(near["queries"][0]["matches"].size(), 1U);
  EXPECT_EQ(near["queries"][0]["matches"][0]["reference"], "tabled.png");
  EXPECT_NEAR(near["queries"][0]["matches"][0]["lat"].get<double>(), 59.4, 1e-9);
  const auto late = run({"query", "db", "one.png", "--after", "2024-05-01T12:00:01Z", "--json"}).json();
  EXPECT_EQ(late["queries"][0]["matches"].size(), 0U);
  EXPECT_FALSE(late["queries"][0]["accepted"].get<bool>());
}

TEST_F(IndexVerbs, TwoFilesOfOneNameBothFindAPlace) {
  pictures("left", 1, 1);
  pictures("right", 1, 2);
  EXPECT_EQ(add({"left", "right", "--json"}).json()["added"], 2);
  EXPECT_EQ(add({"left", "right", "--json"}).json()["unchanged"], 2);
  const auto names = run({"query", "db", "right", "--json"}).json()["queries"][0]["matches"];
  ASSERT_EQ(names.size(), 2U);
  EXPECT_EQ(names[0]["reference"], "right/0.png");
  EXPECT_EQ(names[1]["reference"], "0.png");
}

TEST_F(IndexVerbs, PhotosThatCannotBeReadAreSkippedAndNamed) {
  pictures("photos", 2);
  text_file("photos/broken.jpg", "no picture");
  const auto result = add({"photos"});
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_NE(result.err.find("skipped photos/broken.jpg"), std::string::npos) << result.err;
  EXPECT_NE(run({"query", "db", "photos"}).out.find("broken.jpg -> skipped\n"), std::string::npos);
  EXPECT_EQ(info()["rows"], 2);
  EXPECT_EQ(add({"photos"}).exit_code, 4) << "it is still broken";
  const auto strict = add({"photos", "--strict"}, "other");
  EXPECT_EQ(strict.exit_code, 3);
  EXPECT_NE(strict.err.find("broken.jpg"), std::string::npos) << strict.err;
  EXPECT_NE(strict.err.find("revisit index add other photos --strict"), std::string::npos) << strict.err;
}

TEST_F(IndexVerbs, SettingsOfTheIndexAreUsedAndMisfitsRefused) {
  pictures("photos", 3);
  ASSERT_EQ(add({"photos", "--rho", "0.5", "--prune", "norm", "--spread", "2"}).exit_code, 0);
  EXPECT_EQ(info()["rho"], 0.5);
  EXPECT_EQ(info()["pruner"], "norm");
  const auto same = run({"query", "db", "photos/0.png", "--json"});
  EXPECT_EQ(same.err.find("settings differ"), std::string::npos) << same.err;
  EXPECT_GT(same.json()["queries"][0]["matches"][0]["similarity"].get<double>(), 0.99999);
  const auto other = run({"query", "db", "photos/0.png", "--rho", "1"});
  EXPECT_EQ(other.exit_code, 0);
  EXPECT_NE(other.err.find("rho 1, not 0.5"), std::string::npos) << other.err;
  const auto whole = run({"query", "db", "photos/0.png", "--spread", "1"});
  EXPECT_NE(whole.err.find("spread 1, not 2"), std::string::npos) << whole.err;
  EXPECT_NE(run({"index", "info", "db"}).out.find(", spread 2"), std::string::npos);
  const auto turned = run({"query", "db", "photos/0.png", "--orientation", "ignore"});
  EXPECT_EQ(turned.exit_code, 3);
  EXPECT_NE(turned.err.find("orientation apply, not ignore"), std::string::npos) << turned.err;
}

TEST_F(IndexVerbs, AReportIsNotWrittenIntoAnIndexAndArgumentsTheWrongWayRoundAreTold) {
  pictures("photos", 2);
  ASSERT_EQ(add({"photos"}).exit_code, 0);
  const auto into = run({"query", "db", "photos/0.png", "-o", "db"});
  EXPECT_EQ(into.exit_code, 2);
  EXPECT_NE(into.err.find("'db' is an index"), std::string::npos) << into.err;
  EXPECT_FALSE(fs::exists(folder_ / "db/report.html"));
  const auto swapped = run({"query", "photos/0.png", "db"});
  EXPECT_EQ(swapped.exit_code, 2);
  EXPECT_NE(swapped.err.find("revisit query db photos/0.png"), std::string::npos) << swapped.err;
  const auto two = run({"query", "db", "photos/0.png", "-k", "2"});
  EXPECT_NE(two.out.find("\n  2. 1.png  similarity "), std::string::npos) << two.out;
}

TEST_F(IndexVerbs, ExportsAreWhatIsInTheIndex) {
  pictures("photos", 4);
  ASSERT_EQ(add({"photos"}).exit_code, 0);
  ASSERT_EQ(run({"index", "export", "db", "-o", "all.npy"}).exit_code, 0);
  const NpyArray array = read_npy(folder_ / "all.npy");
  EXPECT_EQ(array.shape, (std::vector<std::int64_t>{4, info()["dim"].get<std::int64_t>()}));
  EXPECT_EQ(contents("all.npy.names.txt"), "0.png\n1.png\n2.png\n3.png\n");
  ASSERT_EQ(run({"describe", "photos/2.png", "-o", "two.npy", "--size", "28x28"}).exit_code, 0);
  const auto two = read_npy(folder_ / "two.npy").to_f32();
  const auto all = array.to_f32();
  for (std::size_t i = 0; i < two.size(); ++i) ASSERT_EQ(two[i], all[2 * two.size() + i]);
  ASSERT_EQ(run({"index", "export", "db", "--format", "pairs", "-k", "2", "-o", "pairs.txt"}).exit_code, 0);
  const auto pairs = contents("pairs.txt");
  EXPECT_EQ(std::count(pairs.begin(), pairs.end(), '\n'), 8);
  EXPECT_TRUE(pairs.starts_with("0.png ")) << pairs;
  EXPECT_EQ(pairs.find("0.png 0.png"), std::string::npos);
}

TEST_F(IndexVerbs, MergingMayBeRepeated) {
  pictures("a", 2, 1);
  pictures("b", 3, 1);  // two photos of the same content and name, one more
  picture("b/1.png", 99);
  ASSERT_EQ(add({"a"}, "one").exit_code, 0);
  ASSERT_EQ(add({"b"}, "two").exit_code, 0);
  const auto merged = run({"index", "merge", "all", "one", "two", "--json"}).json();
  EXPECT_EQ(merged["added"], 4);
  EXPECT_EQ(merged["unchanged"], 1);
  EXPECT_EQ(merged["renamed"], 1) << "1.png of b is another photo";
  EXPECT_EQ(run({"index", "merge", "all", "one", "two", "--json"}).json()["added"], 0);
  EXPECT_EQ(run({"index", "verify", "all"}).exit_code, 0);
  EXPECT_EQ(run({"index", "merge", "all", "all"}).exit_code, 2);
  ASSERT_EQ(run({"index", "add", "turned", "a", "--size", "28x28", "--orientation", "ignore"}).exit_code, 0);
  const auto misfit = run({"index", "merge", "all", "turned"});
  EXPECT_EQ(misfit.exit_code, 3);
  EXPECT_NE(misfit.err.find("orientation"), std::string::npos) << misfit.err;
}

TEST_F(IndexVerbs, PlacesKnownLaterAreTakenWithoutDescribingAgainAndKeptAfterwards) {
  pictures("photos", 2);
  ASSERT_EQ(add({"photos"}).exit_code, 0);
  text_file("gps.csv", "image,lat,lon\n0.png,59.4,24.7\n1.png,59.5,24.8\n");
  const auto placed = add({"photos", "--positions", "gps.csv", "--json"}).json();
  EXPECT_EQ(placed["placed"], 2);
  EXPECT_EQ(placed["updated"], 0);
  EXPECT_EQ(info()["with_position"], 2);
  EXPECT_EQ(add({"photos", "--positions", "gps.csv", "--json"}).json()["unchanged"], 2);
  picture("photos/1.png", 60);
  EXPECT_EQ(add({"photos", "--update", "--json"}).json()["updated"], 1);
  EXPECT_EQ(info()["with_position"], 2) << "a changed photo keeps its place";
}

TEST_F(IndexVerbs, AMergeBringsThePlacesOfPhotosThatAreThere) {
  pictures("photos", 2);
  text_file("gps.csv", "image,lat,lon\n0.png,59.4,24.7\n");
  ASSERT_EQ(add({"photos"}, "bare").exit_code, 0);
  ASSERT_EQ(add({"photos", "--positions", "gps.csv"}, "placed").exit_code, 0);
  const auto merged = run({"index", "merge", "bare", "placed", "--json"}).json();
  EXPECT_EQ(merged["unchanged"], 2);
  EXPECT_EQ(merged["placed"], 1);
  EXPECT_EQ(run({"index", "info", "bare", "--json"}).json()["with_position"], 1);
}

TEST_F(IndexVerbs, FilesThatAreNoPhotosAreTold) {
  pictures("photos", 2);
  text_file("photos/notes.txt", "not a photo");
  EXPECT_NE(add({"photos"}).err.find("skipped 1 file that is not a photo ("), std::string::npos);
}

TEST_F(IndexVerbs, QueriesOfOneNameAreToldApart) {
  pictures("a", 1, 1);
  pictures("b", 1, 2);
  ASSERT_EQ(add({"a"}).exit_code, 0);
  const auto found = run({"query", "db", "a", "b", "--json"}).json()["queries"];
  EXPECT_EQ(found[0]["query"], "a/0.png");
  EXPECT_EQ(found[1]["query"], "b/0.png");
}

TEST_F(IndexVerbs, ADamagedRowIsFoundByVerify) {
  pictures("photos", 3);
  ASSERT_EQ(add({"photos"}).exit_code, 0);
  std::fstream file(folder_ / "db/vectors.bin", std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(200);
  file.put('\x7f');
  file.close();
  const auto result = run({"index", "verify", "db"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_NE(result.out.find("row 0"), std::string::npos) << result.out;
  EXPECT_EQ(run({"index", "merge", "copy", "db"}).exit_code, 3) << "a damaged row is not given a new checksum";
  EXPECT_EQ(run({"index", "export", "db", "-o", "all.npy"}).exit_code, 3);
  EXPECT_FALSE(exists("all.npy"));
}

TEST_F(IndexVerbs, LoopClosureLeavesOutTheRecentPast) {
  pictures("drive", 6);
  ASSERT_EQ(add({"drive"}).exit_code, 0);
  const auto all = run({"query", "db", "drive/5.png", "-k", "9", "--json"}).json()["queries"][0]["matches"];
  EXPECT_EQ(all.size(), 6U);
  const auto past =
      run({"query", "db", "drive/5.png", "-k", "9", "--exclude-recent", "2", "--json"}).json()["queries"][0]["matches"];
  ASSERT_EQ(past.size(), 4U);
  for (const auto& match : past) EXPECT_LT(match["reference"].get<std::string>(), "4.png");
  std::string times = "image,lat,lon,time\n";
  for (int i = 0; i < 6; ++i) times += std::to_string(i) + ".png,59.4,24.7," + std::to_string(10 * i) + "\n";
  text_file("times.csv", times);
  ASSERT_EQ(add({"drive", "--positions", "times.csv"}, "timed").exit_code, 0);
  const auto earlier = run({"query", "timed", "drive/5.png", "--positions", "times.csv", "--exclude-seconds", "25", "--json"});
  ASSERT_EQ(earlier.exit_code, 0) << earlier.err;
  EXPECT_EQ(earlier.json()["queries"][0]["matches"].size(), 3U) << "photos of 0, 10 and 20 s, 25 s or more before 50 s";
  const auto untimed = run({"query", "db", "drive/5.png", "--positions", "times.csv", "--exclude-seconds", "5"});
  EXPECT_EQ(untimed.exit_code, 2);
  EXPECT_NE(untimed.err.find("no photo of index 'db' has one"), std::string::npos) << untimed.err;
  const auto no_time = run({"query", "timed", "drive/5.png", "--exclude-seconds", "5"});
  EXPECT_EQ(no_time.exit_code, 2);
  EXPECT_NE(no_time.err.find("needs the time of every query, but '5.png' has none"), std::string::npos) << no_time.err;
}

TEST_F(IndexVerbs, OddNamesAndALoopOfLinksDoNoHarm) {
  picture("photos/with space.png", 1);
  picture("photos/line\nbreak.png", 2);
  picture("photos/bad\xff utf8.png", 3);
  fs::create_directory_symlink(".", folder_ / "photos/loop");
  const auto result = add({"photos"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(add({"photos", "--json"}).json()["unchanged"], 3);
  const auto found = run({"query", "db", "photos", "-k", "1", "--json"}).json();
  ASSERT_EQ(found["queries"].size(), 3U);
  for (const auto& query : found["queries"]) EXPECT_EQ(query["query"], query["matches"][0]["reference"]);
  ASSERT_EQ(run({"index", "export", "db", "-o", "x.npy"}).exit_code, 0);
  const auto names = contents("x.npy.names.txt");
  EXPECT_EQ(std::count(names.begin(), names.end(), '\n'), 3);
  EXPECT_EQ(run({"index", "export", "db", "--format", "pairs", "-o", "pairs.txt"}).exit_code, 2);
}

TEST_F(IndexVerbs, AFolderOfTwentyThousandFiles) {
  const auto first = picture("photos/00000.png");
  std::ifstream in(first, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  for (int i = 1; i < 20'000; ++i) {
    char name[32];
    std::snprintf(name, sizeof(name), "photos/%05d.png", i);
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
  }
  const auto result = add({"photos", "--json"}).json();
  EXPECT_EQ(result["added"], 1);
  EXPECT_EQ(result["duplicates"].size(), 19'999U);
}

TEST_F(IndexVerbs, ASignalCommitsAndTellsHowToGoOn) {
  constexpr int kPhotos = 60;
  pictures("photos", kPhotos);
  RunOptions options;
  options.interrupt_when = [&] {
    std::error_code none;
    const auto bytes = std::filesystem::file_size(folder_ / "db" / "vectors.bin", none);
    return !none && bytes > 100'000;  // the first rows are safe
  };
  options.folder = folder_;
  const auto result = run({"index", "add", "db", "photos", "--size", "280x280"}, options);
  EXPECT_EQ(result.exit_code, 130) << result.err;
  EXPECT_NE(result.err.find("to continue: revisit index add db photos --size 280x280"), std::string::npos) << result.err;
  const int safe = info()["rows"].get<int>();
  EXPECT_GT(safe, 0);
  EXPECT_LT(safe, kPhotos);
  EXPECT_EQ(run({"index", "add", "db", "photos", "--json"}).json()["unchanged"], safe);
  EXPECT_EQ(info()["rows"], kPhotos);
}

TEST_F(IndexVerbs, MisuseIsOneSentence) {
  pictures("photos", 1);
  EXPECT_EQ(run({"index", "add", "db"}).exit_code, 2);
  EXPECT_EQ(add({"nowhere"}).exit_code, 3);
  EXPECT_EQ(add({"none*.jpg"}).exit_code, 3);
  text_file("odd.pdf", "x");
  EXPECT_EQ(add({"odd.pdf"}).exit_code, 2);
  EXPECT_FALSE(exists("db")) << "nothing is made before the sources are known";
  EXPECT_EQ(run({"query", "db", "photos"}).exit_code, 3);
  EXPECT_EQ(run({"index", "info", "photos"}).exit_code, 3);
  EXPECT_EQ(run({"index", "export", "db"}).exit_code, 2);
  ASSERT_EQ(add({"photos"}).exit_code, 0);
  EXPECT_EQ(run({"query", "db", "photos", "--near", "91,2", "--radius", "5"}).exit_code, 2);
  EXPECT_EQ(run({"query", "db", "photos", "--after", "2024-01-02", "--before", "2024-01-01"}).exit_code, 2);
  EXPECT_EQ(run({"query", "db", "photos", "-o", "odd.pdf"}).exit_code, 2);
  EXPECT_NE(run({"query", "db", "photos", "--near", "1,2", "--radius", "5"}).err.find("no photo in the index has a position"),
            std::string::npos);
  const auto half = run({"query", "db", "photos", "--near", "1,2"});
  EXPECT_EQ(half.exit_code, 2);
  EXPECT_NE(half.err.find("--radius"), std::string::npos);
  EXPECT_EQ(run({"query", "db", "photos", "--after", "yesterday"}).exit_code, 2);
}

}  // namespace
}  // namespace revisit::testing
