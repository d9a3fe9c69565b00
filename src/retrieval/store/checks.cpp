// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// What a caller may put into an index. What stands in a file is checked where it is read.
#include <cmath>
#include <string>

#include "core/base/fail.h"
#include "core/base/limits.h"
#include "retrieval/store/catalogue.h"

namespace revisit {
namespace {

template <typename Value>
void require_same(const std::filesystem::path& folder, const char* what, const Value& stored, const Value& given) {
  if (stored != given) {
    fail_with_hint(ErrorCode::kMismatch, "use the settings of the index, or start another one",
                   "index '{}' was made with {} '{}', not '{}'", folder.string(), what, stored, given);
  }
}

}  // namespace

void require_compatible(const std::filesystem::path& folder, const IndexSettings& stored, const IndexSettings& given) {
  require_same(folder, "model fingerprint", stored.fingerprint, given.fingerprint);
  require_same(folder, "aggregate", stored.aggregate, given.aggregate);
  require_same(folder, "orientation", stored.orientation, given.orientation);
  require_same(folder, "dim", stored.dim, given.dim);
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

void check_settings(const IndexSettings& settings) {
  if (settings.dim < 1 || static_cast<std::uint64_t>(settings.dim) > limits::kMaxDescriptorDim) {
    fail(ErrorCode::kUsage, "dim {} is outside 1..{}", settings.dim, limits::kMaxDescriptorDim);
  }
  if (!(settings.rho > 0 && settings.rho <= 1)) fail(ErrorCode::kUsage, "rho {} is outside (0, 1]", settings.rho);
  if (settings.kappa && !(*settings.kappa >= 0 && *settings.kappa <= 1)) {
    fail(ErrorCode::kUsage, "kappa {} is outside [0, 1]", *settings.kappa);
  }
  if (settings.prune_layer && (*settings.prune_layer < 0 || *settings.prune_layer > 1000)) {
    fail(ErrorCode::kUsage, "prune layer {} is outside 0..1000", *settings.prune_layer);
  }
  if (settings.spread && (*settings.spread < 1 || *settings.spread > limits::kMaxSpread)) {
    fail(ErrorCode::kUsage, "spread {} is outside 1..{}", *settings.spread, limits::kMaxSpread);
  }
  const Size size = settings.size;
  if (size.height < 0 || size.width < 0 || size.height > limits::kMaxInputSide || size.width > limits::kMaxInputSide) {
    fail(ErrorCode::kUsage, "size {}x{} is outside 0..{}", size.height, size.width, limits::kMaxInputSide);
  }
  check_text(settings.model, "setting 'model'");
  check_text(settings.fingerprint, "setting 'fingerprint'");
  check_text(settings.precision, "setting 'precision'");
  if (settings.orientation != "apply" && settings.orientation != "ignore") {
    fail(ErrorCode::kUsage, "orientation '{}' is neither apply nor ignore", settings.orientation);
  }
  check_text(settings.aggregate, "setting 'aggregate'");
  check_text(settings.pruner, "setting 'pruner'");
  check_text(settings.norm_scale, "setting 'norm_scale'");
}

}  // namespace retrieval
}  // namespace revisit
