// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// catalogue.sqlite: one line per row of the vector file, and the settings. A row is part of the index once its line is
// committed. Of a line only `live` changes, from 1 to 0 when a newer row takes the name, and place and time once they become
// known; its seal (line.h) changes with them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "retrieval/files/database.h"
#include "retrieval/store/line.h"
#include "retrieval/store/schema.h"
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

/// Where the local features of a row lie in local.i8. The checksum depends on the row and the index too, so it covers all four.
struct LocalLine {
  int row = 0;
  std::uint64_t start = 0;
  std::uint64_t bytes = 0;
  std::uint64_t checksum = 0;
};

class Catalogue {
 public:
  /// Error kNotFound when it is missing, kBadFile when it is not a catalogue, is broken or of a newer version.
  static Catalogue open(const std::filesystem::path& folder);
  static Catalogue open_to_write(const std::filesystem::path& folder);
  /// Created with schema and settings in one transaction; reuses a file left empty by a crash.
  static Catalogue create(const std::filesystem::path& folder, const IndexSettings& settings, std::uint64_t identity);
  /// Whether a catalogue with a schema exists, so that create() must not be used.
  static bool exists(const std::filesystem::path& folder);

  const IndexSettings& settings() const { return settings_; }
  std::uint64_t identity() const { return identity_; }

  /// Also checks the lines of rows from `checked_rows` on: numbers without gaps, sound names.
  Snapshot snapshot(int checked_rows);

  Line line(int row);               ///< with require_seal()
  Line line_as_it_stands(int row);  ///< types and bounds are checked, the seal is not
  /// An index of version 1 has no seals: there any line fits.
  bool fits_seal(const Line& line) const;
  void require_seal(const Line& line) const;    ///< Error kBadFile when it does not fit
  std::string changed(const Line& line) const;  ///< the error message for one that does not

  // Lookups by SQLite's indexes; the caller must check that the line is the requested one.
  std::optional<int> newest_with_name(const std::string& name, int rows);  ///< below `rows`, live or not
  std::optional<int> live_with_content(std::uint64_t content_hash);
  /// Error kBadFile when a line that fits its seal is not the requested one.
  void require_found(const Line& line, bool is_what_was_asked_for) const;

  /// Of the rows in `live` (empty: all) below `rows` that have a place or a time. Checks the seals of all of them.
  std::vector<PlaceAndTime> places_and_times(int rows, const std::vector<std::uint8_t>& live);

  /// An index of version 1 becomes one of version 2, in one transaction: each line is sealed as it is.
  /// A catalogue of an older version becomes this one, with what `given` knows of the model.
  void upgrade(const IndexSettings& given);
  /// Records that new rows were described differently from the first ones, though they may be compared.
  void also_holds(const std::string& difference);

  // Local features (locals.cpp). Without the table no row has any.
  bool has_locals() const { return version_ >= kLocalVersion; }
  std::optional<LocalLine> local(int row);  ///< bounds are checked, the checksum is not
  int local_rows();                         ///< how many rows that are in use have some
  std::uint64_t local_end();                ///< behind the last of them in local.i8, the header included
  /// Within a transaction.
  void make_locals();  ///< the table, empty
  void put_local(const LocalLine& line);

  // Each seals the line.
  void begin();
  void insert(const Line& line);
  void rewrite(const Line& line);          ///< live, place and time
  void replace_changed(const Line& line);  ///< all of a line that was changed on disk
  void commit();
  void rollback() noexcept;

  /// SQLite's own check and names that are live twice; one sentence each.
  std::vector<std::string> integrity_problems();

 private:
  explicit Catalogue(std::unique_ptr<Database> database);
  void read_settings();
  void insert_settings(const IndexSettings& settings);
  bool is_sealed() const { return version_ >= 2; }
  void take_version();  // a writer may have upgraded it meanwhile
  std::string select_lines(const char* which) const;
  Statement& cached(std::unique_ptr<Statement>& slot, const char* sql);

  std::unique_ptr<Database> database_;
  IndexSettings settings_;
  std::uint64_t identity_ = 0;
  int version_ = kCatalogueVersion;
  std::unique_ptr<Statement> insert_, rewrite_, select_line_, newest_by_name_, by_content_, select_local_, put_local_;
};

/// Throws Error kUsage naming the field: a name of 1..4,096 bytes without NUL, finite numbers, places on the globe.
void check_entry(const IndexEntry& entry);
void check_settings(const IndexSettings& settings);
/// Also for a descriptor of another size than dim, or with a value that is not finite.
void check_descriptor(std::span<const float> descriptor, int dim, const std::string& name);

}  // namespace revisit::retrieval
