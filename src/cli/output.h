// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Can the output be written? Asked before hours of work, not after them.
#pragma once

#include <filesystem>

namespace revisit::cli {

/// Throws Error kIo when `file` is a folder or its folder is not there or cannot be written. Devices and pipes are fine.
void check_output_file(const std::filesystem::path& file);

/// A folder is made with its parents when it is not there. Throws Error kUsage when a file stands in its way and kIo when
/// nothing can be written there. Nothing is checked for an empty name.
void check_output_folder(const std::filesystem::path& folder);

}  // namespace revisit::cli
