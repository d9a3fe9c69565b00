// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Exports of an index, as other programs read them, with names chosen by an attacker or by accident.
#include <fstream>

#include "run_program.h"

namespace revisit::testing {
namespace {

// Some a spreadsheet would compute, a terminal would obey, or that look like our own escapes.
const std::vector<std::string> kHostileNames{"=1+1.png",        "-5.png",
                                             "'=x.png",         "@sum.png",
                                             " +1.png",         "a,b;\"c\".png",
                                             "two\nlines.png",  "esc\x1B[31m.png",
                                             "back\\x0a.png",   "bad\xFF utf8.png",
                                             "tab\tcr\r.png",   "c1\xC2\x9Bm.png",
                                             "<&>]]>.png",      "nochar\xEF\xBF\xBF.png",
                                             "Caf\xC3\xA9.png", "plain.png"};

static_assert(sizeof(REVISIT_PYTHON) > 1, "python3 has to be found before the program that runs it is described");

class Export : public ProgramTest {
 protected:
  RunResult run(std::vector<std::string> arguments) {
    RunOptions options;
    options.folder = folder_;
    return run_program(arguments, options);
  }
  RunResult python(const std::string& script) {
    RunOptions options;
    options.folder = folder_;
    options.program = REVISIT_PYTHON;
    return run_program({"-c", script}, options);
  }

  /// Photos of these names in `photos`, all placed but three: the last two and the one JSON cannot name.
  void add_hostile_photos() {
    nlohmann::json features = nlohmann::json::array();
    for (std::size_t i = 0; i < kHostileNames.size(); ++i) {
      const std::string& name = kHostileNames[i];
      picture("photos/" + name, static_cast<std::uint32_t>(i) + 2);
      if (name.find('\xFF') != std::string::npos || i + 2 >= kHostileNames.size()) continue;
      features.push_back({{"type", "Feature"},
                          {"geometry", {{"type", "Point"}, {"coordinates", {-1 - 0.5 * static_cast<double>(i), -0.25}}}},
                          {"properties", {{"image", name}}}});
    }
    text_file("places.json", nlohmann::json{{"type", "FeatureCollection"}, {"features", features}}.dump());
    const auto added = run({"index", "add", "db", "photos", "--positions", "places.json", "--size", "28x28"});
    ASSERT_EQ(added.exit_code, 0) << added.err;
  }
};

TEST_F(Export, TablesHoldNoFormulaAndNoControlCharacterAndCanBeGivenBack) {
  add_hostile_photos();
  ASSERT_EQ(run({"index", "export", "db", "-o", "all.csv"}).exit_code, 0);
  const std::string table = contents("all.csv");
  EXPECT_EQ(table.find_first_of("\x1B\t\r\xFF"), std::string::npos) << table;
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), static_cast<long>(kHostileNames.size()) + 1) << "one line per photo";
  const auto read = python(R"py(
import csv
rows = list(csv.DictReader(open("all.csv", encoding="utf-8", newline="")))
for row in rows:
    assert not row["image"].lstrip().startswith(("=", "+", "-", "@")), row
    assert row["lon"] == "" or float(row["lon"]) < 0, row
assert sum(row["lat"] == "-0.25" for row in rows) > 9, rows
print(len(rows)))py");
  EXPECT_EQ(read.out, std::to_string(kHostileNames.size()) + "\n") << read.ending();

  ASSERT_EQ(run({"index", "add", "again", "photos", "--positions", "all.csv", "--size", "28x28"}).exit_code, 0);
  ASSERT_EQ(run({"index", "export", "again", "-o", "again.csv"}).exit_code, 0);
  EXPECT_EQ(contents("again.csv"), table);
}

TEST_F(Export, TheReaderInTheManualGivesNamesBack) {
  add_hostile_photos();
  ASSERT_EQ(run({"match", "photos", "photos", "--size", "28x28", "-o", "run"}).exit_code, 0);
  std::ifstream in("docs/files.md");  // tests run in the source folder
  const std::string manual{std::istreambuf_iterator<char>(in), {}};
  const auto from = manual.find("```python\n") + 10, to = manual.find("```", from);
  ASSERT_LT(to, manual.size()) << "docs/files.md has no example";
  text_file("run/reader.py", manual.substr(from, to - from) + R"py(
import os
assert set(names) == set(os.listdir(b"../photos")), names
print(len(names)))py");
  RunOptions options;
  options.folder = folder_ / "run";
  options.program = REVISIT_PYTHON;
  const auto read = run_program({"reader.py"}, options);
  EXPECT_EQ(read.out, std::to_string(10 * kHostileNames.size()) + "\n") << read.ending();
}

