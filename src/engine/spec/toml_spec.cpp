// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// A TOML value becomes a setting's value when it is of its kind and range; Section says so when it is not.
#include "engine/spec/toml_spec.h"

#include "core/base/fail.h"

namespace revisit {
namespace {

bool assign(const TomlValue& value, const Setting& setting, DescriptorSpec& out) {
  SettingValue typed;
  if (const auto* whole = std::get_if<std::int64_t>(&value.value)) {
    typed = *whole;
  } else if (const auto* number = std::get_if<double>(&value.value)) {
    typed = *number;
  } else if (const auto* text = std::get_if<std::string>(&value.value)) {
    const auto parsed = setting.parse(*text);
    if (!parsed || (!std::holds_alternative<std::string>(*parsed) && !std::holds_alternative<Size>(*parsed))) return false;
    typed = *parsed;
  } else {
    return false;
  }
  try {
    setting.set(out, typed);
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

void read_settings(Section& in, DescriptorSpec& out, bool (*wanted)(const Setting&)) {
  for (const Setting& one : settings()) {
    if (!wanted(one)) continue;
    in.accept(one.name, one.wanted, [&](const TomlValue& value) { return assign(value, one, out); });
  }
}

}  // namespace revisit
