// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// What a user may name as photos: folders, files, globs, lists and tables.
#include <glob.h>

#include <algorithm>
#include <utility>

#include "core/base/fail.h"
#include "core/base/limits.h"
#include "core/base/stop_scope.h"
#include "core/formats/text.h"
#include "recognise/photos/exif_places.h"
#include "recognise/photos/photos.h"
#include "recognise/photos/positions.h"
#include "revisit/photos.h"

namespace revisit {
namespace {

namespace fs = std::filesystem;

bool is_list(std::string_view name) { return lower(name).ends_with(".txt"); }

bool is_table(std::string_view name) {
  const std::string text = lower(name);
  return text.ends_with(".csv") || text.ends_with(".geojson") || text.ends_with(".json");
}

fs::path folder_of(const fs::path& file) { return file.has_parent_path() ? file.parent_path() : fs::path("."); }

// A path below the folder keeps its name, any other is named by its last part.
Photo photo_at(const fs::path& folder, const std::string& path) {
  Photo out = photo_of(folder, path);
  if (fs::path(path).is_absolute()) out.name = fs::path(path).filename().string();
  return out;
}

std::vector<Photo> photos_of_glob(const std::string& pattern) {
  ::glob_t found{};
  const int result = ::glob(pattern.c_str(), GLOB_BRACE | GLOB_TILDE, nullptr, &found);
  if (result == GLOB_NOSPACE) {
    ::globfree(&found);
    fail(ErrorCode::kNoMemory, "not enough memory to list the files that match '{}'", pattern);
  }
  // Names are relative to the last folder that has no wildcard in it.
  const auto wild = pattern.find_first_of("*?[{");
  const auto slash = pattern.rfind('/', wild);
  const std::string base = slash == std::string::npos ? "" : pattern.substr(0, slash + 1);
  std::vector<Photo> out;
  for (std::size_t i = 0; i < found.gl_pathc; ++i) {
    const std::string path = found.gl_pathv[i];
    if (!is_photo_name(path)) continue;
    Photo photo = photo_of("", path);
    photo.name = path.starts_with(base) ? path.substr(base.size()) : path;
    out.push_back(std::move(photo));
  }
  ::globfree(&found);
  if (out.empty()) fail(ErrorCode::kNotFound, "no .jpg, .jpeg, .png or .webp file matches '{}'", pattern);
  return out;
}

std::vector<Photo> photos_of_list(const fs::path& list) {
  const std::string text = read_text(list, limits::kMaxPhotoListBytes);
  std::vector<Photo> out;
  StopTicker ticker;
  for (std::string_view rest = text; !rest.empty();) {
    const auto line = take_line(rest);
    ticker.step(line.size() + 1);
    if (line.empty() || line.starts_with('#')) continue;
    if (line.find('\0') != std::string_view::npos) {
      fail(ErrorCode::kBadFile, "'{}' is not a list of photos: it has a zero byte", list.string());
    }
    out.push_back(photo_at(folder_of(list), std::string(line)));
  }
  if (out.empty()) fail(ErrorCode::kNotFound, "'{}' lists no photo", list.string());
  return out;
}

std::vector<Photo> photos_of_table(const fs::path& file, std::vector<std::string>& notes) {
  const PositionTable table = read_positions(file, notes);
  std::vector<std::pair<std::uint64_t, Photo>> rows;
  for (const auto& [name, placed] : table.photos) {
    Photo photo = photo_at(folder_of(file), name);
    photo.position = placed.position;
    photo.time_s = placed.time_s;
    rows.emplace_back(placed.row, std::move(photo));
  }
  if (rows.empty()) fail(ErrorCode::kNotFound, "'{}' lists no photo", file.string());
  std::ranges::sort(rows, {}, [](const auto& row) { return row.first; });
  std::vector<Photo> out;
  for (auto& row : rows) out.push_back(std::move(row.second));
  return out;
}

std::vector<Photo> photos_of(const std::string& source, std::vector<std::string>& notes) {
  std::error_code ignored;  // an unreadable path counts as missing
  if (fs::is_directory(source, ignored)) return photos_in(source, &notes);
  if (!fs::exists(source, ignored)) {
    if (source.find_first_of("*?[{") != std::string::npos) return photos_of_glob(source);
    fail(ErrorCode::kNotFound, "'{}' does not exist", source);
  }
  if (is_list(source)) return photos_of_list(source);
  if (is_table(source)) return photos_of_table(source, notes);
  if (!is_photo_name(source)) {
    fail_with_hint(ErrorCode::kUsage,
                   "give folders, photos, globs, lists of paths (.txt) or tables with positions (.csv, .geojson)",
                   "'{}' is not a .jpg, .jpeg, .png, .webp, .txt, .csv or .geojson file", source);
  }
  Photo photo = photo_of("", source);
  photo.name = fs::path(source).filename().string();
  return {std::move(photo)};
}

}  // namespace

std::vector<Photo> photos_from(const std::vector<std::string>& sources, const std::optional<std::filesystem::path>& positions,
                               std::vector<std::string>& notes) {
  std::optional<PositionTable> table;
  if (positions) table = read_positions(*positions, notes);
  std::vector<Photo> out;
  for (const auto& source : sources) {
    std::vector<Photo> photos = photos_of(source, notes);
    if (table && !is_table(source)) place_by_table(photos, last_part(source), *table);
    out.insert(out.end(), std::make_move_iterator(photos.begin()), std::make_move_iterator(photos.end()));
  }
  const std::size_t placed = num_placed(out);
  if (table && placed > 0 && placed < out.size()) {
    notes.push_back(fmt::format("positions are known for {} of {}", placed, counted(out.size(), "photo")));
  }
  if (table && placed == 0) {
    fail_with_hint(ErrorCode::kMismatch, "names in it are relative to the folder, or start with the folder's own name",
                   "'{}' has no position for any of the {}", positions->string(), counted(out.size(), "photo"));
  }
  return out;
}

void place_by_exif(std::vector<Photo>& photos) {
  for (auto& photo : photos) {
    if (photo.position && photo.time_s) continue;
    Photo by_exif = photo;
    place_by_exif(by_exif);
    if (!photo.position) photo.position = by_exif.position;
    if (!photo.time_s) photo.time_s = by_exif.time_s;
  }
}

std::optional<double> time_from(const std::string& text) { return parse_time(text); }

}  // namespace revisit
