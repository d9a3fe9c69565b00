// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Pruners as a user asks for them, with the untrained demo model, and what is refused.
#include "core/formats/npy.h"
#include "run_program.h"

namespace revisit::testing {
namespace {

namespace fs = std::filesystem;

class Prune : public ProgramTest {
 protected:
  RunResult describe(const std::string& photo, std::vector<std::string> more, const std::string& dump = "") {
    std::vector<std::string> arguments{"describe", photo, "--model", "demo", "--size", "98x126"};  // 7 x 9 patches
    arguments.insert(arguments.end(), more.begin(), more.end());
    if (!dump.empty()) arguments.insert(arguments.end(), {"--dump", path(dump), "--pictures", path(dump + "_pictures")});
    return run_program(arguments);
  }
};

TEST_F(Prune, RhoBecomesTheMethodsOwnNumbersWhichAreTold) {
  const auto photo = picture("a.png", 3);
  for (const char* prune : {"fastv", "evit", "tome", "tofu"}) {
    const auto run = describe(photo, {"--prune", prune, "--rho", "0.5"}, prune);
    ASSERT_EQ(run.exit_code, 0) << run.err;
    const auto kept = read_npy(path(std::string(prune) + "/kept.npy")).to_i64();
    EXPECT_NEAR(static_cast<double>(kept.size()), 31.5, 1.6) << prune;
    EXPECT_EQ(run.err.find(std::string(prune) + " ") != std::string::npos, std::string(prune) != "fastv") << run.err;
    EXPECT_EQ(fs::exists(path(std::string(prune) + "/owner.npy")), std::string(prune) != "fastv") << "who was merged into whom";
    EXPECT_TRUE(fs::exists(path(std::string(prune) + "_pictures/a.kept.png"))) << prune;
  }
  EXPECT_NE(describe(photo, {"--prune", "tome", "--rho", "0.5"})
                .err.find("tome merges r = 8 patches in each block: 31 of 63 patches are left"),
            std::string::npos);
}

TEST_F(Prune, OptionsSetTheNumbersDirectly) {
  const auto photo = picture("a.png", 3);
  ASSERT_EQ(describe(photo, {"--prune", "tome", "--prune-options", "r=7,prop_attn=true"}, "tome").exit_code, 0);
  EXPECT_EQ(read_npy(path("tome/kept.npy")).to_i64().size(), 63U - 4 * 7);
  ASSERT_EQ(describe(photo, {"--prune", "evit", "--prune-options", "keep=0.6,at=1|3,fuse=true"}, "evit").exit_code, 0);
  EXPECT_EQ(read_npy(path("evit/kept.npy")).to_i64().size(), 25U) << "63 -> 38 + 1 -> 24 + 1";
}

TEST_F(Prune, ImpossibleRequestsAreRefusedInOneSentence) {
  const auto photo = picture("a.png", 3);
  const auto refused = [&](std::vector<std::string> arguments, const std::string& sentence) {
    const auto run = describe(photo, std::move(arguments));
    EXPECT_EQ(run.exit_code, 2) << run.err;
    EXPECT_NE(run.err.find(sentence), std::string::npos) << run.err;
  };
  refused({"--prune", "tome", "--prune-options", "r=32"}, "tome cannot merge r = 32 of 63 patches in a block: at most 31");
  refused({"--prune", "tome", "--prune-options", "r=7", "--rho", "0.5"}, "both say how much is kept");
  refused({"--prune", "tome", "--prune-options", "k=7"}, "has no option 'k'; it has r, inflect, prop_attn, by_mass");
  refused({"--prune", "dynamicvit", "--rho", "0.5"}, "predictors trained with the model");
  refused({"--prune-layer", "2", "--rho", "0.5"}, "--prune-layer is 2, but this model's WeiToP was trained to prune at 1");
  refused({"--prune", "weitop", "--rho", "0"}, "--rho is '0', but must be a number in (0, 1]");
  refused({"--prune", "weitop", "--rho", "nan"}, "(0, 1]");
  refused({"--prune", "evit", "--rho", "1.5"}, "(0, 1]");
  refused({"--prune", "evit", "--prune-options", "keep=1.5"}, "(0, 1]");
  refused({"--prune", "tome", "--prune-options", "r"}, "KEY=VALUE");
}

TEST_F(Prune, AnIndexRemembersTheOptions) {
  const auto photo = picture("a.png", 3);
  const std::vector<std::string> how{"--model", "demo", "--size",          "98x126",
                                     "--prune", "tome", "--prune-options", "r=7,prop_attn=false"};
  std::vector<std::string> add{"index", "add", path("p.rvs"), photo};
  add.insert(add.end(), how.begin(), how.end());
  ASSERT_EQ(run_program(add).exit_code, 0);
  EXPECT_NE(run_program({"index", "info", path("p.rvs"), "--json"}).out.find("prop_attn=false,r=7"), std::string::npos);
  const auto query = run_program({"query", path("p.rvs"), photo, "--json"});
  ASSERT_EQ(query.exit_code, 0) << query.err;
  EXPECT_NE(query.err.find("tome merges r = 7"), std::string::npos) << query.err;
  EXPECT_NE(query.out.find("\"similarity\":1.0"), std::string::npos) << query.out;
}

}  // namespace
}  // namespace revisit::testing
