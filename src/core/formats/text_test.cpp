// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Numbers and times as people write them.
#include "core/formats/text.h"

#include <gtest/gtest.h>

namespace revisit {
namespace {

TEST(Numbers, AreReadWholeOrNotAtAll) {
  EXPECT_DOUBLE_EQ(parse_number(" -12.5e1 ").value(), -125);
  EXPECT_DOUBLE_EQ(parse_number("+3").value(), 3);
  for (const auto* bad : {"", " ", "1,5", "1.5x", "nan", "inf", "1e999", "0x10", "+-3", "++3", "=1+1", "1 2"})
    EXPECT_FALSE(parse_number(bad)) << bad;
}

TEST(Times, AreSecondsOrIso8601) {
  EXPECT_DOUBLE_EQ(parse_time("1714566615.25").value(), 1714566615.25);
  EXPECT_DOUBLE_EQ(parse_time("1970-01-01").value(), 0);
  EXPECT_DOUBLE_EQ(parse_time("2024-05-01T12:30:15Z").value(), 1714566615);
  EXPECT_DOUBLE_EQ(parse_time("2024-05-01 12:30:15").value(), 1714566615);
  EXPECT_DOUBLE_EQ(parse_time("2024-05-01T14:30:15.5+02:00").value(), 1714566615.5);
  EXPECT_DOUBLE_EQ(parse_time("2024-05-01T07:00:15-0530").value(), 1714566615);
  EXPECT_DOUBLE_EQ(parse_time("2024-05-01T12:30").value(), 1714566600);
  EXPECT_DOUBLE_EQ(parse_time("2024-02-29").value(), 1709164800);
  EXPECT_DOUBLE_EQ(parse_time("1969-12-31T23:59:59Z").value(), -1);
}

TEST(Times, RefuseWhatIsNoMoment) {
  for (const auto* bad :
       {"", "yesterday", "2023-02-29", "2024-13-01", "2024-05-01T24:00", "2024-05-01T12:60", "2024-05-01T12:30:61",
        "2024-05-01T12:30:15.", "2024-05-01T12:30:15+25:00", "2024-05-01T12:30:15Zx", "01.05.2024", "2024-5-1"}) {
    EXPECT_FALSE(parse_time(bad)) << bad;
  }
}

TEST(Words, AreCounted) {
  EXPECT_EQ(counted(1, "query"), "1 query");
  EXPECT_EQ(counted(2, "query"), "2 queries");
  EXPECT_EQ(counted(0, "photo"), "0 photos");
}

TEST(Words, BecomeFlagsWhereTheCommandHasThem) {
  const std::vector<std::string> flags{"--out", "--accept-truncated"};
  EXPECT_EQ(with_flags("`accept_truncated` helps, another `out` too, `out`", flags),
            "--accept-truncated helps, another --out too, --out");
  EXPECT_EQ(with_flags("`top_k` is 0, out is out", flags), "`top_k` is 0, out is out");
}

}  // namespace
}  // namespace revisit
