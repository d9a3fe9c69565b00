// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// `revisit model`, `revisit bench` and `revisit doctor`.
#include <set>

#include "run_program.h"
#include "shared_data.h"

namespace revisit::testing {
namespace {

using Machine = ProgramTest;

class ModelVerbs : public ProgramTest {
 protected:
  // A small recorded checkpoint with a backbone only.
  static std::filesystem::path checkpoint() {
    for (const auto& entry : std::filesystem::directory_iterator(shared_folder() / "golden/dinov2_plain")) {
      const auto extension = entry.path().extension();
      if (extension == ".pth" || extension == ".pt" || extension == ".safetensors") return entry.path();
    }
    return {};
  }
};

TEST_F(ModelVerbs, InspectShowsTheAgreedKeys) {
  const auto run = run_program({"model", "inspect", "demo", "--json", "-q"});
  ASSERT_EQ(run.exit_code, 0) << run.out;
  const auto object = run.json();
  EXPECT_EQ(object.at("schema"), 1);
  for (const auto* key : {"arch", "width", "depth", "heads", "patch", "registers", "size", "aggregator", "clusters",
                          "descriptor_dim", "pruner", "kappa", "spread", "parameters", "licence"}) {
    EXPECT_TRUE(object.contains(key)) << key;
  }
  EXPECT_EQ(object.at("aggregator"), "weiad");
  EXPECT_EQ(object.at("size").size(), 2U);
  EXPECT_EQ(run_program({"model", "inspect", "demo"}).exit_code, 0);
}

TEST_F(ModelVerbs, ListNamesTheDemoModelAndSaysWhenThereIsNoFile) {
  const auto run = run_program({"model", "list"}, {.folder = folder_});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_NE(run.out.find("demo"), std::string::npos);
  const bool installed = std::filesystem::exists("models/revisit-open.safetensors");
  EXPECT_EQ(run.err.find("no model files") == std::string::npos, installed) << run.err;
}

TEST_F(ModelVerbs, ListKnownTellsWhatWasPublished) {
  const auto run = run_program({"model", "list", "--known", "--json", "-q"});
  ASSERT_EQ(run.exit_code, 0) << run.out;
  std::set<std::string> names;
  const auto object = run.json();
  for (const auto& one : object.at("known")) {
    EXPECT_TRUE(names.insert(one.at("name")).second) << one;
    for (const auto* key : {"backbone", "size", "dims", "licence", "source"}) EXPECT_NE(one.at(key), "") << one;
  }
  for (const auto* name : {"SALAD", "SuperVLAD", "MegaLoc", "NetVLAD", "CosPlace", "EigenPlaces", "Conv-AP", "MixVPR", "DINOv2"})
    EXPECT_TRUE(names.contains(name)) << name;
  const auto shown = run_program({"model", "list", "--known"});
  EXPECT_NE(shown.out.find("MixVPR: Feature Mixing"), std::string::npos) << shown.out;
}

TEST_F(ModelVerbs, AConvolutionalNetworkRefusesWhatOnlyTokensCanDo) {
  REVISIT_REQUIRE_SHARED("golden/mixvpr_e2e");
  const auto golden = shared_folder() / "golden";
  const auto model = (folder_ / "mix.safetensors").string(), out = (folder_ / "d.npy").string();
  const auto imported = run_program({"model", "import", (golden / "mixvpr_e2e/mixvpr.ckpt").string(), "-o", model});
  ASSERT_EQ(imported.exit_code, 0) << imported.err;
  EXPECT_NE(imported.out.find("resnet: width 32, stages 3"), std::string::npos) << imported.out;
  const auto photo = (golden / "image_formats/block8.jpg").string();
  EXPECT_EQ(run_program({"describe", photo, "--model", model, "-o", out}).exit_code, 0);
  const auto pruned = run_program({"describe", photo, "--model", model, "--prune", "fastv", "--rho", "0.5", "-o", out});
  EXPECT_EQ(pruned.exit_code, 2);
  EXPECT_NE(pruned.err.find("tokens cannot be pruned in resnet"), std::string::npos) << pruned.err;
  const auto resized = run_program({"describe", photo, "--model", model, "--size", "128x128", "-o", out});
  EXPECT_EQ(resized.exit_code, 2);
  EXPECT_NE(resized.err.find("works on maps of 36 cells and no others"), std::string::npos) << resized.err;
}

TEST_F(ModelVerbs, ListShowsAFileThatIsNoModelWithTheReason) {
  text_file("models/junk.safetensors", "junk");
  const auto run = run_program({"model", "list", "--json"}, {.folder = folder_});
  EXPECT_EQ(run.exit_code, 0);
  const auto models = run.json().at("models");
  ASSERT_GE(models.size(), 3U);
  EXPECT_EQ(models.at(0).at("name"), "revisit-tiny");
  EXPECT_TRUE(models.at(0).at("built_in").get<bool>());
  EXPECT_EQ(models.back().at("name"), "junk");
  EXPECT_FALSE(models.back().at("problem").get<std::string>().empty());
}

TEST_F(ModelVerbs, ANameIsLookedUpInTheFoldersInTurn) {
  for (const char* folder : {"asked", "home/revisit/models", "here/models"}) {
    std::filesystem::create_directories(folder_ / folder);
    std::filesystem::copy_file("models/revisit-tiny.safetensors", folder_ / folder / "twin.safetensors");
  }
  const auto found = [&](const std::vector<std::pair<std::string, std::string>>& environment, const char* working_folder) {
    const auto run = run_program({"model", "list", "--json"}, {.environment = environment, .folder = path(working_folder)});
    std::vector<std::string> paths;
    const auto models = run.json().at("models");
    for (const auto& one : models) {
      if (one.at("name") == "twin") paths.push_back(one.at("path"));
    }
    return paths;
  };
  using Paths = std::vector<std::string>;
  const std::pair<std::string, std::string> asked{"REVISIT_MODEL_PATH", path("asked")}, home{"XDG_DATA_HOME", path("home")};
  EXPECT_EQ(found({asked, home}, "here"), Paths{path("asked/twin.safetensors")}) << "a name is listed once";
  EXPECT_EQ(found({home}, "here"), Paths{path("home/revisit/models/twin.safetensors")});
  EXPECT_EQ(found({{"XDG_DATA_HOME", ""}, {"HOME", path("home")}}, "here"), Paths{"models/twin.safetensors"});
  EXPECT_EQ(found({}, "asked"), Paths{});

  const auto unknown = run_program({"model", "inspect", "twim"}, {.environment = {asked}});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_NE(unknown.err.find("unknown model 'twim' - did you mean 'twin'?; there are revisit-tiny, demo, twin"),
            std::string::npos)
      << unknown.err;
  EXPECT_EQ(run_program({"model", "inspect", "twin", "-q"}, {.environment = {asked}}).exit_code, 0);
}

/// A program in a prefix of its own, with a stand-in for revisit-open that is as quick as revisit-tiny.
class InstalledModels : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    if (std::filesystem::file_size(REVISIT_PROGRAM) < 1'000'000) GTEST_SKIP() << "an emulator runs the program";
    std::filesystem::create_directories(folder_ / "prefix/bin");
    std::filesystem::create_directories(folder_ / "prefix/share/revisit/models");
    std::filesystem::copy_file(REVISIT_PROGRAM, folder_ / "prefix/bin/revisit");
    std::filesystem::copy_file("models/revisit-tiny.safetensors", folder_ / kInstalled);
  }

