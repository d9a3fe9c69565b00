// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// One JSON file a cell, named by a hash of its settings, which it repeats.
#include "lab/study/compare_cells.h"

#include <fmt/format.h>

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

std::optional<CompareCell> CompareCells::load(const std::string& settings, std::size_t queries) const {
  if (folder_.empty()) return std::nullopt;
  const fs::path file = file_of(settings);
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) return std::nullopt;
  const nlohmann::json json = read_cell(file);
  if (!json.is_object() || json.value("settings", nlohmann::json()) != settings || !json.contains("ranks") ||
      !json["ranks"].is_array() || json["ranks"].size() != queries || !json.contains("ms_per_image") ||
      !json["ms_per_image"].is_number()) {
    return std::nullopt;
  }
  CompareCell cell;
  cell.ms_per_image = json["ms_per_image"].get<double>();
  for (const auto& rank : json["ranks"]) {
    if (!is_rank(rank)) return std::nullopt;
    cell.ranks.push_back(rank.get<int>());
  }
  return cell;
}

void CompareCells::save(const std::string& settings, const CompareCell& cell) const {
  if (folder_.empty()) return;
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) fail(ErrorCode::kIo, "cannot make folder '{}': {}", folder_.string(), error.message());
  AtomicFile file(file_of(settings));
  const nlohmann::json json{{"settings", settings}, {"ms_per_image", cell.ms_per_image}, {"ranks", cell.ranks}};
  file.write(json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  file.commit();
}

}  // namespace revisit
