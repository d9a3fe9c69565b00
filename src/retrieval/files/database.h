// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// SQLite with destructors and our errors. Knows nothing about the meaning of the tables. The file may be hostile: triggers, views
// and functions of its schema are off, values are bounded, and every column is checked for its type when read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace revisit {
class StopScope;
}

namespace revisit::retrieval {

class Database {
 public:
  enum class Access { kRead, kWrite, kCreate };

  /// kRead also opens a database in a folder that cannot be written.
  Database(std::filesystem::path path, Access access);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void run(const char* sql);               ///< one or more statements without results
  std::int64_t number(const char* query);  ///< the one integer a query returns
  std::string file() const { return path_.string(); }
  int changes() const;

 private:
  friend class Statement;
  int open(bool immutable, Access access);
  void close() noexcept;
  [[noreturn]] void fail_with(int result, const char* doing) const;

  std::filesystem::path path_;
  sqlite3* handle_ = nullptr;
  const StopScope* stopped_by_ = nullptr;  // of the last answer to SQLite's question
};

/// One prepared statement; parameters and columns count from 1 and 0 as in SQLite.
class Statement {
 public:
  Statement(Database& database, const char* sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  /// Resets the statement for new values.
  Statement& reset();
  Statement& bind(int parameter, std::int64_t value);
  Statement& bind(int parameter, std::string_view value);  ///< the text must live until the statement has run
  Statement& bind(int parameter, std::optional<double> value);

  bool step();  ///< true: a result row can be read
  void run();   ///< to the end, then reset

  /// Each is Error kBadFile, naming `field` and `row` (below 0: a setting), when the column holds something else.
  std::int64_t integer(int column, const char* field, std::int64_t row) const;
  double real(int column, const char* field, std::int64_t row) const;  ///< finite
  std::optional<double> optional_real(int column, const char* field, std::int64_t row) const;
  std::string text(int column, const char* field, std::int64_t row, std::size_t max_bytes) const;  ///< without NUL

 private:
  [[noreturn]] void refuse(const char* field, std::int64_t row, const std::string& why) const;

  Database& database_;
  sqlite3_stmt* statement_ = nullptr;
};

}  // namespace revisit::retrieval