TEST_F(Export, MetresOfAPlaneComeBackToo) {
  picture("photos/a.png", 1);
  picture("photos/b.png", 2);
  text_file("metres.csv", "image,east,north,heading_deg,time\na.png,-12.5,40,90,-3\nb.png,,,,7\n");
  ASSERT_EQ(run({"index", "add", "db", "photos", "--positions", "metres.csv", "--size", "28x28"}).exit_code, 0);
  ASSERT_EQ(run({"index", "export", "db", "-o", "all.csv"}).exit_code, 0);
  EXPECT_NE(contents("all.csv").find("\na.png,,,-12.5,40,90,-3,"), std::string::npos) << contents("all.csv");
  ASSERT_EQ(run({"index", "add", "again", "photos", "--positions", "all.csv", "--size", "28x28"}).exit_code, 0);
  ASSERT_EQ(run({"index", "export", "again", "-o", "again.csv"}).exit_code, 0);
  EXPECT_EQ(contents("again.csv"), contents("all.csv"));
}

TEST_F(Export, EveryNameCanBeHadBackFromItsLine) {
  add_hostile_photos();
  ASSERT_EQ(run({"index", "export", "db", "-o", "all.npy"}).exit_code, 0);
  ASSERT_EQ(run({"describe", "photos", "-o", "described.npy", "--size", "28x28"}).exit_code, 0);
  const auto read = python(R"py(
import os, re
for file in ("all.npy.names.txt", "described.names.txt"):
    lines = open(file, encoding="utf-8").read().split("\n")[:-1]
    names = [re.sub(rb"\\x([0-9a-f]{2})", lambda m: bytes([int(m[1], 16)]), line.encode()) for line in lines]
    assert sorted(map(os.path.basename, names)) == sorted(os.listdir(b"photos")), lines
print("same"))py");
  EXPECT_EQ(read.out, "same\n") << read.ending();
}

TEST_F(Export, KmlIsReadByAnXmlParser) {
  add_hostile_photos();
  const auto result = run({"index", "export", "db", "-o", "all.KML", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.json()["format"], "kml");
  EXPECT_EQ(result.json()["left_out"], 3);
  const auto read = python(R"py(
import xml.etree.ElementTree as xml
space = {"k": "http://www.opengis.net/kml/2.2"}
marks = xml.parse("all.KML").getroot().findall("k:Document/k:Placemark", space)
names = [mark.find("k:name", space).text for mark in marks]
assert "<&>]]>.png" in names and r"two\x0alines.png" in names and "=1+1.png" in names, names
lon, lat = map(float, marks[names.index("=1+1.png")].find("k:Point/k:coordinates", space).text.split(","))
assert (lon, lat) == (-1, -0.25), (lon, lat)
print(len(marks)))py");
  EXPECT_EQ(read.out, std::to_string(kHostileNames.size() - 3) + "\n") << read.ending();
}

TEST_F(Export, ANameThatDoesNotSayWhatToWriteIsRefused) {
  picture("photos/a.png", 1);
  ASSERT_EQ(run({"index", "add", "db", "photos", "--size", "28x28"}).exit_code, 0);
  for (const auto* name : {"all.kmz", "all", "all.npy.gz"}) {
    const auto refused = run({"index", "export", "db", "-o", name});
    EXPECT_EQ(refused.exit_code, 2) << name;
    EXPECT_NE(refused.err.find("'" + std::string(name) + "' does not tell the format"), std::string::npos) << refused.err;
    for (const auto* known : {".npy", ".txt", ".csv", ".geojson", ".json", ".kml", "--format"})
      EXPECT_NE(refused.err.find(known), std::string::npos) << refused.err;
    EXPECT_FALSE(exists(name));
  }
  EXPECT_EQ(run({"index", "export", "db", "-o", "all", "--format", "npy"}).exit_code, 0);
  EXPECT_TRUE(contents("all").starts_with("\x93NUMPY"));
}

}  // namespace
}  // namespace revisit::testing
