// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Reads the central directory from the end of the file, then checks each local header against it.
#include "engine/model/zip.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/byte_reader.h"
#include "core/base/checked.h"
#include "core/base/limits.h"
#include "core/base/stop_scope.h"
#include "core/formats/printable.h"
#include "engine/model/utf8.h"

namespace revisit::model {
namespace {

constexpr std::uint32_t kLocalSignature = 0x04034B50;
constexpr std::uint32_t kCentralSignature = 0x02014B50;
constexpr std::uint32_t kEnd64Signature = 0x06064B50;
constexpr std::uint32_t kLocator64Signature = 0x07064B50;
constexpr std::string_view kEndSignature = "PK\x05\x06";
constexpr std::uint64_t kEndBytes = 22;
constexpr std::uint64_t kEnd64Bytes = 56;
constexpr std::uint64_t kLocator64Bytes = 20;
constexpr std::uint64_t kCentralBytes = 46;
constexpr std::uint64_t kLongestComment = 65'535;
constexpr std::uint32_t kIn64 = 0xFFFFFFFF;  // "see the zip64 field"
constexpr std::uint16_t kEncrypted = 1U << 0;
constexpr std::uint16_t kSizesFollow = 1U << 3;
constexpr std::uint16_t kZip64Extra = 1;

struct Directory {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  std::uint64_t count = 0;
  std::uint64_t end_record = 0;  // where the records that close the archive begin
};

struct Entry {
  std::string name;
  std::uint16_t flags = 0;
  std::uint32_t crc = 0;
  std::uint64_t size = 0;
  std::uint64_t header = 0;  // offset of the local header
  std::uint64_t data = 0;
};

class ZipParser {
 public:
  ZipParser(std::span<const std::byte> bytes, const std::string& file)
      : bytes_(bytes), file_(file), reader_(bytes, file, ErrorCode::kBadModel) {}

  ZipEntries run() {
    const Directory directory = find_directory();
    std::vector<Entry> entries = read_central(directory);
    // In the order of the file: an entry is read only if it begins after the previous one, so no byte is read twice.
    std::ranges::stable_sort(entries, {}, &Entry::header);
    ZipEntries out;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      Entry& entry = entries[i];
      check_local(entry);
      const std::uint64_t limit = i + 1 < entries.size() ? entries[i + 1].header : directory.offset;
      if (entry.data > limit || entry.size > limit - entry.data) {
        bad(entry, fmt::format("overlaps {}",
                               i + 1 < entries.size() ? "'" + printable(entries[i + 1].name) + "'" : "the central directory"));
      }
      if (!out.emplace(entry.name, bytes_.subspan(entry.data, entry.size)).second) bad(entry, "occurs twice");
    }
    return out;
  }

 private:
  [[noreturn]] void bad(const Entry& entry, const std::string& what) const {
    fail(ErrorCode::kBadModel, "'{}': the zip entry '{}' {}", file_, printable(entry.name), what);
  }
  [[noreturn]] void bad(const std::string& what) const { fail(ErrorCode::kBadModel, "'{}': {}", file_, what); }

  // The end record is the last one whose comment reaches exactly to the end of the file.
  std::uint64_t find_end_record() {
    if (bytes_.size() < kEndBytes) bad(fmt::format("a zip file has at least {} bytes, not {}", kEndBytes, bytes_.size()));
    const std::uint64_t last = bytes_.size() - kEndBytes;
    const std::uint64_t first = last > kLongestComment ? last - kLongestComment : 0;
    const std::string_view tail(reinterpret_cast<const char*>(bytes_.data() + first), bytes_.size() - first);
    for (std::size_t at = tail.rfind(kEndSignature, last - first); at != tail.npos;
         at = at > 0 ? tail.rfind(kEndSignature, at - 1) : tail.npos) {
      reader_.seek(first + at + kEndBytes - 2, "the end record");
      if (reader_.u16("the comment length") == last - first - at) return first + at;
    }
    bad("the zip end record is missing; the file is cut or not a zip file");
  }

