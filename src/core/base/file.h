// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Files: bounded reading, mapping, and writing that happens completely or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "revisit/error.h"

namespace revisit {

/// Reads a regular file whole. Directories, FIFOs and devices are refused without blocking (Error kNotFound);
/// a file above max_bytes is Error kLimit.
std::vector<std::byte> read_file(const std::filesystem::path& path, std::uint64_t max_bytes);

/// A regular file mapped read-only for as long as the object lives.
class MappedFile {
 public:
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const { return {data_, size_}; }

 private:
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Writes beside `path` and renames on commit(); without commit() nothing appears under `path`.
/// A target that is not a regular file (/dev/null, a pipe) is written directly.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);
  void commit();  ///< fsync, rename, fsync of the folder

 private:
  std::filesystem::path path_;
  std::filesystem::path temporary_;  // empty when writing to path_ directly
  int fd_ = -1;
};

}  // namespace revisit
