// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Folders that vanish, and what tests of an index do all the time.
#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "index_rows.h"

namespace revisit::testing {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::random_device random;
    path_ =
        std::filesystem::temp_directory_path() / ("revisit_index_" + std::to_string(::getpid()) + "_" + std::to_string(random()));
    std::filesystem::create_directories(path_);
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Rows first..end-1, added and committed together.
inline void add_rows(const std::filesystem::path& folder, int first, int end, int dim) {
  IndexWriter writer = IndexWriter::open(folder, settings_of(dim));
  for (int i = first; i < end; ++i) writer.add(row_entry(i), row_content(i, dim));
  writer.commit();
}

/// Every row of the view is the one its name says, in order.
inline void expect_whole_rows(const Index& index, int rows) {
  ASSERT_EQ(index.rows(), rows);
  for (int r = 0; r < rows; ++r) {
    ASSERT_EQ(index.entry(r).name, row_name(r));
    const auto stored = index.descriptor(r);
    ASSERT_EQ(std::vector<float>(stored.begin(), stored.end()), row_content(r, index.settings().dim)) << "row " << r;
  }
}

inline std::string problems_of(const std::filesystem::path& folder) {
  std::string out;
  for (const IndexProblem& problem : verify_index(folder)) out += problem.what + "\n";
  return out;
}

inline std::string read_bytes(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void write_bytes(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

/// Runs `action`, which must throw Error `code` with `part` in its sentence.
template <typename Action>
void expect_error(Action&& action, ErrorCode code, const std::string& part) {
  try {
    action();
    ADD_FAILURE() << "accepted; expected: " << part;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what() << "\nexpected: " << part;
  }
}

/// Whether `check` holds in a process that cannot write into the folder. Root may write anywhere, so it becomes the user nobody
/// first.
template <typename Check>
bool holds_read_only(const std::filesystem::path& folder, Check&& check) {
  ::chmod(folder.c_str(), 0555);
  for (const auto& file : std::filesystem::directory_iterator(folder)) ::chmod(file.path().c_str(), 0444);
  const pid_t child = ::fork();
  if (child == 0) {
    if (::geteuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0)) ::_exit(3);
    try {
      ::_exit(check() ? 0 : 1);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
      ::_exit(2);
    }
  }
  int status = -1;
  if (child > 0) ::waitpid(child, &status, 0);
  ::chmod(folder.c_str(), 0755);
  for (const auto& file : std::filesystem::directory_iterator(folder)) ::chmod(file.path().c_str(), 0644);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace revisit::testing
