// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The tables, and reading them back with suspicion.
#include "retrieval/store/catalogue.h"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "core/base/fail.h"
#include "core/base/limits.h"
#include "core/formats/text.h"
#include "retrieval/files/layout.h"

namespace revisit::retrieval {
namespace {

constexpr std::int64_t kApplicationId = 0x52565349;  // "RVSI"

struct SchemaObject {
  const char* name;
  const char* sql;
};

// Version 1. A catalogue is accepted only with exactly these objects, so no trigger, view or odd column can come with a file.
constexpr std::array<SchemaObject, 5> kSchema = {{
    {"photos",
     "CREATE TABLE photos (row INTEGER PRIMARY KEY, name TEXT NOT NULL, path TEXT NOT NULL, content_hash INTEGER NOT NULL, "
     "checksum INTEGER NOT NULL, live INTEGER NOT NULL, east_m REAL, north_m REAL, lat_deg REAL, lon_deg REAL, "
     "heading_deg REAL, time_s REAL)"},
    {"photos_by_content", "CREATE INDEX photos_by_content ON photos (content_hash)"},
    {"photos_by_name", "CREATE INDEX photos_by_name ON photos (name)"},
    {"photos_replaced", "CREATE INDEX photos_replaced ON photos (row) WHERE live = 0"},
    {"settings", "CREATE TABLE settings (key TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID"},
}};

void check_schema(Database& database) {
  const std::int64_t application = database.number("PRAGMA application_id");
  const std::int64_t version = database.number("PRAGMA user_version");
  if (application == 0 && version == 0) {
    fail_with_hint(ErrorCode::kBadFile, "add photos to it, or remove the folder", "'{}' holds no index: it has no schema",
                   database.file());
  }
  if (application != kApplicationId) {
    fail(ErrorCode::kBadFile, "'{}' is a database of something else: application id {}, expected {}", database.file(),
         application, kApplicationId);
  }
  if (version > kFormatVersion) {
    fail_with_hint(ErrorCode::kBadFile, "update revisit to read it", "'{}' has version {}, this program reads up to {}",
                   database.file(), version, kFormatVersion);
  }
  if (version < 1) fail(ErrorCode::kBadFile, "'{}' has version {}, the first is 1", database.file(), version);
  std::size_t found = 0;
  Statement objects(database, "SELECT name, coalesce(sql, '') FROM sqlite_schema ORDER BY name");
  while (objects.step()) {
    const std::string name = objects.text(0, "name in the schema", -1, limits::kMaxIndexName);
    if (found >= kSchema.size() || name != kSchema[found].name ||
        objects.text(1, "sql in the schema", -1, limits::kMaxIndexName) != kSchema[found].sql) {
      fail(ErrorCode::kBadFile, "'{}' has a schema that is not version {}: at '{}'", database.file(), version, name);
    }
    ++found;
  }
  if (found < kSchema.size()) {
    fail(ErrorCode::kBadFile, "'{}' has a schema that is not version {}: '{}' is missing", database.file(), version,
         kSchema[found].name);
  }
}

template <typename Value>
void insert_setting(Database& database, const char* key, Value value) {
  Statement(database, "INSERT INTO settings (key, value) VALUES (?1, ?2)").bind(1, std::string_view(key)).bind(2, value).run();
}

std::optional<Position> read_position(const Statement& line, int first, std::int64_t row, const std::string& file) {
  const auto east = line.optional_real(first, "east_m", row);
  const auto north = line.optional_real(first + 1, "north_m", row);
  const auto lat = line.optional_real(first + 2, "lat_deg", row);
  const auto lon = line.optional_real(first + 3, "lon_deg", row);
  const auto heading = line.optional_real(first + 4, "heading_deg", row);
  if (!east && !north && !lat && !lon && !heading) return std::nullopt;
  if (!east || !north || lat.has_value() != lon.has_value()) {
    fail(ErrorCode::kBadFile, "'{}': the position of row {} has only some of its numbers", file, row);
  }
  Position out{*east, *north, std::nullopt, heading};
  if (lat) {
    if (std::abs(*lat) > 90 || std::abs(*lon) > 540) {
      fail(ErrorCode::kBadFile, "'{}': the position of row {} is off the globe: {}, {}", file, row, *lat, *lon);
    }
    out.geographic = LatLon{*lat, *lon};
  }
  return out;
}

// The counterpart of read_position, and the time after it.
void bind_place(Statement& line, int first, const std::optional<Position>& position, const std::optional<double>& time_s) {
  std::optional<double> east, north, lat, lon, heading;
  if (position) {
    east = position->east_m;
    north = position->north_m;
    heading = position->heading_deg;
    if (position->geographic) {
      lat = position->geographic->lat_deg;
      lon = position->geographic->lon_deg;
    }
  }
  line.bind(first, east).bind(first + 1, north).bind(first + 2, lat).bind(first + 3, lon).bind(first + 4, heading);
  line.bind(first + 5, time_s);
}

}  // namespace

Catalogue::Catalogue(std::unique_ptr<Database> database) : database_(std::move(database)) {}

Catalogue Catalogue::open(const std::filesystem::path& folder) {
  Catalogue out(std::make_unique<Database>(folder / kCatalogueName, Database::Access::kRead));
  check_schema(*out.database_);
  out.read_settings();
  return out;
}

Catalogue Catalogue::open_to_write(const std::filesystem::path& folder) {
  Catalogue out(std::make_unique<Database>(folder / kCatalogueName, Database::Access::kWrite));
  check_schema(*out.database_);
  out.database_->run("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  flush_folder(folder);  // the log's name in it: SQLite flushes it, too, but ignores a failure
  out.read_settings();
  return out;
}

bool Catalogue::exists(const std::filesystem::path& folder) {
  if (!is_regular_or_absent(folder / kCatalogueName)) return false;
  Database database(folder / kCatalogueName, Database::Access::kWrite);
  return database.number("SELECT count(*) FROM sqlite_schema") > 0 || database.number("PRAGMA application_id") != 0;
}

Catalogue Catalogue::create(const std::filesystem::path& folder, const IndexSettings& settings, std::uint64_t identity) {
  Catalogue out(std::make_unique<Database>(folder / kCatalogueName, Database::Access::kCreate));
  Database& database = *out.database_;
  database.run("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; BEGIN IMMEDIATE");
  for (const SchemaObject& object : kSchema) {
    if (std::string_view(object.sql).starts_with("CREATE TABLE")) database.run(object.sql);
  }
  for (const SchemaObject& object : kSchema) {
    if (std::string_view(object.sql).starts_with("CREATE INDEX")) database.run(object.sql);
  }
  insert_setting(database, "identity", static_cast<std::int64_t>(identity));
  out.insert_settings(settings);
  database.run(
      fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}; COMMIT", kApplicationId, kFormatVersion).c_str());
  flush_folder(folder);
  out.read_settings();
  return out;
}

void Catalogue::insert_settings(const IndexSettings& settings) {
  insert_setting(*database_, "dim", static_cast<std::int64_t>(settings.dim));
  insert_setting(*database_, "model", std::string_view(settings.model));
  std::string constants;
  for (const auto& [key, value] : settings.model_constants) constants += key + "=" + value + "\n";
  insert_setting(*database_, "model_constants", std::string_view(constants));
  for (const Setting& one : revisit::settings()) {
    const std::string text = text_of(one.get(settings.spec));
    if (!text.empty()) insert_setting(*database_, one.name, std::string_view(text));
  }
}

void Catalogue::read_settings() {
  const std::string file = database_->file();
  // Numbers as text: format 1 kept them as numbers.
  Statement select(*database_, "SELECT CASE WHEN typeof(value) IN ('integer', 'real') THEN CAST(value AS TEXT) ELSE value END "
                               "FROM settings WHERE key = ?1");
  const auto has = [&](const char* key) { return select.reset().bind(1, std::string_view(key)).step(); };
  const auto text = [&](const char* key) {
    if (!has(key)) fail(ErrorCode::kBadFile, "'{}': setting '{}' is missing", file, key);
    return select.text(0, key, -1, limits::kMaxIndexName);
  };
  const auto whole = [&](const char* key, std::int64_t low, std::int64_t high) {
    const std::string value = text(key);
    std::int64_t out = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), out);
    if (error != std::errc{} || end != value.data() + value.size()) fail(ErrorCode::kBadFile, "'{}': setting '{}' is not an integer", file, key);
    if (out < low || out > high) {
      fail(ErrorCode::kBadFile, "'{}': setting '{}' is {}, the limits are {} and {}", file, key, out, low, high);
    }
    return out;
  };
  const auto assign = [&](const Setting& setting, const char* key, const std::string& value) {
    const auto parsed = setting.parse(value);
    try {
      if (parsed) return setting.set(settings_.spec, *parsed);
    } catch (const Error&) {
      // The sentence below says the same and names the file.
    }
    fail(ErrorCode::kBadFile, "'{}': setting '{}' is '{}', but must be {}", file, key, value, setting.wanted);
  };

