// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// File names are untrusted text: all of it passes through here before it reaches a page, and through csv_cell for a table.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "core/formats/markup.h"

namespace revisit::report {

inline std::string escaped(std::string_view text) { return escaped_markup(text); }
inline std::string printable(std::string_view text) { return without_controls(text); }

std::string base64(std::span<const std::byte> bytes);

void write_text(const std::filesystem::path& file, std::string_view text);
void make_folder(const std::filesystem::path& folder);

}  // namespace revisit::report
