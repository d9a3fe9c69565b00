// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Zip archives of stored entries, as torch writes them. There is no decompression code: nothing can expand.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>

namespace revisit::model {

using ZipEntries = std::map<std::string, std::span<const std::byte>>;

/// Every entry by name, its bytes in place. Refused, naming the entry: compressed or encrypted entries, entries that overlap,
/// local headers that differ from the central directory, duplicate or unsafe names. `file` names the archive in error
/// sentences. Throws Error kBadModel, kLimit.
ZipEntries parse_zip(std::span<const std::byte> bytes, const std::string& file);

}  // namespace revisit::model
