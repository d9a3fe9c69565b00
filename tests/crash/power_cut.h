// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// What a disk may hold after a power cut: everything flushed, and any part of what was not. Plays back the log of
// power_cut_shim.cpp up to a moment and drops, of what came after a file's last flush, any 512 bytes, any change of length, and
// of what came after a folder's last flush, any name made, moved or removed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace revisit::testing {

struct DiskChange {
  char kind;             // C made, W written, T cut, S flushed, D folder flushed, R renamed, U removed, M folder made
  std::uint32_t file;    // of C W T S
  std::uint64_t offset;  // of W; the new length of T
  std::string bytes;     // of W; else the path, of R both, with a line break between
};

inline std::vector<DiskChange> read_changes(const std::string& log) {
  std::vector<DiskChange> out;
  std::size_t at = 0;
  const auto take = [&](void* to, std::size_t size) {
    std::memcpy(to, log.data() + at, size);
    at += size;
  };
  constexpr std::size_t kHead = 1 + 4 + 8 + 4;
  while (at + kHead <= log.size()) {
    DiskChange change{};
    std::uint32_t size = 0;
    take(&change.kind, 1);
    take(&change.file, 4);
    take(&change.offset, 8);
    take(&size, 4);
    if (size > log.size() - at) break;
    change.bytes = log.substr(at, size);
    at += size;
    out.push_back(std::move(change));
  }
  return out;
}

class DiskAfterCut {
 public:
  /// The first `until` changes have been made when the power goes.
  DiskAfterCut(const std::vector<DiskChange>& changes, std::size_t until, unsigned seed) : random_(seed) {
    keep_ = kChances[random_() % std::size(kChances)];
    // A file's flush saves all that was written to it before, a folder's all that happened to its names.
    std::map<std::uint32_t, std::size_t> files;
    std::map<std::string, std::size_t> folders;
    for (std::size_t i = 0; i < until; ++i) {
      if (changes[i].kind == 'S') files[changes[i].file] = i;
      if (changes[i].kind == 'D') folders[changes[i].bytes] = i;
    }
    const auto flushed_at = [](const auto& known, const auto& key) {
      const auto found = known.find(key);
      return found == known.end() ? std::size_t{0} : found->second;
    };
    for (std::size_t i = 0; i < until; ++i) {
      const DiskChange& change = changes[i];
      if (change.kind == 'W' || change.kind == 'T') {
        apply_to_file(change, i < flushed_at(files, change.file));
      } else if (change.kind != 'S' && change.kind != 'D') {
        const std::string path = change.bytes.substr(0, change.bytes.find('\n'));
        apply_to_names(change, i < flushed_at(folders, std::filesystem::path(path).parent_path().string()));
      }
    }
  }

  /// The files below `root` as they would be, put into `folder`. Those in a folder that did not survive are not there.
  void put(const std::filesystem::path& root, const std::filesystem::path& folder) const {
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    for (const auto& path : folders_) std::filesystem::create_directories(folder / path.first.lexically_relative(root));
    for (const auto& [path, file] : names_) {
      const auto to = folder / path.lexically_relative(root);
      if (!std::filesystem::is_directory(to.parent_path())) continue;
      const auto content = contents_.find(file);
      std::ofstream(to, std::ios::binary) << (content == contents_.end() ? std::string() : content->second);
    }
  }

 private:
  static constexpr unsigned kChances[] = {0, 10, 50, 90, 100};  // percent of unflushed changes that got to the disk
  static constexpr std::size_t kSector = 512;

  bool survives(bool flushed) { return flushed || random_() % 100 < keep_; }

  void apply_to_file(const DiskChange& change, bool flushed) {
    std::string& content = contents_[change.file];
    if (change.kind == 'T') {
      if (survives(flushed)) content.resize(change.offset);
      return;
    }
    for (std::size_t at = 0; at < change.bytes.size();) {
      const std::size_t in_sector = kSector - (change.offset + at) % kSector;
      const std::size_t size = std::min(in_sector, change.bytes.size() - at);
      if (survives(flushed)) {
        if (content.size() < change.offset + at + size) content.resize(change.offset + at + size);
        content.replace(change.offset + at, size, change.bytes, at, size);
      }
      at += size;
    }
  }

  void apply_to_names(const DiskChange& change, bool flushed) {
    const bool kept = survives(flushed);
    if (change.kind == 'R') {
      const std::size_t middle = change.bytes.find('\n');
      const std::string from = change.bytes.substr(0, middle);
      const std::string to = change.bytes.substr(middle + 1);
      const auto moved = files_now_.find(from);
      if (moved == files_now_.end()) return;
      const std::uint32_t file = moved->second;
      files_now_.erase(moved);
      files_now_[to] = file;
      if (!kept) return;
      names_.erase(from);
      names_[to] = file;
    } else if (change.kind == 'U') {
      files_now_.erase(change.bytes);
      if (kept) names_.erase(change.bytes);
    } else if (change.kind == 'M') {
      if (kept) folders_[change.bytes] = true;
    } else {
      files_now_[change.bytes] = change.file;
      if (kept) names_[change.bytes] = change.file;
    }
  }

  std::mt19937 random_;
  unsigned keep_ = 0;
  std::map<std::uint32_t, std::string> contents_;
  std::map<std::string, std::uint32_t> files_now_;        // names as the writer saw them
  std::map<std::filesystem::path, std::uint32_t> names_;  // as the disk has them
  std::map<std::filesystem::path, bool> folders_;
};

}  // namespace revisit::testing
