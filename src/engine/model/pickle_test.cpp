// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// What the interpreter builds, and its limits at their values. Attacks are tested in tests/hostile.
#include "engine/model/pickle.h"

#include <gtest/gtest.h>

#include "core/base/limits.h"
#include "hostile/pickle_builder.h"

namespace revisit::model {
namespace {

namespace rt = revisit::testing;
using rt::PickleBuilder;

Pickle unpickled(const std::string& bytes) { return parse_pickle(rt::bytes_of(bytes), "m.pth"); }
Pickle unpickled(std::string&&) = delete;  // texts point into the bytes

TEST(Pickle, BuildsScalars) {
  const std::string bytes = PickleBuilder()
                                .mark()
                                .none()
                                .boolean(true)
                                .integer(7)
                                .raw("M\x34\x12")
                                .integer(-2)
                                .integer(1LL << 40)
                                .number(-1.5)
                                .text("t\xC3\xA4")
                                .bytes(std::string("\0b", 2))
                                .raw("\x8C\x01s")
                                .raw("C\x01y")
                                .raw(std::string("\x8A\x00", 2))
                                .raw("\x8A\x01\xFF")
                                .tuple()
                                .stop();
  const Pickle pickle = unpickled(bytes);
  EXPECT_EQ(pickle.size, bytes.size());
  const auto& values = pickle.values;
  const auto item = values.items(pickle.root);
  ASSERT_EQ(item.size(), 13U);
  EXPECT_TRUE(values.is(item[0], ValueKind::kNone));
  EXPECT_EQ(item[1], PickleValues::kTrueId);
  EXPECT_EQ(values.integer(item[2]), 7);
  EXPECT_EQ(values.integer(item[3]), 0x1234);
  EXPECT_EQ(values.integer(item[4]), -2);
  EXPECT_EQ(values.integer(item[5]), 1LL << 40);
  EXPECT_EQ(values.number(item[6]), -1.5);
  EXPECT_EQ(values.text(item[7]), "t\xC3\xA4");
  EXPECT_EQ(values.text(item[8]), std::string_view("\0b", 2));
  EXPECT_TRUE(values.is(item[9], ValueKind::kText));
  EXPECT_TRUE(values.is(item[10], ValueKind::kBytes));
  EXPECT_EQ(values.integer(item[11]), 0);
  EXPECT_EQ(values.integer(item[12]), -1);
}

TEST(Pickle, BuildsContainersAndSharesThroughTheMemo) {
  const std::string bytes =
      PickleBuilder().dict().mark().text("l").list().put(3).integer(1).append().text("same").get(3).set_items().stop();
  const Pickle pickle = unpickled(bytes);
  const auto item = pickle.values.items(pickle.root);
  ASSERT_EQ(item.size(), 4U);
  EXPECT_EQ(item[1], item[3]);
  EXPECT_EQ(pickle.values.count(item[1]), 1U);
}

TEST(Pickle, UnderstandsProtocol4) {
  // OrderedDict() with 'k': {1, 2}, as Python frames and memoizes it
  const std::string body =
      "\x8c\x0b"
      "collections\x94\x8c\x0bOrderedDict\x94\x93\x94)R\x94\x8c\x01k\x94\x8f\x94(K\x01K\x02\x90s.";
  const std::string bytes = "\x80\x04\x95" + rt::le(std::uint64_t{body.size()}) + body;
  const Pickle pickle = unpickled(bytes);
  const auto item = pickle.values.items(pickle.root);
  ASSERT_EQ(item.size(), 2U);
  EXPECT_EQ(pickle.values.text(item[0]), "k");
  EXPECT_TRUE(pickle.values.is(item[1], ValueKind::kSet));
  EXPECT_EQ(pickle.values.count(item[1]), 2U);
}

TEST(Pickle, MakesAnOrderedDictFromPairs) {
  const std::string bytes = PickleBuilder()
                                .global("collections", "OrderedDict")
                                .list()
                                .list()
                                .text("a")
                                .append()
                                .integer(1)
                                .append()
                                .append()
                                .raw("\x85")
                                .reduce()
                                .stop();
  const Pickle pickle = unpickled(bytes);
  ASSERT_TRUE(pickle.values.is(pickle.root, ValueKind::kDict));
  EXPECT_EQ(pickle.values.count(pickle.root), 2U);
}

TEST(Pickle, OtherAllowedGlobalsBecomePlaceholders) {
  for (const auto& [module, name] :
       std::vector<std::pair<std::string, std::string>>{{"torch", "Size"},
                                                        {"numpy.core.multiarray", "scalar"},
                                                        {"collections", "defaultdict"},
                                                        {"argparse", "Namespace"},
                                                        {"pathlib", "PosixPath"},
                                                        {"omegaconf.dictconfig", "DictConfig"},
                                                        {"pytorch_lightning.callbacks", "ModelCheckpoint"},
                                                        {"_codecs", "encode"},
                                                        {"__builtin__", "set"},
                                                        {"builtins", "set"}}) {
    const std::string bytes =
        PickleBuilder().global(module, name).integers({1}).reduce().dict().build().text("k").integer(1).set_item().stop();
    const Pickle pickle = unpickled(bytes);
    ASSERT_TRUE(pickle.values.is(pickle.root, ValueKind::kOpaque));
    EXPECT_EQ(pickle.values.global(pickle.root).name, module + "." + name);
  }
}

TEST(Pickle, RefusesBrokenPrograms) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "is empty"},
      {"N.", "does not start with PROTO"},
      {PickleBuilder(1).none().stop(), "has protocol 1"},
      {PickleBuilder(6).none().stop(), "has protocol 6"},
      {PickleBuilder().raw("\x80\x02").none().stop(), "changes its protocol"},
      {PickleBuilder().stop(), "leaves 0 values"},
      {PickleBuilder().none().none().stop(), "leaves 2 values"},
      {PickleBuilder().none().mark().stop(), "leaves 1 values"},
      {PickleBuilder().tuple().stop(), "needs a mark"},
      {PickleBuilder().mark().append().stop(), "empty stack"},
      {PickleBuilder().list().mark().integer(1).append().stop(), "puts items into nothing"},
      {PickleBuilder().raw("\x86").stop(), "empty stack"},
      {PickleBuilder().dict().integer(1).append().stop(), "another kind"},
      {PickleBuilder().dict().mark().integer(1).set_items().stop(), "key without a value"},
      {PickleBuilder().get(0).stop(), "memo entry 0"},
      {PickleBuilder().none().put(4).get(3).stop(), "memo entry 3"},
      {PickleBuilder().none().raw("X\x05").stop(), "needs 4 bytes"},
      {PickleBuilder().raw("X" + rt::le(100U) + "abc").stop(), "needs 100 bytes where 4 are left"},
      {PickleBuilder(4).raw("\x95" + rt::le(std::uint64_t{100})).none().stop(), "needs 100 bytes"},
      {PickleBuilder().raw("\x01").stop(), "the byte 0x01, which is not an opcode, at byte 2"},
      {PickleBuilder().none().build().stop(), "empty stack"},
      {PickleBuilder().integer(1).dict().build().stop(), "sets attributes of a plain value"},
      {PickleBuilder().integer(1).empty_tuple().reduce().stop(), "calls something that is not a global"},
      {PickleBuilder().call("torch", "Size").empty_tuple().reduce().stop(), "calls something that is not a global"},
      {PickleBuilder().global("torch", "Size").integer(1).reduce().stop(), "without a tuple"},
      {PickleBuilder().call("torch", "FloatStorage").stop(), "calls 'torch.FloatStorage'"},
      {PickleBuilder().none().none().raw("\x93").stop(), "not text"},
      {PickleBuilder().global("collections", "OrderedDict").integers({1}).reduce().stop(), "not a list"},
      {PickleBuilder().none().raw("").stop().substr(0, 3), "ends early, after 3 bytes"},
  };
  for (const auto& refused : cases) {
    rt::expect_refused([&] { unpickled(refused.first); }, refused.second, refused.second);
  }
}

