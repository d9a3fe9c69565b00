// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Outputs that can and cannot be written.
#include "cli/output.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <functional>

#include "revisit/error.h"

namespace revisit::cli {
namespace {

namespace fs = std::filesystem;

/// The word of the error, "" when there is none.
std::string refusal(const std::function<void()>& check) {
  try {
    check();
  } catch (const Error& error) {
    return name_of(error.code());
  }
  return "";
}

class Output : public ::testing::Test {
 protected:
  Output() {
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "there");
    std::ofstream(folder_ / "file") << "mine";
  }
  ~Output() override { fs::remove_all(folder_); }

  std::string as_file(const fs::path& name) const {
    return refusal([&] { check_output_file(folder_ / name); });
  }
  std::string as_folder(const fs::path& name) const {
    return refusal([&] { check_output_folder(folder_ / name); });
  }

  fs::path folder_ = fs::temp_directory_path() / ("revisit_output_" + std::to_string(::getpid()));
};

TEST_F(Output, AFileNeedsAFolderAndMustNotBeOne) {
  EXPECT_EQ(as_file("new.npy"), "");
  EXPECT_EQ(as_file("file"), "") << "it may be replaced";
  EXPECT_EQ(as_file("there"), "io");
  EXPECT_EQ(as_file("nowhere/new.npy"), "io");
  EXPECT_EQ(as_file("file/new.npy"), "io");
  EXPECT_EQ(refusal([] { check_output_file("/dev/null"); }), "");
  EXPECT_EQ(refusal([] { check_output_file("new.npy"); }), "") << "beside the program";
}

TEST_F(Output, AFolderIsMadeWithItsParentsUnlessAFileStandsInTheWay) {
  EXPECT_EQ(as_folder("there"), "");
  EXPECT_EQ(as_folder("there/new/newer/"), "");
  EXPECT_EQ(as_folder("file"), "usage");
  EXPECT_EQ(as_folder("file/"), "usage");
  EXPECT_EQ(as_folder("file/new/newer"), "usage");
  EXPECT_EQ(refusal([] { check_output_folder("new/newer"); }), "") << "beside the program";
  EXPECT_EQ(refusal([] { check_output_folder(""); }), "") << "none is wanted";
  EXPECT_FALSE(fs::exists(folder_ / "there/new")) << "nothing is made yet";
}

// Root may write anywhere, so the writer becomes the user nobody first.
TEST_F(Output, WhatMayNotBeWrittenIsRefused) {
  ::chmod((folder_ / "there").c_str(), 0555);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    if (::geteuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0)) ::_exit(2);
    const bool all = as_file("there/new.npy") == "io" && as_folder("there") == "io" && as_folder("there/new/newer") == "io" &&
                     refusal([] { check_output_file("/dev/null"); }).empty();
    ::_exit(all ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ::chmod((folder_ / "there").c_str(), 0755);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace revisit::cli
