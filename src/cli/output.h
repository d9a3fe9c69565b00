// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Can the output be written? Asked before hours of work, not after them.
#pragma once

#include <filesystem>

namespace revisit::cli {

/// Throws Error kIo when `file` is a folder, or its folder does not exist or is not writable, kUsage when it would lie in an index.
/// Devices and pipes are fine.
void check_output_file(const std::filesystem::path& file);

/// A missing folder will be created with its parents. Throws Error kUsage when a file is in the way or it would lie in an index,
/// and kIo when it is not writable. An empty name is not checked.
void check_output_folder(const std::filesystem::path& folder);

}  // namespace revisit::cli
