// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Pickles that try to run code, use what is not allowed, or grow without end.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <functional>

#include "engine/model/containers.h"
#include "engine/model/pickle.h"
#include "hostile/cheap_refusal.h"
#include "hostile/checkpoint_builder.h"

namespace revisit::model {
namespace {

namespace rt = revisit::testing;
using rt::expect_refused;
using rt::PickleBuilder;

Checkpoint parse(const std::string& file) { return parse_checkpoint(rt::bytes_of(file), nullptr, "m.pth"); }

const std::vector<rt::RawStorage> kStorages = {{"0", rt::floats({1, 2}), 2}};

// {"w": tensor, "x": <what `payload` writes>} in both torch formats.
std::vector<std::string> files_with(const std::function<void(PickleBuilder&)>& payload, int protocol = 2) {
  PickleBuilder builder(protocol);
  builder.dict().mark().text("w").tensor("FloatStorage", "0", 2, 0, {2}, {1}).text("x");
  payload(builder);
  const std::string pickle = builder.set_items().stop();
  return {rt::torch_zip(pickle, kStorages), rt::torch_legacy(pickle, kStorages)};
}

TEST(PickleAttack, CodeIsRefusedByNameAndNeverRun) {
  const auto canary = std::filesystem::temp_directory_path() / ("revisit_canary_" + std::to_string(::getpid()));
  std::filesystem::remove(canary);
  const std::string command = "touch " + canary.string();
  const std::vector<std::pair<std::string, std::string>> calls = {{"os", "system"},
                                                                  {"posix", "system"},
                                                                  {"nt", "system"},
                                                                  {"subprocess", "Popen"},
                                                                  {"subprocess", "check_output"},
                                                                  {"builtins", "eval"},
                                                                  {"builtins", "exec"},
                                                                  {"__builtin__", "eval"},
                                                                  {"builtins", "getattr"},
                                                                  {"builtins", "__import__"},
                                                                  {"torch.hub", "load"},
                                                                  {"torch.jit", "load"},
                                                                  {"torch.jit._serialization", "load"},
                                                                  {"torch.package", "PackageImporter"},
                                                                  {"importlib", "import_module"},
                                                                  {"pickle", "loads"},
                                                                  {"runpy", "_run_code"},
                                                                  {"webbrowser", "open"},
                                                                  {"functools", "partial"},
                                                                  {"copyreg", "_reconstructor"},
                                                                  {"torchvision.models", "resnet18"},
                                                                  {"torchx", "Size"},
                                                                  {"collectionsx", "OrderedDict"},
                                                                  {"_codecs", "decode"}};
  for (const auto& global : calls) {
    const std::string& module = global.first;  // clang 14 cannot capture structured bindings
    const std::string& name = global.second;
    const std::string part = "uses '" + module + "." + name + "', which is not allowed";
    for (const std::string& file :
         files_with([&](PickleBuilder& b) { b.global(module, name).mark().text(command).tuple().reduce(); })) {
      expect_refused([&] { parse(file); }, part, part);
    }
    for (const std::string& file :
         files_with([&](PickleBuilder& b) { b.stack_global(module, name).mark().text(command).tuple().reduce(); }, 4)) {
      expect_refused([&] { parse(file); }, part, part);
    }
  }
  EXPECT_FALSE(std::filesystem::exists(canary));
}

TEST(PickleAttack, AttributeChainsAndOddNamesAreRefused) {
  const std::vector<std::pair<std::string, std::string>> names = {
      {"torch", "hub.load"},  {"torch", "hub"},
      {"torch", "jit"},       {"torch", "_utils._rebuild_tensor_v2"},
      {"numpy", "os.system"}, {"collections", "OrderedDict.__init__.__globals__"},
      {"torch", ""},          {"", "system"},
      {"torch\0os", "x"},     {"torch/../os", "system"},
      {"torch os", "system"}};
  for (const auto& global : names) {
    const std::string& module = global.first;  // clang 14 cannot capture structured bindings
    const std::string& name = global.second;
    for (const std::string& file : files_with([&](PickleBuilder& b) { b.stack_global(module, name); }, 4)) {
      expect_refused([&] { parse(file); }, "which is not allowed", module + " " + name);
    }
  }
}

TEST(PickleAttack, PlaceholdersAreRefusedAsWeights) {
  const std::vector<std::pair<std::string, std::string>> globals = {{"numpy.core.multiarray", "_reconstruct"},
                                                                    {"torch._utils", "_rebuild_sparse_tensor"},
                                                                    {"torch._tensor", "_rebuild_from_type_v2"},
                                                                    {"argparse", "Namespace"}};
  for (const auto& global : globals) {
    const std::string& module = global.first;  // clang 14 cannot capture structured bindings
    const std::string& name = global.second;
    const std::string part = "the weight entry 'x' uses '" + module + "." + name + "', which is not allowed";
    for (const std::string& file : files_with([&](PickleBuilder& b) { b.call(module, name); }))
      expect_refused([&] { parse(file); }, part);
    for (const std::string& file : files_with([&](PickleBuilder& b) { b.global(module, name); }))
      expect_refused([&] { parse(file); }, part);
  }
  const std::string complex = files_with([](PickleBuilder& b) { b.tensor("ComplexFloatStorage", "0", 1, 0, {1}, {1}); })[0];
  expect_refused([&] { parse(complex); }, "uses 'torch.ComplexFloatStorage', which is not allowed");
}

TEST(PickleAttack, TheErrorNamesControlBytesHarmlessly) {
  const auto file = files_with([](PickleBuilder& b) { b.stack_global("os", "sys\x1b[2Jtem"); }, 4)[0];
  try {
    parse(file);
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find('\x1b'), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("os.sys?[2Jtem"), std::string::npos) << error.what();
    EXPECT_FALSE(error.hint().empty());
  }
}

TEST(PickleAttack, EveryOtherOpcodeIsRefusedByNameAndOffset) {
  const std::vector<std::pair<std::string, std::string>> opcodes = {{"0", "POP"},
                                                                    {"1", "POP_MARK"},
                                                                    {"2", "DUP"},
                                                                    {"F1.0\n", "FLOAT"},
                                                                    {"I1\n", "INT"},
                                                                    {"L1L\n", "LONG"},
                                                                    {"P0\n", "PERSID"},
                                                                    {"S'a'\n", "STRING"},
                                                                    {"T\1\0\0\0a", "BINSTRING"},
                                                                    {"U\1a", "SHORT_BINSTRING"},
                                                                    {"Va\n", "UNICODE"},
                                                                    {"d", "DICT"},
                                                                    {"g0\n", "GET"},
                                                                    {"ios\nsystem\n", "INST"},
                                                                    {"l", "LIST"},
                                                                    {"o", "OBJ"},
                                                                    {"p0\n", "PUT"},
                                                                    {"\x81", "NEWOBJ"},
                                                                    {"\x82\1", "EXT1"},
                                                                    {"\x83\1\0", "EXT2"},
                                                                    {"\x84\1\0\0\0", "EXT4"},
                                                                    {"\x8b\1\0\0\0\1", "LONG4"},
                                                                    {"\x8d\1", "BINUNICODE8"},
                                                                    {"\x8e\1", "BINBYTES8"},
                                                                    {"\x91", "FROZENSET"},
                                                                    {"\x92", "NEWOBJ_EX"},
                                                                    {"\x96\1", "BYTEARRAY8"},
                                                                    {"\x97", "NEXT_BUFFER"},
                                                                    {"\x98", "READONLY_BUFFER"}};
  ASSERT_EQ(opcodes.size(), 29U);  // 68 opcodes of protocols 0 to 5, 39 of them allowed
  int named = 0;
  for (int byte = 0; byte < 256; ++byte) named += opcode_name(static_cast<std::uint8_t>(byte)).empty() ? 0 : 1;
  EXPECT_EQ(named, 68);
  for (const auto& [bytes, name] : opcodes) {
    const std::string pickle = PickleBuilder().none().raw(bytes).stop();
    expect_refused([&] { parse_pickle(rt::bytes_of(pickle), "m"); },
                   "uses the opcode " + name + " at byte 3, which is not allowed", name);
  }
}

TEST(PickleAttack, TensorsOfOddFormAreRefused) {
  const auto with = [](const std::function<void(PickleBuilder&)>& write) {
    PickleBuilder builder;
    builder.global("torch._utils", "_rebuild_tensor_v2").mark();
    write(builder);
    return builder.tuple().reduce().stop();
  };
  const auto good = [](PickleBuilder& b) -> PickleBuilder& {
    return b.storage("FloatStorage", "0", 2).integer(0).integers({2}).integers({1});
  };
  const std::vector<std::pair<std::string, std::string>> cases = {
      {with([](PickleBuilder& b) { b.none(); }), "unknown number of values"},
      {with([](PickleBuilder& b) { b.none().integer(0).integers({}).integers({}).boolean(false).dict(); }), "without a storage"},
      {with([](PickleBuilder& b) { b.storage("FloatStorage", "0", 2).none().integers({}).integers({}).boolean(false).dict(); }),
       "offset"},
      {with([](PickleBuilder& b) { b.storage("FloatStorage", "0", 2).integer(0).none().integers({}).boolean(false).dict(); }),
       "sizes or strides"},
      {with([](PickleBuilder& b) {
         b.storage("FloatStorage", "0", 2).integer(0).integers({1}).integers({}).boolean(false).dict();
       }),
       "different numbers"},
      {with([](PickleBuilder& b) {
         b.storage("FloatStorage", "0", 2).integer(0).call("torch", "Size").integers({}).boolean(false).dict();
       }),
       "sizes or strides"},
      {with([&](PickleBuilder& b) { good(b).none().dict(); }), "requires_grad"},
      {with([&](PickleBuilder& b) { good(b).boolean(true).integer(1); }), "hooks"},
      {with([&](PickleBuilder& b) { good(b).boolean(true).dict().dict().text("neg").boolean(true).set_item(); }), "metadata"},
      {PickleBuilder().integer(1).persistent_id().stop(), "not a storage"},
      {PickleBuilder().integers({1, 2, 3, 4, 5}).persistent_id().stop(), "not a storage"},
      {PickleBuilder()
           .mark()
           .text("module")
           .global("torch", "FloatStorage")
           .text("0")
           .text("cpu")
           .integer(1)
           .tuple()
           .persistent_id()
           .stop(),
       "not a storage"},
      {PickleBuilder()
           .mark()
           .text("storage")
           .global("collections", "OrderedDict")
           .text("0")
           .text("cpu")
           .integer(1)
           .tuple()
           .persistent_id()
           .stop(),
       "of the type"},
      {PickleBuilder()
           .mark()
           .text("storage")
           .global("torch", "FloatStorage")
           .text("0")
           .text("cpu")
           .integer(1)
           .integer(1)
           .tuple()
           .persistent_id()
           .stop(),
       "unknown form"},
      {PickleBuilder().global("torch._utils", "_rebuild_parameter").integers({1, 2, 3}).reduce().stop(), "without a tensor"},
      {PickleBuilder().global("torch._utils", "_rebuild_parameter").integers({1}).reduce().stop(), "unknown number"},
  };
  for (const auto& refused : cases) {
    const std::string& pickle = refused.first;
    const std::string& part = refused.second;
    expect_refused([&] { parse_pickle(rt::bytes_of(pickle), "m"); }, part, part);
  }
}

void expect_cheap_refusal(const std::string& label, const std::string& file, const std::string& part) {
  rt::expect_cheap(
      label, [&] { parse(file); }, part);
}

std::string doubling(int times, const char* kind) {
  PickleBuilder builder;
  const bool dict = std::string(kind) == "dict";
  if (dict) builder.dict().text("w").tensor("FloatStorage", "0", 2, 0, {2}, {1}).set_item().put(0);
  if (!dict) builder.list().put(0);
  for (int i = 0; i < times; ++i) {
    if (dict) {
      builder.dict().mark().text("a").get(0).text("b").get(0).set_items().put(0);
    } else {
      builder.get(0).get(0).raw("\x86").put(0);
    }
  }
  const int values = times + 1;
  for (int i = 1; i < values; ++i) builder.raw("\x86");  // leaves one value on the stack
  return builder.stop();
}

TEST(PickleBomb, EachIsRefusedByANamedLimitWithinASecondAnd100Megabytes) {
  const auto zip = [](const std::string& pickle) { return rt::torch_zip(pickle, kStorages); };
  expect_cheap_refusal("tuple doubling", zip(doubling(40, "tuple")), "expands to more than");
  expect_cheap_refusal("dict doubling", zip(doubling(40, "dict")), "expands to more than");
  expect_cheap_refusal("self-containing list", zip(PickleBuilder().list().put(0).get(0).append().stop()), "into itself");
  expect_cheap_refusal("self-containing dict", zip(PickleBuilder().dict().put(0).text("a").get(0).set_item().stop()),
                       "into itself");
  expect_cheap_refusal("lists containing each other",
                       zip(PickleBuilder().list().put(0).list().put(1).get(0).append().append().get(1).raw("\x86").stop()),
                       "no dictionary");
  PickleBuilder cycle;  // a = {"b": {}}; b["a"] = a, through the memo
  cycle.dict().put(0).text("b").dict().put(1).text("a").get(0).set_item().set_item();
  expect_cheap_refusal("dicts containing each other", zip(cycle.stop()), "deeper than 64");
  std::string marks = "\x80\x02" + std::string(100'000, '(');
  expect_cheap_refusal("100,000 marks", zip(marks + std::string(100'000, 't') + "."), "deeper than 64");
  expect_cheap_refusal("100,000 lists", zip("\x80\x02" + std::string(100'000, ']') + std::string(99'999, 'a') + "."),
                       "deeper than 64");
  expect_cheap_refusal("10^7 opcodes", zip("\x80\x02" + std::string(10'000'000, 'N') + "."), "more than 5000000 opcodes");
  expect_cheap_refusal("10^7 lists", zip("\x80\x02" + std::string(10'000'000, ']') + "."), "more than 1000000 values");
  expect_cheap_refusal("10^7 items", zip("\x80\x02](" + std::string(4'900'000, 'N') + "e."), "expands to more than");
  for (const char* opcode : {"X", "B"}) {
    const std::string pickle = std::string("\x80\x02") + opcode + rt::le(0x7FFFFFFFU) + "abc.";
    expect_cheap_refusal("2 GB length", zip(pickle), "needs 2147483647 bytes");
  }
  expect_cheap_refusal("2^63 frame", zip("\x80\x04\x95" + rt::le(std::uint64_t{1} << 63) + "N."),
                       "needs 9223372036854775808 bytes");
  expect_cheap_refusal("memo entry 2^32-1", zip(PickleBuilder().none().put(0xFFFFFFFF).stop()), "memo entry 4294967295");
  std::string many = "\x80\x04N";
  many.append(2'000'000, '\x94');
  expect_cheap_refusal("2*10^6 memo entries", zip(many + "."), "memo entry 1000000");
  PickleBuilder copies;  // one list of pairs turned into a dictionary again and again
  copies.global("collections", "OrderedDict").put(1).list().mark();
  for (int i = 0; i < 1000; ++i) copies.integers({1, 2});
  copies.appends().raw("\x85").put(2).raw("\x86");
  for (int i = 0; i < 100'000; ++i) copies.get(1).get(2).reduce();
  expect_cheap_refusal("copied dictionaries", zip(copies.stop()), "items in all");
  PickleBuilder tensors;  // a huge number of tensors from shared arguments
  tensors.mark().tensor("FloatStorage", "0", 2, 0, {2}, {1}).global("torch._utils", "_rebuild_tensor_v2").put(1);
  tensors.mark().storage("FloatStorage", "0", 2).integer(0).integers({2}).integers({1}).boolean(false).dict().tuple().put(2);
  for (int i = 0; i < 1'200'000; ++i) tensors.raw("h\1h\2R");
  expect_cheap_refusal("10^6 tensors", zip(tensors.tuple().stop()), "more than 1000000 values");
}

TEST(PickleBomb, ExpandedViewsAreBounded) {
  PickleBuilder huge;
  huge.dict().text("w").tensor("FloatStorage", "0", 2, 0, {1 << 30, 1 << 20}, {0, 0}).set_item();
  expect_cheap_refusal("one huge view", rt::torch_zip(huge.stop(), kStorages), "beyond the limit of");
  PickleBuilder many;
  many.dict().mark();
  for (int i = 0; i < 100; ++i) many.text(std::to_string(i)).tensor("FloatStorage", "0", 2, 0, {1'000'000}, {0});
  expect_cheap_refusal("many large views", rt::torch_zip(many.set_items().stop(), kStorages), "beyond the limit of");
}

}  // namespace
}  // namespace revisit::model