TEST(Pickle, OpcodeLimit) {
  // BINPUT over and over: many opcodes, few values
  const auto program = [](std::uint64_t opcodes) {
    std::string bytes = "\x80\x02N";
    bytes.reserve(2 * opcodes + 4);
    for (std::uint64_t i = 3; i < opcodes; ++i) bytes.append("q\0", 2);
    return bytes += ".";
  };
  for (const std::uint64_t below : {1U, 0U}) {
    const std::string fine = program(limits::kMaxPickleOpcodes - below);
    EXPECT_NO_THROW(unpickled(fine));
  }
  const std::string over = program(limits::kMaxPickleOpcodes + 1);
  rt::expect_refused([&] { unpickled(over); }, "more than 5000000 opcodes");
}

TEST(Pickle, DepthLimit) {
  const auto nested = [](int depth) {
    PickleBuilder builder;
    for (int i = 0; i < depth; ++i) builder.list();
    for (int i = 1; i < depth; ++i) builder.append();
    return builder.stop();
  };
  const auto marked = [](int depth) {
    PickleBuilder builder;
    for (int i = 0; i < depth; ++i) builder.mark();
    for (int i = 0; i < depth; ++i) builder.tuple();
    return builder.stop();
  };
  for (const auto& make : {+nested, +marked}) {
    for (const int below : {1, 0}) {
      const std::string fine = make(limits::kMaxPickleDepth - below);
      EXPECT_NO_THROW(unpickled(fine));
    }
    const std::string over = make(limits::kMaxPickleDepth + 1);
    rt::expect_refused([&] { unpickled(over); }, "deeper than 64");
  }
}

