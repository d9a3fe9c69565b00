// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// What describe reads: photos, folders of photos, and .npy tensors.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "revisit/error.h"
#include "core/formats/other_files.h"
#include "revisit/image.h"

namespace revisit::cli {

struct InputList {
  std::vector<std::filesystem::path> paths;  ///< in argument order; a folder's photos sorted by path
  std::vector<Skipped> unreadable;           ///< folders that cannot be read or hold no photo
  OtherFiles others;                         ///< files in folders that are not photos
  bool has_folder = false;
};

/// Folders are searched recursively for .jpg .jpeg .png .webp, in any case. Nothing is opened yet.
InputList expand_inputs(const std::vector<std::string>& arguments);

/// Preprocessed pictures of one .npy file.
struct TensorStack {
  std::size_t count = 0;
  Size size;
  std::vector<float> values;  ///< (count, 3, H, W)
};

struct LoadedInput {
  std::filesystem::path path;
  std::variant<Skipped, Image, TensorStack> content;
  bool animated = false;  ///< frames of an animation were left out
};

/// Throws only std::bad_alloc and the like, and Error kInterrupted; an unusable input is returned as Skipped.
LoadedInput load_input(const std::filesystem::path& path, const DecodeOptions& options);

}  // namespace revisit::cli
