// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Files in a folder of photos that are not photos, counted by kind.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace revisit {

class OtherFiles {
 public:
  void add(std::string_view name);
  std::size_t count() const;
  /// "skipped 5 files that are not photos (3 HEIC, 1 video, 1 text)"; "" for none.
  std::string text() const;

 private:
  std::map<std::string, std::size_t> kinds_;
};

}  // namespace revisit
