// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Kinds by extension: what people have beside their photos.
#include "core/formats/other_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "core/formats/text.h"

namespace revisit {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 24> kKinds{{
    {".heic", "HEIC"}, {".heif", "HEIC"}, {".avif", "AVIF"}, {".gif", "GIF"},   {".bmp", "BMP"},   {".tif", "TIFF"},
    {".tiff", "TIFF"}, {".dng", "raw"},   {".cr2", "raw"},   {".nef", "raw"},   {".arw", "raw"},   {".mp4", "video"},
    {".mov", "video"}, {".avi", "video"}, {".mkv", "video"}, {".webm", "video"}, {".m4v", "video"}, {".txt", "text"},
    {".csv", "text"},  {".json", "text"}, {".xml", "text"},  {".md", "text"},   {".npy", "array"}, {".pdf", "PDF"},
}};

std::string kind_of(std::string_view name) {
  const auto dot = name.rfind('.');
  const std::string extension = dot == std::string_view::npos ? "" : lower(name.substr(dot));
  for (const auto& [known, kind] : kKinds) {
    if (extension == known) return std::string(kind);
  }
  return "other";
}

}  // namespace

void OtherFiles::add(std::string_view name) { ++kinds_[kind_of(name)]; }

std::size_t OtherFiles::count() const {
  std::size_t out = 0;
  for (const auto& [kind, count] : kinds_) out += count;
  return out;
}

std::string OtherFiles::text() const {
  if (kinds_.empty()) return "";
  std::vector<std::pair<std::string, std::size_t>> sorted(kinds_.begin(), kinds_.end());
  std::ranges::stable_sort(sorted, [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::string> parts;
  for (const auto& [kind, count] : sorted) parts.push_back(fmt::format("{} {}", count, kind));
  return fmt::format("skipped {} that {} ({})", counted(count(), "file"), count() == 1 ? "is not a photo" : "are not photos",
                     fmt::join(parts, ", "));
}

}  // namespace revisit