  RunResult run(const std::vector<std::string>& arguments, const char* prefix = "prefix", const char* usual = "") const {
    return run_program(arguments, {.environment = {{"REVISIT_DEFAULT_MODEL", usual}},
                                   .program = path(std::string(prefix) + "/bin/revisit"),
                                   .folder = folder_});
  }

  std::string usual(const char* by_environment = "") const {
    std::string names;
    const auto models = run({"model", "list", "--json"}, "prefix", by_environment).json().at("models");
    for (const auto& one : models) {
      if (one.at("default").get<bool>()) names += one.at("name").get<std::string>() + " ";
    }
    return names;
  }

  static constexpr const char* kInstalled = "prefix/share/revisit/models/revisit-open.safetensors";
};

TEST_F(InstalledModels, RevisitSmallIsTheDefaultWhereItIsInstalled) {
  EXPECT_EQ(usual(), "revisit-open ");
  EXPECT_EQ(usual("revisit-tiny"), "revisit-tiny ");
  const auto photo = picture("a.png");
  EXPECT_EQ(run({"describe", photo, "--json"}).json().at("model"), "revisit-open");
  EXPECT_EQ(run({"describe", photo, "--json", "--model", "revisit-tiny"}).json().at("model"), "revisit-tiny");
  std::ofstream(folder_ / kInstalled, std::ios::binary | std::ios::trunc) << "junk";
  const auto broken = run({"describe", photo});
  EXPECT_EQ(broken.exit_code, 3) << "another model must not take its place";
  EXPECT_NE(broken.err.find("revisit-open.safetensors"), std::string::npos) << broken.err;
  std::filesystem::remove(folder_ / kInstalled);
  EXPECT_EQ(usual(), "revisit-tiny ");
}

