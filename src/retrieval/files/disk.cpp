// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// POSIX behind disk.h.
#include "retrieval/files/disk.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <utility>

#include "core/base/fail.h"
#include "retrieval/files/layout.h"

namespace revisit::retrieval {
namespace {

ErrorCode code_of(int error) {
  if (error == ENOSPC || error == EDQUOT || error == EFBIG) return ErrorCode::kNoSpace;
  return error == ENOENT || error == EACCES || error == ENOTDIR ? ErrorCode::kNotFound : ErrorCode::kIo;
}

[[noreturn]] void refuse_kind(const std::filesystem::path& path, mode_t mode) {
  const char* kind = S_ISLNK(mode) ? "a link" : S_ISDIR(mode) ? "a folder" : "a device or pipe";
  fail(ErrorCode::kBadFile, "'{}' is {}, not a regular file", path.string(), kind);
}

int flags_of(File::Access access) {
  // O_NONBLOCK: a pipe in place of the file opens at once and is refused by its kind.
  const int common = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  if (access == File::Access::kRead) return common | O_RDONLY;
  return common | O_RDWR | (access == File::Access::kCreate ? O_CREAT : 0);
}

}  // namespace

File::File(std::filesystem::path path, Access access) : path_(std::move(path)) {
  fd_ = ::open(path_.c_str(), flags_of(access), 0644);
  if (fd_ < 0) {
    const int error = errno;
    is_regular_or_absent(path_);
    fail(code_of(error), "cannot open '{}': {}", path_.string(), std::strerror(error));
  }
  struct stat info {};
  if (::fstat(fd_, &info) != 0 || !S_ISREG(info.st_mode)) {
    ::close(std::exchange(fd_, -1));
    refuse_kind(path_, info.st_mode);
  }
}

File::~File() {
  if (fd_ >= 0) ::close(fd_);
}

File::File(File&& other) noexcept : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)) {}

File& File::operator=(File&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(fd_, other.fd_);
  return *this;
}

std::uint64_t File::size() const {
  struct stat info {};
  if (::fstat(fd_, &info) != 0) fail(ErrorCode::kIo, "cannot read the size of '{}': {}", path_.string(), std::strerror(errno));
  return static_cast<std::uint64_t>(info.st_size);
}

std::size_t File::read_at(std::uint64_t offset, std::span<std::byte> out) const {
  std::size_t done = 0;
  while (done < out.size()) {
    const ssize_t got = ::pread(fd_, out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(ErrorCode::kIo, "cannot read '{}': {}", path_.string(), std::strerror(errno));
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

void File::write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t put = ::pwrite(fd_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(offset + done));
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) {
      const int error = put == 0 ? ENOSPC : errno;
      fail(code_of(error), "cannot write '{}': {}", path_.string(), std::strerror(error));
    }
    done += static_cast<std::size_t>(put);
  }
}

void File::truncate(std::uint64_t size) {
  int result = 0;
  do {
    result = ::ftruncate(fd_, static_cast<off_t>(size));
  } while (result != 0 && errno == EINTR);
  if (result != 0) fail(code_of(errno), "cannot cut '{}' to {} bytes: {}", path_.string(), size, std::strerror(errno));
}

void File::flush() {
  // Not repeated on error: the kernel may have dropped the pages it could not write, and would report success next time.
  if (::fdatasync(fd_) != 0) fail(code_of(errno), "cannot flush '{}': {}", path_.string(), std::strerror(errno));
}

Mapping::Mapping(const File& file, std::uint64_t bytes) : size_(bytes) {
  if (bytes == 0) return;
  void* data = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file.descriptor(), 0);
  if (data == MAP_FAILED) fail(ErrorCode::kIo, "cannot map '{}': {}", file.path().string(), std::strerror(errno));
  data_ = static_cast<const std::byte*>(data);
}

Mapping::~Mapping() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

Mapping::Mapping(Mapping&& other) noexcept : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

Mapping& Mapping::operator=(Mapping&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

FolderLock FolderLock::take(const std::filesystem::path& folder) {
  FolderLock lock(File(folder / kLockName, File::Access::kCreate));
  if (::flock(lock.file_.descriptor(), LOCK_EX | LOCK_NB) != 0) {
    const int error = errno;
    if (error != EWOULDBLOCK) fail(ErrorCode::kIo, "cannot lock '{}': {}", folder.string(), std::strerror(error));
    char text[64] = {};
    const std::size_t size = lock.file_.read_start(std::as_writable_bytes(std::span(text)));
    std::string holder(text, size);
    while (!holder.empty() && holder.back() == '\n') holder.pop_back();
    for (char& c : holder) {
      if (c < ' ' || c > '~') c = '?';
    }
    fail_with_hint(ErrorCode::kIo, "wait for it to finish, or stop it: a lock vanishes with its process",
                   "index '{}' is locked by {}", folder.string(), holder.empty() ? "another process" : holder);
  }
  lock.name_holder();
  return lock;
}

std::optional<FolderLock> FolderLock::try_take(const std::filesystem::path& folder) {
  try {
    return take(folder);
  } catch (const Error&) {
    return std::nullopt;
  }
}

void FolderLock::name_holder() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  char time[32] = {};
  std::strftime(time, sizeof(time), "%Y-%m-%dT%H:%M:%SZ", &utc);
  const std::string text = fmt::format("pid {} since {}\n", ::getpid(), time);
  file_.truncate(0);
  file_.write_at(0, std::as_bytes(std::span(text.data(), text.size())));
}

void require_folder(const std::filesystem::path& folder) {
  struct stat info {};
  if (::stat(folder.c_str(), &info) != 0) {
    fail_with_hint(ErrorCode::kNotFound, "revisit index add DB PHOTOS makes one", "cannot open index '{}': {}", folder.string(),
                   std::strerror(errno));
  }
  if (!S_ISDIR(info.st_mode)) fail(ErrorCode::kNotFound, "index '{}' is not a folder", folder.string());
}

void flush_folder(const std::filesystem::path& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool flushed = fd >= 0 && ::fsync(fd) == 0;
  const int error = errno;
  if (fd >= 0) ::close(fd);
  if (!flushed) fail(code_of(error), "cannot flush folder '{}': {}", folder.string(), std::strerror(error));
}

bool is_regular_or_absent(const std::filesystem::path& path) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) return false;
  if (!S_ISREG(info.st_mode)) refuse_kind(path, info.st_mode);
  return true;
}

}  // namespace revisit::retrieval
