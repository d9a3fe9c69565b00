// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Numbers, times and names as people write them in csv and json files. Nothing here depends on the locale.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace revisit {

/// Without spaces and tabs around it.
std::string_view trimmed(std::string_view text);

/// ASCII letters only.
std::string lower(std::string_view text);

/// A finite number with only spaces around it.
std::optional<double> parse_number(std::string_view text);

/// Seconds since 1970: a plain number, or ISO 8601 ("2024-05-01", "2024-05-01T12:30:15.5+02:00"); without a zone it is UTC.
std::optional<double> parse_time(std::string_view text);

std::vector<std::string_view> split(std::string_view text, char separator);

/// Takes the first line off `text`, without its end (LF or CRLF): a large text is read line by line, never kept as a list of
/// its lines.
std::string_view take_line(std::string_view& text);

/// "1 photo", "2 photos", "2 queries".
std::string counted(std::size_t count, const std::string& noun);

/// Library messages name fields in backquotes, `accept_truncated`; where the command has that flag ("--accept-truncated"), this
/// puts the flag in its place.
std::string with_flags(std::string text, const std::vector<std::string>& flags);

}  // namespace revisit
