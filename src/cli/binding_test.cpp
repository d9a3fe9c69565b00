// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Texts that are values and texts that are not.
#include "cli/binding.h"

#include <gtest/gtest.h>

namespace revisit::cli {
namespace {

TEST(Binding, RhoTakesTheHalfOpenIntervalOnly) {
  double rho = 0.25;
  const auto bind = to_number(rho, kRhoRange);
  for (const auto* bad : {"0", "-1", "nan", "NaN", "inf", "1.0000001", "", "0.5x", " 0.5", "half", "0,5"}) {
    EXPECT_EQ(bind(bad), "a number in (0, 1]") << bad;
  }
  EXPECT_EQ(rho, 0.25);
  EXPECT_EQ(bind("1"), "");
  EXPECT_EQ(rho, 1);
  EXPECT_EQ(bind("1e-9"), "");
  EXPECT_EQ(rho, 1e-9);
}

TEST(Binding, SizeIsHeightByWidth) {
  std::optional<Size> size;
  const auto bind = to_size(size);
  EXPECT_EQ(bind("224x448"), "");
  EXPECT_EQ(size, (Size{224, 448}));
  for (const auto* bad : {"224", "0x224", "224x", "x", "-1x2", "224x224x3", "4097x14", "2.5x3", "99999999999x1"}) {
    EXPECT_NE(bind(bad), "") << bad;
  }
  EXPECT_EQ(size, (Size{224, 448}));
}

TEST(Binding, WholeNumbersKeepTheirRange) {
  int threads = 0;
  const auto bind = to_int(threads, 1, 1024);
  for (const auto* bad : {"0", "1025", "two", "1.5", "99999999999", ""}) {
    EXPECT_EQ(bind(bad), "a whole number from 1 to 1024") << bad;
  }
  EXPECT_EQ(bind("1024"), "");
  EXPECT_EQ(threads, 1024);
}

TEST(Binding, ListsAreCommaSeparatedAndEveryMemberCounts) {
  std::vector<double> rho;
  const auto bind = to_numbers(rho, kRhoRange);
  EXPECT_EQ(bind("1,0.7,0.5"), "");
  EXPECT_EQ(rho, (std::vector<double>{1, 0.7, 0.5}));
  for (const auto* bad : {"", "1,", "1,,0.5", "1,2", "1;0.5"}) EXPECT_NE(bind(bad), "") << bad;
  std::optional<std::array<float, 3>> mean;
  EXPECT_NE(to_triple(mean, {0, 1})("0.5,0.5"), "");
  EXPECT_EQ(to_triple(mean, {0, 1})("0.5,0.25,0"), "");
  EXPECT_EQ(*mean, (std::array<float, 3>{0.5F, 0.25F, 0}));
}

TEST(Binding, ChoicesNameTheAlternatives) {
  std::optional<std::string> prune;
  const auto bind = to_choice(prune, {"weitop", "none"});
  EXPECT_EQ(bind("tome"), "one of weitop, none");
  EXPECT_FALSE(prune);
  EXPECT_EQ(bind("none"), "");
  EXPECT_EQ(prune, "none");
}

TEST(Binding, SwitchesReadTheWordsOfTheEnvironment) {
  bool on = false;
  EXPECT_EQ(to_switch(on)("yes"), "");
  EXPECT_TRUE(on);
  EXPECT_EQ(to_switch(on)("0"), "");
  EXPECT_FALSE(on);
  EXPECT_NE(to_switch(on)("maybe"), "");
}

}  // namespace
}  // namespace revisit::cli
