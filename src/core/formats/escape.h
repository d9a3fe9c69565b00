// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Names of files hold any byte. In the text files we write they are UTF-8 on one line: a byte of a control character (U+0000 to
// U+001F, U+007F to U+009F) or that is not UTF-8 becomes "\xNN", two lowercase hexadecimal digits. So does a backslash
// that precedes such digits already ("\x5c"); every other backslash stays as it is. Nothing is lost.
#pragma once

#include <string>
#include <string_view>

namespace revisit {

std::string escaped_bytes(std::string_view text);

/// The inverse of escaped_bytes.
std::string unescaped_bytes(std::string_view text);

}  // namespace revisit
