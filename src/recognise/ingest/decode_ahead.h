// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Photos one after the other: the next one is decoded while one is in work. A photo that cannot be used comes as what is wrong with it.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <variant>

#include "core/base/prefetch.h"
#include "revisit/error.h"
#include "revisit/image.h"

namespace revisit {

struct DecodedPhoto {
  std::variant<Image, Skipped> content;
  double ms = 0;         ///< that decoding took
  std::string note{};    ///< what of the photo was left out; mostly empty
};

/// For reports; empty for a photo of which everything was used.
inline std::string left_out_note(const std::filesystem::path& path, const PhotoInfo& info) {
  return info.animated ? "'" + path.string() + "' holds an animation; only its still picture is used" : "";
}

class DecodeAhead {
 public:
  /// path_of(i) for i in [0, count); called on the decoding thread.
  DecodeAhead(std::size_t count, std::function<std::filesystem::path(std::size_t)> path_of, Orientation orientation);

  /// The next photo; must not be called more often than there are photos.
  DecodedPhoto next() { return std::move(*photos_.next()); }

 private:
  Prefetch<DecodedPhoto> photos_;
};

}  // namespace revisit
