// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// magic (8) version u32, dtype u32, dim u32, header bytes u32, identity u64, zeros, xxh3-64 of the 56 bytes before it.
#include "retrieval/files/layout.h"

#include <xxhash.h>

#include <cstring>
#include <span>
#include <string_view>

#include "core/base/byte_reader.h"
#include "core/base/fail.h"
#include "core/base/limits.h"

namespace revisit::retrieval {
namespace {

constexpr std::size_t kFileMagicBytes = 8;
constexpr std::size_t kHeaderChecksumAt = kHeaderBytes - 8;

struct KindWords {
  std::string_view magic;
  std::uint32_t dtype;  // 1: f32, 2: int8 with CodeRow, 3: records of patches
};

constexpr KindWords words_of(FileKind kind) {
  switch (kind) {
    case FileKind::kVectors: return {"rvsitvec", 1};
    case FileKind::kCodes: return {"rvsitcod", 2};
    case FileKind::kLocal: return {"rvsitloc", 3};
  }
  return {};
}

template <typename T>
void put(std::array<std::byte, kHeaderBytes>& bytes, std::size_t& at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof(T));
  at += sizeof(T);
}

}  // namespace

std::uint64_t Header::row_bytes() const {
  return kind == FileKind::kVectors ? static_cast<std::uint64_t>(dim) * sizeof(float) : kCodeRowBytes + padded_dim(dim);
}

std::array<std::byte, kHeaderBytes> encode(const Header& header) {
  std::array<std::byte, kHeaderBytes> bytes{};
  std::memcpy(bytes.data(), words_of(header.kind).magic.data(), kFileMagicBytes);
  std::size_t at = kFileMagicBytes;
  put(bytes, at, header.version);
  put(bytes, at, words_of(header.kind).dtype);
  put(bytes, at, static_cast<std::uint32_t>(header.dim));
  put(bytes, at, static_cast<std::uint32_t>(kHeaderBytes));
  put(bytes, at, header.identity);
  at = kHeaderChecksumAt;
  put(bytes, at, static_cast<std::uint64_t>(XXH3_64bits(bytes.data(), kHeaderChecksumAt)));
  return bytes;
}

Header read_header(const File& file, FileKind kind) {
  std::array<std::byte, kHeaderBytes> bytes{};
  const std::size_t got = file.read_start(bytes);
  const std::string name = file.path().string();
  const std::span<const std::byte> there(bytes.data(), got);
  ByteReader reader(there, name, ErrorCode::kBadFile);
  if (reader.text(kFileMagicBytes, "magic") != words_of(kind).magic) {
    fail(ErrorCode::kBadFile, "'{}' does not start with the magic '{}' of an index", name, words_of(kind).magic);
  }
  Header header;
  header.kind = kind;
  header.version = reader.u32("version");
  if (header.version > kRowFileVersion) {
    fail_with_hint(ErrorCode::kBadFile, "update revisit to read it", "'{}' has version {}, this program reads up to {}", name,
                   header.version, kRowFileVersion);
  }
  if (header.version == 0) fail(ErrorCode::kBadFile, "'{}' has version 0, the first is 1", name);
  const std::uint32_t dtype = reader.u32("dtype");
  if (dtype != words_of(kind).dtype)
    fail(ErrorCode::kBadFile, "'{}' has dtype {}, expected {}", name, dtype, words_of(kind).dtype);
  const std::uint32_t dim = reader.u32("dim");
  if (dim < 1 || dim > limits::kMaxDescriptorDim) {
    fail(ErrorCode::kBadFile, "'{}' has dim {}, the limits are 1 and {}", name, dim, limits::kMaxDescriptorDim);
  }
  header.dim = static_cast<int>(dim);
  const std::uint32_t header_bytes = reader.u32("header bytes");
  if (header_bytes != kHeaderBytes) {
    fail(ErrorCode::kBadFile, "'{}' has a header of {} bytes, expected {}", name, header_bytes, kHeaderBytes);
  }
  header.identity = reader.u64("identity");
  reader.seek(kHeaderChecksumAt, "header checksum");
  const std::uint64_t stored = reader.u64("header checksum");
  const std::uint64_t actual = XXH3_64bits(bytes.data(), kHeaderChecksumAt);
  if (stored != actual) {
    fail(ErrorCode::kBadFile, "'{}' has the header checksum {:016x}, its bytes give {:016x}", name, stored, actual);
  }
  return header;
}

}  // namespace revisit::retrieval
