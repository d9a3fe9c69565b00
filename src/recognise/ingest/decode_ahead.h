// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Photos one after the other: the next one is decoded while one is in work. A photo that cannot be used comes as what is wrong with it.
#pragma once

#include <filesystem>
#include <functional>
#include <variant>

#include "core/base/prefetch.h"
#include "revisit/error.h"
#include "revisit/image.h"

namespace revisit {

struct DecodedPhoto {
  std::variant<Image, Skipped> content;
  double ms = 0;  ///< that decoding took
};

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
