// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// One JSON file a cell, named by a hash of its settings, which it repeats.
#include "lab/study/compare_cells.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/fail.h"
#include "core/base/file.h"
#include "core/base/limits.h"
#include "core/base/random.h"
#include "core/formats/json_tree.h"

namespace revisit {
namespace {

namespace fs = std::filesystem;

// What cannot be read is measured again.
nlohmann::json read_cell(const fs::path& file) {
  try {
    const auto bytes = read_file(file, limits::kMaxRunJsonBytes);
    const auto* text = reinterpret_cast<const char*>(bytes.data());
    return parse_json({text, bytes.size()}, file.string(), {limits::kMaxRunJsonDepth, limits::kMaxRunJsonValues});
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kBadFile && error.code() != ErrorCode::kLimit) throw;
    return {};
  }
}

bool is_rank(const nlohmann::json& value) {
  return value.is_number_integer() && value.get<std::int64_t>() >= 0 && value.get<std::int64_t>() <= limits::kMaxTopK;
}

}  // namespace

fs::path CompareCells::file_of(const std::string& settings) const {
  std::uint64_t hash = 0;
  for (const char c : settings) hash = scatter(hash ^ static_cast<std::uint64_t>(static_cast<unsigned char>(c)));
  return folder_ / fmt::format("{:016x}.json", hash);
}

nlohmann::json CompareCells::found(const std::string& settings) const {
  if (folder_.empty()) return {};
  const fs::path file = file_of(settings);
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) return {};
  nlohmann::json json = read_cell(file);
  const bool fits = json.is_object() && json.value("settings", nlohmann::json()) == settings;
  return fits ? json : nlohmann::json();
}

void CompareCells::write(const std::string& settings, const nlohmann::json& json) const {
  if (folder_.empty()) return;
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) fail(ErrorCode::kIo, "cannot make folder '{}': {}", folder_.string(), error.message());
  AtomicFile file(file_of(settings));
  file.write(json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  file.commit();
}

std::optional<CompareCell> CompareCells::load(const std::string& settings, std::size_t queries) const {
  const nlohmann::json json = found(settings);
  if (!json.contains("ranks") || !json["ranks"].is_array() || json["ranks"].size() != queries) return std::nullopt;
  CompareCell cell;
  for (const auto& rank : json["ranks"]) {
    if (!is_rank(rank)) return std::nullopt;
    cell.ranks.push_back(rank.get<int>());
  }
  return cell;
}

void CompareCells::save(const std::string& settings, const CompareCell& cell) const {
  write(settings, {{"settings", settings}, {"ranks", cell.ranks}});
}

std::optional<CompareCost> CompareCells::load_cost(const std::string& settings) const {
  const nlohmann::json json = found(settings);
  for (const char* key : {"ms_per_image", "gmac"}) {
    if (!json.contains(key) || !json[key].is_number()) return std::nullopt;
  }
  const CompareCost cost{json["ms_per_image"].get<double>(), json["gmac"].get<double>()};
  const bool possible = std::isfinite(cost.ms_per_image) && std::isfinite(cost.gmac) && cost.ms_per_image >= 0 && cost.gmac >= 0;
  return possible ? std::optional(cost) : std::nullopt;
}

void CompareCells::save_cost(const std::string& settings, const CompareCost& cost) const {
  write(settings, {{"settings", settings}, {"ms_per_image", cost.ms_per_image}, {"gmac", cost.gmac}});
}

}  // namespace revisit