TEST_F(InstalledModels, AnIndexFindsItsModelWhereverThePrefixIs) {
  picture("photos/a.png", 1);
  picture("photos/b.png", 2);
  ASSERT_EQ(run({"index", "add", "new.rvs", "photos", "-q"}).exit_code, 0);
  ASSERT_EQ(run({"index", "add", "old.rvs", "photos", "-q", "--model", "revisit-tiny"}).exit_code, 0);
  EXPECT_EQ(run({"index", "info", "new.rvs", "--json"}).json().at("model"), "revisit-open");
  std::filesystem::rename(folder_ / "prefix", folder_ / "moved");
  for (const char* index : {"new.rvs", "old.rvs"}) {
    const auto asked = run({"query", index, "photos/a.png", "--min-similarity", "0"}, "moved");
    EXPECT_EQ(asked.exit_code, 0) << asked.err;
    EXPECT_NE(asked.out.find("a.png -> a.png"), std::string::npos) << asked.out;
    EXPECT_EQ(run({"index", "add", index, "photos", "-q"}, "moved").exit_code, 0);
  }
  std::filesystem::remove_all(folder_ / "moved/share");
  const auto gone = run({"query", "new.rvs", "photos/a.png"}, "moved");
  EXPECT_EQ(gone.exit_code, 3);
  EXPECT_NE(gone.err.find("was made with the model 'revisit-open', which does not exist"), std::string::npos) << gone.err;
  EXPECT_EQ(run({"query", "old.rvs", "photos/a.png"}, "moved").exit_code, 0);
}

TEST_F(ModelVerbs, ImportPrintsItsAccountAndTheModelCanBeUsed) {
  REVISIT_REQUIRE_SHARED("golden/dinov2_plain");
  const auto from = checkpoint();
  ASSERT_FALSE(from.empty());
  std::filesystem::create_directories(folder_ / "models");
  const auto out = path("models/plain.safetensors");
  const auto import = run_program({"model", "import", from.string(), "-o", out});
  ASSERT_EQ(import.exit_code, 0) << import.err;
  EXPECT_NE(import.out.find(" tensors used, 0 missing, "), std::string::npos) << import.out;
  EXPECT_NE(import.out.find("family "), std::string::npos);
  EXPECT_NE(import.err.find("next: revisit describe"), std::string::npos) << import.err;
  EXPECT_EQ(run_program({"model", "inspect", out, "--json"}).json().at("aggregator"), "none");

  const auto photo = picture("a.png");
  EXPECT_EQ(run_program({"describe", photo, "--model", out}).exit_code, 2) << "a backbone needs --aggregate";
  const auto by_name = run_program({"describe", photo, "--model", "plain", "--aggregate", "gem", "--json"}, {.folder = folder_});
  ASSERT_EQ(by_name.exit_code, 0) << by_name.out;
  EXPECT_EQ(by_name.err, "") << "an imported model needs no notice";
  const auto list = run_program({"model", "list"}, {.environment = {{"REVISIT_MODEL_PATH", path("models")}}, .folder = "/"});
  EXPECT_NE(list.out.find("plain"), std::string::npos) << list.out;
}

