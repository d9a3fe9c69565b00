// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// A statement that would never end.
#include "retrieval/files/database.h"

#include <gtest/gtest.h>

#include "core/base/stop_scope.h"
#include "test_files.h"

namespace revisit::retrieval {
namespace {

constexpr const char* kEndless = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";

TEST(Database, EndsAStatementWhenAStopIsWanted) {
  const testing::TemporaryFolder folder;
  Database(folder / "t.sqlite", Database::Access::kCreate).run("CREATE TABLE t (x)");
  Database database(folder / "t.sqlite", Database::Access::kRead);
  int asked = 0;
  {
    const StopScope scope([&] { return ++asked == 100; }, "stopped as asked");
    testing::expect_error([&] { database.number(kEndless); }, ErrorCode::kInterrupted, "stopped as asked");
  }
  EXPECT_EQ(asked, 100) << "nobody is asked again whether it was meant";
  EXPECT_EQ(database.number("SELECT 7"), 7) << "the database is still of use";
}

TEST(Database, FinishesWhatItWritesAllTheSame) {
  const testing::TemporaryFolder folder;
  Database database(folder / "t.sqlite", Database::Access::kCreate);
  const StopScope scope([] { return true; }, "stopped as asked");
  database.run(
      "CREATE TABLE t (x); INSERT INTO t WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 50000) "
      "SELECT i FROM n");
  EXPECT_EQ(database.number("SELECT count(*) FROM t"), 50'000);
}

}  // namespace
}  // namespace revisit::retrieval
