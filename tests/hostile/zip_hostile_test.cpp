// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Zip archives whose records contradict each other or the bytes that are there.
#include <gtest/gtest.h>

#include "hostile/checkpoint_builder.h"
#include "engine/model/containers.h"
#include "engine/model/zip.h"

namespace revisit::model {
namespace {

namespace rt = revisit::testing;
using rt::expect_refused;
using rt::ZipEndSpec;
using rt::ZipEntrySpec;

struct ZipLie {
  std::string label;
  std::string part;
  std::string file;
};

std::string zip64_extra(std::initializer_list<std::uint64_t> values) {
  std::string out = rt::le(std::uint16_t{1}) + rt::le(static_cast<std::uint16_t>(8 * values.size()));
  for (const std::uint64_t value : values) out += rt::le(value);
  return out;
}

TEST(ZipLies, AreRefusedNamingTheEntry) {
  const ZipEntrySpec a{.name = "m/a", .data = "alpha"};
  const ZipEntrySpec b{.name = "m/b", .data = "beta"};
  const auto one = [](ZipEntrySpec entry) {
    entry.name = entry.name.empty() ? "m/x" : entry.name;
    entry.data = entry.data.empty() ? "12345678" : entry.data;
    return rt::write_zip({entry});
  };
  const std::string good = rt::write_zip({a, b});
  ASSERT_NO_THROW(parse_zip(rt::bytes_of(good), "m.pth"));
  constexpr std::uint32_t kWide = 0xFFFFFFFF;
  const std::vector<ZipLie> lies = {
      {"deflated", "'m/x' is compressed (method 8)", one({.method = 8})},
      {"deflated by the local header only", "'m/x' is compressed (method 8) by its local header", one({.local_method = 8})},
      {"encrypted", "'m/x' is encrypted", one({.flags = 1})},
      {"encrypted by the local header only", "'m/x' has flags 1 in its local header", one({.local_flags = 1})},
      {"another local name", "'m/x' has another name in its local header: 'm/y'", one({.local_name = "m/y"})},
      {"another local size", "'m/x' has 7 bytes in its local header, 8 in the directory", one({.local_size = 7})},
      {"another local size with sizes following", "'m/x' has 7 bytes", one({.flags = 8, .local_size = 7})},
      {"another local checksum", "'m/x' has another checksum", one({.local_crc = 1})},
      {"packed and unpacked differ", "'m/x' is stored, yet has 4 packed and 8 unpacked bytes", one({.packed_size = 4})},
      {"size past the directory", "'m/x' overlaps the central directory", one({.local_size = 900, .size = 900})},
      {"entries that overlap", "'m/a' overlaps 'm/b'",
       rt::write_zip({{.name = "m/a", .data = "alpha", .local_size = 6, .size = 6}, b})},
      {"two entries on one header", "'m/a' overlaps 'm/b'",
       rt::write_zip({a, {.name = "m/b", .data = "beta", .header_offset = 0}})},
      {"a doubled entry on one header", "overlaps 'm/a'",
       rt::write_zip({a, {.name = "m/a", .data = "alpha", .header_offset = 0}})},
      {"a doubled name", "'m/a' occurs twice", rt::write_zip({a, a})},
      {"header offset past the end", "'m/x' has its header at byte 9999999", one({.header_offset = 9'999'999})},
      {"header offset into data", "'m/x' has no local header at byte 3", one({.header_offset = 3})},
      {"a header cut by the end of the file", "'m/x' has a local header that is cut", one({.header_offset = 100})},
      {"name with ..", "'m/../x' has a name with '..'", one({.name = "m/../x"})},
      {"name that is ..", "'../x' has a name with '..'", one({.name = "../x"})},
      {"absolute name", "'/etc/passwd' has an absolute or unsafe name", one({.name = "/etc/passwd"})},
      {"backslash", "has an absolute or unsafe name", one({.name = "m\\x"})},
      {"drive letter", "has an absolute or unsafe name", one({.name = "C:x"})},
      {"NUL in the name", "has an absolute or unsafe name", one({.name = std::string("m\0x", 3)})},
      {"name that is not UTF-8", "not UTF-8", one({.name = "m/\xC0\xAF"})},
      {"another disk", "'m/x' lies on another disk", one({.disk = 1})},
      {"no name", "has no name", rt::write_zip({{.data = "x"}})},
      {"zip64 sizes missing", "'m/x' lacks its zip64 sizes", one({.size = kWide})},
      {"zip64 sizes cut", "'m/x' lacks its zip64 sizes", one({.size = kWide, .central_extra = zip64_extra({8})})},
      {"zip64 size 2^64-1", "'m/x' has 8 bytes in its local header, 18446744073709551615",
       one({.size = kWide, .central_extra = zip64_extra({~std::uint64_t{0}, ~std::uint64_t{0}})})},
      {"zip64 size 2^64-1 everywhere", "'m/x' overlaps the central directory",
       one({.flags = 8, .local_size = 0, .size = kWide, .central_extra = zip64_extra({~std::uint64_t{0}, ~std::uint64_t{0}})})},
      {"zip64 offset 2^64-1", "'m/x' has its header at byte 18446744073709551615",
       one({.header_offset = kWide, .central_extra = zip64_extra({~std::uint64_t{0}})})},
      {"extra field cut", "'m/x' has an extra field that is cut", one({.central_extra = rt::le(std::uint32_t{0xFFFF0001})})},
      {"no end record", "end record is missing", good.substr(0, good.size() - 22)},
      {"end record cut", "end record is missing", good.substr(0, good.size() - 1)},
      {"too short", "at least 22 bytes", "PK\x05\x06"},
      {"comment longer than the file", "end record is missing", rt::write_zip({a}, {.comment_length = 5})},
      {"64 KB comment cut", "end record is missing",
       rt::write_zip({a}, {.comment = std::string(65'000, 'c'), .comment_length = 65'535})},
      {"bytes after the comment", "end record is missing", good + "x"},
      {"bytes before the archive", "does not end where the end record begins", "xx" + good},
      {"count too large", "do not fit", rt::write_zip({a}, {.count = 9})},
      {"count too small", "the 1 zip entries end at", rt::write_zip({a, b}, {.count = 1})},
      {"count one too large", "has no entry", rt::write_zip({a, {.name = std::string(60, 'n')}}, {.count = 3})},
      {"two counts", "in two different ways", rt::write_zip({a}, {.disk_count = 2})},
      {"several disks", "several disks", rt::write_zip({a}, {.disk = 1})},
      {"directory past the end", "does not end where", rt::write_zip({a}, {.directory_offset = 9'999'999})},
      {"directory size 2^32-1 without zip64", "does not end where", rt::write_zip({a}, {.directory_size = kWide})},
      {"zip64 record elsewhere", "the zip64 end record is not at byte 0", rt::write_zip({a}, {.zip64 = true, .record64 = 0})},
      {"zip64 record far away", "the zip64 end record is not at byte",
       rt::write_zip({a}, {.zip64 = true, .record64 = ~std::uint64_t{0}})},
      {"zip64 count 2^64-1", "the limit is 20000", rt::write_zip({a}, {.zip64 = true, .count64 = ~std::uint64_t{0}})},
      {"zip64 offset 2^64-1", "does not end where", rt::write_zip({a}, {.zip64 = true, .offset64 = ~std::uint64_t{0}})},
      {"zip64 size 2^64-1", "does not end where", rt::write_zip({a}, {.zip64 = true, .size64 = ~std::uint64_t{0}})},
      {"zip64 and plain record differ", "differs from the plain one", rt::write_zip({a}, {.count = 2, .zip64 = true})},
      {"bytes between directory and end", "does not end where", rt::write_zip({a}, {.before_end = "hidden"})},
  };
  EXPECT_GE(lies.size(), 20U);
  for (const ZipLie& lie : lies) expect_refused([&] { parse_zip(rt::bytes_of(lie.file), "m.pth"); }, lie.part, lie.label);
}

TEST(ZipLies, ArchivesThatAreNoPlainCheckpointAreRefused) {
  const std::string pickle = rt::SmallModel().pickle;
  const auto refused = [](const std::vector<ZipEntrySpec>& entries, const std::string& part) {
    const std::string file = rt::write_zip(entries);
    expect_refused([&] { parse_checkpoint(rt::bytes_of(file), nullptr, "m.pth"); }, part, part);
  };
  refused({}, "without 'data.pkl'");
  refused({{.name = "m/other", .data = "x"}}, "without 'data.pkl'");
  refused({{.name = "m/n/data.pkl", .data = pickle}}, "without 'data.pkl'");
  refused({{.name = "m/data.pkl", .data = pickle}, {.name = "n/data.pkl", .data = pickle}},
          "two pickles, 'm/data.pkl' and 'n/data.pkl'");
  refused({{.name = "data.pkl", .data = pickle}, {.name = "n/data.pkl", .data = pickle}}, "two pickles");
  refused({{.name = "m/data.pkl", .data = pickle}, {.name = "m/constants.pkl", .data = "x"}}, "TorchScript");
  refused({{.name = "m/data.pkl", .data = pickle}, {.name = "m/byteorder", .data = "big"}}, "'byteorder' says 'big'");
  refused({{.name = "m/data.pkl", .data = pickle + "x"}}, "1 bytes after its STOP");
  refused({{.name = "m/data.pkl", .data = pickle}}, "the storage '0' is missing");
}

}  // namespace
}  // namespace revisit::model
