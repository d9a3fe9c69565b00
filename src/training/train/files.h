// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Folders and small files of a run.
#pragma once

#include <filesystem>
#include <string>
#include <system_error>

#include "core/base/fail.h"
#include "core/base/file.h"

namespace revisit::train {

inline void make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) fail(ErrorCode::kIo, "cannot create the folder '{}': {}", folder.string(), error.message());
}

inline void write_text(const std::filesystem::path& path, const std::string& text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace revisit::train
