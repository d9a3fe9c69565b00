// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Finding photos below a folder without asking the file system about every single one.
#include "recognise/photos/photos.h"

#include <sys/stat.h>

#include <algorithm>
#include <set>
#include <system_error>
#include <utility>

#include "core/base/fail.h"
#include "core/base/file.h"
#include "core/base/limits.h"
#include "core/base/stop_scope.h"
#include "core/formats/other_files.h"
#include "core/formats/printable.h"
#include "core/formats/text.h"

namespace revisit {
namespace {

namespace fs = std::filesystem;

// Folders are entered once, wherever links lead, so no loop or web of links can trap the walk. Real folders come first: a
// photo is named by where it is, not by a link to it.
class Walk {
 public:
  explicit Walk(fs::path root) : root_(std::move(root)) {}

  std::vector<std::string> names() {
    real_.push_back("");
    while (!real_.empty() || !linked_.empty()) {
      std::string folder;
      if (!real_.empty()) {
        folder = std::move(real_.back());
        real_.pop_back();
      } else {
        folder = std::move(linked_.extract(linked_.begin()).value());
      }
      if (first_visit(folder)) enter(folder);
    }
    std::ranges::sort(names_);
    return std::move(names_);
  }

  const OtherFiles& others() const { return others_; }

 private:
  bool first_visit(const std::string& folder) {
    struct stat info {};
    const fs::path path = root_ / folder;
    if (::stat(path.c_str(), &info) != 0) return true;  // opening it will say why
    return seen_.emplace(info.st_dev, info.st_ino).second;
  }

  void enter(const std::string& folder) {
    std::error_code error;
    const fs::path path = folder.empty() ? root_ : root_ / folder;
    fs::directory_iterator it(path, error);
    for (; !error && it != fs::directory_iterator(); it.increment(error)) {
      std::string name = folder + it->path().filename().string();
      std::error_code ignored;  // other entries are judged by name and, at worst, fail on opening
      if (it->is_symlink(ignored)) {
        if (it->is_directory(ignored)) {
          linked_.insert(name + "/");
          continue;
        }
      } else if (it->is_directory(ignored)) {
        real_.push_back(name + "/");
        continue;
      }
      is_photo_name(name) ? names_.push_back(std::move(name)) : others_.add(name);
    }
    if (error) fail(ErrorCode::kNotFound, "cannot read the folder '{}': {}", path.string(), error.message());
  }

