// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Untrusted text made safe for pages and XML.
#pragma once

#include <string>
#include <string_view>

namespace revisit {

/// Safe as HTML or XML text and inside quoted attributes; bytes that are not UTF-8 or not printable become U+FFFD.
std::string escaped_markup(std::string_view text);

/// The same bytes made safe without marking them up, for drawn words.
std::string without_controls(std::string_view text);

}  // namespace revisit
