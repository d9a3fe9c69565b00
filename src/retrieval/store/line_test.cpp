// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
#include "retrieval/store/line.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <vector>

namespace revisit::retrieval {
namespace {

constexpr std::uint64_t kIdentity = 77;

Line full_line() {
  Line out;
  out.row = 3;
  out.entry = {"a.jpg", "drive/a.jpg", 5, Position{1, 2, LatLon{3, 4}, 6.0}, 7.0};
  out.checksum = 8;
  return out;
}

TEST(Line, NoTwoLinesThatDifferInOneFieldHaveOneSeal) {
  const std::vector<std::function<void(Line&)>> changes = {
      [](Line&) {},
      [](Line& l) { l.row = 2; },
      [](Line& l) { l.live = 0; },
      [](Line& l) { l.live = 2; },
      [](Line& l) { l.checksum = 9; },
      [](Line& l) { l.entry.content_hash = 4; },
      [](Line& l) { l.entry.name = "b.jpg"; },
      [](Line& l) { l.entry.name = ""; },
      [](Line& l) { l.entry.path = ""; },
      // The same characters, with the border between name and path elsewhere.
      [](Line& l) { l.entry.name = "a.jpgd", l.entry.path = "rive/a.jpg"; },
      [](Line& l) { l.entry.name = "drive/a.jpg", l.entry.path = "a.jpg"; },
      [](Line& l) { l.entry.position->east_m = 1.5; },
      [](Line& l) { l.entry.position->north_m = 0; },
      [](Line& l) { std::swap(l.entry.position->east_m, l.entry.position->north_m); },
      [](Line& l) { l.entry.position->geographic->lat_deg = -3; },
      [](Line& l) { l.entry.position->geographic->lon_deg = 4.0000000000000009; },
      [](Line& l) {
        l.entry.position->geographic = LatLon{0, 0};
      },
      [](Line& l) { l.entry.position->geographic.reset(); },
      [](Line& l) { l.entry.position->heading_deg = 0.0; },
      [](Line& l) { l.entry.position->heading_deg.reset(); },
      [](Line& l) {
        l.entry.position = Position{0, 0, std::nullopt, std::nullopt};
      },
      [](Line& l) { l.entry.position.reset(); },
      [](Line& l) { l.entry.time_s = 0.0; },
      [](Line& l) { l.entry.time_s.reset(); },
  };
  std::set<std::int64_t> seals;
  for (const auto& change : changes) {
    Line line = full_line();
    change(line);
    seals.insert(seal_of(line, kIdentity));
  }
  EXPECT_EQ(seals.size(), changes.size());
  EXPECT_FALSE(seals.contains(seal_of(full_line(), kIdentity + 1))) << "a line of another index";
  Line sealed = full_line();
  sealed.seal = seal_of(sealed, kIdentity);
  EXPECT_EQ(seal_of(sealed, kIdentity), sealed.seal) << "a seal is not under itself";
}

TEST(Line, ASealDoesNotKnowTheSignOfAZeroWhichSqliteDoesNotKeep) {
  Line plus = full_line();
  plus.entry.position->east_m = 0.0;
  Line minus = full_line();
  minus.entry.position->east_m = -0.0;
  EXPECT_EQ(seal_of(plus, kIdentity), seal_of(minus, kIdentity));
}

// Stored seals must fit for ever: what they are made of cannot change within a version.
TEST(Line, TheSealOfALineIsWhatItWasWhenVersionTwoBegan) { EXPECT_EQ(seal_of(full_line(), kIdentity), 7753211569919679304); }

}  // namespace
}  // namespace revisit::retrieval
