// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
#include "revisit/spec.h"

#include <gtest/gtest.h>

#include <set>

#include "engine/spec/prune_options.h"
#include "engine/spec/toml_spec.h"
#include "revisit/error.h"

namespace revisit {
namespace {

DescriptorSpec weitop_at(double rho) { return completed({.rho = rho, .size = Size{224, 224}, .prune = "weitop"}); }

std::string sentence_of(const auto& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "(accepted)";
}

TEST(Spec, EveryMemberHasOneSettingThatReadsAndWritesIt) {
  std::set<std::string> names;
  for (const Setting& one : settings()) {
    EXPECT_TRUE(names.insert(one.name).second) << one.name;
    EXPECT_EQ(&setting(one.name), &one);
    EXPECT_TRUE(std::holds_alternative<std::monostate>(one.get({}))) << one.name;
    EXPECT_FALSE(one.wanted.empty());
  }
  // A member that no setting knows would be lost on its way through text.
  const DescriptorSpec full{.rho = 0.1 + 0.2,
                            .keep_mass = 0.75,
                            .size = Size{98, 112},
                            .aggregate = "gem",
                            .prune = "random",
                            .prune_options = "keep=0.5,r=7",
                            .prune_layer = 3,
                            .kappa = 0.25,
                            .norm_scale = "raw",
                            .spread = 4,
                            .seed = 77,
                            .precision = "f32",
                            .orientation = "ignore",
                            .decode = "fast",
                            .model_identity = "00ff"};
  DescriptorSpec back;
  for (const Setting& one : settings()) {
    const SettingValue value = one.get(full);
    ASSERT_FALSE(std::holds_alternative<std::monostate>(value)) << one.name;
    const auto parsed = one.parse(text_of(value));
    ASSERT_TRUE(parsed) << one.name;
    one.set(back, *parsed);
  }
  EXPECT_EQ(back, full);
}

TEST(Spec, RefusesValuesOutOfRangeNamingTheSettingTheValueAndTheRange) {
  const auto refused = [](const DescriptorSpec& spec) { return sentence_of([&] { check_spec(spec); }); };
  EXPECT_EQ(refused({.rho = 2.0}), "rho is '2', but must be a number in (0, 1]");
  EXPECT_EQ(refused({.keep_mass = 0.0}), "keep_mass is '0', but must be a number in (0, 1]");
  EXPECT_EQ(refused({.rho = 0.0}), "rho is '0', but must be a number in (0, 1]");
  EXPECT_EQ(refused({.size = Size{0, 14}}), "size is '0x14', but must be HEIGHTxWIDTH such as 322x322, each side from 1 to 4096");
  EXPECT_EQ(refused({.prune = "wietop"}),
            "prune is 'wietop', but must be one of weitop, random, norm, fastv, evit, tome, tofu, dynamicvit, none");
  EXPECT_EQ(refused({.kappa = 1.5}), "kappa is '1.5', but must be a number in [0, 1]");
  EXPECT_EQ(refused({.spread = 65}), "spread is '65', but must be a whole number from 1 to 64");
  EXPECT_EQ(refused({.orientation = "up"}), "orientation is 'up', but must be one of apply, ignore");
  EXPECT_EQ(refused({.rho = 1e-9, .size = Size{1, 4096}, .spread = 64}), "(accepted)");
  EXPECT_EQ(sentence_of([] { setting("rhow"); }), "'rhow' is not a setting of descriptors");
}

TEST(Spec, ParsesOnlyWholeFiniteTexts) {
  for (const char* text : {"", "0.5x", "nan", "inf", " 0.5", "0,5"}) EXPECT_FALSE(setting("rho").parse(text)) << text;
  for (const char* text : {"3x", "x3", "3", "3x4x5", "3.0x4"}) EXPECT_FALSE(setting("size").parse(text)) << text;
  EXPECT_FALSE(setting("spread").parse("2.0"));
  EXPECT_FALSE(setting("spread").parse("99999999999"));
  EXPECT_EQ(text_of(*setting("rho").parse("0.50")), "0.5");
}

TEST(Spec, OverlaysWhatIsOpenAndLeavesAPrunersOwnSettingsWithIt) {
  const DescriptorSpec models{.prune = "weitop", .prune_layer = 2, .kappa = 0.25, .spread = 2};
  EXPECT_EQ(overlaid({}, models), models);
  EXPECT_EQ(overlaid({.kappa = 1.0}, models).kappa, 1.0);
  EXPECT_EQ(overlaid({.prune = "weitop"}, models).spread, 2);
  const DescriptorSpec chance = overlaid({.prune = "random"}, models);
  EXPECT_EQ(chance.prune, "random");
  EXPECT_FALSE(chance.spread) << "made for WeiToP";
  EXPECT_EQ(chance.prune_layer, 2);
  EXPECT_EQ(completed(chance).spread, 1);
}

TEST(Spec, HowMuchIsKeptComesFromOneOfTwoSpecs) {
  const DescriptorSpec by_rho{.rho = 0.5}, by_mass{.rho = 0.3, .keep_mass = 0.9};
  EXPECT_EQ(overlaid({.keep_mass = 0.8}, by_rho), (DescriptorSpec{.keep_mass = 0.8}))
      << "the other's rho is no floor of this mass";
  EXPECT_EQ(overlaid({.rho = 0.7}, by_mass), (DescriptorSpec{.rho = 0.7}));
  EXPECT_EQ(overlaid({}, by_mass), by_mass);
  EXPECT_EQ(overlaid({.rho = 0.6, .keep_mass = 0.8}, by_mass), (DescriptorSpec{.rho = 0.6, .keep_mass = 0.8}));
  EXPECT_EQ(completed({.keep_mass = 0.8}).rho, kLeastRho);
  EXPECT_EQ(completed({.rho = 0.4, .keep_mass = 0.8}).rho, 0.4);
  EXPECT_FALSE(overlaid({.prune = "norm"}, {.keep_mass = 0.9, .prune = "weitop"}).keep_mass) << "of WeiToP alone";
}

TEST(Spec, OptionsOfAPrunerMaySayHowMuchIsKeptInsteadOfRho) {
  const DescriptorSpec by_rho{.rho = 0.5, .prune = "tome"}, by_r{.prune = "tome", .prune_options = "inflect=-1,r=7"};
  EXPECT_EQ(overlaid({.prune_options = "r=9"}, by_rho), (DescriptorSpec{.prune = "tome", .prune_options = "r=9"}));
  EXPECT_EQ(overlaid({.rho = 0.4}, by_r), (DescriptorSpec{.rho = 0.4, .prune = "tome", .prune_options = "inflect=-1"}));
  EXPECT_EQ(overlaid({}, by_r), by_r);
  EXPECT_FALSE(overlaid({.prune = "norm"}, by_r).prune_options) << "of ToMe alone";
  EXPECT_TRUE(prunes(completed(by_r)));
  EXPECT_FALSE(prunes(completed({.prune = "tome", .prune_options = "inflect=-1"})));
  EXPECT_EQ(completed({.prune_options = "r=7,inflect=-1"}).prune_options, "inflect=-1,r=7");
  EXPECT_EQ(sentence_of([] { check_spec({.prune_options = "r=7,r=8"}); }),
            "prune_options is 'r=7,r=8', but must be KEY=VALUE,KEY=VALUE, each key once");
  const auto one = completed(by_r), other = completed({.prune = "tome", .prune_options = "r=8,inflect=-1", .prune_layer = 3});
  EXPECT_EQ(differences_text(differences(one, other), Agreement::kTold), "prune_options inflect=-1,r=7, not inflect=-1,r=8")
      << "the layer is of methods that cut after one";
}

TEST(Spec, MassMattersToWeitopBelowRho1) {
  DescriptorSpec mass = weitop_at(1);
  mass.keep_mass = 0.9;
  EXPECT_EQ(spec_key(mass), spec_key(weitop_at(1)));
  mass.rho = 0.5;
  EXPECT_EQ(differences_text(differences(mass, weitop_at(0.5)), Agreement::kTold), "keep_mass 0.9, not none");
  EXPECT_NE(spec_key(mass), spec_key(weitop_at(0.5)));
}

TEST(Spec, DiffersOnlyInWhatMatters) {
  DescriptorSpec other = weitop_at(1);
  other.kappa = 0.9;
  other.seed = 5;
  EXPECT_TRUE(differences(weitop_at(1), other).empty()) << "nothing is pruned at rho 1";
  other.rho = 0.5;
  const auto found = differences(other, weitop_at(0.5));
  ASSERT_EQ(found.size(), 1U) << "the seed is of random pruning";
  EXPECT_EQ(differences_text(found, Agreement::kTold), "kappa 0.9, not 0.5");
  EXPECT_EQ(differences_text(found, Agreement::kMust), "");
  DescriptorSpec turned = weitop_at(1);
  turned.orientation = "ignore";
  turned.size = Size{98, 98};
  const auto both = differences(turned, weitop_at(1));
  EXPECT_EQ(differences_text(both, Agreement::kMust), "orientation ignore, not apply");
  EXPECT_EQ(differences_text(both, Agreement::kTold), "size 98x98, not 224x224");
}

TEST(Spec, KeysAreEqualWhenDescriptorsAre) {
  DescriptorSpec seeded = weitop_at(0.5);
  seeded.seed = 9;
  EXPECT_EQ(spec_key(seeded), spec_key(weitop_at(0.5)));
  EXPECT_NE(spec_key(weitop_at(0.5)), spec_key(weitop_at(0.4)));
  DescriptorSpec other_model = weitop_at(1);
  other_model.model_identity = "abc";
  EXPECT_NE(spec_key(other_model), spec_key(weitop_at(1)));
  EXPECT_EQ(spec_text(weitop_at(1)), "rho 1, size 224x224, orientation apply, precision f32");
  DescriptorSpec fast = weitop_at(1);
  fast.decode = "fast";
  EXPECT_EQ(spec_text(fast), "rho 1, size 224x224, orientation apply, decode fast, precision f32");
  EXPECT_EQ(differences_text(differences(fast, weitop_at(1)), Agreement::kTold), "decode fast, not exact");
  EXPECT_EQ(spec_json({.rho = 0.5, .size = Size{98, 112}}), R"({"rho":0.5,"size":[98,112]})");
}

TEST(Spec, SaysHowPhotosAreDecoded) {
  DescriptorSpec spec{.size = Size{98, 112}, .orientation = "ignore", .decode = "exact"};
  EXPECT_EQ(decoding_of(spec), DecodeOptions{.orientation = Orientation::kIgnore});
  spec.decode = "fast";
  EXPECT_EQ(decoding_of(spec), (DecodeOptions{.orientation = Orientation::kIgnore, .at_least = {196, 224}}));
}

TEST(Spec, ComesOutOfATableOfAConfiguration) {
  const auto read = [](const std::string& toml) {
    const TomlTable document = parse_toml(toml, "t.toml");
    const Origin origin{"t.toml", "."};
    Section section(document, "", origin);
    DescriptorSpec out;
    read_settings(section, out, [](const Setting& one) { return std::string_view(one.name) != "seed"; });
    section.finish();
    return out;
  };
  EXPECT_EQ(read("rho = 1\nsize = \"98x112\"\nkappa = 0.25\nspread = 2\nprune = \"norm\""),
            (DescriptorSpec{.rho = 1.0, .size = Size{98, 112}, .prune = "norm", .kappa = 0.25, .spread = 2}));
  EXPECT_EQ(sentence_of([&] { read("spread = 2.5"); }), "t.toml:1: spread is 2.5, but must be a whole number from 1 to 64");
  EXPECT_EQ(sentence_of([&] { read("kappa = \"0.5\""); }), "t.toml:1: kappa is \"0.5\", but must be a number in [0, 1]");
  EXPECT_NE(sentence_of([&] { read("seed = 1"); }), "(accepted)") << "not wanted here";
}

}  // namespace
}  // namespace revisit
