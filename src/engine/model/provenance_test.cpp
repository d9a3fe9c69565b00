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

TEST(History, IsNotCutWithinALetter) {
  std::string letters;
  for (int i = 0; i < 700; ++i) letters += "\u00FC";
  for (const auto* shift : {"", "a"}) {
    const std::string text = history(shift + letters, shift + letters);
    EXPECT_LE(text.size(), 1000U);
    EXPECT_EQ(as_utf8(text), text) << "is no UTF-8";
  }
}

}  // namespace
}  // namespace revisit::model