  identity_ = static_cast<std::uint64_t>(whole("identity", INT64_MIN, INT64_MAX));
  settings_ = {};
  settings_.dim = static_cast<int>(whole("dim", 1, static_cast<std::int64_t>(limits::kMaxDescriptorDim)));
  settings_.model = text("model");
  for (const Setting& one : revisit::settings()) {
    if (!has(one.name)) continue;
    const std::string value = select.text(0, one.name, -1, limits::kMaxIndexName);
    if (!value.empty()) assign(one, one.name, value);
  }
  if (has("model_constants")) {
    const std::string lines = text("model_constants");
    for (const std::string_view line : split(lines, '\n')) {
      const auto equals = line.find('=');
      if (equals != std::string_view::npos) settings_.model_constants.emplace(line.substr(0, equals), line.substr(equals + 1));
    }
    return;
  }
  // Format 1: other names, empty texts for what the model chose, and of the model nothing but its weights.
  text("rho");
  if (const std::string pruner = text("pruner"); !pruner.empty()) assign(setting("prune"), "pruner", pruner);
  if (const std::string weights = text("fingerprint"); !weights.empty()) settings_.model_constants["fingerprint"] = weights;
  const Size size{static_cast<int>(whole("height", 0, limits::kMaxInputSide)), static_cast<int>(whole("width", 0, limits::kMaxInputSide))};
  if (size.height > 0 && size.width > 0) settings_.spec.size = size;
}