  Directory find_directory() {
    const std::uint64_t end = find_end_record();
    reader_.seek(end + 4, "the end record");
    const std::uint16_t disk = reader_.u16("the end record");
    const std::uint16_t directory_disk = reader_.u16("the end record");
    const std::uint16_t disk_entries = reader_.u16("the end record");
    const std::uint16_t entries = reader_.u16("the end record");
    const std::uint32_t size = reader_.u32("the end record");
    const std::uint32_t offset = reader_.u32("the end record");
    Directory out{offset, size, entries, end};
    if (end >= kLocator64Bytes) {
      reader_.seek(end - kLocator64Bytes, "the zip64 locator");
      if (reader_.u32("the zip64 locator") == kLocator64Signature) {
        out = read_zip64(end);
        const bool agrees = (size == kIn64 || size == out.size) && (offset == kIn64 || offset == out.offset) &&
                            (entries == 0xFFFF || entries == out.count);
        if (!agrees) bad("the zip64 end record differs from the plain one");
      }
    }
    const bool saturated = disk == 0xFFFF && directory_disk == 0xFFFF;
    if ((disk != 0 || directory_disk != 0) && !(saturated && out.end_record != end))
      bad("the zip file is split over several disks");
    if (disk_entries != entries) bad("the zip end record counts its entries in two different ways");
    if (out.count > limits::kMaxZipEntries) {
      fail(ErrorCode::kLimit, "'{}' has {} zip entries, the limit is {}", file_, out.count, limits::kMaxZipEntries);
    }
    if (out.offset > out.end_record || out.size != out.end_record - out.offset) {
      bad(fmt::format("the zip directory of {} bytes at byte {} does not end where the end record begins, at byte {}", out.size,
                      out.offset, out.end_record));
    }
    if (out.count > out.size / kCentralBytes)
      bad(fmt::format("{} zip entries do not fit in a directory of {} bytes", out.count, out.size));
    return out;
  }

  Directory read_zip64(std::uint64_t end) {
    reader_.seek(end - kLocator64Bytes + 4, "the zip64 locator");
    const std::uint32_t disk = reader_.u32("the zip64 locator");
    const std::uint64_t at = reader_.u64("the zip64 locator");
    const std::uint32_t disks = reader_.u32("the zip64 locator");
    if (disk != 0 || disks > 1) bad("the zip64 file is split over several disks");
    const std::uint64_t locator = end - kLocator64Bytes;
    if (at > locator || locator - at != kEnd64Bytes) bad(fmt::format("the zip64 end record is not at byte {}", at));
    reader_.seek(at, "the zip64 end record");
    if (reader_.u32("the zip64 end record") != kEnd64Signature) bad(fmt::format("the zip64 end record is not at byte {}", at));
    if (reader_.u64("the zip64 end record") != kEnd64Bytes - 12) bad("the zip64 end record has an unknown size");
    reader_.u32("the zip64 versions");
    const std::uint32_t this_disk = reader_.u32("the zip64 end record");
    const std::uint32_t directory_disk = reader_.u32("the zip64 end record");
    const std::uint64_t disk_entries = reader_.u64("the zip64 end record");
    Directory out;
    out.count = reader_.u64("the zip64 end record");
    out.size = reader_.u64("the zip64 end record");
    out.offset = reader_.u64("the zip64 end record");
    out.end_record = at;
    if (this_disk != 0 || directory_disk != 0 || disk_entries != out.count) bad("the zip64 file is split over several disks");
    return out;
  }

  std::vector<Entry> read_central(const Directory& directory) {
    std::vector<Entry> out;
    out.reserve(directory.count);
    reader_.seek(directory.offset, "the zip directory");
    for (std::uint64_t i = 0; i < directory.count; ++i) {
      check_stop();
      out.push_back(read_central_entry());
    }
    if (reader_.position() != directory.end_record) {
      bad(fmt::format("the {} zip entries end at byte {}, the directory at byte {}", directory.count, reader_.position(),
                      directory.end_record));
    }
    return out;
  }

  Entry read_central_entry() {
    constexpr const char* kWhat = "the zip directory";
    Entry entry;
    const std::uint64_t at = reader_.position();
    if (reader_.u32(kWhat) != kCentralSignature) bad(fmt::format("the zip directory has no entry at byte {}", at));
    reader_.u32(kWhat);  // versions
    entry.flags = reader_.u16(kWhat);
    const std::uint16_t method = reader_.u16(kWhat);
    reader_.u32(kWhat);  // time and date
    entry.crc = reader_.u32(kWhat);
    const std::uint32_t packed32 = reader_.u32(kWhat);
    const std::uint32_t size32 = reader_.u32(kWhat);
    const std::uint16_t name_bytes = reader_.u16(kWhat);
    const std::uint16_t extra_bytes = reader_.u16(kWhat);
    const std::uint16_t comment_bytes = reader_.u16(kWhat);
    const std::uint16_t disk = reader_.u16(kWhat);
    reader_.u16(kWhat);  // attributes
    reader_.u32(kWhat);
    const std::uint32_t header32 = reader_.u32(kWhat);
    entry.name = reader_.text(name_bytes, "a zip entry's name");
    const auto extra = reader_.take(extra_bytes, "a zip entry's extra field");
    reader_.take(comment_bytes, "a zip entry's comment");
    check_name(entry);
    if (method != 0) bad(entry, fmt::format("is compressed (method {}); only stored entries are read", method));
    if ((entry.flags & kEncrypted) != 0) bad(entry, "is encrypted");
    if (disk != 0) bad(entry, "lies on another disk");
    Zip64 wide(extra, *this, entry);
    entry.size = wide.value(size32);
    const std::uint64_t packed = wide.value(packed32);
    entry.header = wide.value(header32);
    if (packed != entry.size) bad(entry, fmt::format("is stored, yet has {} packed and {} unpacked bytes", packed, entry.size));
    return entry;
  }

