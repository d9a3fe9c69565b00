// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The .npy files data sets come with: names of photos ('<U' texts) and lists of integers, plain or as numpy's pickled object
// arrays. Pickles are read as data by the interpreter of model/ under an allow-list of nine names; nothing is ever called.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace revisit::dataset {

/// A one-dimensional array of texts (of objects too, as long as they are texts), as UTF-8. Throws Error kBadFile, kLimit.
std::vector<std::string> parse_npy_texts(std::span<const std::byte> bytes, const std::string& name);

/// A one-dimensional array of integers.
std::vector<std::int64_t> parse_npy_integers(std::span<const std::byte> bytes, const std::string& name);

/// One list of integers for each row: an array (n, k) of integers, or n objects that are lists, tuples or arrays of integers.
std::vector<std::vector<std::int64_t>> parse_npy_lists(std::span<const std::byte> bytes, const std::string& name);

std::vector<std::string> read_npy_texts(const std::filesystem::path& path);
std::vector<std::int64_t> read_npy_integers(const std::filesystem::path& path);
std::vector<std::vector<std::int64_t>> read_npy_lists(const std::filesystem::path& path);

}  // namespace revisit::dataset
