// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Preloaded into a writer: notes every change below REVISIT_CUT_ROOT, and every flush, in REVISIT_CUT_LOG, in their order. The
// writer itself runs on as ever. power_cut.h reads the log.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

namespace {

template <typename Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

class Recorder {
 public:
  Recorder() {
    const char* root = std::getenv("REVISIT_CUT_ROOT");
    const char* log = std::getenv("REVISIT_CUT_LOG");
    if (root == nullptr || log == nullptr) return;
    root_ = std::string(root) + "/";
    log_ = next<int(const char*, int, ...)>("open")(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  }

  bool wants(const char* path) const {
    return log_ >= 0 && (std::strncmp(path, root_.c_str(), root_.size()) == 0 || root_ == std::string(path) + "/");
  }

  void opened(int fd, const char* path, bool made) {
    struct stat info {};
    if (::fstat(fd, &info) != 0) return;
    const std::lock_guard guard(mutex_);
    if (S_ISDIR(info.st_mode)) {
      folders_[fd] = path;
      return;
    }
    std::uint32_t& id = inodes_[info.st_ino];
    if (made || id == 0) id = ++last_;  // a number used again is another file
    files_[fd] = id;
    if (made) note('C', id, 0, path, std::strlen(path));
  }

  void closed(int fd) {
    const std::lock_guard guard(mutex_);
    files_.erase(fd);
    folders_.erase(fd);
    positions_.erase(fd);
  }

  void written(int fd, std::uint64_t offset, const void* bytes, std::size_t size) {
    const std::lock_guard guard(mutex_);
    const auto file = files_.find(fd);
    if (file != files_.end()) note('W', file->second, offset, bytes, size);
  }

  /// write(2): nobody here seeks, so it continues where the last one ended.
  void appended(int fd, const void* bytes, std::size_t size) {
    const std::lock_guard guard(mutex_);
    const auto file = files_.find(fd);
    if (file == files_.end()) return;
    note('W', file->second, positions_[fd], bytes, size);
    positions_[fd] += size;
  }

  void cut(int fd, std::uint64_t size) {
    const std::lock_guard guard(mutex_);
    const auto file = files_.find(fd);
    if (file != files_.end()) note('T', file->second, size, nullptr, 0);
  }

  void flushed(int fd) {
    const std::lock_guard guard(mutex_);
    if (const auto file = files_.find(fd); file != files_.end()) note('S', file->second, 0, nullptr, 0);
    if (const auto folder = folders_.find(fd); folder != folders_.end()) {
      note('D', 0, 0, folder->second.data(), folder->second.size());
    }
  }

  void named(char kind, const std::string& names) {
    const std::lock_guard guard(mutex_);
    note(kind, 0, 0, names.data(), names.size());
  }

 private:
  void note(char kind, std::uint32_t id, std::uint64_t offset, const void* bytes, std::size_t size) {
    static auto* const write_through = next<ssize_t(int, const void*, std::size_t)>("write");
    std::string out(1, kind);
    const auto length = static_cast<std::uint32_t>(size);
    out.append(reinterpret_cast<const char*>(&id), sizeof(id));
    out.append(reinterpret_cast<const char*>(&offset), sizeof(offset));
    out.append(reinterpret_cast<const char*>(&length), sizeof(length));
    out.append(static_cast<const char*>(bytes), size);
    if (write_through(log_, out.data(), out.size()) != static_cast<ssize_t>(out.size())) std::_Exit(99);
  }

  std::string root_;
  int log_ = -1;
  std::mutex mutex_;
  std::map<ino_t, std::uint32_t> inodes_;
  std::map<int, std::uint32_t> files_;
  std::map<int, std::uint64_t> positions_;
  std::map<int, std::string> folders_;
  std::uint32_t last_ = 0;
};

Recorder& recorder() {
  static Recorder& made = *new Recorder;  // outlives everything that may still write
  return made;
}

int open_noted(const char* real, const char* path, int flags, mode_t mode) {
  auto* const open_through = next<int(const char*, int, ...)>(real);
  struct stat info {};
  const bool there = ::lstat(path, &info) == 0;
  const int fd = open_through(path, flags, mode);
  if (fd >= 0 && recorder().wants(path)) {
    recorder().opened(fd, path, !there && (flags & O_CREAT) != 0);
    if (there && (flags & O_TRUNC) != 0) recorder().cut(fd, 0);
  }
  return fd;
}

}  // namespace

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return open_noted("open", path, flags, mode);
}

EXPORTED int open64(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return open_noted("open64", path, flags, mode);
}

EXPORTED int close(int fd) {
  recorder().closed(fd);
  return next<int(int)>("close")(fd);
}

EXPORTED ssize_t write(int fd, const void* bytes, size_t size) {
  const ssize_t put = next<ssize_t(int, const void*, size_t)>("write")(fd, bytes, size);
  if (put > 0) recorder().appended(fd, bytes, static_cast<std::size_t>(put));
  return put;
}

EXPORTED ssize_t pwrite(int fd, const void* bytes, size_t size, off_t offset) {
  const ssize_t put = next<ssize_t(int, const void*, size_t, off_t)>("pwrite")(fd, bytes, size, offset);
  if (put > 0) recorder().written(fd, static_cast<std::uint64_t>(offset), bytes, static_cast<std::size_t>(put));
  return put;
}

EXPORTED ssize_t pwrite64(int fd, const void* bytes, size_t size, off64_t offset) {
  const ssize_t put = next<ssize_t(int, const void*, size_t, off64_t)>("pwrite64")(fd, bytes, size, offset);
  if (put > 0) recorder().written(fd, static_cast<std::uint64_t>(offset), bytes, static_cast<std::size_t>(put));
  return put;
}

EXPORTED int ftruncate(int fd, off_t size) noexcept {
  const int result = next<int(int, off_t)>("ftruncate")(fd, size);
  if (result == 0) recorder().cut(fd, static_cast<std::uint64_t>(size));
  return result;
}

EXPORTED int ftruncate64(int fd, off64_t size) noexcept {
  const int result = next<int(int, off64_t)>("ftruncate64")(fd, size);
  if (result == 0) recorder().cut(fd, static_cast<std::uint64_t>(size));
  return result;
}

EXPORTED int fsync(int fd) {
  const int result = next<int(int)>("fsync")(fd);
  if (result == 0) recorder().flushed(fd);
  return result;
}

EXPORTED int fdatasync(int fd) {
  const int result = next<int(int)>("fdatasync")(fd);
  if (result == 0) recorder().flushed(fd);
  return result;
}

EXPORTED int rename(const char* from, const char* to) noexcept {
  const int result = next<int(const char*, const char*)>("rename")(from, to);
  if (result == 0 && recorder().wants(to)) recorder().named('R', std::string(from) + '\n' + to);
  return result;
}

EXPORTED int unlink(const char* path) noexcept {
  const int result = next<int(const char*)>("unlink")(path);
  if (result == 0 && recorder().wants(path)) recorder().named('U', path);
  return result;
}

EXPORTED int mkdir(const char* path, mode_t mode) noexcept {
  const int result = next<int(const char*, mode_t)>("mkdir")(path, mode);
  if (result == 0 && recorder().wants(path)) recorder().named('M', path);
  return result;
}
