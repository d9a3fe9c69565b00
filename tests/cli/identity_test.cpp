// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// One checkpoint imported in two ways is two models, which must never be confused.
#include <fstream>

#include "run_program.h"
#include "shared_data.h"

namespace revisit::testing {
namespace {

namespace fs = std::filesystem;

/// "--pos-rule" is reported as "pos_rule '".
std::string field_of(const std::string& flag) {
  std::string out = flag.substr(2) + " '";
  std::ranges::replace(out, '-', '_');
  return out;
}

class Identity : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    for (int i = 0; i < 3; ++i) picture("photos/" + std::to_string(i) + ".png", 1 + static_cast<std::uint32_t>(i));
  }
  RunResult run(std::vector<std::string> arguments) { return run_program(arguments, {.folder = folder_}); }
  void import(const char* name, std::vector<std::string> more) {
    const auto checkpoint = fs::absolute(shared_folder() / "golden/dinov2_plain/hub.pth").string();
    more.insert(more.begin(), {"model", "import", checkpoint, "-o", name});
    ASSERT_EQ(run(more).exit_code, 0);
  }
};

TEST_F(Identity, AnotherImportOfOneCheckpointIsAnotherModel) {
  REVISIT_REQUIRE_SHARED("golden/dinov2_plain");
  import("plain.safetensors", {});
  ASSERT_EQ(run({"index", "add", "db", "photos", "--model", "plain.safetensors", "--aggregate", "cls"}).exit_code, 0);
  const std::vector<std::pair<std::vector<std::string>, std::string>> others{{{"--mean", "0,0,0"}, "mean '"},
                                                                             {{"--heads", "2"}, "heads '"},
                                                                             {{"--resize", "bicubic"}, "resize 'bilinear', not 'bicubic'"},
                                                                             {{"--pos-rule", "timm"}, "pos_rule 'hub', not 'timm'"}};
  for (const auto& [flags, words] : others) {
    import("other.safetensors", flags);
    for (const auto& refused :
         {run({"query", "db", "photos/0.png", "--model", "other.safetensors"}), run({"index", "add", "db", "photos", "--model", "other.safetensors"})}) {
      EXPECT_EQ(refused.exit_code, 3) << flags[0];
      EXPECT_NE(refused.err.find(words), std::string::npos) << refused.err;
    }
    ASSERT_EQ(run({"index", "add", "other" + flags[0], "photos", "--model", "other.safetensors", "--aggregate", "cls"}).exit_code, 0);
    const auto merged = run({"index", "merge", "db", "other" + flags[0]});
    EXPECT_EQ(merged.exit_code, 3);
    EXPECT_NE(merged.err.find(field_of(flags[0])), std::string::npos) << merged.err;
    // The model file of an index is replaced.
    fs::copy(folder_ / "db", folder_ / "moved", fs::copy_options::recursive);
    fs::rename(folder_ / "plain.safetensors", folder_ / "kept");
    fs::copy_file(folder_ / "other.safetensors", folder_ / "plain.safetensors");
    EXPECT_EQ(run({"query", "moved", "photos/0.png"}).exit_code, 3) << flags[0];
    fs::rename(folder_ / "kept", folder_ / "plain.safetensors");
    fs::remove_all(folder_ / "moved");
  }
  EXPECT_EQ(run({"query", "db", "photos/0.png"}).exit_code, 0);
  EXPECT_EQ(run({"index", "info", "db", "--json"}).json()["rows"], 3);
}

TEST_F(Identity, CompareMeasuresAnotherImportAnew) {
  REVISIT_REQUIRE_SHARED("golden/dinov2_plain");
  std::ofstream(folder_ / "gt.csv") << "query,best_ref,accepted_refs\n0.png,0.png,\n1.png,1.png,\n2.png,2.png,\n";
  std::ofstream(folder_ / "c.toml") << "[[dataset]]\nname = \"photos\"\nqueries = \"photos\"\nreferences = \"photos\"\ngt = \"gt.csv\"\n"
                                       "[[row]]\nname = \"plain\"\nmodels = [\"plain.safetensors\"]\naggregate = \"cls\"\n";
  const auto cells_after = [&](const std::vector<std::string>& flags) {
    import("plain.safetensors", flags);
    const auto compared = run({"compare", "c.toml", "--out", "out"});
    EXPECT_EQ(compared.exit_code, 0) << compared.err;
    return std::distance(fs::directory_iterator(folder_ / "out/cells"), fs::directory_iterator());
  };
  // Each with what a descriptor costs.
  EXPECT_EQ(cells_after({}), 2);
  EXPECT_EQ(cells_after({}), 2) << "the same import is the same model";
  EXPECT_EQ(cells_after({"--mean", "0,0,0"}), 4);
  EXPECT_EQ(cells_after({"--heads", "2"}), 6);
  EXPECT_EQ(cells_after({"--resize", "bicubic"}), 8);
  EXPECT_EQ(cells_after({"--pos-rule", "timm"}), 10);
}

}  // namespace
}  // namespace revisit::testing
