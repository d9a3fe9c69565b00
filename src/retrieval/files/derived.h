// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Files made from an index's rows, which can be deleted at any time: a header of 96 bytes that says what they were made from,
// then a payload. Both have a checksum, verified before anything in them is used. Numbers are little-endian.
//   pcaD.rows     PCA whitening to D values (kind kProjected), every row whitened by it, and their codes
//   hnsw.graph    the neighbours of every row (kGraph); pcaD.graph: of every whitened row
// A whitening saved on its own (kWhitening) has the same form.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "retrieval/files/disk.h"

namespace revisit::retrieval {

inline constexpr std::uint64_t kDerivedHeaderBytes = 96;

enum class DerivedKind { kWhitening, kProjected, kGraph };

struct DerivedHeader {
  DerivedKind kind = DerivedKind::kWhitening;
  int dim = 0;               ///< of the rows it was made from
  int target = 0;            ///< kWhitening, kProjected: values a row is whitened to; kGraph: links of an element
  std::uint64_t rows = 1;    ///< it was made from
  std::uint64_t origin = 0;  ///< fingerprint of these rows; 0 in a whitening on its own
  std::uint64_t learnt = 0;  ///< kProjected: from this many of them
};

struct Derived {
  DerivedHeader header;
  std::span<const std::byte> payload;
};

/// Checks everything but the payload's meaning; Error kBadFile names the field and its value.
Derived parse_derived(std::span<const std::byte> bytes, DerivedKind kind, const std::string& name);

/// The payload is the parts one after the other. Whole or not at all (AtomicFile).
void write_derived(const std::filesystem::path& path, const DerivedHeader& header,
                   std::span<const std::span<const std::byte>> parts);

/// What identifies rows: their number, and the bytes of 64 of them, evenly spaced, the last included. Rows never change once
/// they are committed; a folder restored from a copy and grown again differs in its last row.
std::uint64_t fingerprint_of(const float* rows, std::uint64_t count, int dim, std::uint64_t identity);

/// write_derived, if nobody is writing the index and the folder is writable: failing to keep a derived file is not an error.
void keep_derived(const std::filesystem::path& folder, const std::string& name, const DerivedHeader& header,
                  std::span<const std::span<const std::byte>> parts);

/// A mapped derived file, if it exists, is sound and of this kind; anything else counts as absent.
class DerivedFile {
 public:
  static std::optional<DerivedFile> open(const std::filesystem::path& path, DerivedKind kind);
  const DerivedHeader& header() const { return derived_.header; }
  std::span<const std::byte> payload() const { return derived_.payload; }

 private:
  Mapping mapping_;
  Derived derived_;
};

}  // namespace revisit::retrieval
