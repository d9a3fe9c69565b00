// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The catalogue of an index, changed behind its back.
#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>
#include <string>

namespace revisit::testing {

inline void sql(const std::filesystem::path& folder, const std::string& statements) {
  sqlite3* handle = nullptr;
  ASSERT_EQ(sqlite3_open((folder / "catalogue.sqlite").c_str(), &handle), SQLITE_OK);
  char* error = nullptr;
  const int result = sqlite3_exec(handle, statements.c_str(), nullptr, nullptr, &error);
  EXPECT_EQ(result, SQLITE_OK) << (error != nullptr ? error : "") << " in " << statements;
  sqlite3_free(error);
  sqlite3_close(handle);
}

/// The one number a query answers.
inline std::int64_t number_of(const std::filesystem::path& folder, const std::string& query) {
  sqlite3* handle = nullptr;
  sqlite3_stmt* statement = nullptr;
  std::int64_t out = -1;
  if (sqlite3_open((folder / "catalogue.sqlite").c_str(), &handle) == SQLITE_OK &&
      sqlite3_prepare_v2(handle, query.c_str(), -1, &statement, nullptr) == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW) {
    out = sqlite3_column_int64(statement, 0);
  } else {
    ADD_FAILURE() << "no answer to " << query;
  }
  sqlite3_finalize(statement);
  sqlite3_close(handle);
  return out;
}

}  // namespace revisit::testing