TEST(Pickle, MemoLimit) {
  const auto with_key = [](std::size_t key) { return PickleBuilder().none().put(static_cast<std::uint32_t>(key)).stop(); };
  for (const std::size_t key : {limits::kMaxPickleMemo - 2, limits::kMaxPickleMemo - 1}) {
    const std::string fine = with_key(key);
    EXPECT_NO_THROW(unpickled(fine));
  }
  const std::string over = with_key(limits::kMaxPickleMemo);
  rt::expect_refused([&] { unpickled(over); }, "memo entry 1000000");
  const std::string far = with_key(0xFFFFFFFF);
  rt::expect_refused([&] { unpickled(far); }, "memo entry 4294967295");
}

TEST(Pickle, ByteLimit) {
  std::string bytes(limits::kMaxPickleBytes + 1, '.');  // one buffer for all lengths: every byte of the text is a STOP
  const auto program = [&](std::uint64_t size) {
    bytes.replace(0, 7,
                  "\x80\x02"
                  "B" +
                      rt::le(static_cast<std::uint32_t>(size - 8)));
    return rt::bytes_of(bytes).first(size);
  };
  for (const std::uint64_t below : {1U, 0U}) {
    EXPECT_EQ(parse_pickle(program(limits::kMaxPickleBytes - below), "m.pth").size, limits::kMaxPickleBytes - below);
  }
  rt::expect_refused([&] { parse_pickle(program(limits::kMaxPickleBytes + 1), "m.pth"); }, "more than 64000000 bytes");
}

TEST(Pickle, ValueAndExpansionLimits) {
  const auto lists = [](std::size_t values) {  // 4 values are always there
    std::string bytes = PickleBuilder().mark().stop();
    bytes.pop_back();
    return bytes + std::string(values - 4 - 1, ']') + "t.";
  };
  for (const std::size_t below : {1U, 0U}) {
    const std::string fine = lists(limits::kMaxPickleValues - below);
    EXPECT_NO_THROW(unpickled(fine));
  }
  const std::string many = lists(limits::kMaxPickleValues + 1);
  rt::expect_refused([&] { unpickled(many); }, "more than 1000000 values");
  const auto wide = [](std::uint64_t items) { return "\x80\x02](" + std::string(items, 'N') + "e."; };
  const std::string fine = wide(limits::kMaxPickleExpansion - 1);
  EXPECT_NO_THROW(unpickled(fine));
  const std::string over = wide(limits::kMaxPickleExpansion);
  rt::expect_refused([&] { unpickled(over); }, "expands to more than 2000000 values");
}

TEST(Pickle, GlobalNameLimits) {
  const auto named = [](std::size_t length) { return PickleBuilder().global("torch", std::string(length - 6, 'n')).stop(); };
  for (const std::size_t below : {1U, 0U}) {
    const std::string fine = named(limits::kMaxPickleGlobalName - below);
    EXPECT_NO_THROW(unpickled(fine));
  }
  const std::string over = named(limits::kMaxPickleGlobalName + 1);
  rt::expect_refused([&] { unpickled(over); }, "above the limit of 512");
  const std::string endless = PickleBuilder().global(std::string(100'000, 'm'), "n").stop();
  rt::expect_refused([&] { unpickled(endless); }, "a name of more than 512 bytes");
  const auto names = [](std::size_t count) {
    PickleBuilder builder;
    builder.mark();
    for (std::size_t i = 0; i < count; ++i) builder.global("torch", "n" + std::to_string(i));
    return builder.tuple().stop();
  };
  for (const std::size_t below : {1U, 0U}) {
    const std::string fine = names(limits::kMaxPickleGlobals - below);
    EXPECT_NO_THROW(unpickled(fine));
  }
  const std::string many = names(limits::kMaxPickleGlobals + 1);
  rt::expect_refused([&] { unpickled(many); }, "more than 10000 different names");
}

}  // namespace
}  // namespace revisit::model
