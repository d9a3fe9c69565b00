// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/model/zip.h"

#include <gtest/gtest.h>

#include "core/base/limits.h"
#include "hostile/zip_builder.h"

namespace revisit::model {
namespace {

namespace rt = revisit::testing;

std::string text(std::span<const std::byte> bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
ZipEntries entries_of(const std::string& file) { return parse_zip(rt::bytes_of(file), "m.pth"); }

TEST(Zip, ReadsStoredEntriesInPlace) {
  const std::string file = rt::write_zip({{.name = "m/a", .data = "alpha"},
                                          {.name = "m/b"},
                                          {.name = "m/c", .data = "gamma", .local_extra = "FB\x02" + std::string("\0ZZ", 3)}});
  const ZipEntries entries = entries_of(file);
  ASSERT_EQ(entries.size(), 3U);
  EXPECT_EQ(text(entries.at("m/a")), "alpha");
  EXPECT_EQ(text(entries.at("m/b")), "");
  EXPECT_EQ(text(entries.at("m/c")), "gamma");
  EXPECT_GE(entries.at("m/a").data(), rt::bytes_of(file).data());
  EXPECT_LT(entries.at("m/a").data(), rt::bytes_of(file).data() + file.size());
}

TEST(Zip, ReadsAnEmptyArchive) { EXPECT_TRUE(entries_of(rt::write_zip({})).empty()); }

// torch leaves the sizes of the local header at zero and writes them after the data.
TEST(Zip, AcceptsSizesThatFollowTheData) {
  const std::string descriptor = "PK\x07\x08" + rt::le(0U) + rt::le(5U) + rt::le(5U);
  const std::string file = rt::write_zip({{.name = "a", .data = "alpha" + descriptor, .flags = 8, .local_size = 0, .size = 5}});
  EXPECT_EQ(text(entries_of(file).at("a")), "alpha");
}

TEST(Zip, ReadsZip64SizesOffsetsAndEndRecord) {
  const std::string wide = rt::le(std::uint16_t{1}) + rt::le(std::uint16_t{24}) + rt::le(std::uint64_t{5}) +
                           rt::le(std::uint64_t{5}) + rt::le(std::uint64_t{0});
  const std::string local =
      rt::le(std::uint16_t{1}) + rt::le(std::uint16_t{16}) + rt::le(std::uint64_t{5}) + rt::le(std::uint64_t{5});
  const std::string file = rt::write_zip({{.name = "a",
                                           .data = "alpha",
                                           .local_size = 0xFFFFFFFF,
                                           .size = 0xFFFFFFFF,
                                           .header_offset = 0xFFFFFFFF,
                                           .local_extra = local,
                                           .central_extra = wide},
                                          {.name = "b", .data = "beta"}},
                                         {.zip64 = true});
  EXPECT_EQ(text(entries_of(file).at("a")), "alpha");
  EXPECT_EQ(text(entries_of(file).at("b")), "beta");
}

TEST(Zip, FindsTheEndRecordBeforeAComment) {
  EXPECT_EQ(entries_of(rt::write_zip({{.name = "a", .data = "x"}}, {.comment = "hello"})).size(), 1U);
  EXPECT_EQ(entries_of(rt::write_zip({{.name = "a", .data = "x"}}, {.comment = std::string(65'535, 'c')})).size(), 1U);
  // A comment that looks like an end record of another length does not mislead.
  EXPECT_EQ(entries_of(rt::write_zip({{.name = "a", .data = "x"}}, {.comment = "PK\x05\x06" + std::string(40, 'z')})).size(), 1U);
}

TEST(Zip, EntryCountLimit) {
  const auto archive = [](std::size_t count) {
    std::vector<rt::ZipEntrySpec> entries;
    for (std::size_t i = 0; i < count; ++i) entries.push_back({.name = std::to_string(i)});
    return rt::write_zip(entries);
  };
  EXPECT_EQ(entries_of(archive(limits::kMaxZipEntries - 1)).size(), limits::kMaxZipEntries - 1);
  EXPECT_EQ(entries_of(archive(limits::kMaxZipEntries)).size(), limits::kMaxZipEntries);
  rt::expect_refused([&] { entries_of(archive(limits::kMaxZipEntries + 1)); }, "has 20001 zip entries, the limit is 20000");
}

TEST(Zip, NameLengthLimit) {
  const auto named = [](std::size_t length) { return rt::write_zip({{.name = std::string(length, 'n')}}); };
  EXPECT_NO_THROW(entries_of(named(limits::kMaxTensorName - 1)));
  EXPECT_NO_THROW(entries_of(named(limits::kMaxTensorName)));
  rt::expect_refused([&] { entries_of(named(limits::kMaxTensorName + 1)); }, "a name of 513 bytes, the limit is 512");
}

}  // namespace
}  // namespace revisit::model
