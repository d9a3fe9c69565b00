// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// safetensors files that break the format in one way each.
#include <gtest/gtest.h>

#include <ctime>

#include "hostile/checkpoint_builder.h"
#include "engine/model/containers.h"

namespace revisit::model {
namespace {

namespace rt = revisit::testing;
using rt::expect_refused;

struct HeaderLie {
  std::string label;
  std::string part;
  std::string file;
};

// A header of one tensor 'a' with the fields given.
std::string one(const std::string& fields, const std::string& data) { return rt::safetensors("{\"a\":{" + fields + "}}", data); }

std::string repeat(const std::string& text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

TEST(SafetensorsLies, AreRefusedNamingTensorOrField) {
  const std::string four(4, 'x');
  const std::string eight(8, 'x');
  const std::string a = R"("a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]})";
  const auto b = [](int begin, int end) {
    return R"("b":{"dtype":"F32","shape":[1],"data_offsets":[)" + std::to_string(begin) + "," + std::to_string(end) + "]}";
  };
  ASSERT_NO_THROW(parse_safetensors(rt::bytes_of(rt::safetensors("{" + a + "," + b(4, 8) + "}", eight)), nullptr, "m"));
  const std::vector<HeaderLie> lies = {
      {"empty file", "the header length", ""},
      {"7 bytes", "the header length needs 8 bytes", std::string(7, '\0')},
      {"length > file", "the header needs 100 bytes", rt::le(std::uint64_t{100}) + "{}"},
      {"length 2^64-1", "the limit is 100000000", rt::le(~std::uint64_t{0}) + "{}"},
      {"length 2^63", "the limit is 100000000", rt::le(std::uint64_t{1} << 63) + "{}"},
      {"length 0", "does not start with '{'", rt::le(std::uint64_t{0}) + "{}"},
      {"starts with a space", "does not start with '{'", rt::safetensors(" {}")},
      {"starts with [", "does not start with '{'", rt::safetensors("[]")},
      {"starts with a byte order mark", "does not start with '{'", rt::safetensors("\xEF\xBB\xBF{}")},
      {"not closed", "not valid JSON", rt::safetensors("{")},
      {"text after the object", "not valid JSON", rt::safetensors("{}x")},
      {"comment", "not valid JSON", rt::safetensors("{/**/}")},
      {"bad UTF-8 in a name", "not valid JSON in UTF-8", rt::safetensors("{\"\xFF\":{}}")},
      {"overlong UTF-8 in metadata", "not valid JSON in UTF-8", rt::safetensors("{\"__metadata__\":{\"k\":\"\xC0\x80\"}}")},
      {"lone surrogate", "not valid JSON", rt::safetensors(R"({"\ud800":{}})")},
      {"NUL in the header", "not valid JSON", rt::safetensors(std::string("{\0}", 3))},
      {"arrays 1000 deep", "the field 'shape' may not hold an array", one("\"shape\":" + repeat("[", 1000), "")},
      {"objects 1000 deep", "tensor 'a' has the unknown field 'a'", rt::safetensors(repeat("{\"a\":", 1000))},
      {"duplicate tensor", "the key 'a' occurs twice", rt::safetensors("{" + a + "," + a + "}", four)},
      {"duplicate metadata object", "the key '__metadata__' occurs twice",
       rt::safetensors(R"({"__metadata__":{},"__metadata__":{}})")},
      {"duplicate metadata key", "the metadata key 'k' occurs twice", rt::safetensors(R"({"__metadata__":{"k":"1","k":"2"}})")},
      {"duplicate field", "has the field 'dtype' twice", one(R"("dtype":"F32","dtype":"F64")", "")},
      {"hole at the start", "tensor 'b' begins at byte 4, leaving a hole", rt::safetensors("{" + b(4, 8) + "}", eight)},
      {"hole in the middle", "tensor 'b' begins at byte 8, leaving a hole",
       rt::safetensors("{" + a + "," + b(8, 12) + "}", eight + four)},
      {"overlap", "tensor 'b' begins at byte 2, overlapping", rt::safetensors("{" + a + "," + b(2, 6) + "}", four + "xx")},
      {"same bytes", "tensor 'b' begins at byte 0, overlapping", rt::safetensors("{" + a + "," + b(0, 4) + "}", four)},
      {"reversed offsets", "tensor 'a' has reversed offsets [4, 0]",
       one(R"("dtype":"F32","shape":[1],"data_offsets":[4,0])", four)},
      {"past the end", "tensor 'a' ends at byte 4 of only 3", one(R"("dtype":"F32","shape":[1],"data_offsets":[0,4])", "xxx")},
      {"offset 2^64-1", "tensor 'a' ends at byte 18446744073709551615",
       one(R"("dtype":"U8","shape":[1],"data_offsets":[0,18446744073709551615])", four)},
      {"shape x dtype too large", "tensor 'a' of dtype F32 and shape [2] needs 8 bytes, but its offsets span 4",
       one(R"("dtype":"F32","shape":[2],"data_offsets":[0,4])", four)},
      {"shape x dtype too small", "needs 2 bytes", one(R"("dtype":"F16","shape":[1],"data_offsets":[0,4])", four)},
      {"product overflow", "tensor 'a': 17179869184 x 4294967296 overflows",
       one(R"("dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,4])", four)},
      {"product wraps to the right size", "overflows",
       one(R"("dtype":"U8","shape":[4294967296,4294967296,4],"data_offsets":[0,0])", "")},
      {"size 2^63", "tensor 'a' has the size 9223372036854775808",
       one(R"("dtype":"U8","shape":[9223372036854775808],"data_offsets":[0,4])", four)},
      {"negative size", "the field 'shape' may not hold the number -1",
       one(R"("dtype":"U8","shape":[-1],"data_offsets":[0,4])", four)},
      {"fractional size", "the field 'shape' may not hold the number 1.5",
       one(R"("dtype":"U8","shape":[1.5],"data_offsets":[0,4])", four)},
      {"size 1e30", "the field 'shape' may not hold the number",
       one(R"("dtype":"U8","shape":[1000000000000000000000000000000],"data_offsets":[0,4])", four)},
      {"size as text", "the field 'shape' may not hold a string",
       one(R"("dtype":"U8","shape":["4"],"data_offsets":[0,4])", four)},
      {"shape null", "the field 'shape' may not hold null", one(R"("dtype":"U8","shape":null,"data_offsets":[0,4])", four)},
      {"shape a number", "the field 'shape' may not hold the number 4",
       one(R"("dtype":"U8","shape":4,"data_offsets":[0,4])", four)},
      {"negative offset", "the field 'data_offsets' may not hold the number -4",
       one(R"("dtype":"U8","shape":[4],"data_offsets":[-4,0])", four)},
      {"one offset", "'data_offsets' must hold 2 numbers, not 1", one(R"("dtype":"U8","shape":[4],"data_offsets":[4])", four)},
      {"three offsets", "'data_offsets' must hold 2 numbers, not more",
       one(R"("dtype":"U8","shape":[4],"data_offsets":[0,4,4])", four)},
      {"unknown dtype", "tensor 'a' has the unknown dtype 'F128'",
       one(R"("dtype":"F128","shape":[4],"data_offsets":[0,4])", four)},
      {"lower-case dtype", "tensor 'a' has the unknown dtype 'f32'",
       one(R"("dtype":"f32","shape":[1],"data_offsets":[0,4])", four)},
      {"dtype a number", "the field 'dtype' may not hold the number 1",
       one(R"("dtype":1,"shape":[4],"data_offsets":[0,4])", four)},
      {"dtype an array", "the field 'dtype' may not hold an array",
       one(R"("dtype":["F32"],"shape":[1],"data_offsets":[0,4])", four)},
      {"no dtype", "tensor 'a' lacks the field 'dtype'", one(R"("shape":[4],"data_offsets":[0,4])", four)},
      {"no shape", "tensor 'a' lacks the field 'shape'", one(R"("dtype":"U8","data_offsets":[0,4])", four)},
      {"no offsets", "tensor 'a' lacks the field 'data_offsets'", one(R"("dtype":"U8","shape":[4])", four)},
      {"unknown field", "tensor 'a' has the unknown field 'extra'", one(R"("dtype":"U8","extra":1)", four)},
      {"entry a number", "the entry 'a' is the number 1, not an object", rt::safetensors(R"({"a":1})")},
      {"entry an array", "the entry 'a' is an array, not an object", rt::safetensors(R"({"a":[]})")},
      {"metadata a string", "the entry '__metadata__' is a string", rt::safetensors(R"({"__metadata__":"x"})")},
      {"metadata value a number", "the metadata value 'k' is the number 1, not a string",
       rt::safetensors(R"({"__metadata__":{"k":1}})")},
      {"metadata value an object", "the metadata value 'k' is an object", rt::safetensors(R"({"__metadata__":{"k":{}}})")},
      {"trailing bytes", "has 1 bytes after its last tensor 'a'", rt::safetensors("{" + a + "}", four + "x")},
      {"bytes without tensors", "has 4 bytes after its last tensor", rt::safetensors("{}", four)},
  };
  EXPECT_GE(lies.size(), 30U);
  for (const HeaderLie& lie : lies)
    expect_refused([&] { parse_safetensors(rt::bytes_of(lie.file), nullptr, "m"); }, lie.part, lie.label);
}

TEST(SafetensorsLies, AMillionTensorsAreLeftAtTheLimit) {
  std::string header = "{";
  for (int i = 0; i < 1'000'000; ++i) {
    header += (i > 0 ? ",\"" : "\"") + std::to_string(i) + R"(":{"dtype":"U8","shape":[0],"data_offsets":[0,0]})";
  }
  const std::string file = rt::safetensors(header + "}");
  const std::clock_t start = std::clock();
  expect_refused([&] { parse_safetensors(rt::bytes_of(file), nullptr, "m"); }, "more than 10000 tensors (at '10000')");
  EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 1.0) << "processor time";
}

}  // namespace
}  // namespace revisit::model
