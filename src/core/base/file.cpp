// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// POSIX behind file.h. Every failure names the file; a full disk is kNoSpace, never "Success".
#include "core/base/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "core/base/fail.h"
#include "core/base/stop_scope.h"

namespace revisit {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

constexpr std::size_t kReadBytes = 1U << 24U;  // read between two stop checks

struct OpenFile {
  int fd;
  std::uint64_t size;
};

// O_NONBLOCK so that a FIFO answers at once; only regular files pass.
OpenFile open_regular(const std::filesystem::path& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) fail(ErrorCode::kNotFound, "cannot open '{}': {}", path.string(), std::strerror(errno));
  struct stat info {};
  const bool regular = ::fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
  if (!regular) {
    ::close(fd);
    fail(ErrorCode::kNotFound, "'{}' is {}, not a regular file", path.string(),
         S_ISDIR(info.st_mode) ? "a folder" : "a device or pipe");
  }
  return {fd, static_cast<std::uint64_t>(info.st_size)};
}

ErrorCode write_error(int error) {
  return error == ENOSPC || error == EDQUOT || error == EFBIG ? ErrorCode::kNoSpace : ErrorCode::kIo;
}

}  // namespace

std::vector<std::byte> read_file(const std::filesystem::path& path, std::uint64_t max_bytes) {
  const OpenFile opened = open_regular(path);
  const Descriptor fd(opened.fd);
  if (opened.size > max_bytes) {
    fail(ErrorCode::kLimit, "'{}' has {} bytes, the limit is {}", path.string(), opened.size, max_bytes);
  }
  std::vector<std::byte> bytes(opened.size);
  std::size_t done = 0;
  while (done < bytes.size()) {
    check_stop();
    const ssize_t got = ::read(fd.get(), bytes.data() + done, std::min(kReadBytes, bytes.size() - done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(ErrorCode::kIo, "cannot read '{}': {}", path.string(), std::strerror(errno));
    if (got == 0) break;  // the file shrank while being read: what is there is parsed, and refused if cut
    done += static_cast<std::size_t>(got);
  }
  bytes.resize(done);
  return bytes;
}

MappedFile::MappedFile(const std::filesystem::path& path) {
  const OpenFile opened = open_regular(path);
  const Descriptor fd(opened.fd);
  size_ = opened.size;
  if (size_ == 0) return;
  void* data = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, fd.get(), 0);
  if (data == MAP_FAILED) fail(ErrorCode::kIo, "cannot map '{}': {}", path.string(), std::strerror(errno));
  data_ = static_cast<const std::byte*>(data);
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

AtomicFile::AtomicFile(std::filesystem::path path) : path_(std::move(path)) {
  struct stat info {};
  if (::stat(path_.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) {
    fail(ErrorCode::kIo, "cannot write '{}': it is a folder", path_.string());
  }
  const bool direct = info.st_mode != 0 && !S_ISREG(info.st_mode);
  if (direct) {
    fd_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    temporary_ = path_.string() + fmt::format(".{}.tmp", ::getpid());
    fd_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  }
  if (fd_ < 0) {
    const int error = errno;
    temporary_.clear();
    fail(write_error(error), "cannot write '{}': {}", path_.string(), std::strerror(error));
  }
}

AtomicFile::~AtomicFile() {
  if (fd_ >= 0) ::close(fd_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t put = ::write(fd_, bytes.data() + done, bytes.size() - done);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) {
      const int error = put == 0 ? ENOSPC : errno;
      fail(write_error(error), "cannot write '{}': {}", path_.string(), std::strerror(error));
    }
    done += static_cast<std::size_t>(put);
  }
}

void AtomicFile::write(std::string_view text) { write(std::as_bytes(std::span(text.data(), text.size()))); }

void AtomicFile::commit() {
  if (!temporary_.empty()) {
    if (::fsync(fd_) != 0) fail(write_error(errno), "cannot flush '{}': {}", path_.string(), std::strerror(errno));
    if (::rename(temporary_.c_str(), path_.c_str()) != 0) {
      fail(write_error(errno), "cannot rename to '{}': {}", path_.string(), std::strerror(errno));
    }
    temporary_.clear();
    const std::filesystem::path folder = path_.has_parent_path() ? path_.parent_path() : std::filesystem::path(".");
    const Descriptor parent(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (parent.get() >= 0) ::fsync(parent.get());
  }
  ::close(fd_);
  fd_ = -1;
}

}  // namespace revisit
