// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Reading a long list of links ends when a stop is requested.
#include "retrieval/search/graph_links.h"

#include <gtest/gtest.h>

#include "core/base/stop_scope.h"
#include "revisit/error.h"

namespace revisit::retrieval {
namespace {

TEST(GraphLinks, AreLeftWhenAStopIsWanted) {
  constexpr std::size_t kElements = 100'000;
  GraphLinks links;
  links.entry = 0;
  links.levels.assign(kElements, 0);
  links.lists.assign(kElements, 0);  // no element has a neighbour
  const auto payload = encode_links(links);
  EXPECT_EQ(parse_links(payload, kElements, "t.graph").lists.size(), kElements);
  int asked = 0;
  const StopScope scope([&] { return ++asked == 5; }, "stopped as asked");
  try {
    parse_links(payload, kElements, "t.graph");
    ADD_FAILURE() << "it was read to the end";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInterrupted);
    EXPECT_STREQ(error.what(), "stopped as asked");
  }
}

}  // namespace
}  // namespace revisit::retrieval
