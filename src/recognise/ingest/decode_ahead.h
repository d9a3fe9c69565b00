// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Photos one by one: the next is decoded while one is being processed. A photo that cannot be used comes with its reason.
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
  double ms = 0;       ///< spent decoding
  std::string note{};  ///< what was left out of the photo; mostly empty
};

/// For reports; empty for a photo of which everything was used.
inline std::string left_out_note(const std::filesystem::path& path, const PhotoInfo& info) {
  return info.animated ? "'" + path.string() + "' holds an animation; only its still picture is used" : "";
}

DecodedPhoto decode_photo(const std::filesystem::path& path, const DecodeOptions& options);

class DecodeAhead {
 public:
  /// path_of(i) for i in [0, count); called on the decoding thread.
  DecodeAhead(std::size_t count, std::function<std::filesystem::path(std::size_t)> path_of, const DecodeOptions& options);

  /// The next photo; must not be called more often than there are photos.
  DecodedPhoto next() { return std::move(*photos_.next()); }

 private:
  Prefetch<DecodedPhoto> photos_;
};

}  // namespace revisit
