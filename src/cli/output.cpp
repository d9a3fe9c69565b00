// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Only checks: nothing is created or opened, so a refused request leaves no trace.
#include "cli/output.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/base/fail.h"

namespace revisit::cli {
namespace {

void require_access(const std::filesystem::path& output, const std::filesystem::path& place, int how) {
  if (::access(place.c_str(), how) == 0) return;
  const int error = errno;
  fail(ErrorCode::kIo, "cannot write '{}': '{}' is not writable ({})", output.string(), place.string(), std::strerror(error));
}

}  // namespace

void check_output_file(const std::filesystem::path& file) {
  namespace fs = std::filesystem;
  const auto folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  std::error_code ignored;  // an unknown state shows when writing
  if (fs::is_directory(file, ignored)) fail(ErrorCode::kIo, "cannot write '{}': it is a folder", file.string());
  if (!fs::is_directory(folder, ignored)) {
    fail(ErrorCode::kIo, "cannot write '{}': the folder '{}' does not exist", file.string(), folder.string());
  }
  const bool device = fs::exists(file, ignored) && !fs::is_regular_file(file, ignored);
  device ? require_access(file, file, W_OK) : require_access(file, folder, W_OK | X_OK);
}

void check_output_folder(const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  if (folder.empty()) return;
  std::error_code ignored;
  if (fs::exists(folder / "catalogue.sqlite", ignored)) {
    fail_with_hint(ErrorCode::kUsage, "choose another folder", "'{}' is an index, and a report cannot go into it",
                   folder.string());
  }
  fs::path there = folder;  // the nearest parent that exists
  while (!there.empty() && !fs::exists(there, ignored)) there = there.parent_path();
  if (there.empty()) there = ".";
  if (!fs::is_directory(there, ignored)) {
    fail(ErrorCode::kUsage, "cannot write to '{}': '{}' is a file, not a folder", folder.string(), there.string());
  }
  require_access(folder, there, W_OK | X_OK);
}

}  // namespace revisit::cli
