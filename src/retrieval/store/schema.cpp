// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// What the catalogue's schema must say, to the letter.
#include "retrieval/store/schema.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <vector>

#include "core/base/fail.h"
#include "core/base/limits.h"

namespace revisit::retrieval {
namespace {

constexpr std::int64_t kApplicationId = 0x52565349;  // "RVSI"

struct SchemaObject {
  const char* name;
  const char* sql;
  std::int64_t since = 1;  // version
};

// By name, as they are compared.
constexpr std::array<SchemaObject, 6> kSchema = {{
    {"locals",
     "CREATE TABLE locals (row INTEGER PRIMARY KEY, start INTEGER NOT NULL, bytes INTEGER NOT NULL, checksum INTEGER NOT NULL)",
     kLocalVersion},
    {"photos",
     "CREATE TABLE photos (row INTEGER PRIMARY KEY, name TEXT NOT NULL, path TEXT NOT NULL, content_hash INTEGER NOT NULL, "
     "checksum INTEGER NOT NULL, live INTEGER NOT NULL, east_m REAL, north_m REAL, lat_deg REAL, lon_deg REAL, "
     "heading_deg REAL, time_s REAL, seal INTEGER NOT NULL DEFAULT 0)"},
    {"photos_by_content", "CREATE INDEX photos_by_content ON photos (content_hash)"},
    {"photos_by_name", "CREATE INDEX photos_by_name ON photos (name)"},
    {"photos_replaced", "CREATE INDEX photos_replaced ON photos (row) WHERE live = 0"},
    {"settings", "CREATE TABLE settings (key TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID"},
}};
// Only with a default does SQLite add it to a table of version 1. No line keeps it.
constexpr std::string_view kSealColumn = "seal INTEGER NOT NULL DEFAULT 0";

std::vector<SchemaObject> schema_of(std::int64_t version) {
  std::vector<SchemaObject> out;
  std::ranges::copy_if(kSchema, std::back_inserter(out), [&](const SchemaObject& one) { return one.since <= version; });
  return out;
}

std::string sql_of(const SchemaObject& object, std::int64_t version) {
  std::string sql = object.sql;
  if (version == 1) {
    const std::string added = fmt::format(", {}", kSealColumn);
    if (const auto at = sql.find(added); at != std::string::npos) sql.erase(at, added.size());
  }
  return sql;
}

void set_version(Database& database, int version) { database.run(fmt::format("PRAGMA user_version = {}", version).c_str()); }

}  // namespace

int check_schema(Database& database) {
  const std::int64_t application = database.number("PRAGMA application_id");
  const std::int64_t version = database.number("PRAGMA user_version");
  if (application == 0 && version == 0) {
    fail_with_hint(ErrorCode::kBadFile, "add photos to it, or remove the folder", "'{}' holds no index: it has no schema",
                   database.file());
  }
  if (application != kApplicationId) {
    fail(ErrorCode::kBadFile, "'{}' is the database of another program: application id {}, expected {}", database.file(),
         application, kApplicationId);
  }
  if (version > kLocalVersion) {
    fail_with_hint(ErrorCode::kBadFile, "update revisit to read it", "'{}' has version {}, this program reads up to {}",
                   database.file(), version, kLocalVersion);
  }
  if (version < 1) fail(ErrorCode::kBadFile, "'{}' has version {}, the first is 1", database.file(), version);
  const std::vector<SchemaObject> schema = schema_of(version);
  std::size_t found = 0;
  Statement objects(database, "SELECT name, coalesce(sql, '') FROM sqlite_schema ORDER BY name");
  while (objects.step()) {
    const std::string name = objects.text(0, "name in the schema", -1, limits::kMaxIndexName);
    if (found >= schema.size() || name != schema[found].name ||
        objects.text(1, "sql in the schema", -1, limits::kMaxIndexName) != sql_of(schema[found], version)) {
      fail(ErrorCode::kBadFile, "'{}' has a schema that is not version {}: at '{}'", database.file(), version, name);
    }
    ++found;
  }
  if (found < schema.size()) {
    fail(ErrorCode::kBadFile, "'{}' has a schema that is not version {}: '{}' is missing", database.file(), version,
         schema[found].name);
  }
  return static_cast<int>(version);
}

void make_schema(Database& database) {
  for (const SchemaObject& object : schema_of(kCatalogueVersion)) {
    if (std::string_view(object.sql).starts_with("CREATE TABLE")) database.run(object.sql);
  }
  for (const SchemaObject& object : schema_of(kCatalogueVersion)) {
    if (std::string_view(object.sql).starts_with("CREATE INDEX")) database.run(object.sql);
  }
  database.run(fmt::format("PRAGMA application_id = {}", kApplicationId).c_str());
  set_version(database, kCatalogueVersion);
}

void add_seals(Database& database) {
  database.run(fmt::format("ALTER TABLE photos ADD COLUMN {}", kSealColumn).c_str());
  set_version(database, kCatalogueVersion);
  check_schema(database);
}

void add_locals(Database& database) {
  database.run(kSchema.front().sql);
  set_version(database, kLocalVersion);
  check_schema(database);
}

}  // namespace revisit::retrieval
