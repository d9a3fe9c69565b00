// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Names of files are foreign text: nothing reaches a page without passing through here, nor a table without csv_cell.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace revisit::report {

/// Safe as HTML or XML text and inside quoted attributes; bytes that are no UTF-8 or no printable character become U+FFFD.
std::string escaped(std::string_view text);

/// The same bytes made safe without marking them up, for drawn words.
std::string printable(std::string_view text);

std::string base64(std::span<const std::byte> bytes);

void write_text(const std::filesystem::path& file, std::string_view text);
void make_folder(const std::filesystem::path& folder);

}  // namespace revisit::report
