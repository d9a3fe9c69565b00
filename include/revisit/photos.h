// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Photos on disk: finding them, and where and when they were taken.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "revisit/geo.h"

namespace revisit {

struct Photo {
  std::string name;  ///< as results show it: relative to its folder
  std::filesystem::path path;
  std::optional<Position> position;
  std::optional<double> time_s;  ///< seconds since 1970
};

/// Photos below a folder: .jpg .jpeg .png .webp in any case, sorted by name; an optional FOLDER_images_paths.txt replaces the
/// scan. Symlink loops are followed once. Throws Error kNotFound when the folder does not exist or holds no photo. `notes`
/// counts other files.
std::vector<Photo> photos_in(const std::filesystem::path& folder, std::vector<std::string>* notes = nullptr);

/// Photos of a collection, from any of: folders, photo files, globs ("drive/*/left_*.jpg"), lists (.txt, one path per line) and
/// tables with positions (.csv, .geojson, .json). Paths in a list or table are relative to its folder. `positions`, a table,
/// places the photos of the other sources. Places and times not given there are left to whoever opens the photos. Throws Error
/// kNotFound naming the source; listed photos are not checked for existence.
std::vector<Photo> photos_from(const std::vector<std::string>& sources, const std::optional<std::filesystem::path>& positions,
                               std::vector<std::string>& notes);

/// Fills missing positions and times from EXIF data.
void place_by_exif(std::vector<Photo>& photos);

/// Seconds since 1970 from a plain number or ISO 8601 ("2024-05-01T12:30:15+02:00"; without a zone it is UTC); else nothing.
std::optional<double> time_from(const std::string& text);

}  // namespace revisit
