// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The tables, and reading them back with suspicion.
#include "retrieval/store/catalogue.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "core/base/fail.h"
#include "core/base/limits.h"
#include "core/formats/printable.h"
#include "core/formats/text.h"
#include "retrieval/files/layout.h"
#include "retrieval/store/schema.h"

namespace revisit::retrieval {
namespace {

template <typename Value>
void insert_setting(Database& database, const char* key, Value value) {
  Statement(database, "INSERT INTO settings (key, value) VALUES (?1, ?2)").bind(1, std::string_view(key)).bind(2, value).run();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  for (const std::string_view line : split(text, '\n')) {
    if (!line.empty()) out.emplace_back(line);
  }
  return out;
}

}  // namespace

Catalogue::Catalogue(std::unique_ptr<Database> database) : database_(std::move(database)) {}

Catalogue Catalogue::open(const std::filesystem::path& folder) {
  if (!is_regular_or_absent(folder / kCatalogueName)) {
    fail_with_hint(ErrorCode::kNotFound, "revisit index add DB PHOTOS makes one", "the folder '{}' is not an index: it has no {}",
                   folder.string(), kCatalogueName);
  }
  Catalogue out(std::make_unique<Database>(folder / kCatalogueName, Database::Access::kRead));
  out.version_ = check_schema(*out.database_);
  out.read_settings();
  return out;
}

Catalogue Catalogue::open_to_write(const std::filesystem::path& folder) {
  Catalogue out(std::make_unique<Database>(folder / kCatalogueName, Database::Access::kWrite));
  out.version_ = check_schema(*out.database_);
  out.database_->run("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  flush_folder(folder);  // the log's name in it: SQLite flushes it too, but ignores a failure
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
  make_schema(database);
  insert_setting(database, "identity", static_cast<std::int64_t>(identity));
  out.insert_settings(settings);
  database.run("COMMIT");
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
      // The error below says the same and names the file.
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
  const bool by_a_model = settings_.spec.model_identity || !has("model_constants");
  if (by_a_model && !settings_.spec.precision) settings_.spec.precision = "f32";  // from before there was another
  if (has("model_constants")) {
    if (has("also")) settings_.also = lines_of(text("also"));
    for (const std::string& line : lines_of(text("model_constants"))) {
      const auto equals = line.find('=');
      if (equals != std::string::npos) settings_.model_constants.emplace(line.substr(0, equals), line.substr(equals + 1));
    }
    return;
  }
  // Format 1: other names, empty texts for what the model chose, and only the weights of the model.
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
    take_version();
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

void Catalogue::take_version() {
  if (database_->number("PRAGMA user_version") == version_) return;
  version_ = check_schema(*database_);
  select_line_.reset();
  select_local_.reset();
}

std::string Catalogue::select_lines(const char* which) const {
  return fmt::format("SELECT {}, {} FROM photos WHERE {}", kLineColumns, is_sealed() ? "seal" : "0", which);
}

Line Catalogue::line_as_it_stands(int row) {
  if (!select_line_) select_line_ = std::make_unique<Statement>(*database_, select_lines("row = ?1").c_str());
  Statement& found = select_line_->reset();
  found.bind(1, std::int64_t{row});
  if (!found.step()) fail(ErrorCode::kBadFile, "'{}' has no row {}", database_->file(), row);
  Line out = read_line(found, database_->file());
  found.reset();
  return out;
}

bool Catalogue::fits_seal(const Line& line) const { return !is_sealed() || line.seal == seal_of(line, identity_); }

std::string Catalogue::changed(const Line& line) const {
  return fmt::format("'{}': the line of row {} ('{}') was changed on disk: its checksum does not match", database_->file(),
                     line.row, printable(line.entry.name));
}

void Catalogue::require_seal(const Line& line) const {
  if (fits_seal(line)) return;
  throw Error(ErrorCode::kBadFile, changed(line), "restore the index from a copy, or add this photo again as an update");
}

Line Catalogue::line(int row) {
  Line out = line_as_it_stands(row);
  require_seal(out);
  return out;
}

std::optional<int> Catalogue::newest_with_name(const std::string& name, int rows) {
  Statement& found = cached(newest_by_name_, "SELECT row FROM photos WHERE name = ?1 AND row < ?2 ORDER BY row DESC LIMIT 1");
  found.bind(1, std::string_view(name)).bind(2, std::int64_t{rows});
  const auto out = found.step() ? std::optional(static_cast<int>(found.integer(0, "row", -1))) : std::nullopt;
  found.reset();
  return out;
}

std::optional<int> Catalogue::live_with_content(std::uint64_t content_hash) {
  Statement& found = cached(by_content_, "SELECT row FROM photos WHERE content_hash = ?1 AND live = 1 ORDER BY row LIMIT 1");
  found.bind(1, static_cast<std::int64_t>(content_hash));
  const auto out = found.step() ? std::optional(static_cast<int>(found.integer(0, "row", -1))) : std::nullopt;
  found.reset();
  return out;
}

void Catalogue::require_found(const Line& line, bool is_what_was_asked_for) const {
  if (is_what_was_asked_for || !fits_seal(line)) return;  // a changed line is a problem of its own
  fail_with_hint(ErrorCode::kBadFile, "restore the index from a copy",
                 "'{}' was changed on disk: the lookup of row {} does not match its line", database_->file(), line.row);
}

std::vector<PlaceAndTime> Catalogue::places_and_times(int rows, const std::vector<std::uint8_t>& live) {
  std::vector<PlaceAndTime> out;
  Statement found(*database_, select_lines("row < ?1 ORDER BY row").c_str());
  found.bind(1, std::int64_t{rows});
  while (found.step()) {
    const Line line = read_line(found, database_->file());
    if (!live.empty() && live[static_cast<std::size_t>(line.row)] == 0) continue;
    require_seal(line);
    if (line.entry.position || line.entry.time_s) out.push_back({line.row, line.entry.position, line.entry.time_s});
  }
  return out;
}

void Catalogue::begin() { database_->run("BEGIN IMMEDIATE"); }

void Catalogue::insert(const Line& line) {
  Statement& values = cached(insert_, "INSERT INTO photos VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)");
  bind_line(values, line, identity_);
  values.run();
}

void Catalogue::rewrite(const Line& line) {
  Statement& values = cached(rewrite_,
                             "UPDATE photos SET live = ?2, seal = ?3, east_m = ?4, north_m = ?5, lat_deg = ?6, lon_deg = ?7, "
                             "heading_deg = ?8, time_s = ?9 WHERE row = ?1");
  values.bind(1, std::int64_t{line.row}).bind(2, line.live).bind(3, seal_of(line, identity_));
  bind_place(values, 4, line.entry);
  values.run();
}

void Catalogue::replace_changed(const Line& line) {
  // SQLite's indexes may still have the old names and hashes, and a line cannot be deleted while they differ.
  database_->run("REINDEX photos");
  Statement(*database_, "DELETE FROM photos WHERE row = ?1").bind(1, std::int64_t{line.row}).run();
  insert(line);
}

void Catalogue::also_holds(const std::string& difference) {
  const std::string others = "and others";  // of so many that a setting cannot hold them
  std::vector<std::string>& also = settings_.also;
  const auto known = [&](const std::string& one) { return std::ranges::find(also, one) != also.end(); };
  if (known(difference) || known(others)) return;
  const std::size_t bytes = fmt::format("{}\n{}\n{}", fmt::join(also, "\n"), difference, others).size();
  also.push_back(bytes > limits::kMaxIndexName ? others : difference);
  Statement(*database_, "DELETE FROM settings WHERE key = 'also'").run();
  insert_setting(*database_, "also", std::string_view(fmt::format("{}", fmt::join(also, "\n"))));
}

void Catalogue::upgrade(const IndexSettings& given) {
  if (is_sealed()) return;
  begin();
  try {
    const auto rows = static_cast<int>(database_->number("SELECT count(*) FROM photos"));
    add_seals(*database_);
    Statement seal(*database_, "UPDATE photos SET seal = ?2 WHERE row = ?1");
    for (int row = 0; row < rows; ++row) {
      seal.bind(1, std::int64_t{row}).bind(2, seal_of(line_as_it_stands(row), identity_)).run();
    }
    settings_.model_constants = given.model_constants;
    settings_.spec = overlaid(settings_.spec, given.spec);
    Statement(*database_, "DELETE FROM settings WHERE key <> 'identity'").run();
    insert_settings(settings_);
    commit();
  } catch (...) {
    rollback();
    throw;
  }
  take_version();
}

void Catalogue::commit() { database_->run("COMMIT"); }

void Catalogue::rollback() noexcept {
  try {
    database_->run("ROLLBACK");
  } catch (const Error&) {
    // SQLite rolls back by itself on some errors; then nothing is left to do.
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
