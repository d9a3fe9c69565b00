// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// What an index guarantees when its writer dies, its disk is full, or others read it meanwhile.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <random>
#include <thread>
#include <vector>

#include "crash/child.h"
#include "index_fixtures.h"

namespace revisit::testing {
namespace {

int rows_in(const std::filesystem::path& folder) {
  return std::filesystem::exists(folder / "catalogue.sqlite") ? IndexWriter::open(folder, settings_of(32)).rows() : 0;
}

TEST(IndexCrash, FiftyKillsAtRandomTimesLoseNothingAndDoubleNothing) {
  const TemporaryFolder folder;
  const auto index = folder / "index";
  constexpr int kRows = 20'000;
  std::mt19937 random(1);
  int kills = 0;
  int before = 0;
  int total = kRows;
  while (kills < 50) {
    Child child(add_command(index, total, 32, 20), folder / "errors");
    std::this_thread::sleep_for(std::chrono::milliseconds(10 + random() % 60));
    child.kill();
    const int status = child.wait();
    ASSERT_TRUE(status == 0 || status == -SIGKILL) << status << " " << child.errors();
    kills += status == -SIGKILL ? 1 : 0;
    const int now = rows_in(index);
    ASSERT_GE(now, before) << "rows were lost";
    if (now == total) total += kRows;  // a fast disk: leave something to be killed in
    before = now;
  }
  RecordProperty("rows_before_the_last_run", before);
  Child last(add_command(index, total, 32, 500), folder / "errors");
  ASSERT_EQ(last.wait(), 0) << last.errors();
  expect_whole_rows(Index::open(index), total);
  EXPECT_EQ(problems_of(index), "");
}

// What a crash can leave after the committed rows: any part of uncommitted rows.
TEST(IndexCrash, ATornTailIsCutWhereverItEnds) {
  const TemporaryFolder folder;
  constexpr int kDim = 8;
  constexpr int kRows = 4;
  add_rows(folder.path(), 0, kRows, kDim);
  const std::string vectors = read_bytes(folder / "vectors.bin");
  const std::string codes = read_bytes(folder / "codes.i8");
  const std::size_t row_bytes = kDim * sizeof(float);
  for (std::size_t torn = 0; torn <= 3 * row_bytes; ++torn) {
    write_bytes(folder / "vectors.bin", vectors + std::string(torn, '\x5a'));
    write_bytes(folder / "codes.i8", codes + std::string(torn, '\x5a'));
    ASSERT_EQ(Index::open(folder.path()).rows(), kRows);
    ASSERT_EQ(IndexWriter::open(folder.path(), settings_of(kDim)).rows(), kRows);
    ASSERT_EQ(read_bytes(folder / "vectors.bin"), vectors) << torn << " bytes behind the rows";
    ASSERT_EQ(read_bytes(folder / "codes.i8"), codes) << torn << " bytes behind the rows";
  }
  add_rows(folder.path(), kRows, kRows + 3, kDim);
  expect_whole_rows(Index::open(folder.path()), kRows + 3);
  EXPECT_EQ(problems_of(folder.path()), "");
}

TEST(IndexCrash, CommittedRowsThatAreCutOffAreNoticedAtEveryByte) {
  const TemporaryFolder folder;
  constexpr int kDim = 8;
  add_rows(folder.path(), 0, 3, kDim);
  const std::string vectors = read_bytes(folder / "vectors.bin");
  for (std::size_t size = 0; size < vectors.size(); ++size) {
    write_bytes(folder / "vectors.bin", vectors.substr(0, size));
    EXPECT_THROW(Index::open(folder.path()), Error) << size;
    EXPECT_THROW(IndexWriter::open(folder.path(), settings_of(kDim)), Error) << size;
    EXPECT_NE(problems_of(folder.path()), "") << size;
    ASSERT_EQ(std::filesystem::file_size(folder / "vectors.bin"), size) << "nothing is cut or filled";
  }
  write_bytes(folder / "vectors.bin", vectors);
  EXPECT_EQ(problems_of(folder.path()), "");
}

TEST(IndexCrash, ASecondWriterIsRefusedByTheNameOfTheFirstAndADeadOneIsForgotten) {
  const TemporaryFolder folder;
  const auto index = folder / "index";
  add_rows(index, 0, 1, 32);
  {
    const IndexWriter first = IndexWriter::open(index, settings_of(32));
    for (int i = 0; i < 20; ++i) {
      Child second(add_command(index, 10, 32, 1), folder / "errors");
      EXPECT_EQ(second.wait(), 1);
      EXPECT_NE(second.errors().find("is locked by pid " + std::to_string(::getpid()) + " since 20"), std::string::npos)
          << second.errors();
    }
    expect_error([&] { IndexWriter::open(index, settings_of(32)); }, ErrorCode::kIo, "is locked by pid");
  }
  for (int i = 0; i < 10; ++i) {
    Child child(add_command(index, 1'000'000, 32, 1), folder / "errors");
    // Opening it all the time would take the lock from the child.
    const std::string holder = "pid " + std::to_string(child.pid()) + " since";
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (read_bytes(index / "lock").find(holder) == std::string::npos && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    expect_error([&] { IndexWriter::open(index, settings_of(32)); }, ErrorCode::kIo, "is locked by " + holder);
    child.kill();
    child.wait();
    EXPECT_GE(IndexWriter::open(index, settings_of(32)).rows(), 1) << "the lock of a dead process is taken over";
  }
}

TEST(IndexCrash, ReadersSeeOnlyWholeRowsWhileItGrows) {
  const TemporaryFolder folder;
  const auto index = folder / "index";
  add_rows(index, 0, 1, 64);
  std::atomic<bool> stop{false};
  std::atomic<int> bad{0};
  std::atomic<int> refreshes{0};
  std::vector<std::thread> readers;
  for (int t = 0; t < 8; ++t) {
    readers.emplace_back([&, t] {
      try {
        Index view = Index::open(index);
        while (!stop) {
          const int before = view.rows();
          const int grown = view.refresh();
          if (grown < 0 || view.rows() != before + grown) ++bad;
          if (t % 4 == 3) view = Index::open(index);
          for (int r = std::max(0, view.rows() - 20); r < view.rows(); ++r) {
            const auto row = view.descriptor(r);
            if (std::vector<float>(row.begin(), row.end()) != row_content(r, 64) || view.entry(r).name != row_name(r)) ++bad;
          }
          SearchOptions options;
          options.first_row = std::max(0, view.rows() - 100);
          const int wanted = view.rows() - 1;
          if (view.search(row_content(wanted, 64), options)[0][0].row != wanted) ++bad;
          if (t == 0 && !verify_index(index).empty()) ++bad;
          ++refreshes;
        }
      } catch (const Error& error) {
        ADD_FAILURE() << error.what();
        ++bad;
      }
    });
  }
  int rows = 1;
  {
    IndexWriter writer = IndexWriter::open(index, settings_of(64));
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(4);
    while (std::chrono::steady_clock::now() < end) {
      const int until = rows + 1 + rows % 7;
      for (; rows < until; ++rows) writer.add(row_entry(rows), row_content(rows, 64));
      writer.commit();
    }
  }
  stop = true;
  for (auto& reader : readers) reader.join();
  EXPECT_EQ(bad, 0);
  EXPECT_GT(refreshes, 8);
  EXPECT_GT(rows, 20);
  expect_whole_rows(Index::open(index), rows);
  EXPECT_EQ(problems_of(index), "");
}

TEST(IndexCrash, AFullDiskKeepsWhatWasCommittedAndTheNextRunGoesOn) {
  const TemporaryFolder folder;
  const auto index = folder / "index";
  // Each limit stops another file first, at another place in it.
  for (const int bytes : {0, 63, 4096, 20'000, 60'000, 100'000, 150'000}) {
    auto command = add_command(index, 2000, 32, 10);
    command.push_back(std::to_string(bytes));
    Child limited(command, folder / "errors");
    EXPECT_EQ(limited.wait(), 5) << limited.errors();
    EXPECT_NE(limited.errors().find("no_space: cannot "), std::string::npos) << limited.errors();
    EXPECT_NE(limited.errors().find(index.string()), std::string::npos) << limited.errors();
    if (std::filesystem::exists(index / "catalogue.sqlite") && std::filesystem::file_size(index / "catalogue.sqlite") > 0) {
      const int rows = rows_in(index);
      EXPECT_EQ(rows % 10, 0);
      expect_whole_rows(Index::open(index), rows);
      EXPECT_EQ(problems_of(index), "");
    }
  }
  EXPECT_GT(rows_in(index), 0);
  Child last(add_command(index, 2000, 32, 100), folder / "errors");
  ASSERT_EQ(last.wait(), 0) << last.errors();
  expect_whole_rows(Index::open(index), 2000);
  EXPECT_EQ(problems_of(index), "");
}

TEST(IndexCrash, AWriterThatFailedToWriteEnds) {
  const TemporaryFolder folder;
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    int status = 1;
    try {
      IndexWriter writer = IndexWriter::open(folder.path(), settings_of(1024));
      writer.add(row_entry(0), row_content(0, 1024));
      writer.commit();
      const rlimit limit{60'000, 60'000};
      ::setrlimit(RLIMIT_FSIZE, &limit);
      std::signal(SIGXFSZ, SIG_IGN);
      try {
        for (int i = 1; i < 1000; ++i) writer.add(row_entry(i), row_content(i, 1024));
        writer.commit();
      } catch (const Error& error) {
        status = error.code() == ErrorCode::kNoSpace ? 0 : 2;
      }
      try {
        writer.add(row_entry(2000), row_content(0, 1024));
        status = 3;
      } catch (const Error& error) {
        if (std::string(error.what()).find("this writer has ended") == std::string::npos) status = 4;
      }
      try {
        writer.commit();
        status = 5;
      } catch (const Error&) {
      }
    } catch (...) {
      status = 6;
    }
    ::_exit(status);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(Index::open(folder.path()).rows(), 1);
  EXPECT_EQ(problems_of(folder.path()), "");
}

}  // namespace
}  // namespace revisit::testing
