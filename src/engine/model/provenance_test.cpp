// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/model/provenance.h"

#include <gtest/gtest.h>

namespace revisit::model {
namespace {

TEST(History, KeepsTheLatestWholeAndFitsAModelFile) {
  EXPECT_EQ(history("random", "trained"), "random; trained");
  std::string text = "random";
  for (int run = 0; run < 20; ++run) text = history(text, std::string(99, 'x') + std::to_string(run));
  EXPECT_EQ(text.size(), 1000U);
  EXPECT_TRUE(text.ends_with("...; " + std::string(99, 'x') + "19")) << text;
}

TEST(History, SaysOnceThatAModelWasTrained) {
  EXPECT_EQ(trained_from("dino.pth"), "trained from dino.pth");
  const std::string first = history(trained_from("random weights, seed 1"), "trained by revisit, config a");
  EXPECT_EQ(history(trained_from(first), "trained by revisit, config b"),
            "trained from random weights, seed 1; trained by revisit, config a; trained by revisit, config b");
  std::string letters;
  for (int i = 0; i < 700; ++i) letters += "\u00FC";
  EXPECT_LE(trained_from(letters).size(), 1000U);
  EXPECT_EQ(as_utf8(trained_from(letters)), trained_from(letters)) << "is not UTF-8";
}

TEST(History, IsNotCutWithinALetter) {
  std::string letters;
  for (int i = 0; i < 700; ++i) letters += "\u00FC";
  for (const auto* shift : {"", "a"}) {
    const std::string text = history(shift + letters, shift + letters);
    EXPECT_LE(text.size(), 1000U);
    EXPECT_EQ(as_utf8(text), text) << "is not UTF-8";
  }
}

}  // namespace
}  // namespace revisit::model
