// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Writes zip archives of stored entries, with every field open to a lie.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "hostile/bytes.h"

namespace revisit::testing {

/// An entry; unset fields are written as they should be.
struct ZipEntrySpec {
  std::string name = {};
  std::string data = {};
  std::uint16_t flags = 0;
  std::uint16_t method = 0;
  std::optional<std::uint16_t> local_flags = {};
  std::optional<std::uint16_t> local_method = {};
  std::optional<std::string> local_name = {};
  std::optional<std::uint32_t> local_size = {};
  std::optional<std::uint32_t> local_crc = {};
  std::optional<std::uint32_t> size = {};  // of the directory, packed and unpacked
  std::optional<std::uint32_t> packed_size = {};
  std::optional<std::uint32_t> header_offset = {};
  std::string local_extra = {};
  std::string central_extra = {};
  std::uint16_t disk = 0;
};

/// The records at the end; unset fields are written as they should be.
struct ZipEndSpec {
  std::string comment = {};
  std::optional<std::uint16_t> comment_length = {};
  std::optional<std::uint16_t> count = {};
  std::optional<std::uint16_t> disk_count = {};
  std::optional<std::uint32_t> directory_size = {};
  std::optional<std::uint32_t> directory_offset = {};
  std::uint16_t disk = 0;
  bool zip64 = false;
  std::optional<std::uint64_t> count64 = {};
  std::optional<std::uint64_t> size64 = {};
  std::optional<std::uint64_t> offset64 = {};
  std::optional<std::uint64_t> record64 = {};  // where the locator points
  std::string before_end = {};                 // bytes between directory and end records
};

inline std::string write_zip(const std::vector<ZipEntrySpec>& entries, const ZipEndSpec& end = {}) {
  const auto u16 = [](std::size_t value) { return le(static_cast<std::uint16_t>(value)); };
  const auto u32 = [](std::size_t value) { return le(static_cast<std::uint32_t>(value)); };
  std::string out;
  std::string central;
  for (const ZipEntrySpec& entry : entries) {
    const std::size_t header = out.size();
    const std::string name = entry.local_name.value_or(entry.name);
    out += "PK\x03\x04" + u16(20) + u16(entry.local_flags.value_or(entry.flags)) +
           u16(entry.local_method.value_or(entry.method)) + u32(0) + u32(entry.local_crc.value_or(0)) +
           u32(entry.local_size.value_or(static_cast<std::uint32_t>(entry.data.size()))) +
           u32(entry.local_size.value_or(static_cast<std::uint32_t>(entry.data.size()))) + u16(name.size()) +
           u16(entry.local_extra.size()) + name + entry.local_extra + entry.data;
    const std::uint32_t size = entry.size.value_or(static_cast<std::uint32_t>(entry.data.size()));
    central += "PK\x01\x02" + u16(20) + u16(20) + u16(entry.flags) + u16(entry.method) + u32(0) + u32(0) +
               u32(entry.packed_size.value_or(size)) + u32(size) + u16(entry.name.size()) + u16(entry.central_extra.size()) +
               u16(0) + u16(entry.disk) + u16(0) + u32(0) +
               u32(entry.header_offset.value_or(static_cast<std::uint32_t>(header))) + entry.name + entry.central_extra;
  }
  const std::size_t offset = out.size();
  out += central + end.before_end;
  if (end.zip64) {
    const std::uint64_t record = out.size();
    const std::uint64_t count = end.count64.value_or(entries.size());
    out += "PK\x06\x06" + le(std::uint64_t{44}) + u16(45) + u16(45) + u32(0) + u32(0) + le(count) + le(count) +
           le(end.size64.value_or(central.size())) + le(end.offset64.value_or(offset));
    out += "PK\x06\x07" + u32(0) + le(end.record64.value_or(record)) + u32(1);
  }
  const std::size_t count = end.count.value_or(end.zip64 ? 0xFFFF : static_cast<std::uint16_t>(entries.size()));
  out += "PK\x05\x06" + u16(end.disk) + u16(end.disk) + u16(end.disk_count.value_or(static_cast<std::uint16_t>(count))) +
         u16(count) + u32(end.directory_size.value_or(end.zip64 ? 0xFFFFFFFF : static_cast<std::uint32_t>(central.size()))) +
         u32(end.directory_offset.value_or(end.zip64 ? 0xFFFFFFFF : static_cast<std::uint32_t>(offset))) +
         u16(end.comment_length.value_or(static_cast<std::uint16_t>(end.comment.size()))) + end.comment;
  return out;
}

}  // namespace revisit::testing
