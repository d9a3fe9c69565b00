// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Death and errors at every single system call that changes a file, by strace: whatever happens, what was committed stays, a
// later run finishes the work, and an error is never taken for success.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <set>
#include <string>

#include "crash/child.h"
#include "index_fixtures.h"
#include "index_sql.h"

namespace revisit::testing {
namespace {

constexpr const char* kTracer = "/usr/bin/strace";
/// The initial state of the injured run. Its rows must survive, and four more are there in the end.
struct Start {
  int rows = 0;
  int dim = 8;
  bool version_one = false;  // of the kept index, which the run upgrades
  bool local = false;        // the run keeps local features, and adds those that are missing
  int total() const { return rows + 4; }
};

constexpr Start kNothing = {};
constexpr Start kThreeRows = {3, 8, false};
constexpr Start kLocalRows = {3, 8, false, true};
constexpr Start kVersionOne = {7, 16, true};

const std::vector<std::string> kCalls = {"pwrite64", "write",  "fdatasync", "fsync", "ftruncate",
                                         "rename",   "unlink", "openat",    "flock"};

bool can_trace() {
  if (!std::filesystem::exists(kTracer)) return false;
  const TemporaryFolder folder;
  Child probe({kTracer, "-qq", "-o", (folder / "trace").string(), "/bin/true"}, folder / "errors");
  return probe.wait() == 0;
}

class Injection {
 public:
  explicit Injection(const Start& start) : start_(start), prepared_(folder_ / "prepared") {
    if (start_.version_one) {
      std::filesystem::copy("tests/data/index_v1", prepared_);  // tests run in the project's folder
    } else if (start_.rows > 0) {
      add_rows(prepared_, 0, start_.rows, start_.dim);
    }
  }

