// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// vectors.bin and codes.i8 are the same thing: a header, then rows of one size, appended. The catalogue says how many rows
// count, never the file's length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "retrieval/files/layout.h"

namespace revisit::retrieval {

/// Committed rows, mapped.
class RowFile {
 public:
  /// Error kBadFile when the header is wrong or the file is shorter than `rows` rows.
  RowFile(const std::filesystem::path& path, FileKind kind, int rows);

  const Header& header() const { return header_; }
  int rows() const { return rows_; }
  const std::byte* row(int index) const { return mapping_.data() + header_.bytes_of(index); }
  const std::byte* data() const { return mapping_.data() + kHeaderBytes; }

  /// Maps more of the same file. Earlier pointers into it become invalid.
  void grow(int rows);

 private:
  File file_;
  Header header_;
  int rows_ = 0;
  Mapping mapping_;
};

/// The writer's side. Rows go to the file through a bounded buffer; they are on the disk after flush().
class RowAppender {
 public:
  /// Creates the file with its header, completely or not at all.
  static void create(const std::filesystem::path& path, const Header& header);
  /// Cuts everything after `rows` rows: the rest of a run that did not reach its commit.
  RowAppender(const std::filesystem::path& path, FileKind kind, int rows);
  /// The same after `end` bytes of a file whose records have sizes of their own.
  RowAppender(const std::filesystem::path& path, FileKind kind, std::uint64_t end);

  const Header& header() const { return header_; }
  std::uint64_t end() const { return end_ + buffer_.size(); }  ///< where the next row begins
  void append(std::span<const std::byte> row);
  void flush();  ///< write what is buffered, then fdatasync

 private:
  void write_buffer();

  File file_;
  Header header_;
  std::uint64_t end_ = 0;  // bytes in the file
  std::vector<std::byte> buffer_;
};

/// Checks dim and identity of two files, or of a file and the catalogue.
void require_same_index(const Header& header, int dim, std::uint64_t identity, const std::filesystem::path& path);

/// vectors.bin of the index with this dim and identity.
RowFile open_vectors(const std::filesystem::path& folder, int dim, std::uint64_t identity, int rows);

/// Codes of one row as stored in codes.i8.
void encode_codes(std::span<const float> descriptor, std::vector<std::byte>& out);

/// Rebuilds codes.i8 from the rows.
void rebuild_codes(const std::filesystem::path& folder, const RowFile& vectors);

/// codes.i8 if it exists, is sound and long enough for these rows: it is derived, so anything else counts as absent.
std::optional<RowFile> open_codes(const std::filesystem::path& folder, const Header& vectors, int rows);

}  // namespace revisit::retrieval