  // Names become keys of a map, never paths; unsafe ones are still refused, since they only occur in attacks.
  void check_name(const Entry& entry) const {
    const std::string& name = entry.name;
    if (name.empty()) bad(entry, "has no name");
    if (name.size() > limits::kMaxTensorName) {
      fail(ErrorCode::kLimit, "'{}': the zip entry '{}' has a name of {} bytes, the limit is {}", file_, printable(name),
           name.size(), limits::kMaxTensorName);
    }
    if (!is_utf8(name)) bad(entry, "has a name that is not UTF-8");
    if (name.front() == '/' || name.find('\\') != std::string::npos || name.find('\0') != std::string::npos ||
        (name.size() > 1 && name[1] == ':')) {
      bad(entry, "has an absolute or unsafe name");
    }
    if (("/" + name + "/").find("/../") != std::string::npos) bad(entry, "has a name with '..'");
  }

  void check_local(Entry& entry) {
    constexpr const char* kWhat = "a zip entry's local header";
    check_stop();
    if (entry.header > bytes_.size())
      bad(entry, fmt::format("has its header at byte {}, past the end of the file", entry.header));
    reader_.seek(entry.header, kWhat);
    if (reader_.remaining() < 30) bad(entry, "has a local header that is cut");
    if (reader_.u32(kWhat) != kLocalSignature) bad(entry, fmt::format("has no local header at byte {}", entry.header));
    reader_.u16(kWhat);  // version
    const std::uint16_t flags = reader_.u16(kWhat);
    const std::uint16_t method = reader_.u16(kWhat);
    reader_.u32(kWhat);  // time and date
    const std::uint32_t crc = reader_.u32(kWhat);
    const std::uint32_t packed32 = reader_.u32(kWhat);
    const std::uint32_t size32 = reader_.u32(kWhat);
    const std::uint16_t name_bytes = reader_.u16(kWhat);
    const std::uint16_t extra_bytes = reader_.u16(kWhat);
    if (reader_.remaining() < std::uint64_t{name_bytes} + extra_bytes) bad(entry, "has a local header that is cut");
    const std::string_view name = reader_.text(name_bytes, kWhat);
    const auto extra = reader_.take(extra_bytes, kWhat);
    if (name != entry.name) bad(entry, "has another name in its local header: '" + printable(name) + "'");
    if (method != 0) bad(entry, fmt::format("is compressed (method {}) by its local header", method));
    if (flags != entry.flags)
      bad(entry, fmt::format("has flags {} in its local header, {} in the directory", flags, entry.flags));
    if ((flags & kSizesFollow) == 0) {
      Zip64 wide(extra, *this, entry);
      const std::uint64_t size = wide.value(size32);
      const std::uint64_t packed = wide.value(packed32);
      if (size != entry.size || packed != entry.size) {
        bad(entry, fmt::format("has {} bytes in its local header, {} in the directory", size, entry.size));
      }
      if (crc != entry.crc) bad(entry, "has another checksum in its local header");
    } else if ((size32 != 0 && size32 != kIn64 && size32 != entry.size) ||
               (packed32 != 0 && packed32 != kIn64 && packed32 != entry.size)) {
      bad(entry, fmt::format("has {} bytes in its local header, {} in the directory", size32, entry.size));
    }
    entry.data = reader_.position();
  }

  // The zip64 extra field holds, in a fixed order, only those values that are saturated in the plain record.
  class Zip64 {
   public:
    Zip64(std::span<const std::byte> extra, const ZipParser& parser, const Entry& entry) : parser_(parser), entry_(entry) {
      ByteReader reader(extra, parser.file_, ErrorCode::kBadModel);
      while (reader.remaining() >= 4) {
        const std::uint16_t id = reader.u16("an extra field");
        const std::uint16_t size = reader.u16("an extra field");
        if (size > reader.remaining()) parser_.bad(entry_, "has an extra field that is cut");
        const auto field = reader.take(size, "an extra field");
        if (id == kZip64Extra && !values_) values_.emplace(field, parser.file_, ErrorCode::kBadModel);
      }
    }

    std::uint64_t value(std::uint32_t plain) {
      if (plain != kIn64) return plain;
      if (!values_ || values_->remaining() < sizeof(std::uint64_t)) parser_.bad(entry_, "lacks its zip64 sizes");
      return values_->u64("a zip64 size");
    }

   private:
    const ZipParser& parser_;
    const Entry& entry_;
    std::optional<ByteReader> values_;
  };

  std::span<const std::byte> bytes_;
  std::string file_;
  ByteReader reader_;
};

}  // namespace

ZipEntries parse_zip(std::span<const std::byte> bytes, const std::string& file) { return ZipParser(bytes, file).run(); }

}  // namespace revisit::model
