// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
#include "core/formats/escape.h"

#include <gtest/gtest.h>

#include "core/base/random.h"
#include "core/formats/utf8.h"

namespace revisit {
namespace {

TEST(EscapedBytes, LeaveOrdinaryNamesAlone) {
  for (const auto* name :
       {"", "a b/c.jpg", "Caf\xC3\xA9.jpg", "\xF0\x9F\x98\x80.png", "C:\\photos\\x.jpg", "\\x", "\\x1", "\\xAB", "\\"})
    EXPECT_EQ(escaped_bytes(name), name);
}

TEST(EscapedBytes, AreOneLineWithoutControlCharacters) {
  EXPECT_EQ(escaped_bytes("two\nlines\r\tand \x1B[31mred\x7F"), "two\\x0alines\\x0d\\x09and \\x1b[31mred\\x7f");
  EXPECT_EQ(escaped_bytes("\xC2\x9B"
                          "31m"),
            "\\xc2\\x9b31m")
      << "U+009B begins a terminal's command, as ESC [ does";
  EXPECT_EQ(escaped_bytes("bad\xFF utf8 \xED\xA0\x80"), "bad\\xff utf8 \\xed\\xa0\\x80");
  EXPECT_EQ(escaped_bytes(std::string_view("\0", 1)), "\\x00");
}

TEST(EscapedBytes, KeepApartFromNamesThatLookEscaped) {
  EXPECT_EQ(escaped_bytes("\\x0a"), "\\x5cx0a");
  EXPECT_EQ(escaped_bytes("\\\n"), "\\\\x0a");
  EXPECT_EQ(unescaped_bytes("\\x5cx0a"), "\\x0a");
}

TEST(EscapedBytes, AnyBytesComeBack) {
  constexpr char kLetters[] = "\\\\\\xxx05abcf\n\r\t\x1B\x7F\xC2\x85\xFF\xE2\x82\xAC,\"'=+-@ \0";
  const std::string_view kBytes(kLetters, sizeof(kLetters) - 1);  // with the zero
  SplitMix random(7);
  for (int i = 0; i < 20'000; ++i) {
    std::string name;
    for (std::size_t length = random.below(9); name.size() < length;) name += kBytes[random.below(kBytes.size())];
    const std::string escaped = escaped_bytes(name);
    ASSERT_EQ(unescaped_bytes(escaped), name) << escaped;
    ASSERT_TRUE(is_utf8(escaped)) << escaped;
    ASSERT_EQ(escaped.find_first_of(std::string_view("\0\n\r\t\x1B\x7F", 6)), std::string::npos) << escaped;
  }
}

}  // namespace
}  // namespace revisit
