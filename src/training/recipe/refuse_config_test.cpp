// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "core/base/limits.h"
#include "training/recipe/test_config.h"

namespace revisit::recipe {
namespace {

TEST(BadTrainConfig, AnUnknownKeyIsNamedWithItsTableAndTheNearestOne) {
  const auto loss = refusal("[loss]\nms_alpha = 1\nms_bta = 20\n" + kTown);
  EXPECT_EQ(loss.code, ErrorCode::kUsage);
  EXPECT_EQ(loss.sentence, "t.toml:3: [loss] has no key 'ms_bta' - did you mean 'ms_beta'?");
  EXPECT_EQ(refusal("stpes = 3\n" + kTown).sentence, "t.toml:1: a configuration has no key 'stpes' - did you mean 'steps'?");
  EXPECT_EQ(refusal(kTown + "[optimizer]\nlr = 1e-3\n").sentence,
            "t.toml:3: a configuration has no table 'optimizer' - did you mean 'optimiser'?");
  EXPECT_EQ(refusal(kTown + kTown + "sede = 3\n").sentence,
            "t.toml:5: [[data.source]] 2 has no key 'sede' - did you mean 'seed'?");
  const auto stranger = refusal("[augment]\nxylophone = 1\n" + kTown);
  EXPECT_EQ(stranger.sentence, "t.toml:2: [augment] has no key 'xylophone'");
  EXPECT_NE(stranger.hint.find("perspective_strength"), std::string::npos) << stranger.hint;
}

TEST(BadTrainConfig, AKeyOfAnotherKindOfSourceIsRefused) {
  EXPECT_EQ(refusal(kTown + "cities = [\"Oslo\"]\n").sentence,
            "t.toml:3: [[data.source]] 1 cities does not apply to a source of kind town");
  EXPECT_EQ(refusal("[[data.source]]\nkind = \"gsv-cities\"\npath = \"g\"\nplaces = 4\n").sentence,
            "t.toml:4: [[data.source]] 1 places does not apply to a source of kind gsv-cities");
  EXPECT_EQ(refusal("[[data.source]]\nkind = \"folders\"\n").sentence,
            "t.toml: [[data.source]] 1 has no path: the folder of the photos");
  EXPECT_EQ(refusal("[[data.source]]\nkind = \"pairs\"\npath = \"n\"\nqueries = \"q\"\n").sentence,
            "t.toml: [[data.source]] 1 has no references: the folder of the other traverse, relative to path");
  EXPECT_EQ(refusal("[[data.source]]\nseed = 4\n").sentence,
            "t.toml: [[data.source]] 1 has no kind: gsv-cities, folders, pairs or town");
  EXPECT_EQ(
      refusal("[[data.source]]\nkind = \"twon\"\n").sentence,
      "t.toml:2: [[data.source]] 1 kind is \"twon\", but must be one of gsv-cities, folders, pairs, town - did you mean 'town'?");
}

TEST(BadTrainConfig, AWrongTypeIsNamedWithTheValueAndWhatItShouldBe) {
  const auto sentence = [](const std::string& toml) { return refusal(toml + "\n" + kTown).sentence; };
  EXPECT_EQ(sentence("steps = \"many\""), "t.toml:1: steps is \"many\", but must be a whole number of at least 0");
  EXPECT_EQ(sentence("steps = 3.5"), "t.toml:1: steps is 3.5, but must be a whole number of at least 0");
  EXPECT_EQ(sentence("steps = 1979-05-27"), "t.toml:1: steps is a date, but must be a whole number of at least 0");
  EXPECT_EQ(sentence("name = 3"), "t.toml:1: name is 3, but must be text in quotes");
  EXPECT_EQ(sentence("model = 3"), "t.toml:1: model is 3, but must be a table: [model]");
  EXPECT_EQ(sentence("[model]\nweitop = 1"), "t.toml:2: [model] weitop is 1, but must be true or false");
  EXPECT_EQ(sentence("[model]\ntiers = 64"), "t.toml:2: [model] tiers is 64, but must be a non-empty list of whole numbers");
  EXPECT_EQ(sentence("[model]\ntiers = [60, \"4\"]"),
            "t.toml:2: [model] tiers[1] is \"4\", but must be a whole number from 1 to 1024");
  EXPECT_EQ(sentence("[model]\nbackbone = \"a\\u0000b\""),
            "t.toml:2: [model] backbone is \"a\\x00b\", but must be text without control characters");
  EXPECT_EQ(refusal("[data]\nsource = \"town\"\n").sentence,
            "t.toml:2: [data] source is \"town\", but must be tables: [[data.source]]");
  EXPECT_EQ(refusal("[distill]\nteacher = \"t.pth\"\n").sentence,
            "t.toml:2: [distill] teacher is \"t.pth\", but must be tables: [[distill.teacher]]");
  EXPECT_EQ(refusal("[data]\nsource = [1]\n").sentence, "t.toml:2: [data] source is 1, but must be tables: [[data.source]]");
}

TEST(BadTrainConfig, ValuesOutOfRangeAreNamedWithTheLimit) {
  const auto sentence = [](const std::string& toml) { return refusal(toml + "\n" + kTown).sentence; };
  EXPECT_EQ(sentence("[validation]\nrhos = [1, 0]"), "t.toml:2: [validation] rhos[1] is 0, but must be a number in (0, 1]");
  EXPECT_EQ(sentence("[augment]\nflip = 1.5"), "t.toml:2: [augment] flip is 1.5, but must be a number in [0, 1]");
  EXPECT_EQ(sentence("[model]\ndropout = 1"), "t.toml:2: [model] dropout is 1, but must be a number in [0, 1)");
  EXPECT_EQ(sentence("[loss]\ntemperature = 0"), "t.toml:2: [loss] temperature is 0, but must be a number above 0");
  EXPECT_EQ(sentence("[loss]\ngamma = -1"), "t.toml:2: [loss] gamma is -1, but must be a number of at least 0");
  EXPECT_EQ(sentence("[loss]\ngamma = nan"), "t.toml:2: [loss] gamma is nan, but must be a number of at least 0");
  EXPECT_EQ(sentence("[loss]\ngamma = inf"), "t.toml:2: [loss] gamma is inf, but must be a number of at least 0");
  EXPECT_EQ(sentence("[data]\nplaces_per_batch = 1"),
            "t.toml:2: [data] places_per_batch is 1, but must be a whole number from 2 to 65536");
  EXPECT_EQ(sentence("[data]\nimages_per_place = 1"),
            "t.toml:2: [data] images_per_place is 1, but must be a whole number from 2 to 65536");
  for (const auto* size :
       {"224", "224x", "x224", "0x224", "224x4097", "224x224x3", "224X224", "-1x5", " 1x1", "1x1 ", "99999999999x1"}) {
    EXPECT_EQ(sentence(std::string("[data]\nsize = \"") + size + "\""),
              std::string("t.toml:2: [data] size is \"") + size + "\", but must be \"HEIGHTxWIDTH\" with sides from 1 to 4096");
  }
  EXPECT_EQ(parsed("[data]\nsize = \"4096x1\"\n" + kTown).data.size, (Size{4096, 1}));
  EXPECT_EQ(sentence("seed = -1"), "t.toml:1: seed is -1, but must be a whole number of at least 0");
  EXPECT_EQ(sentence("precision = \"fp8\""), "t.toml:1: precision is \"fp8\", but must be one of f32, bf16, fp16");
}

TEST(BadTrainConfig, SettingsThatContradictEachOtherAreRefused) {
  const auto sentence = [](const std::string& toml) { return refusal(toml + "\n" + kTown).sentence; };
  EXPECT_EQ(sentence("[model]\nclusters = 16"), "t.toml: [model] tiers add up to 64, but clusters is 16");
  EXPECT_EQ(sentence("[model]\nclusters = 16\naggregator = \"salad\"\nweitop = false"), "accepted") << "SALAD has no tiers";
  EXPECT_EQ(sentence("[model]\naggregator = \"salad\""),
            "t.toml: [model] weitop learns from the weights of weiad, but aggregator is salad");
  EXPECT_EQ(sentence("[model]\nwidth = 100\nheads = 3"), "t.toml: [model] width is 100, which is not a multiple of heads, 3");
  EXPECT_EQ(sentence("[model]\ndepth = 3"), "t.toml: [model] trained_blocks is 4, but depth is 3");
  EXPECT_EQ(sentence("[model]\ndepth = 4\nweitop_layer = 4"), "t.toml: [model] weitop_layer is 4, but must be below depth, 4");
  EXPECT_EQ(sentence("[model]\nbackbone = \"b.pth\"\narch = \"vits14\""),
            "t.toml:3: [model] arch names a random backbone, but backbone names a file");
  EXPECT_EQ(sentence("[model]\nbackbone = \"b.pth\"\nstart = \"local\""),
            "t.toml:3: [model] start says how a random backbone begins, but backbone names a file");
  EXPECT_EQ(sentence("[model]\nweitop_only = true\ntrained_blocks = 0"),
            "t.toml: [model] weitop_only is true, but there is no backbone whose WeiToP could be trained");
  const std::string only = "[model]\nbackbone = \"m.safetensors\"\nweitop_only = true\n";
  EXPECT_EQ(sentence(only), "t.toml: [model] weitop_only is true, but weitop is true and trained_blocks is 4");
  EXPECT_EQ(sentence(only + "trained_blocks = 0"), "accepted");
  EXPECT_EQ(sentence(only + "trained_blocks = 0\n[loss]\nrandom_rho_from = 0.5"),
            "t.toml: [model] weitop_only is true, but random_rho_from is 0.5: pruned batches do not teach WeiToP");
  EXPECT_EQ(sentence(only + "trained_blocks = 0\n[loss]\ngamma = 0"),
            "t.toml: [model] weitop_only is true, but [loss] gamma is 0: nothing would be learnt");
  EXPECT_EQ(sentence(only + "trained_blocks = 0\n[distill]\nsteps = 5\nphotos = [\"p\"]\n[[distill.teacher]]\nmodel = \"t.pth\""),
            "t.toml: [model] weitop_only is true, but [distill] has a teacher for the backbone");
  EXPECT_EQ(sentence("[model]\ncluster_dim = 8192"),
            "t.toml: [model] clusters x cluster_dim + token_dim is 524544, but a descriptor has at most 65536 values");
  EXPECT_EQ(sentence("[model]\nhead_start = \"vocabulary\"\nhidden = 200"),
            "t.toml: [model] head_start = \"vocabulary\" has 100 directions with hidden = 200, fewer than cluster_dim, 128");
  EXPECT_EQ(sentence(only + "trained_blocks = 0\nhead_start = \"vocabulary\""),
            "t.toml: [model] weitop_only is true, so no new head is made, but head_start is vocabulary");
  EXPECT_EQ(sentence("[model]\nhead_start = \"own\""),
            "t.toml: [model] head_start is own, but there is no backbone whose head could be trained further");
  const std::string own = "[model]\nbackbone = \"m.safetensors\"\nhead_start = \"own\"\n";
  EXPECT_EQ(sentence(own), "accepted");
  EXPECT_EQ(sentence(own + "weitop_only = true\ntrained_blocks = 0"),
            "t.toml: [model] weitop_only is true, but head_start = \"own\" trains the head further");
  EXPECT_EQ(sentence(own + "[distill]\nsteps = 5\nphotos = [\"p\"]\n[[distill.teacher]]\nmodel = \"t.pth\""),
            "t.toml: [model] head_start is own, but [distill] has a teacher, after which that head would not fit");
  EXPECT_EQ(sentence(own + "[loss]\ncontext = 1\nrandom_rho_from = 0.4\nplace = 0"), "accepted");
  EXPECT_EQ(sentence(own + "[loss]\ncontext = 1"),
            "t.toml: [loss] context is 1, but no picture is pruned while random_rho_from is 1");
  EXPECT_EQ(sentence("[loss]\ncontext = 1\nrandom_rho_from = 0.4"),
            "t.toml: [loss] context is 1, but head_start is random: only a whole model can be its own teacher");
  EXPECT_EQ(sentence("[loss]\nplace = 0"), "t.toml: [loss] place and context are 0: the head would learn nothing");
  EXPECT_EQ(sentence(only + "trained_blocks = 0\n[loss]\nplace = 0"), "accepted") << "WeiToP does not learn from places";
  EXPECT_EQ(sentence("precision = \"fp16\""), "t.toml: precision is fp16, which needs device cuda, but device is cpu");
  EXPECT_EQ(sentence("[validation]\nqueries = \"q\""), "t.toml: [validation] has only one of queries and references");
  EXPECT_EQ(sentence("[validation]\ntown_seed = 1"), "t.toml: [[data.source]] 1 and [validation] use the same town, seed 1");
  EXPECT_EQ(sentence("[validation]\nrhos = [0.5]\n[model]\nweitop = false"),
            "t.toml: [validation] rhos has 0.5, but without [model] weitop nothing is pruned");
  EXPECT_EQ(sentence("[loss]\nrandom_rho_from = 0.5\n[model]\nweitop = false"),
            "t.toml: [loss] random_rho_from is 0.5, but without [model] weitop nothing is pruned");
  EXPECT_EQ(sentence("[distill]\nsteps = 5"), "t.toml: [distill] steps is 5, but there is no teacher");
  EXPECT_EQ(sentence("[[distill.teacher]]\nmodel = \"t\""), "t.toml: [distill] has a teacher, but steps is 0");
  EXPECT_EQ(sentence("[distill]\nsteps = 5\n[[distill.teacher]]\nmodel = \"t\""),
            "t.toml: [distill] has neither photos nor town_places: there is nothing to learn from");
  EXPECT_EQ(sentence("[distill]\nsteps = 5\n[[distill.teacher]]\nmodel = \"\""),
            "t.toml: a [[distill.teacher]] has an empty model");
  EXPECT_EQ(refusal("[data]\nmixed = false\nplaces_per_batch = 8\n[[data.source]]\nkind = \"pairs\"\npath = \"p\"\n"
                    "queries = \"q\"\nreferences = \"r\"\nnegative_frames = 20\nstretch_frames = 150\n")
                .sentence,
            "t.toml: [[data.source]] 1 stretch_frames is 150, but 8 places, 20 frames apart, take 160");
  EXPECT_EQ(refusal("").sentence, "t.toml: there is no [[data.source]] to learn from");
  EXPECT_EQ(refusal("steps = 0").sentence, "t.toml: steps is 0 and [distill] has no teacher: there is nothing to do");
  EXPECT_EQ(refusal("[[data.source]]\nkind = \"folders\"\npath = \"p\"\nnegative_m = 20\n").sentence,
            "t.toml: [[data.source]] 1 negative_m is 20, but must be at least positive_m, 30");
  for (const auto* name : {"", ".", "..", ".hidden", "a/b", "a b"}) {
    EXPECT_NE(sentence(std::string("name = \"") + name + "\"").find("t.toml: name is '"), std::string::npos) << name;
  }
}

TEST(BadTrainConfig, PrunersThatTheNetworkCannotBeTrainedWithAreRefused) {
  const auto sentence = [](const std::string& toml) { return refusal(toml + "\n" + kTown).sentence; };
  const std::string tome = "[model]\nprune = \"tome\"\nweitop = false\n";
  EXPECT_EQ(sentence(tome + "prune_rho = 0.5"), "accepted");
  EXPECT_EQ(sentence(tome + "prune_options = \"r=7,prop_attn=false\""), "accepted");
  EXPECT_EQ(sentence(tome + "prune_rho = 0.5\n[validation]\nrhos = [1.0, 0.5]"), "accepted");
  EXPECT_EQ(sentence("[model]\nprune = \"tome\"\nprune_rho = 0.5"),
            "t.toml: [model] prune is tome, but weitop is true: a model has one pruner");
  EXPECT_EQ(sentence(tome), "t.toml: [model] prune is tome, but prune_rho is not set: nothing would be pruned");
  EXPECT_EQ(sentence(tome + "prune_rho = 1"), "t.toml: [model] prune is tome, but prune_rho is 1: nothing would be pruned");
  EXPECT_EQ(sentence(tome + "prune_options = \"prop_attn=false\""),
            "t.toml: [model] prune is tome, but prune_rho is not set: nothing would be pruned");
  EXPECT_EQ(sentence(tome + "prune_rho = 0.5\nprune_options = \"r=7\""),
            "t.toml: [model] prune_rho is 0.5, but prune_options, r=7, say how much is kept");
  EXPECT_EQ(sentence("[model]\nprune_rho = 0.5"), "t.toml: [model] has prune_rho, but no prune");
  EXPECT_EQ(sentence("[model]\nprune = \"random\""),
            "t.toml:2: [model] prune is \"random\", but must be one of dynamicvit, evit, fastv, tofu, tome");
  EXPECT_EQ(sentence(tome + "prune_rho = 1.5"), "t.toml:4: [model] prune_rho is 1.5, but must be a number in (0, 1]");
  EXPECT_EQ(sentence(tome + "prune_rho = 0.5\n[data]\nvariants = 4"),
            "t.toml: [data] variants is 4, but the output of the frozen blocks cannot be kept while tome prunes in them");
  EXPECT_EQ(sentence(tome + "prune_rho = 0.5\nbackbone = \"m\"\nhead_start = \"own\"\n[loss]\ncontext = 1"), "accepted");
  EXPECT_EQ(sentence("[loss]\nstages = -1"), "t.toml:2: [loss] stages is -1, but must be a number of at least 0");
}

TEST(BadTrainConfig, BrokenTomlIsNamedWithLineAndColumn) {
  for (const auto& [toml, where] :
       std::vector<std::pair<std::string, std::string>>{{"steps = \n", "t.toml:1:"},
                                                        {"seed = 1\nsteps = 4 5\n", "t.toml:2:11: "},
                                                        {"[model\n", "t.toml:1:"},
                                                        {"steps = 1\nsteps = 2\n", "t.toml:2:"},
                                                        {"[model]\n[model]\n", "t.toml:2:"},
                                                        {"name = \"\xff\"\n", "t.toml:1:"},
                                                        {"steps = 99999999999999999999\n", "t.toml:1:"}}) {
    const auto refused = refusal(toml);
    EXPECT_EQ(refused.code, ErrorCode::kBadFile) << toml;
    EXPECT_TRUE(refused.sentence.starts_with(where)) << refused.sentence;
    EXPECT_NE(refused.sentence.find(": not TOML: "), std::string::npos) << refused.sentence;
    EXPECT_EQ(refused.sentence.find('\n'), std::string::npos) << refused.sentence;
  }
}

TEST(BadTrainConfig, SizeAndDepthOfTheFileAreBounded) {
  const std::string filling(limits::kMaxConfigBytes - kTown.size() - 1, '\n');
  EXPECT_EQ(parsed(kTown + filling + "\n").data.sources.size(), 1U);
  EXPECT_EQ(refusal(kTown + filling + "\n\n").code, ErrorCode::kLimit);
  const std::string comment = "#" + std::string(limits::kMaxConfigLineBytes - 1, 'x');
  EXPECT_EQ(parsed(kTown + comment + "\n").data.sources.size(), 1U);
  EXPECT_EQ(refusal(kTown + comment + "x\n").sentence, "t.toml:3: a line of 4097 bytes, the limit is 4096");
  std::string deep = "a";
  while (deep.size() + 6 < limits::kMaxConfigLineBytes) deep += ".a";
  EXPECT_EQ(refusal("[" + deep + "]\n" + deep + " = 1\n").code, ErrorCode::kLimit) << "4,000 tables inside each other";
  EXPECT_EQ(refusal("a.a.a.a.a.a.a.a = 1\n").code, ErrorCode::kUsage) << "as deep as allowed; unknown all the same";
  EXPECT_EQ(refusal("\na.a.a.a.a.a.a.a.a = 1\n").sentence, "t.toml:2: tables and lists nested 9 deep; the limit is 8");
  EXPECT_EQ(refusal("a = " + std::string(1000, '[') + "\n").code, ErrorCode::kBadFile);
  std::string tables = "a = ";
  for (int i = 0; i < 600; ++i) tables += "{a=";
  EXPECT_EQ(refusal(tables + "\n").code, ErrorCode::kBadFile);
}

TEST(BadTrainConfig, AValidationSetIsOneThing) {
  const auto sentence = [](const std::string& keys) { return refusal("[validation]\n" + keys + kTown).sentence; };
  EXPECT_EQ(sentence("dataset = \"pitts30k_val\"\n"), "t.toml: [validation] has only one of dataset and root");
  EXPECT_EQ(sentence("root = \"here\"\n"), "t.toml: [validation] has only one of dataset and root");
  EXPECT_EQ(
      sentence("dataset = \"sped\"\nroot = \"here\"\nqueries = \"q\"\nreferences = \"r\"\n"),
      "t.toml: [validation] dataset is sped, which has photos and ground truth of its own, but there are queries or gt too");
  EXPECT_NE(sentence("dataset = \"pitts30\"\nroot = \"here\"\n").find("must be one of nordland"), std::string::npos);
  EXPECT_NE(sentence("keep = \"first\"\n").find("one of best, last"), std::string::npos);
}

TEST(BadTrainConfig, SetsOfAStudyHaveNamesAndPlaces) {
  const auto sentence = [](const std::string& keys) { return refusal("[[ablation]]\n" + keys + kTown).sentence; };
  EXPECT_EQ(sentence("name = \"a\"\n"), "t.toml: [[ablation]] 'a' says nothing about where its photos are");
  EXPECT_EQ(sentence("dataset = \"sped\"\nroot = \"r\"\n"),
            "t.toml: [[ablation]] 1 has no name: how the tables call the data set");
  EXPECT_EQ(sentence("name = \"a\"\nqueries = \"q\"\n"), "t.toml: [[ablation]] 'a' has only one of queries and references");
  const std::string good = "name = \"a\"\ndataset = \"sped\"\nroot = \"r\"\n";
  EXPECT_EQ(sentence(good), "accepted");
  EXPECT_EQ(sentence(good + "[[ablation]]\n" + good), "t.toml: two [[ablation]] 'a'");
}

TEST(BadTrainConfig, TiersOfWeiadAreNotAskedOfSalad) {
  for (const auto* key : {"cluster_norm = \"none\"", "ranking = \"frozen\""}) {
    EXPECT_EQ(refusal("[model]\naggregator = \"salad\"\nweitop = false\n" + std::string(key) + "\n" + kTown).sentence,
              "t.toml: [model] cluster_norm and ranking are about tiers, but aggregator is salad");
  }
  EXPECT_NE(refusal("[model]\nranking = \"image\"\n" + kTown).sentence.find("one of photo, frozen"), std::string::npos);
}

}  // namespace
}  // namespace revisit::recipe