TEST_F(ModelVerbs, AModelInHalvesIsHalfAsLargeAndSeesTheSame) {
  REVISIT_REQUIRE_SHARED("golden/dinov2_plain");
  const auto from = checkpoint();
  ASSERT_FALSE(from.empty());
  const auto whole = path("whole.safetensors"), half = path("half.safetensors");
  ASSERT_EQ(run_program({"model", "import", from.string(), "-o", whole}).exit_code, 0);
  const auto again = run_program({"model", "import", whole, "-o", half});
  EXPECT_EQ(again.exit_code, 3) << again.out;
  EXPECT_NE(again.err.find("make it smaller with --half"), std::string::npos) << again.err;
  EXPECT_EQ(run_program({"model", "import", whole, "-o", half, "--half", "--heads", "2"}).exit_code, 2);
  ASSERT_EQ(run_program({"model", "import", whole, "-o", half, "--half", "--licence", "mine alone"}).exit_code, 0);
  EXPECT_EQ(run_program({"model", "inspect", half, "--json"}).json().at("licence"), "mine alone");
  EXPECT_LT(std::filesystem::file_size(half), std::filesystem::file_size(whole) * 7 / 10);
  const auto wide = path("wide.safetensors");
  ASSERT_EQ(run_program({"model", "import", whole, "-o", wide, "--size", "28x42"}).exit_code, 0);
  EXPECT_EQ(run_program({"model", "inspect", wide, "--json"}).json().at("size"), nlohmann::json({28, 42}));
  EXPECT_EQ(run_program({"model", "import", whole, "-o", wide, "--size", "28x43"}).exit_code, 2);
  const auto none = run_program({"model", "import", whole, "-o", wide, "--kappa", "0.25"});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_NE(none.err.find("has no pruner"), std::string::npos) << none.err;
  EXPECT_NE(run_program({"model", "inspect", half, "--json"}).json().at("fingerprint"),
            run_program({"model", "inspect", whole, "--json"}).json().at("fingerprint"));
  const auto photo = picture("a.png");
  const auto describe = [&](const std::string& model) {
    return run_program({"describe", photo, "--model", model, "--aggregate", "cls", "--json"}).json();
  };
  const auto a = describe(whole).at("images").at(0).at("descriptor"), b = describe(half).at("images").at(0).at("descriptor");
  double dot = 0;
  for (std::size_t i = 0; i < a.size(); ++i) dot += a.at(i).get<double>() * b.at(i).get<double>();
  EXPECT_GT(dot, 0.9999);
  EXPECT_NE(a, b);
}

TEST_F(ModelVerbs, ImportRefusesToOverwriteItsSourceAndToTakeJunk) {
  const auto junk = text_file("junk.pth", "no checkpoint");
  EXPECT_EQ(run_program({"model", "import", junk, "-o", junk}).exit_code, 2);
  EXPECT_EQ(contents("junk.pth"), "no checkpoint");
  const auto run = run_program({"model", "import", junk, "-o", path("out.safetensors")});
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_NE(run.err.find("junk.pth"), std::string::npos) << run.err;
  EXPECT_EQ(files(), 1U);
}

TEST_F(ModelVerbs, AverageNeedsTwoFilesAndNeverWritesOverOne) {
  const auto junk = text_file("junk.safetensors", "no model");
  EXPECT_EQ(run_program({"model", "average", junk, "-o", path("out.safetensors")}).exit_code, 2);
  EXPECT_EQ(run_program({"model", "average", junk, junk}).exit_code, 2);
  EXPECT_EQ(run_program({"model", "average", junk, junk, "-o", junk}).exit_code, 2);
  EXPECT_EQ(contents("junk.safetensors"), "no model");
  const auto run = run_program({"model", "average", junk, junk, "-o", path("out.safetensors")});
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_NE(run.err.find("junk.safetensors"), std::string::npos) << run.err;
  EXPECT_EQ(files(), 1U);
}

