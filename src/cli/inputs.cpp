// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Walking folders and loading. Whatever cannot be used is named, never skipped silently.
#include "cli/inputs.h"

#include "core/base/or_skip.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/fail.h"
#include "core/formats/npy.h"

namespace revisit::cli {
namespace {

namespace fs = std::filesystem;

std::string lower_extension(const fs::path& path) {
  auto text = path.extension().string();
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

bool is_picture_name(const fs::path& path) {
  const auto extension = lower_extension(path);
  return extension == ".jpg" || extension == ".jpeg" || extension == ".png" || extension == ".webp";
}

// Links to folders are not followed, so a loop of links cannot trap the walk; links to files are.
void walk(const fs::path& folder, InputList& out) {
  std::error_code error;
  std::vector<fs::directory_entry> entries;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) entries.push_back(*it);
  if (error) {
    out.unreadable.push_back({folder.string(), ErrorCode::kNotFound,
                              fmt::format("cannot read the folder '{}': {}", folder.string(), error.message())});
    return;
  }
  std::ranges::sort(entries, {}, [](const fs::directory_entry& entry) { return entry.path(); });
  for (const auto& entry : entries) {
    std::error_code ignored;  // an entry whose kind is unknown is judged by its name and fails on opening
    const bool is_folder = entry.is_directory(ignored) && !entry.is_symlink(ignored);
    if (!is_folder) {
      is_picture_name(entry.path()) ? out.paths.push_back(entry.path()) : out.others.add(entry.path().filename().string());
      continue;
    }
    const auto before = out.paths.size() + out.unreadable.size();
    walk(entry.path(), out);
    // A folder named like a picture that holds none cannot be used.
    const bool nothing = out.paths.size() + out.unreadable.size() == before;
    if (nothing && is_picture_name(entry.path())) out.paths.push_back(entry.path());
  }
}

TensorStack load_tensors(const fs::path& path) {
  const auto name = path.string();
  const NpyArray array = read_npy(path);
  if (array.dtype != "f4") {
    fail_with_hint(ErrorCode::kBadFile, "save it with numpy.save(name, array.astype('float32'))",
                   "'{}' holds elements of type {}, not float32 (f4)", name, array.dtype);
  }
  auto shape = array.shape;
  if (shape.size() == 3) shape.insert(shape.begin(), 1);
  constexpr std::int64_t kMaxSide = std::numeric_limits<int>::max();
  if (shape.size() != 4 || shape[1] != 3 || *std::ranges::min_element(shape) < 1 || shape[2] > kMaxSide || shape[3] > kMaxSide) {
    fail(ErrorCode::kBadFile, "'{}' has shape ({}), not (3, H, W) or (n, 3, H, W)", name, fmt::join(array.shape, ", "));
  }
  TensorStack stack{static_cast<std::size_t>(shape[0]), {static_cast<int>(shape[2]), static_cast<int>(shape[3])}, array.to_f32()};
  if (!std::ranges::all_of(stack.values, [](float x) { return std::isfinite(x); })) {
    fail(ErrorCode::kBadFile, "'{}' holds NaN or infinity", name);
  }
  return stack;
}

}  // namespace

InputList expand_inputs(const std::vector<std::string>& arguments) {
  InputList out;
  for (const auto& argument : arguments) {
    std::error_code ignored;  // an unreadable path is reported when it is opened
    if (!fs::is_directory(argument, ignored)) {
      out.paths.emplace_back(argument);
      continue;
    }
    out.has_folder = true;
    const auto before = out.paths.size() + out.unreadable.size();
    walk(argument, out);
    if (out.paths.size() + out.unreadable.size() == before) {
      out.unreadable.push_back(
          {argument, ErrorCode::kNotFound, fmt::format("the folder '{}' holds no .jpg, .jpeg, .png or .webp file", argument)});
    }
  }
  return out;
}

LoadedInput load_input(const fs::path& path, const DecodeOptions& options) {
  LoadedInput out{path, {}, false};
  auto skipped = or_skip(path, [&] {
    if (lower_extension(path) == ".npy") {
      out.content = load_tensors(path);
    } else {
      PhotoInfo info;
      out.content = load_image(path, options, &info);
      out.animated = info.animated;
    }
  });
  if (skipped) out.content = std::move(*skipped);
  return out;
}

}  // namespace revisit::cli
