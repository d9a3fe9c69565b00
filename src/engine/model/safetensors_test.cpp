// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Reading and writing safetensors; hostile files are in tests/hostile.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "core/base/limits.h"
#include "engine/model/containers.h"
#include "hostile/checkpoint_builder.h"

namespace revisit::model {
namespace {

namespace rt = revisit::testing;

Checkpoint read_back(const std::string& file) { return parse_safetensors(rt::bytes_of(file), nullptr, "m.safetensors"); }

class SafetensorsFile : public ::testing::Test {
 protected:
  SafetensorsFile()
      : path_(std::filesystem::temp_directory_path() / ("revisit_" + std::to_string(::getpid()) + ".safetensors")) {}
  ~SafetensorsFile() override { std::filesystem::remove(path_); }
  std::filesystem::path path_;
};

TEST_F(SafetensorsFile, ReadsBackWhatWasWritten) {
  Weights weights;
  weights.add_f32("small", {2}, {1.0F, -2.0F});
  weights.add_f32("large \"quoted\" \xC3\xA4", {2, 3}, {1, 2, 3, 4, 5, 6});
  weights.add_f32("scalar", {}, {7.0F});
  weights.add_f32("empty", {0, 3}, {});
  const auto flags = std::make_shared<std::vector<std::uint8_t>>(std::vector<std::uint8_t>{1, 0, 1});
  weights.add("flags", {DType::kBool, {3}, reinterpret_cast<const std::byte*>(flags->data())}, flags);
  const auto steps = std::make_shared<std::vector<std::int64_t>>(std::vector<std::int64_t>{-5});
  weights.add("steps", {DType::kI64, {}, reinterpret_cast<const std::byte*>(steps->data())}, steps);
  const std::map<std::string, std::string> metadata = {{"format", "revisit"}, {"note", "line\nbreak"}};
  write_safetensors(path_, weights, metadata);

  const Checkpoint read = read_checkpoint(path_);
  EXPECT_EQ(read.format, "safetensors");
  EXPECT_EQ(read.metadata, metadata);
  ASSERT_EQ(read.weights.all().size(), weights.all().size());
  for (const auto& [name, tensor] : weights.all()) {
    EXPECT_EQ(read.weights.at(name).dtype, tensor.dtype) << name;
    EXPECT_EQ(read.weights.at(name).shape, tensor.shape) << name;
    EXPECT_EQ(to_f32(read.weights.at(name)), to_f32(tensor)) << name;
  }
}

TEST_F(SafetensorsFile, DataStartsAtAMultipleOf64WithTheBigTensorsFirst) {
  Weights weights;
  weights.add_f32("a", {1}, {1.0F});
  weights.add_f32("b", {4}, {1, 2, 3, 4});
  const auto byte = std::make_shared<std::vector<std::uint8_t>>(std::vector<std::uint8_t>(40, 1));
  weights.add("bytes", {DType::kU8, {40}, reinterpret_cast<const std::byte*>(byte->data())}, byte);
  write_safetensors(path_, weights, {});
  const auto bytes = read_file(path_, 100'000);
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof length);
  EXPECT_EQ((length + 8) % 64, 0U);
  EXPECT_EQ(bytes.size(), 8 + length + 20 + 40);
  const Checkpoint read = parse_checkpoint(bytes, nullptr, "m");
  EXPECT_EQ(read.weights.at("b").data, bytes.data() + 8 + length);
  EXPECT_EQ(read.weights.at("a").data, bytes.data() + 8 + length + 16);
  EXPECT_EQ(read.weights.at("bytes").data, bytes.data() + 8 + length + 20);
}

TEST_F(SafetensorsFile, WriterRefusesWhatTheReaderWouldRefuse) {
  const auto refused = [&](const std::string& name, std::vector<std::int64_t> shape,
                           const std::map<std::string, std::string>& metadata) {
    Weights weights;
    weights.add_f32(name, std::move(shape), {1.0F});
    EXPECT_THROW(write_safetensors(path_, weights, metadata), Error) << name;
    EXPECT_FALSE(std::filesystem::exists(path_));
  };
  refused("__metadata__", {1}, {});
  refused(std::string(limits::kMaxTensorName + 1, 'n'), {1}, {});
  refused("rank", std::vector<std::int64_t>(limits::kMaxRank + 1, 1), {});
  refused("\xFF", {1}, {});
  refused("a", {1}, {{"key", "\xC0\x80"}});
  refused("a", {1}, {{"key", std::string(limits::kMaxMetadataBytes, 'v')}});
}

TEST(Safetensors, CopiesTensorsThatAreNotAligned) {
  const std::string file = rt::safetensors(
      R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[1,5]},"b":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})",
      "\x05" + rt::floats({2.5F}));
  const Checkpoint read = read_back(file);
  EXPECT_EQ(to_f32(read.weights.at("a")), std::vector<float>{2.5F});
  EXPECT_EQ(to_f32(read.weights.at("b")), std::vector<float>{5.0F});
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(read.weights.at("a").data) % 4, 0U);
}

