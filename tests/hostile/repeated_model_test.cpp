// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Checkpoints in which one long item is referenced very many times: its cost must follow the bytes of the file, not their
// product with the places.
#include <gtest/gtest.h>

#include "core/base/limits.h"
#include "engine/model/containers.h"
#include "engine/model/zip.h"
#include "hostile/cheap_refusal.h"
#include "hostile/checkpoint_builder.h"

namespace revisit::model {
namespace {

namespace rt = revisit::testing;
using rt::expect_cheap;
using rt::PickleBuilder;
using namespace std::string_literals;

const std::vector<rt::RawStorage> kTwoFloats = {{"0", rt::floats({1, 2}), 2}};

void expect_cheap_file(const std::string& label, const std::string& file, const std::string& part) {
  expect_cheap(
      label, [&] { parse_checkpoint(rt::bytes_of(file), nullptr, "m.pth"); }, part);
}

// {"w": tensor, 0: d, 1: d, ...} with d = {key: None}.
std::string shared_dict(std::size_t key_bytes, int places) {
  PickleBuilder builder;
  builder.dict().mark().text("w").tensor("FloatStorage", "0", 2, 0, {2}, {1}).integer(0);
  builder.dict().put(0).text(std::string(key_bytes, 'k')).none().set_item();
  for (int i = 1; i < places; ++i) builder.integer(i).get(0);
  return rt::torch_zip(builder.set_items().stop(), kTwoFloats);
}

TEST(RepeatedNames, ALongKeyOfASharedDictionaryIsRefusedBeforeItIsCopied) {
  expect_cheap_file("1 MB under 300,000 keys", shared_dict(1'000'000, 300'000), "has 1000000 bytes, the limit is 512");
  expect_cheap_file("30 MB under 300,000 keys", shared_dict(30'000'000, 300'000), "has 30000000 bytes, the limit is 512");
}

TEST(RepeatedNames, ManyKeysOfAllowedLengthAreBoundedByTheirBytes) {
  expect_cheap_file("500 bytes under 450,000 keys", shared_dict(500, 450'000), "names of more than 64000000 bytes in all");
  expect_cheap_file("8 bytes under 450,000 keys", shared_dict(8, 450'000), "accepted");
}

// [persistent id of a storage with a key of so many bytes, the same, ...] beside a tensor.
std::string shared_storage(std::size_t key_bytes, int places) {
  PickleBuilder builder;
  builder.dict().mark().text("w").tensor("FloatStorage", "0", 2, 0, {2}, {1}).text("x").list().mark();
  builder.mark().text("storage").global("torch", "FloatStorage").text(std::string(key_bytes, 'k')).text("cpu").integer(2);
  builder.tuple().put(0).persistent_id();
  for (int i = 1; i < places; ++i) builder.get(0).persistent_id();
  return builder.appends().set_items().stop();
}

TEST(RepeatedNames, ALongKeyOfAStorageIsRefusedBeforeItIsCompared) {
  for (const std::size_t bytes : {std::size_t{1'000'000}, std::size_t{30'000'000}}) {
    const std::string pickle = shared_storage(bytes, 300'000);
    const std::string part = "names a storage by " + std::to_string(bytes) + " bytes, the limit is 512";
    expect_cheap_file("zip", rt::torch_zip(pickle, kTwoFloats), part);
    expect_cheap_file("legacy", rt::torch_legacy(pickle, kTwoFloats), part);
  }
}

TEST(RepeatedNames, AStorageGivenVeryOftenIsLookedAtOnce) {
  std::vector<rt::RawStorage> storages = kTwoFloats;
  storages.push_back({std::string(512, 'k'), rt::floats({3, 4}), 2});
  const std::string pickle = shared_storage(512, 900'000);
  expect_cheap_file("zip", rt::torch_zip(pickle, kTwoFloats), "accepted");
  expect_cheap_file("legacy", rt::torch_legacy(pickle, storages), "accepted");
}

TEST(RepeatedNames, AStorageDescribedByVeryManyTuplesIsCheap) {
  std::vector<rt::RawStorage> storages = kTwoFloats;
  storages.push_back({std::string(512, 'k'), rt::floats({3, 4}), 2});
  PickleBuilder builder;
  builder.dict().mark().text("w").tensor("FloatStorage", "0", 2, 0, {2}, {1}).text("x").list().mark();
  builder.mark().text("storage").put(0).global("torch", "FloatStorage").put(1).text(std::string(512, 'k')).put(2);
  builder.text("cpu").put(3).integer(2).put(4).tuple().persistent_id();
  for (int i = 1; i < 280'000; ++i) builder.raw("(h\0h\1h\2h\3h\4tQ"s);
  const std::string pickle = builder.appends().set_items().stop();
  expect_cheap_file("legacy", rt::torch_legacy(pickle, storages), "accepted");
}

TEST(RepeatedNames, AGlobalNamedVeryOftenIsCheap) {
  PickleBuilder builder(4);
  builder.dict().mark().text("w").tensor("FloatStorage", "0", 2, 0, {2}, {1}).text("x").list().mark();
  builder.text("torch." + std::string(400, 'm')).put(0).text(std::string(100, 'n')).put(1);
  for (int i = 0; i < 900'000; ++i) builder.raw("h\0h\1\x93"s);
  expect_cheap_file("globals", rt::torch_zip(builder.appends().set_items().stop(), kTwoFloats), "accepted");
}

TEST(RepeatedTensors, CannotMakeMoreOfAStorageThanTheFileExplains) {
  const std::vector<float> values(750'000, 1.0F);
  const std::vector<rt::RawStorage> storages = {{"0", rt::floats(values), values.size()}};
  PickleBuilder builder;
  builder.dict().mark().text("first").tensor("FloatStorage", "0", 750'000, 0, {750'000}, {1}).put(0);
  for (int i = 0; i < 9'000; ++i) builder.text("w" + std::to_string(i)).get(0);
  const std::string file = rt::torch_zip(builder.set_items().stop(), storages);
  ASSERT_LT(file.size(), 3'200'000U);
  expect_cheap_file("9,001 names of 3 MB", file, "beyond the limit of");
}

TEST(LongTokens, OfASafetensorsHeaderAreCheap) {
  const std::string digits = R"({"a":{"dtype":"U8","shape":[)" + std::string(60'000'000, '1') + "]}}";
  expect_cheap_file("digits", rt::safetensors(digits), "the number at byte 28 has more than 1000 characters");
}

TEST(RepeatedEntries, OnOneLocalHeaderAreRefusedAtTheSecond) {
  std::vector<rt::ZipEntrySpec> entries;
  const std::string extra = rt::le(std::uint16_t{2}) + rt::le(std::uint16_t{0});
  std::string many;
  for (int i = 0; i < 16'000; ++i) many += extra;
  entries.push_back({.name = "m/a", .local_extra = many});
  const std::string one = rt::write_zip(entries);
  // The same entry 20,000 times in the directory.
  const std::size_t directory = one.find("PK\x01\x02");
  const std::string record = one.substr(directory, one.find("PK\x05\x06") - directory);
  std::string file = one.substr(0, directory);
  for (int i = 0; i < 20'000; ++i) file += record;
  file += "PK\x05\x06" + rt::le(std::uint32_t{0}) + rt::le(std::uint16_t{20'000}) + rt::le(std::uint16_t{20'000}) +
          rt::le(static_cast<std::uint32_t>(20'000 * record.size())) + rt::le(static_cast<std::uint32_t>(directory)) +
          rt::le(std::uint16_t{0});
  const rt::ReadingCost cost = rt::cost_of([&] { parse_zip(rt::bytes_of(file), "m.pth"); });
  EXPECT_NE(cost.answer.find("'m/a' overlaps 'm/a'"), std::string::npos) << cost.answer;
  EXPECT_LE(cost.seconds, rt::kSlow ? 3 : 0.3) << "most of a second when every entry is read";
}

}  // namespace
}  // namespace revisit::model
