// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// A spec as JSON: numbers as numbers, a size as [height, width].
#include <nlohmann/json.hpp>

#include "revisit/spec.h"

namespace revisit {

std::string spec_json(const DescriptorSpec& spec) {
  auto object = nlohmann::ordered_json::object();
  for (const Setting& one : settings()) {
    const SettingValue value = one.get(spec);
    if (const auto* whole = std::get_if<std::int64_t>(&value)) object[one.name] = *whole;
    if (const auto* number = std::get_if<double>(&value)) object[one.name] = *number;
    if (const auto* text = std::get_if<std::string>(&value)) object[one.name] = *text;
    if (const auto* size = std::get_if<Size>(&value)) object[one.name] = {size->height, size->width};
  }
  return object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace revisit