TEST_F(ModelVerbs, AverageOfAModelAndItselfIsThatModel) {
  REVISIT_REQUIRE_SHARED("golden/dinov2_plain");
  ASSERT_EQ(run_program({"model", "import", checkpoint().string(), "-o", path("a.safetensors")}).exit_code, 0);
  const auto run =
      run_program({"model", "average", path("a.safetensors"), path("a.safetensors"), "-o", path("b.safetensors"), "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.err, "");
  ASSERT_EQ(run.json().at("files").size(), 2U);
  EXPECT_NEAR(run.json().at("files").at(1).at("alike").get<double>(), 1, 1e-9);
  const auto of = [&](const char* name) {
    return run_program({"model", "inspect", path(name), "--json"}).json().at("fingerprint");
  };
  EXPECT_EQ(of("a.safetensors"), of("b.safetensors"));
}

TEST_F(Machine, BenchJsonHasTheAgreedKeys) {
  const auto run = run_program({"bench", "--rho", "1,0.5", "--repeats", "3", "--threads", "1", "--json", "-q"});
  ASSERT_EQ(run.exit_code, 0) << run.out;
  const auto object = run.json();
  EXPECT_EQ(object.at("schema"), 1);
  ASSERT_EQ(object.at("runs").size(), 2U);
  for (const auto& one : object.at("runs")) {
    for (const auto* key :
         {"rho", "batch", "threads", "median_ms_per_image", "p95_ms", "gmac", "gflops", "prune_ms", "end_to_end_ms"}) {
      EXPECT_TRUE(one.at(key).is_number()) << key;
    }
    EXPECT_EQ(one.at("precision"), "f32");
    EXPECT_EQ(one.at("threads"), 1);
    EXPECT_GT(one.at("median_ms_per_image").get<double>(), 0);
  }
  EXPECT_EQ(object.at("runs").at(1).at("rho"), 0.5);
  EXPECT_LT(object.at("runs").at(1).at("gmac").get<double>(), object.at("runs").at(0).at("gmac").get<double>());
  EXPECT_GT(object.at("peak").at("fma_gflops").get<double>(), 0);
  EXPECT_FALSE(object.at("cpu").get<std::string>().empty());
}

TEST_F(Machine, BenchPrintsOneRowARho) {
  const auto run = run_program({"bench", "--rho", "1,0.7,0.4", "--repeats", "1", "-q"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  for (const auto* row : {"\n     1 ", "\n   0.7 ", "\n   0.4 "}) EXPECT_NE(run.out.find(row), std::string::npos) << run.out;
}

TEST_F(Machine, DoctorFindsThisMachineFit) {
  const auto run = run_program({"doctor", folder_.string(), "--json", "-q"});
  ASSERT_EQ(run.exit_code, 0) << run.out;
  const auto object = run.json();
  EXPECT_TRUE(object.at("fine").get<bool>());
  EXPECT_TRUE(object.at("self_test").at("identical").get<bool>());
  EXPECT_NEAR(object.at("self_test").at("length").get<double>(), 1, 1e-4);
  EXPECT_GT(object.at("memory_bytes").get<double>(), 0);
  EXPECT_GE(object.at("cores").get<int>(), 1);
  EXPECT_NE(object.at("kernels").get<std::string>().find("int8 "), std::string::npos);
  const auto all_cores = run_program({"doctor"}, {.environment = {{"REVISIT_THREADS", ""}}});
  EXPECT_NE(all_cores.out.find("all fine"), std::string::npos);
}

TEST_F(Machine, DoctorFailsWhenTheModelDoes) {
  const auto run = run_program({"doctor", "--model", text_file("junk.safetensors", "junk"), "--json"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_FALSE(run.json().at("self_test").at("failure").get<std::string>().empty());
  EXPECT_EQ(run_program({"doctor", path("gone")}).exit_code, 3);
}

}  // namespace
}  // namespace revisit::testing
