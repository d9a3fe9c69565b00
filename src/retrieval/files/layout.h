// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Names and headers of the files of an index folder. Numbers are little-endian.
//   catalogue.sqlite  photos and settings; a row exists once its transaction is committed here
//   vectors.bin       64-byte header, then dim f32 per row
//   codes.i8          64-byte header, then per row 16 bytes of CodeRow and dim int8 codes, padded; derived from vectors.bin
//   local.i8          64-byte header, then records of patches (local_record.h), where the catalogue says; only if asked for
//   lock              pid and start of the writer
// and the derived files of derived.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "retrieval/files/disk.h"

namespace revisit::retrieval {

inline constexpr const char* kCatalogueName = "catalogue.sqlite";
inline constexpr const char* kVectorsName = "vectors.bin";
inline constexpr const char* kCodesName = "codes.i8";
inline constexpr const char* kLocalName = "local.i8";
inline constexpr const char* kLockName = "lock";

inline constexpr std::uint32_t kRowFileVersion = 1;  ///< of vectors.bin, codes.i8 and local.i8; the catalogue has one of its own
inline constexpr std::uint64_t kHeaderBytes = 64;
inline constexpr std::uint64_t kCodeAlignment = 64;  ///< codes are padded with zeros to a multiple of it
inline constexpr std::uint64_t kCodeRowBytes = 16;   ///< sizeof(CodeRow)

enum class FileKind { kVectors, kCodes, kLocal };

struct Header {
  FileKind kind = FileKind::kVectors;
  std::uint32_t version = kRowFileVersion;
  int dim = 0;
  std::uint64_t identity = 0;  ///< random, the same in files that belong together

  std::uint64_t row_bytes() const;  ///< not of local.i8, whose records have sizes of their own
  std::uint64_t bytes_of(int rows) const { return kHeaderBytes + static_cast<std::uint64_t>(rows) * row_bytes(); }
};

std::array<std::byte, kHeaderBytes> encode(const Header& header);

/// Reads and checks; Error kBadFile names the field and its value.
Header read_header(const File& file, FileKind kind);

inline std::uint64_t padded_dim(int dim) {
  return (static_cast<std::uint64_t>(dim) + kCodeAlignment - 1) / kCodeAlignment * kCodeAlignment;
}

}  // namespace revisit::retrieval
