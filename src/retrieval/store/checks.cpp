// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// What a caller may put into an index. File contents are checked where they are read.
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/base/fail.h"
#include "core/base/limits.h"
#include "retrieval/store/catalogue.h"

namespace revisit {
namespace {

constexpr const char* kOwnSettings = "use the model and settings of the index, or start another index";

std::string value_of(const std::map<std::string, std::string>& constants, const std::string& key) {
  const auto found = constants.find(key);
  return found == constants.end() ? "nothing" : found->second;
}

// "heads 6, not 4; mean 0,0,0, not 0.5,0.5,0.5": the constants of two models that differ, the given one's first.
std::string told(const std::map<std::string, std::string>& stored, const std::map<std::string, std::string>& given) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : stored) keys.push_back(key);
  for (const auto& [key, value] : given) keys.push_back(key);
  std::ranges::sort(keys);
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  std::vector<std::string> parts;
  for (const std::string& key : keys) {
    if (value_of(stored, key) == value_of(given, key)) continue;
    const std::string name = key == "fingerprint" ? "weights" : key;
    parts.push_back(fmt::format("{} '{}', not '{}'", name, value_of(stored, key), value_of(given, key)));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

void require_same_model(const std::filesystem::path& folder, const IndexSettings& stored, const IndexSettings& given) {
  const auto& identity = stored.spec.model_identity;
  const auto& weights = stored.model_constants;
  if (identity == given.spec.model_identity) return;
  // An index of format 1 knows only the fingerprint of its model's weights.
  if (!identity && !weights.empty() && value_of(weights, "fingerprint") == value_of(given.model_constants, "fingerprint")) return;
  if (!identity && weights.empty()) {
    fail_with_hint(ErrorCode::kMismatch, kOwnSettings,
                   "index '{}' holds descriptors that a program made itself, not those of the model '{}'", folder.string(),
                   given.model);
  }
  if (!given.spec.model_identity) {
    fail_with_hint(ErrorCode::kMismatch, kOwnSettings,
                   "index '{}' was made with the model '{}', but these descriptors name no model", folder.string(), stored.model);
  }
  const std::string differences =
      identity ? told(stored.model_constants, given.model_constants)
               : fmt::format("weights '{}', not '{}'", value_of(weights, "fingerprint"), value_of(given.model_constants, "fingerprint"));
  fail_with_hint(ErrorCode::kMismatch, kOwnSettings, "index '{}' was made with a model other than '{}': {}", folder.string(),
                 given.model.empty() ? *given.spec.model_identity : given.model,
                 differences.empty() ? fmt::format("identity {}, not {}", *identity, *given.spec.model_identity) : differences);
}

}  // namespace

void require_compatible(const std::filesystem::path& folder, const IndexSettings& stored, const IndexSettings& given) {
  require_same_model(folder, stored, given);
  DescriptorSpec first = completed(stored.spec), second = completed(given.spec);
  first.model_identity.reset();  // compared above
  second.model_identity.reset();
  const std::string differing = differences_text(differences(first, second), Agreement::kMust);
  if (!differing.empty()) {
    fail_with_hint(ErrorCode::kMismatch, kOwnSettings, "index '{}' was made with different settings: {}", folder.string(),
                   differing);
  }
  if (stored.dim != given.dim) {
    fail_with_hint(ErrorCode::kMismatch, kOwnSettings, "index '{}' was made with dim {}, not {}", folder.string(), stored.dim,
                   given.dim);
  }
}

namespace retrieval {
namespace {

void check_text(const std::string& text, const char* what) {
  if (text.size() > limits::kMaxIndexName) {
    fail(ErrorCode::kUsage, "{} has {} bytes, the limit is {}", what, text.size(), limits::kMaxIndexName);
  }
  if (text.find('\0') != std::string::npos) fail(ErrorCode::kUsage, "{} contains a NUL byte", what);
}

void check_finite(double value, const char* what, const std::string& name) {
  if (!std::isfinite(value)) fail(ErrorCode::kUsage, "{} of '{}' is {}", what, name, value);
}

}  // namespace

void check_entry(const IndexEntry& entry) {
  if (entry.name.empty()) fail(ErrorCode::kUsage, "the name of an index entry is empty");
  check_text(entry.name, "the name of an index entry");
  check_text(entry.path, "the path of an index entry");
  if (entry.time_s) check_finite(*entry.time_s, "time_s", entry.name);
  if (!entry.position) return;
  const Position& position = *entry.position;
  check_finite(position.east_m, "east_m", entry.name);
  check_finite(position.north_m, "north_m", entry.name);
  if (position.heading_deg) check_finite(*position.heading_deg, "heading_deg", entry.name);
  if (position.geographic) {
    const LatLon place = *position.geographic;
    check_finite(place.lat_deg, "lat_deg", entry.name);
    check_finite(place.lon_deg, "lon_deg", entry.name);
    if (std::abs(place.lat_deg) > 90 || std::abs(place.lon_deg) > 540) {
      fail(ErrorCode::kUsage, "the position of '{}' is off the globe: {}, {}", entry.name, place.lat_deg, place.lon_deg);
    }
  }
}

void check_descriptor(std::span<const float> descriptor, int dim, const std::string& name) {
  if (descriptor.size() != static_cast<std::size_t>(dim)) {
    fail(ErrorCode::kUsage, "the descriptor of '{}' has {} values, the index has dim {}", name, descriptor.size(), dim);
  }
  for (std::size_t i = 0; i < descriptor.size(); ++i) {
    if (!std::isfinite(descriptor[i])) {
      fail(ErrorCode::kUsage, "the descriptor of '{}' holds {} at position {}", name, descriptor[i], i);
    }
  }
}

void check_settings(const IndexSettings& settings) {
  if (settings.dim < 1 || static_cast<std::uint64_t>(settings.dim) > limits::kMaxDescriptorDim) {
    fail(ErrorCode::kUsage, "dim {} is outside 1..{}", settings.dim, limits::kMaxDescriptorDim);
  }
  check_spec(settings.spec);
  check_text(settings.model, "setting 'model'");
  std::size_t bytes = 0;
  for (const auto& [key, value] : settings.model_constants) {
    check_text(key, "the name of a model's constant");
    check_text(value, "a model's constant");
    bytes += key.size() + value.size() + 2;
    if ((key + value).find('\n') != std::string::npos || key.find('=') != std::string::npos) {
      fail(ErrorCode::kUsage, "a model's constant contains a line break, or '=' in its name");
    }
  }
  if (bytes > limits::kMaxIndexName) {
    fail(ErrorCode::kUsage, "a model's constants have {} bytes, the limit is {}", bytes, limits::kMaxIndexName);
  }
}

}  // namespace retrieval
}  // namespace revisit
