// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Nothing here trusts the type of a value before asking for it.
#include "lab/report/json_fields.h"

#include <cmath>

#include "core/base/file.h"
#include "core/base/limits.h"
#include "core/formats/json_tree.h"

namespace revisit::report {

using Json = Fields::Json;

constexpr const char* kDrawnHint = "revisit report redraws run.json of match, query and eval, and sweep.json of sweep";

Fields::Fields(const Json& object, std::string where) : object_(object), where_(std::move(where)) {
  if (!object.is_object()) bad("it is not a JSON object");
}

const Json& Fields::at(const char* key) const {
  const auto found = object_.find(key);
  if (found == object_.end()) bad("it has no '{}'", key);
  return *found;
}

const Json& Fields::list(const char* key) const {
  const Json& value = at(key);
  if (!value.is_array()) bad("'{}' is not a list", key);
  return value;
}

std::string Fields::text(const char* key, std::string otherwise) const {
  if (!has(key)) return otherwise;
  if (!at(key).is_string()) bad("'{}' is not text", key);
  return at(key).get<std::string>();
}

double Fields::number(const char* key, double low, double high) const {
  const Json& value = at(key);
  const bool fits = value.is_number() && value.get<double>() >= low && value.get<double>() <= high;
  if (!fits) bad("'{}' is not a number from {:g} to {:g}", key, low, high);
  return value.get<double>();
}

int Fields::whole(const char* key, int low, int high) const {
  const double value = number(key, low, high);
  if (value != std::floor(value)) bad("'{}' is not a whole number", key);
  return static_cast<int>(value);
}

std::vector<std::string> Fields::texts(const char* key) const {
  if (!has(key)) return {};
  std::vector<std::string> out;
  for (const auto& one : list(key)) {
    if (!one.is_string()) bad("'{}' holds something that is not text", key);
    out.push_back(one.get<std::string>());
  }
  return out;
}

Json read_json_file(const std::filesystem::path& file) {
  const auto bytes = read_file(file, limits::kMaxRunJsonBytes);
  const auto* text = reinterpret_cast<const char*>(bytes.data());
  Json out;
  try {
    out = parse_json({text, bytes.size()}, file.string(), {limits::kMaxRunJsonDepth, limits::kMaxRunJsonValues});
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kBadFile) throw;
    throw Error(error.code(), error.what(), kDrawnHint);
  }
  const Fields fields(out, "'" + file.string() + "'");
  if (!fields.has("schema") || fields.at("schema") != 1) {
    fail_with_hint(ErrorCode::kBadFile, kDrawnHint, "'{}' does not have schema 1", file.string());
  }
  return out;
}

}  // namespace revisit::report
