// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The JSON header of a safetensors file, read event by event so that reading a hostile one stops at its first fault.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/weights.h"

namespace revisit::model {

/// One header entry; begin and end count bytes from the start of the data.
struct SafetensorsEntry {
  std::string name;
  DType dtype = DType::kF32;
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

struct SafetensorsHeader {
  std::vector<SafetensorsEntry> entries;  // in the order of the header
  std::map<std::string, std::string> metadata;
};

/// Checks syntax, nesting, duplicate keys, field types and limits; offsets are not yet compared with each other.
/// `file` is the name of the file in error messages. Throws Error kBadModel, kLimit.
SafetensorsHeader parse_safetensors_header(std::string_view json, const std::string& file);

}  // namespace revisit::model
