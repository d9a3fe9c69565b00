// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Only checks: nothing is created or opened, so a refused request leaves no trace.
#include "cli/output.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/base/fail.h"

namespace revisit::cli {

namespace fs = std::filesystem;

namespace {

void require_access(const fs::path& output, const fs::path& place, int how) {
  if (::access(place.c_str(), how) == 0) return;
  const int error = errno;
  fail(ErrorCode::kIo, "cannot write '{}': '{}' is not writable ({})", output.string(), place.string(), std::strerror(error));
}

/// Nothing but photos goes into an index, not even into a folder inside it.
void refuse_index(const fs::path& output, const fs::path& folder) {
  std::error_code ignored;
  fs::path at = fs::weakly_canonical(fs::absolute(folder, ignored), ignored);
  while (!at.empty()) {
    if (fs::exists(at / "catalogue.sqlite", ignored) && fs::exists(at / "vectors.bin", ignored)) {
      fail_with_hint(ErrorCode::kUsage, "choose another folder", "'{}' {} an index, where nothing but photos is written",
                     output.string(), fs::equivalent(output, at, ignored) ? "is" : "lies in");
    }
    if (!at.has_relative_path()) return;
    at = at.parent_path();
  }
}

}  // namespace

void check_output_file(const fs::path& file) {
  const auto folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  std::error_code ignored;  // an unknown state shows when writing
  if (fs::is_directory(file, ignored)) fail(ErrorCode::kIo, "cannot write '{}': it is a folder", file.string());
  if (!fs::is_directory(folder, ignored)) {
    fail(ErrorCode::kIo, "cannot write '{}': the folder '{}' does not exist", file.string(), folder.string());
  }
  refuse_index(file, folder);
  const bool device = fs::exists(file, ignored) && !fs::is_regular_file(file, ignored);
  device ? require_access(file, file, W_OK) : require_access(file, folder, W_OK | X_OK);
}

void check_output_folder(const fs::path& folder) {
  if (folder.empty()) return;
  refuse_index(folder, folder);
  std::error_code ignored;
  fs::path there = folder;  // the nearest parent that exists
  while (!there.empty() && !fs::exists(there, ignored)) there = there.parent_path();
  if (there.empty()) there = ".";
  if (!fs::is_directory(there, ignored)) {
    fail(ErrorCode::kUsage, "cannot write to '{}': '{}' is a file, not a folder", folder.string(), there.string());
  }
  require_access(folder, there, W_OK | X_OK);
}

}  // namespace revisit::cli