Statement& Catalogue::cached(std::unique_ptr<Statement>& slot, const char* sql) {
  if (!slot) slot = std::make_unique<Statement>(*database_, sql);
  return slot->reset();
}

Snapshot Catalogue::snapshot(int checked_rows) {
  Snapshot out;
  const std::string file = database_->file();
  database_->run("BEGIN");
  try {
    const std::int64_t count = database_->number("SELECT count(*) FROM photos");
    if (count > limits::kMaxIndexRows) {
      fail(ErrorCode::kBadFile, "'{}' counts {} rows, the limit is {}", file, count, limits::kMaxIndexRows);
    }
    if (count > 0) {
      const std::int64_t first = database_->number("SELECT min(row) FROM photos");
      const std::int64_t last = database_->number("SELECT max(row) FROM photos");
      if (first != 0 || last != count - 1) {
        fail(ErrorCode::kBadFile, "'{}' counts {} rows, but they are numbered {} to {}", file, count, first, last);
      }
    }
    out.rows = static_cast<int>(count);
    Statement names(*database_,
                    "SELECT row, CASE WHEN typeof(name) <> 'text' THEN 'is not text' WHEN octets = 0 THEN 'is empty' "
                    "WHEN octets > ?2 THEN 'has ' || octets || ' bytes, the limit is ' || ?2 ELSE 'contains a NUL byte' END FROM "
                    "(SELECT row, name, length(CAST(name AS BLOB)) AS octets FROM photos WHERE row >= ?1) "
                    "WHERE octets NOT BETWEEN 1 AND ?2 OR typeof(name) <> 'text' OR octets <> length(name) AND "
                    "instr(CAST(name AS BLOB), x'00') LIMIT 1");
    names.bind(1, std::int64_t{checked_rows}).bind(2, static_cast<std::int64_t>(limits::kMaxIndexName));
    if (names.step()) {
      fail(ErrorCode::kBadFile, "'{}': name of row {} {}", file, names.integer(0, "row", -1), names.text(1, "reason", -1, 200));
    }
    Statement replaced(*database_, "SELECT row FROM photos WHERE live = 0 ORDER BY row");
    while (replaced.step()) {
      const std::int64_t row = replaced.integer(0, "row", -1);
      if (row < 0 || row >= count) fail(ErrorCode::kBadFile, "'{}': replaced row {} is not one of {} rows", file, row, count);
      out.replaced.push_back(static_cast<int>(row));
    }
  } catch (...) {
    rollback();
    throw;
  }
  database_->run("COMMIT");
  return out;
}

IndexEntry Catalogue::entry(int row) {
  Statement& line = cached(select_entry_,
                           "SELECT name, path, content_hash, east_m, north_m, lat_deg, lon_deg, heading_deg, time_s "
                           "FROM photos WHERE row = ?1");
  line.bind(1, std::int64_t{row});
  if (!line.step()) fail(ErrorCode::kBadFile, "'{}' has no row {}", database_->file(), row);
  IndexEntry out;
  out.name = line.text(0, "name", row, limits::kMaxIndexName);
  out.path = line.text(1, "path", row, limits::kMaxIndexName);
  out.content_hash = static_cast<std::uint64_t>(line.integer(2, "content_hash", row));
  out.position = read_position(line, 3, row, database_->file());
  out.time_s = line.optional_real(8, "time_s", row);
  line.reset();
  return out;
}

std::uint64_t Catalogue::checksum(int row) {
  Statement& line = cached(select_checksum_, "SELECT checksum FROM photos WHERE row = ?1");
  line.bind(1, std::int64_t{row});
  if (!line.step()) fail(ErrorCode::kBadFile, "'{}' has no row {}", database_->file(), row);
  const auto out = static_cast<std::uint64_t>(line.integer(0, "checksum", row));
  line.reset();
  return out;
}

