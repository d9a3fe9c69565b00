// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// catalogue.sqlite: one line per row of the vector file, and the settings. A row is part of the index once its line is
// committed. Of a line only `live` changes, from 1 to 0 when a newer row takes the name, and place and time when they become
// known.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "retrieval/files/database.h"
#include "revisit/index.h"

namespace revisit::retrieval {

/// What one read transaction saw.
struct Snapshot {
  int rows = 0;
  std::vector<int> replaced;  ///< rows that are no longer searched, ascending
};

/// Where and when of a row, for filters.
struct PlaceAndTime {
  int row = 0;
  std::optional<Position> position;
  std::optional<double> time_s;
};

class Catalogue {
 public:
  /// Error kNotFound when it is not there, kBadFile when it is no catalogue, broken or of a newer version.
  static Catalogue open(const std::filesystem::path& folder);
  static Catalogue open_to_write(const std::filesystem::path& folder);
  /// Made with schema and settings in one transaction; a file left empty by a crash is used.
  static Catalogue create(const std::filesystem::path& folder, const IndexSettings& settings, std::uint64_t identity);
  /// Whether there is a catalogue with a schema, so that create() would not be right.
  static bool exists(const std::filesystem::path& folder);

  const IndexSettings& settings() const { return settings_; }
  std::uint64_t identity() const { return identity_; }

  /// Also checks the lines of rows from `checked_rows` on: numbers without gaps, sound names.
  Snapshot snapshot(int checked_rows);

  IndexEntry entry(int row);
  std::uint64_t checksum(int row);
  std::optional<int> newest_with_name(const std::string& name, int rows);  ///< below `rows`, live or not
  std::optional<int> live_with_name(const std::string& name);
  std::optional<std::string> live_name_with_content(std::uint64_t content_hash);
  std::vector<PlaceAndTime> places_and_times(int rows);

  void begin();
  void insert(int row, const IndexEntry& entry, std::uint64_t checksum);
  void place(int row, const std::optional<Position>& position, const std::optional<double>& time_s);
  void mark_replaced(int row);
  void commit();
  void rollback() noexcept;

  /// SQLite's own check and names that are live twice; one sentence each.
  std::vector<std::string> integrity_problems();

 private:
  explicit Catalogue(std::unique_ptr<Database> database);
  void read_settings();
  void insert_settings(const IndexSettings& settings);
  Statement& cached(std::unique_ptr<Statement>& slot, const char* sql);

  std::unique_ptr<Database> database_;
  IndexSettings settings_;
  std::uint64_t identity_ = 0;
  std::unique_ptr<Statement> insert_, place_, mark_, select_entry_, select_checksum_, live_by_name_, newest_by_name_, by_content_;
};

/// Throws Error kUsage naming the field: a name of 1..4,096 bytes without NUL, finite numbers, places on the globe.
void check_entry(const IndexEntry& entry);
void check_settings(const IndexSettings& settings);
/// Also for a descriptor of another size than dim, or with a value that is not finite.
void check_descriptor(std::span<const float> descriptor, int dim, const std::string& name);

}  // namespace revisit::retrieval
