// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Trees as the library itself builds them, and everything that is refused with a sentence of ours.
#include "core/formats/json_tree.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/base/limits.h"
#include "core/base/stop_scope.h"
#include "hostile/cheap_refusal.h"
#include "revisit/error.h"
#include "test_files.h"

namespace revisit {
namespace {

using Json = nlohmann::json;
using testing::expect_error;

Json parsed(const std::string& text, JsonLimits limits = {8, 1'000}) { return parse_json(text, "t.json", limits); }

TEST(JsonTree, IsTheOneTheLibraryBuilds) {
  for (const auto* text :
       {"7", "-7", "18446744073709551615", "1.5e3", "true", "null", "\"a\\u00e9\\n\"", "[]", "{}", "[[],{},[1,[2,{\"a\":[3]}]]]",
        R"({"a":{"b":[1,2,{"c":null}],"d":""},"e":[false,-1.25],"":{"":{}}})", "\xEF\xBB\xBF [ 1 , 2 ] "}) {
    EXPECT_EQ(parsed(text), Json::parse(text)) << text;
  }
  EXPECT_EQ(parsed(R"({"a":1,"b":2,"a":[3]})"), Json::parse(R"({"a":[3],"b":2})")) << "the last of two equal keys counts";
}

TEST(JsonTree, SaysWhereItIsNoJsonAndNeverWhatTheLibrarySays) {
  for (const auto* text :
       {"", "[", "[1,]", "{\"a\"}", "{\"a\":1", "nul", "[1] 2", "\"\xFF\"", "[01]", "{'a':1}", "[\"\\ud800\"]"}) {
    const Error error = testing::thrown_by([&] { parsed(text); });
    EXPECT_EQ(error.code(), ErrorCode::kBadFile);
    const std::string said = error.what();
    EXPECT_TRUE(said.starts_with("'t.json' is not valid JSON: the error is at byte ")) << said;
    EXPECT_EQ(said.find("exception"), std::string::npos) << said;
  }
  expect_error([] { parsed("[1,1e999]"); }, ErrorCode::kBadFile, "'t.json': the number at byte 3 is too large for a double");
  expect_error([] { parsed("-1e999"); }, ErrorCode::kBadFile, "'t.json': the number at byte 0 is too large for a double");
}

TEST(JsonTree, IsBoundedInDepthAndValues) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  for (const std::size_t depth : {7U, 8U}) EXPECT_NO_THROW(parsed(nested(depth))) << depth;
  expect_error([&] { parsed(nested(9)); }, ErrorCode::kLimit, "'t.json' nests values deeper than 8");
  expect_error([&] { parsed(std::string(1'000'000, '[')); }, ErrorCode::kLimit, "deeper than 8");
  const auto list = [](int values) {
    std::string out = "[0";
    for (int i = 2; i < values; ++i) out += ",0";  // the list itself is a value
    return out + "]";
  };
  for (const int values : {999, 1000}) EXPECT_NO_THROW(parsed(list(values))) << values;
  expect_error([&] { parsed(list(1001)); }, ErrorCode::kLimit, "'t.json' has more than 1000 values");
  EXPECT_NO_THROW(parsed(R"({"a":1,"b":2})", {1, 5})) << "an object, two keys and two numbers";
  EXPECT_THROW(parsed(R"({"a":1,"b":2})", {1, 4}), Error);
}

TEST(JsonTree, BoundsTheLengthOfANumber) {
  const auto number = [](std::size_t length) {
    return "[\"" + std::string(5'000, '1') + "\\\"1\",0." + std::string(length - 2, '1') + "]";
  };
  for (const std::size_t below : {1U, 0U}) EXPECT_NO_THROW(parsed(number(limits::kMaxJsonNumber - below))) << below;
  expect_error([&] { parsed(number(limits::kMaxJsonNumber + 1)); }, ErrorCode::kLimit,
               "'t.json': the number at byte 5007 has more than 1000 characters");
  const std::string digits = "[" + std::string(60'000'000, '1') + "]";
  testing::expect_cheap(
      "60 million digits", [&] { parsed(digits); }, "the number at byte 1 has more than 1000 characters");
}

TEST(JsonTree, EndsWhenAStopIsWanted) {
  std::string many = "[0";
  for (int i = 0; i < 100'000; ++i) many += ",0";
  int asked = 0;
  const StopScope scope([&] { return ++asked == 3; }, "stopped");
  expect_error([&] { parse_json(many + "]", "t.json", {8, 1'000'000}); }, ErrorCode::kInterrupted, "stopped");
}

}  // namespace
}  // namespace revisit