std::optional<int> Catalogue::newest_with_name(const std::string& name, int rows) {
  Statement& line = cached(newest_by_name_, "SELECT row FROM photos WHERE name = ?1 AND row < ?2 ORDER BY row DESC LIMIT 1");
  line.bind(1, std::string_view(name)).bind(2, std::int64_t{rows});
  const auto out = line.step() ? std::optional(static_cast<int>(line.integer(0, "row", -1))) : std::nullopt;
  line.reset();
  return out;
}

std::optional<int> Catalogue::live_with_name(const std::string& name) {
  Statement& line = cached(live_by_name_, "SELECT row FROM photos WHERE name = ?1 AND live = 1 ORDER BY row DESC LIMIT 1");
  line.bind(1, std::string_view(name));
  const auto out = line.step() ? std::optional(static_cast<int>(line.integer(0, "row", -1))) : std::nullopt;
  line.reset();
  return out;
}

std::optional<std::string> Catalogue::live_name_with_content(std::uint64_t content_hash) {
  Statement& line = cached(by_content_, "SELECT name, row FROM photos WHERE content_hash = ?1 AND live = 1 ORDER BY row LIMIT 1");
  line.bind(1, static_cast<std::int64_t>(content_hash));
  std::optional<std::string> out;
  if (line.step()) out = line.text(0, "name", line.integer(1, "row", -1), limits::kMaxIndexName);
  line.reset();
  return out;
}

std::vector<PlaceAndTime> Catalogue::places_and_times(int rows) {
  std::vector<PlaceAndTime> out;
  Statement line(*database_,
                 "SELECT row, east_m, north_m, lat_deg, lon_deg, heading_deg, time_s FROM photos "
                 "WHERE row < ?1 AND (east_m IS NOT NULL OR time_s IS NOT NULL) ORDER BY row");
  line.bind(1, std::int64_t{rows});
  while (line.step()) {
    const std::int64_t row = line.integer(0, "row", -1);
    if (row < 0) fail(ErrorCode::kBadFile, "'{}' has a row {}", database_->file(), row);
    out.push_back({static_cast<int>(row), read_position(line, 1, row, database_->file()), line.optional_real(6, "time_s", row)});
  }
  return out;
}

void Catalogue::begin() { database_->run("BEGIN IMMEDIATE"); }

void Catalogue::insert(int row, const IndexEntry& entry, std::uint64_t checksum) {
  Statement& line = cached(insert_, "INSERT INTO photos VALUES (?1, ?2, ?3, ?4, ?5, 1, ?6, ?7, ?8, ?9, ?10, ?11)");
  line.bind(1, std::int64_t{row}).bind(2, std::string_view(entry.name)).bind(3, std::string_view(entry.path));
  line.bind(4, static_cast<std::int64_t>(entry.content_hash)).bind(5, static_cast<std::int64_t>(checksum));
  bind_place(line, 6, entry.position, entry.time_s);
  line.run();
}

void Catalogue::place(int row, const std::optional<Position>& position, const std::optional<double>& time_s) {
  Statement& line = cached(place_,
                           "UPDATE photos SET east_m = ?2, north_m = ?3, lat_deg = ?4, lon_deg = ?5, heading_deg = ?6, "
                           "time_s = ?7 WHERE row = ?1");
  line.bind(1, std::int64_t{row});
  bind_place(line, 2, position, time_s);
  line.run();
}

void Catalogue::mark_replaced(int row) {
  cached(mark_, "UPDATE photos SET live = 0 WHERE row = ?1").bind(1, std::int64_t{row}).run();
}

void Catalogue::commit() { database_->run("COMMIT"); }

void Catalogue::rollback() noexcept {
  try {
    database_->run("ROLLBACK");
  } catch (const Error&) {
    // SQLite rolls back by itself on some errors; then there is nothing left to do.
  }
}

std::vector<std::string> Catalogue::integrity_problems() {
  std::vector<std::string> out;
  Statement check(*database_, "PRAGMA integrity_check(20)");
  while (check.step()) {
    const std::string line = check.text(0, "integrity check", -1, 100'000);
    if (line != "ok") out.push_back(fmt::format("'{}': {}", database_->file(), line));
  }
  Statement twice(*database_, "SELECT name, count(*) FROM photos WHERE live = 1 GROUP BY name HAVING count(*) > 1 LIMIT 20");
  while (twice.step()) {
    out.push_back(fmt::format("'{}': name '{}' stands for {} rows", database_->file(),
                              twice.text(0, "name", -1, limits::kMaxIndexName), twice.integer(1, "count", -1)));
  }
  Statement odd(*database_, "SELECT row FROM photos WHERE live NOT IN (0, 1) LIMIT 20");
  while (odd.step()) {
    out.push_back(fmt::format("'{}': live of row {} is neither 0 nor 1", database_->file(), odd.integer(0, "row", -1)));
  }
  return out;
}

}  // namespace revisit::retrieval