  /// How many calls come before the first that names the index: those of the loader, the same in every run.
  int calls_before_ours(const std::string& call) {
    const auto index = folder_ / "index";
    std::filesystem::remove_all(index);
    std::vector<std::string> command = {kTracer, "-qq", "-y", "-o", (folder_ / "trace").string(), "-e", "trace=" + call};
    for (const auto& word : add_command(index, 1, start_.dim, 1)) command.push_back(word);
    Child(command, folder_ / "errors").wait();
    const std::string trace = read_bytes(folder_ / "trace");
    const std::size_t end = std::min(trace.find(index.string()), trace.size());
    return static_cast<int>(std::count(trace.begin(), trace.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
  }

  /// One run with `what` happening at the n-th call; returns false once there is no n-th call.
  bool run(const std::string& call, const std::string& what, int n) {
    const auto index = folder_ / "index";
    std::filesystem::remove_all(index);
    if (start_.rows > 0) std::filesystem::copy(prepared_, index);
    const std::string label = call + ":" + what + ":" + std::to_string(n);
    std::vector<std::string> command = {kTracer, "-qq",
                                        "-f",    "-y",
                                        "-o",    (folder_ / "trace").string(),
                                        "-e",    "trace=" + call,
                                        "-e",    "inject=" + call + ":" + what + ":when=" + std::to_string(n)};
    for (const auto& word : add_command(index, start_.total(), start_.dim, 2)) command.push_back(word);
    Child child(command, folder_ / "errors");
    const int status = child.wait();
    const std::string trace = read_bytes(folder_ / "trace");
    const bool happened =
        trace.find("(INJECTED)") != std::string::npos || trace.find("+++ killed by SIGKILL") != std::string::npos;
    if (!happened) {
      EXPECT_EQ(status, 0) << label << ": " << child.errors();
      return false;
    }
    ++points_;
    // The loader opens libraries before our code runs; those are not ours to name.
    const bool ours = injected_line(trace).find(index.string()) != std::string::npos;
    if (what.starts_with("error") && ours && status != 0) {
      EXPECT_TRUE(status == 1 || status == 3 || status == 5) << label << " ended with " << status << ": " << child.errors();
      EXPECT_NE(child.errors().find(index.string()), std::string::npos) << label << " does not name the file: " << child.errors();
      EXPECT_TRUE(what != "error=ENOSPC" || call != "pwrite64" || status == 5) << label << ": " << child.errors();
    }
    if (what.starts_with("error") && what != "error=EINTR" && loses_rows(trace, call)) {
      EXPECT_NE(status, 0) << label << " was taken for success";
    }
    expect_recovers(index, label);
    return true;
  }

  int points() const { return points_; }
  /// The rows of the catalogue after an injured run.
  const std::set<std::int64_t>& versions() const { return versions_; }

 private:
  static std::string injected_line(const std::string& trace) {
    const std::size_t at = trace.find("(INJECTED)");
    if (at == std::string::npos) return "";
    const std::size_t before = trace.rfind('\n', at);
    const std::size_t begin = before == std::string::npos ? 0 : before + 1;
    return trace.substr(begin, at - begin);
  }

  // Whether rows would be lost if the failed call were ignored. Moving the log into catalogue.sqlite at the end may fail: the
  // log stays, and is used. It starts with another flush of the log, the second one since the rows were flushed.
  static bool loses_rows(const std::string& trace, const std::string& call) {
    const std::string line = injected_line(trace);
    const bool rows = line.find("vectors.bin>") != std::string::npos || line.find("codes.i8>") != std::string::npos ||
                      line.find("local.i8>") != std::string::npos;
    const bool log = line.find("catalogue.sqlite-wal>") != std::string::npos;
    if (call == "pwrite64") return rows || log;
    if (call != "fdatasync") return false;
    const std::size_t at = trace.find(line);
    const std::size_t last_rows = trace.rfind("codes.i8>", at);
    const bool again =
        last_rows != std::string::npos && trace.substr(last_rows, at - last_rows).find("-wal>") != std::string::npos;
    return rows || (log && !again);
  }

  void expect_recovers(const std::filesystem::path& index, const std::string& label) {
    SCOPED_TRACE(label);
    if (start_.rows > 0) {
      note_version(index);
      const Index view = Index::open(index);
      EXPECT_GE(view.rows(), start_.rows);
      expect_whole_rows(view, view.rows());
      EXPECT_EQ(problems_of(index), "");
      for (int row = 0; row < view.rows(); ++row) {
        EXPECT_EQ(view.local(row).value_or(row_local(row)), row_local(row)) << row;
      }
    }
    add_rest(index);
    const Index whole = Index::open(index);
    for (int row = 0; start_.local && row < whole.rows(); ++row) EXPECT_EQ(whole.local(row), row_local(row)) << row;
    expect_whole_rows(whole, start_.total());
    EXPECT_EQ(problems_of(index), "");
    if (start_.version_one) {
      EXPECT_EQ(whole.entry(2).position->geographic->lat_deg, 48.25);
      EXPECT_FALSE(whole.is_live(4));
    }
  }

  // Of a copy: opening a database absorbs its log.
  void note_version(const std::filesystem::path& index) {
    const auto copy = folder_ / "copy";
    std::filesystem::remove_all(copy);
    std::filesystem::copy(index, copy);
    versions_.insert(number_of(copy, "PRAGMA user_version"));
  }

  void add_rest(const std::filesystem::path& index) const {
    IndexWriter writer = IndexWriter::open(index, settings_of(start_.dim));
    for (int i = writer.rows(); i < start_.total(); ++i) writer.add(row_entry(i), row_content(i, start_.dim));
    if (start_.local) writer.open_local(row_local(0).dim);
    for (int i = 0; start_.local && i < start_.total(); ++i) {
      if (const auto row = writer.row_without_local(row_name(i))) writer.keep_local(*row, row_local(i));
    }
    writer.commit();
  }

  TemporaryFolder folder_;
  Start start_;
  std::filesystem::path prepared_;
  int points_ = 0;
  std::set<std::int64_t> versions_;
};

// Every n-th call of every kind, until there is none; stops early, and says so, when the machine is too slow.
void inject_everywhere(const Start& start_with, const std::string& what) {
  ::setenv("ASAN_OPTIONS", "detect_leaks=0", 1);  // the leak checker cannot work in a child that is traced
  if (!can_trace()) GTEST_SKIP() << kTracer << " is missing or may not trace here";
  Injection injection(start_with);
  start_with.local ? ::setenv("REVISIT_CHILD_LOCAL", "1", 1) : ::unsetenv("REVISIT_CHILD_LOCAL");
  const auto start = std::chrono::steady_clock::now();
  for (const std::string& call : kCalls) {
    const int first = call == "openat" ? injection.calls_before_ours(call) + 1 : 1;
    for (int n = first; injection.run(call, what, n); ++n) {
      if (::testing::Test::HasFatalFailure()) return;
      if (std::chrono::steady_clock::now() - start > std::chrono::seconds(60)) {
        GTEST_SKIP() << injection.points() << " points passed in 60 s, then no time was left at " << call << " " << n;
      }
    }
  }
  EXPECT_GT(injection.points(), 20);
  if (start_with.version_one) {
    EXPECT_EQ(injection.versions(), (std::set<std::int64_t>{1, 2})) << "hurt before and after it was upgraded";
  }
  std::cout << injection.points() << " points\n";
}

TEST(IndexInjection, KilledAtEveryCallWhileAddingRows) { inject_everywhere(kThreeRows, "signal=KILL"); }
TEST(IndexInjection, KilledAtEveryCallWhileLocalFeaturesAreAdded) { inject_everywhere(kLocalRows, "signal=KILL"); }
TEST(IndexInjection, NoSpaceAtEveryCallWhileLocalFeaturesAreAdded) { inject_everywhere(kLocalRows, "error=ENOSPC"); }
TEST(IndexInjection, KilledAtEveryCallWhileBeingMade) { inject_everywhere(kNothing, "signal=KILL"); }
TEST(IndexInjection, KilledAtEveryCallWhileVersionOneIsUpgraded) { inject_everywhere(kVersionOne, "signal=KILL"); }
TEST(IndexInjection, NoSpaceAtEveryCallWhileAddingRows) { inject_everywhere(kThreeRows, "error=ENOSPC"); }
TEST(IndexInjection, NoSpaceAtEveryCallWhileBeingMade) { inject_everywhere(kNothing, "error=ENOSPC"); }
TEST(IndexInjection, NoSpaceAtEveryCallWhileVersionOneIsUpgraded) { inject_everywhere(kVersionOne, "error=ENOSPC"); }
TEST(IndexInjection, InputOutputErrorAtEveryCallWhileAddingRows) { inject_everywhere(kThreeRows, "error=EIO"); }
TEST(IndexInjection, InterruptedAtEveryCallWhileAddingRows) { inject_everywhere(kThreeRows, "error=EINTR"); }

}  // namespace
}  // namespace revisit::testing