TEST(Safetensors, TellsAHeaderLengthThatLooksLikeAPickleApart) {
  std::string header = R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})";
  header.resize(0x80, ' ');
  const std::string file = rt::safetensors(header, "x");
  ASSERT_EQ(file[0], '\x80');
  EXPECT_EQ(parse_checkpoint(rt::bytes_of(file), nullptr, "m").format, "safetensors");
}

std::string tensors_header(std::size_t count) {
  std::string out = "{";
  for (std::size_t i = 0; i < count; ++i) {
    out += (i > 0 ? ",\"" : "\"") + std::to_string(i) + R"(":{"dtype":"U8","shape":[0],"data_offsets":[0,0]})";
  }
  return out + "}";
}

TEST(Safetensors, TensorCountLimit) {
  EXPECT_EQ(read_back(rt::safetensors(tensors_header(limits::kMaxTensors - 1))).weights.all().size(), limits::kMaxTensors - 1);
  EXPECT_EQ(read_back(rt::safetensors(tensors_header(limits::kMaxTensors))).weights.all().size(), limits::kMaxTensors);
  rt::expect_refused([] { read_back(rt::safetensors(tensors_header(limits::kMaxTensors + 1))); }, "more than 10000 tensors");
}

TEST(Safetensors, NameRankAndMetadataLimits) {
  const auto named = [](std::size_t length) {
    return rt::safetensors("{\"" + std::string(length, 'n') + R"(":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}})");
  };
  const auto ranked = [](std::size_t rank) {
    std::string shape = "0";
    for (std::size_t i = 1; i < rank; ++i) shape += ",1";
    return rt::safetensors(R"({"a":{"dtype":"U8","shape":[)" + shape + R"(],"data_offsets":[0,0]}})");
  };
  const auto metadata = [](std::size_t bytes) {
    return rt::safetensors(R"({"__metadata__":{"k":")" + std::string(bytes - 1, 'v') + R"("}})");
  };
  for (const std::size_t below : {1U, 0U}) {
    EXPECT_NO_THROW(read_back(named(limits::kMaxTensorName - below)));
    EXPECT_NO_THROW(read_back(ranked(limits::kMaxRank - below)));
    EXPECT_NO_THROW(read_back(metadata(limits::kMaxMetadataBytes - below)));
  }
  rt::expect_refused([&] { read_back(named(limits::kMaxTensorName + 1)); }, "has 513 bytes, the limit is 512");
  rt::expect_refused([&] { read_back(ranked(limits::kMaxRank + 1)); }, "tensor 'a' has more than 8 dimensions");
  rt::expect_refused([&] { read_back(metadata(limits::kMaxMetadataBytes + 1)); }, "'__metadata__' has more than 1000000 bytes");
}

// A file of the full length is not needed: at the limit the error is about the missing bytes.
TEST(Safetensors, HeaderLengthLimit) {
  const auto with_length = [](std::uint64_t length) { return rt::le(length) + "{}"; };
  rt::expect_refused([&] { read_back(with_length(limits::kMaxHeaderBytes - 1)); }, "the header needs 99999999 bytes");
  rt::expect_refused([&] { read_back(with_length(limits::kMaxHeaderBytes)); }, "the header needs 100000000 bytes");
  rt::expect_refused([&] { read_back(with_length(limits::kMaxHeaderBytes + 1)); }, "the limit is 100000000");
}

// No valid header is deeper than 3; what is too deep is told apart from what is merely of the wrong kind.
TEST(Safetensors, NestingLimit) {
  rt::expect_refused([] { read_back(rt::safetensors(R"({"a":{"shape":[[)")); }, "may not hold an array");
  rt::expect_refused([] { read_back(rt::safetensors(R"({"a":{"shape":[{"b":)")); }, "may not hold an object");
}

}  // namespace
}  // namespace revisit::model