  fs::path root_;
  std::vector<std::string> real_;
  std::set<std::string> linked_;  // sorted, so that the result does not depend on the order on disk
  std::set<std::pair<dev_t, ino_t>> seen_;
  std::vector<std::string> names_;
  OtherFiles others_;
};

std::string too_long(std::string_view name) {
  return fmt::format("is a name of {} bytes, the limit is {}", name.size(), limits::kMaxPhotoName);
}

// One path a line, relative to the folder.
std::vector<Photo> photos_of_list(const fs::path& folder, const fs::path& list) {
  const std::string text = read_text(list, limits::kMaxPhotoListBytes);
  std::vector<Photo> out;
  std::set<std::string, std::less<>> seen;
  std::uint64_t line = 0;
  StopTicker ticker;
  for (std::string_view rest = text; !rest.empty();) {
    const auto name = take_line(rest);
    ++line;
    ticker.step(name.size() + 1);
    if (name.empty()) continue;
    const auto bad = [&](const std::string& what) {
      fail(ErrorCode::kBadFile, "'{}', line {}: '{}' {}", list.string(), line, printable(name), what);
    };
    if (name.find('\0') != std::string_view::npos) bad("has a zero byte");
    if (name.size() > limits::kMaxPhotoName) bad(too_long(name));
    if (!seen.emplace(name).second) bad("is listed twice");
    Photo photo = photo_of(folder, std::string(name));
    if (!is_there(photo.path)) {
      fail(ErrorCode::kNotFound, "'{}', line {}: '{}' does not exist", list.string(), line, printable(photo.path.string()));
    }
    out.push_back(std::move(photo));
  }
  if (out.empty()) fail(ErrorCode::kNotFound, "'{}' lists no photo", list.string());
  return out;
}

}  // namespace

bool is_photo_name(std::string_view name) {
  const auto dot = name.rfind('.');
  if (dot == std::string_view::npos || name.size() - dot > 5) return false;
  const std::string extension = lower(name.substr(dot));
  return extension == ".jpg" || extension == ".jpeg" || extension == ".png" || extension == ".webp";
}

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

std::string last_part(const fs::path& folder) { return (folder / "").parent_path().filename().string(); }

std::size_t num_placed(const std::vector<Photo>& photos) {
  return static_cast<std::size_t>(std::ranges::count_if(photos, [](const Photo& photo) { return photo.position.has_value(); }));
}

Photo photo_of(const fs::path& folder, std::string name) {
  if (name.size() > limits::kMaxPhotoName) fail(ErrorCode::kLimit, "'{}' {}", printable(name), too_long(name));
  Photo out;
  out.path = folder / name;
  out.position = position_from_name(name);
  out.name = std::move(name);
  return out;
}

std::vector<Photo> listed_photos(const fs::path& folder, const std::vector<std::string>& names, const std::string& list) {
  std::vector<Photo> out;
  out.reserve(names.size());
  StopTicker ticker;
  for (const auto& name : names) {
    ticker.step(64 + name.size());
    if (name.size() > limits::kMaxPhotoName)
      fail(ErrorCode::kLimit, "'{}' names a photo: '{}' {}", list, printable(name), too_long(name));
    const fs::path relative(name);
    const bool inside = !name.empty() && relative.is_relative() && name.find('\0') == std::string::npos &&
                        std::ranges::find(relative, fs::path("..")) == relative.end();
    if (!inside)
      fail(ErrorCode::kBadFile, "'{}' names the photo '{}', which is not below its folder", list, printable(name));
    out.push_back(photo_of(folder, name));
    if (!is_there(out.back().path)) {
      fail(ErrorCode::kNotFound, "'{}' does not exist, though '{}' names it", printable(out.back().path.string()), list);
    }
  }
  return out;
}

std::string read_text(const fs::path& path, std::uint64_t max_bytes) {
  const auto bytes = read_file(path, max_bytes);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

PhotoNames::PhotoNames(const std::vector<Photo>& photos) {
  index_.reserve(photos.size());
  for (std::size_t i = 0; i < photos.size(); ++i) index_.emplace(photos[i].name, static_cast<int>(i));
}

std::optional<int> PhotoNames::find(std::string_view name) const {
  if (name.starts_with("./")) name.remove_prefix(2);
  const auto found = index_.find(name);
  return found == index_.end() ? std::nullopt : std::optional(found->second);
}


std::vector<Photo> photos_in(const std::filesystem::path& folder, std::vector<std::string>* notes) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path clean = (folder / "").parent_path();  // without the slash at the end
  if (!fs::is_directory(clean, error)) {
    fail(ErrorCode::kNotFound, "'{}' {}", folder.string(), is_there(clean) ? "is not a folder" : "does not exist");
  }
  const fs::path list = clean.string() + "_images_paths.txt";
  if (is_there(list)) return photos_of_list(clean, list);
  Walk walk(clean);
  auto names = walk.names();
  if (names.empty()) fail(ErrorCode::kNotFound, "the folder '{}' holds no .jpg, .jpeg, .png or .webp file", folder.string());
  if (notes != nullptr && walk.others().count() > 0) notes->push_back(fmt::format("'{}': {}", folder.string(), walk.others().text()));
  std::vector<Photo> out;
  out.reserve(names.size());
  for (auto& name : names) out.push_back(photo_of(clean, std::move(name)));
  return out;
}

}  // namespace revisit
