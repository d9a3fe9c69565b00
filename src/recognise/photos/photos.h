// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Shared by the loaders: names of photos, looking them up, and lists of files.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/salted_hash.h"
#include "revisit/photos.h"

namespace revisit {

bool is_photo_name(std::string_view name);

bool is_there(const std::filesystem::path& path);

/// The last part of a folder's path.
std::string last_part(const std::filesystem::path& folder);

/// How many have a position.
std::size_t num_placed(const std::vector<Photo>& photos);

/// The photo `name` of `folder`; its position is taken from the name if it has one. Throws Error kLimit for a name beyond
/// limits::kMaxPhotoName: a parsed path takes far more memory than its bytes.
Photo photo_of(const std::filesystem::path& folder, std::string name);

/// Photos of a list that came with a data set. A name that leaves the folder is Error kBadFile naming `list`; a missing photo
/// is kNotFound.
std::vector<Photo> listed_photos(const std::filesystem::path& folder, const std::vector<std::string>& names,
                                 const std::string& list);

/// The whole text of a file of at most max_bytes.
std::string read_text(const std::filesystem::path& path, std::uint64_t max_bytes);

/// Photos by name; points into the photos, which must stay where they are.
class PhotoNames {
 public:
  explicit PhotoNames(const std::vector<Photo>& photos);
  std::optional<int> find(std::string_view name) const;

 private:
  std::unordered_map<std::string_view, int, SaltedHash, std::equal_to<>> index_;
};

}  // namespace revisit
