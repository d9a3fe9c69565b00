// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Local features of one photo as they lie in local.i8: for each patch x, y and weight (u16 each), then the codes of all. How many
// patches there are follows from the number of bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "retrieval/files/disk.h"
#include "revisit/local.h"

namespace revisit::retrieval {

inline constexpr std::uint64_t kPatchBytes = 6;
inline constexpr std::uint64_t kMostRecordBytes = LocalFeatures::kMostPatches * (kPatchBytes + LocalFeatures::kMostDim);

/// Throws Error kUsage for features that are not as LocalFeatures says.
std::vector<std::byte> encode_local(const LocalFeatures& features);

/// Error kBadFile, with `what` as its subject, for bytes that encode_local() does not give.
LocalFeatures decode_local(std::span<const std::byte> bytes, int dim, const std::string& what);

/// Differs from row to row and from index to index, so that a record read for another row fails it.
std::uint64_t local_checksum(std::span<const std::byte> record, int row, std::uint64_t identity);

/// Of the index with this identity, its header checked.
class LocalFile {
 public:
  LocalFile(const std::filesystem::path& folder, std::uint64_t identity);

  int dim() const { return dim_; }
  /// Error kBadFile unless these bytes are there and have this checksum.
  LocalFeatures read(int row, std::uint64_t start, std::uint64_t bytes, std::uint64_t checksum) const;

 private:
  File file_;
  std::uint64_t identity_;
  int dim_;
};

}  // namespace revisit::retrieval
