// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// One JSON file per settings, named by their hash, which repeats them. A file that is not as it should be counts as none.
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/fail.h"
#include "core/base/file.h"
#include "core/base/limits.h"
#include "core/base/random.h"
#include "core/formats/json_tree.h"
#include "revisit/budget.h"

namespace revisit {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::chrono::days kFresh{30};
constexpr double kLongestMs = 1e9;

bool is_number(const Json& object, const char* key, double low, double high) {
  return object.is_object() && object.contains(key) && object[key].is_number() && object[key].get<double>() > low &&
         object[key].get<double>() <= high;
}

bool is_fresh(std::int64_t measured_s) {
  const auto now = std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch());
  const auto age = now - std::chrono::seconds(measured_s);
  return age.count() >= 0 && age < kFresh;
}

std::optional<Calibration> calibration_of(const Json& json, const std::string& settings) {
  if (!json.is_object() || json.value("schema", Json()) != 1 || json.value("settings", Json()) != settings) return std::nullopt;
  const Json measured = json.value("measured_s", Json()), speeds = json.value("speeds", Json());
  if (!is_number(json, "measured_s", 0, 1e11) || !measured.is_number_integer() || !is_fresh(measured.get<std::int64_t>()))
    return std::nullopt;
  if (!speeds.is_array() || speeds.empty()) return std::nullopt;
  Calibration out{settings, measured.get<std::int64_t>(), {}};
  for (const Json& one : speeds) {
    if (!is_number(one, "rho", 0, 1) || !is_number(one, "median_ms", 0, kLongestMs) || !is_number(one, "upper_ms", 0, kLongestMs))
      return std::nullopt;
    const Speed speed{one["rho"].get<double>(), one["median_ms"].get<double>(), one["upper_ms"].get<double>()};
    if (speed.upper_ms < speed.median_ms) return std::nullopt;
    if (out.speeds.empty() ? speed.rho != 1 : speed.rho >= out.speeds.back().rho) return std::nullopt;
    out.speeds.push_back(speed);
  }
  return out;
}

}  // namespace

fs::path calibration_file(const fs::path& folder, const std::string& settings) {
  std::uint64_t hash = 0;
  for (const char c : settings) hash = scatter(hash ^ static_cast<std::uint64_t>(static_cast<unsigned char>(c)));
  return folder / fmt::format("speed-{:016x}.json", hash);
}

std::optional<Calibration> load_calibration(const fs::path& folder, const std::string& settings) {
  const fs::path file = calibration_file(folder, settings);
  try {
    const auto bytes = read_file(file, limits::kMaxCalibrationBytes);
    const auto* text = reinterpret_cast<const char*>(bytes.data());
    return calibration_of(parse_json({text, bytes.size()}, file.string(), {limits::kMaxJsonDepth, limits::kMaxCalibrationBytes}),
                          settings);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::kInterrupted) throw;
    return std::nullopt;
  }
}

void save_calibration(const fs::path& folder, const Calibration& calibration) {
  auto speeds = nlohmann::ordered_json::array();
  for (const Speed& one : calibration.speeds) {
    speeds.push_back({{"rho", one.rho}, {"median_ms", one.median_ms}, {"upper_ms", one.upper_ms}});
  }
  const nlohmann::ordered_json json{
      {"schema", 1}, {"settings", calibration.settings}, {"measured_s", calibration.measured_s}, {"speeds", std::move(speeds)}};
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) fail(ErrorCode::kIo, "cannot create the folder '{}': {}", folder.string(), error.message());
  AtomicFile file(calibration_file(folder, calibration.settings));
  file.write(json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
  file.commit();
}

}  // namespace revisit
