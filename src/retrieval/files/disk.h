// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The few system calls an index needs: regular files only (no links), appending, flushing, mapping, and the lock that names
// its holder. Every failure is an Error with the file in it; a full disk is kNoSpace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

namespace revisit::retrieval {

/// An open regular file; closes itself.
class File {
 public:
  enum class Access { kRead, kReadWrite, kCreate };  ///< kCreate: read and write, created empty if missing

  /// A link, folder, device or pipe is Error kBadFile, a missing file kNotFound.
  File(std::filesystem::path path, Access access);
  ~File();
  File(File&& other) noexcept;
  File& operator=(File&& other) noexcept;

  std::uint64_t size() const;
  int descriptor() const { return fd_; }
  const std::filesystem::path& path() const { return path_; }

  /// Up to out.size() bytes from the start; returns how many there were.
  std::size_t read_start(std::span<std::byte> out) const { return read_at(0, out); }
  std::size_t read_at(std::uint64_t offset, std::span<std::byte> out) const;
  void write_at(std::uint64_t offset, std::span<const std::byte> bytes);
  void truncate(std::uint64_t size);
  void flush();  ///< fdatasync

 private:
  std::filesystem::path path_;
  int fd_ = -1;
};

/// The first `bytes` bytes of a file, read-only. They must be in the file, and stay there.
class Mapping {
 public:
  Mapping() = default;
  Mapping(const File& file, std::uint64_t bytes);
  ~Mapping();
  Mapping(Mapping&& other) noexcept;
  Mapping& operator=(Mapping&& other) noexcept;

  const std::byte* data() const { return data_; }
  std::uint64_t size() const { return size_; }

 private:
  const std::byte* data_ = nullptr;
  std::uint64_t size_ = 0;
};

/// flock on a file that says who holds it. The kernel releases it when the holder dies, however it dies.
class FolderLock {
 public:
  /// Error kIo "... is locked by pid N since T" when another process holds it.
  static FolderLock take(const std::filesystem::path& folder);
  /// Empty when another process holds it or the folder is not writable.
  static std::optional<FolderLock> try_take(const std::filesystem::path& folder);

 private:
  explicit FolderLock(File file) : file_(std::move(file)) {}
  void name_holder();
  File file_;
};

void require_folder(const std::filesystem::path& folder);
void flush_folder(const std::filesystem::path& folder);

/// Nothing, or a regular file: a link or folder under one of our names is Error kBadFile. Returns whether it exists.
bool is_regular_or_absent(const std::filesystem::path& path);

}  // namespace revisit::retrieval
