// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The power goes at a random moment, and the disk holds any part of what was not flushed: every row that commit() promised is
// there, none in part, and the index can be used.
#include <gtest/gtest.h>
#include <unistd.h>

#include <iostream>
#include <optional>
#include <random>

#include "crash/child.h"
#include "crash/power_cut.h"
#include "index_fixtures.h"

namespace revisit::testing {
namespace {

constexpr int kTotal = 60;

/// In memory where possible: a reconstructed state needs no disk.
std::filesystem::path quick_place() {
  const std::filesystem::path memory = "/dev/shm";
  return ::access(memory.c_str(), W_OK) == 0 ? memory : std::filesystem::temp_directory_path();
}

class PowerCut : public ::testing::Test {
 protected:
  /// Runs the writer; `old`: the index it begins with.
  void record(int dim, const std::string& old = "") {
    dim_ = dim;
    ASSERT_EQ(::setenv("REVISIT_CUT_ROOT", root().c_str(), 1), 0);
    ASSERT_EQ(::setenv("REVISIT_CUT_LOG", (folder_ / "log").c_str(), 1), 0);
    ASSERT_EQ(::setenv("LD_PRELOAD", REVISIT_POWER_CUT_SHIM, 1), 0);
    std::filesystem::create_directories(root());
    {
      std::vector<std::string> command = {REVISIT_POWER_CUT_CHILD, root().string(), std::to_string(kTotal), std::to_string(dim)};
      if (!old.empty()) command.push_back(old);
      Child child(command, folder_ / "errors");
      ::unsetenv("LD_PRELOAD");
      ASSERT_EQ(child.wait(), 0) << child.errors();
    }
    changes_ = read_changes(read_bytes(folder_ / "log"));
    for (const DiskChange& change : changes_) {
      if (change.kind == 'C' && change.bytes == (root() / "promised").string()) promises_ = change.file;
    }
    state_ = quick_place() / ("revisit_power_cut_" + std::to_string(::getpid()));
  }
  void TearDown() override {
    std::error_code ignored;
    std::filesystem::remove_all(state_, ignored);
  }

  std::filesystem::path root() const { return folder_ / "root"; }

  /// Rows promised before the first `until` changes were over.
  int promised(std::size_t until) const {
    int rows = 0;
    for (std::size_t i = 0; i < until; ++i) {
      if (changes_[i].kind == 'W' && changes_[i].file == promises_) rows = std::stoi(changes_[i].bytes);
    }
    return rows;
  }

  /// What is wrong after this cut; empty when all is well.
  std::string problem_after(std::size_t until, unsigned seed, bool go_on) {
    DiskAfterCut(changes_, until, seed).put(root(), state_);
    const int least = promised(until);
    const auto index = state_ / "index";
    try {
      std::optional<Index> view;
      if (std::filesystem::exists(index / "catalogue.sqlite")) {
        try {
          const std::string problems = problems_of(index);
          if (least > 0 && !problems.empty()) return problems;
          view = Index::open(index);
        } catch (const Error& error) {
          if (least > 0) return error.what();  // before the first promise it may not be an index yet
        }
      }
      if (!view && least > 0) return "the index is gone";
      if (view) {
        if (view->rows() < least) return std::to_string(view->rows()) + " rows, promised were " + std::to_string(least);
        if (const std::string wrong = wrong_row(*view); !wrong.empty()) return wrong;
      }
      view.reset();
      if (!go_on) return "";
      add_rest(index);
      const Index whole = Index::open(index);
      if (whole.rows() != kTotal) return "went on to " + std::to_string(whole.rows()) + " rows";
      return wrong_row(whole) + problems_of(index);
    } catch (const Error& error) {
      return error.what();
    }
  }

  std::string wrong_row(const Index& view) const {
    for (int r = 0; r < view.rows(); ++r) {
      const auto row = view.descriptor(r);
      if (view.entry(r).name != row_name(r) || std::vector<float>(row.begin(), row.end()) != row_content(r, dim_)) {
        return "row " + std::to_string(r) + " is not what was added";
      }
    }
    return "";
  }

  void add_rest(const std::filesystem::path& index) const {
    IndexWriter writer = IndexWriter::open(index, settings_of(dim_));
    for (int i = writer.rows(); i < kTotal; ++i) writer.add(row_entry(i), row_content(i, dim_));
    writer.commit();
  }

  /// Cuts within the changes from `first` to `last`.
  void expect_nothing_lost(std::size_t first, std::size_t last, unsigned cuts) {
    std::mt19937 random(2);
    int lost = 0;
    for (unsigned cut = 0; cut < cuts && lost < 5; ++cut) {
      const std::size_t until = first + random() % (last - first + 1);
      const std::string problem = problem_after(until, cut, cut % 8 == 0);
      if (problem.empty()) continue;
      ++lost;
      ADD_FAILURE() << "cut " << cut << " after change " << until << " of " << changes_.size() << ", " << promised(until)
                    << " rows promised: " << problem;
    }
    std::cout << cuts << " cuts in " << last - first << " changes\n";
  }

  int dim_ = 0;
  TemporaryFolder folder_;
  std::filesystem::path state_;
  std::vector<DiskChange> changes_;
  std::uint32_t promises_ = 0;
};

TEST_F(PowerCut, LosesNoPromisedRowWhateverPartOfTheRestIsOnTheDisk) {
  ASSERT_NO_FATAL_FAILURE(record(40));
  ASSERT_EQ(promised(changes_.size()), kTotal);
  ASSERT_GT(changes_.size(), 200U);
  expect_nothing_lost(0, changes_.size(), REVISIT_POWER_CUTS);
}

TEST_F(PowerCut, LosesNothingOfVersionOneWhileItIsUpgraded) {
  ASSERT_NO_FATAL_FAILURE(record(16, "tests/data/index_v1"));  // tests run in the project's folder
  std::size_t first = 0, last = 0;                             // from the first promise, of the old rows, to the second
  while (promised(first) == 0) ++first;
  while (promised(last) < 8) ++last;
  ASSERT_EQ(promised(first), 7);
  ASSERT_GT(last - first, 10U);
  expect_nothing_lost(first, last, REVISIT_POWER_CUTS / 3);
}

// Tests the test: a writer that did not flush is detected.
TEST_F(PowerCut, IsNoticedWhereAFlushIsMissing) {
  ASSERT_NO_FATAL_FAILURE(record(40));
  for (const char* name : {"vectors.bin", "catalogue.sqlite-wal"}) {
    const std::vector<DiskChange> sound = changes_;
    std::vector<std::uint32_t> files;
    for (const DiskChange& change : sound) {
      // vectors.bin is made under another name and renamed.
      if (change.kind == 'C' && std::filesystem::path(change.bytes).filename().string().starts_with(name)) {
        files.push_back(change.file);
      }
    }
    ASSERT_FALSE(files.empty()) << name;
    std::erase_if(changes_, [&](const DiskChange& change) {
      return change.kind == 'S' && std::find(files.begin(), files.end(), change.file) != files.end();
    });
    ASSERT_LT(changes_.size(), sound.size()) << name;
    int noticed = 0;
    std::mt19937 random(3);
    for (unsigned cut = 0; cut < 40; ++cut) {
      const std::size_t until = random() % (changes_.size() + 1);
      noticed += problem_after(until, cut, false).empty() ? 0 : 1;
    }
    EXPECT_GT(noticed, 3) << name;
    changes_ = sound;
  }
}

}  // namespace
}  // namespace revisit::testing
