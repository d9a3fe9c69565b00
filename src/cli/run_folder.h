// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The folder match and eval leave behind.
#pragma once

#include <filesystem>

#include "cli/console.h"
#include "revisit/lab/report.h"

namespace revisit::cli {

/// Describes the photos the report shows once more, writes everything and names the files.
void write_run_folder(const std::filesystem::path& folder, RunReport& report, const Model& model, Console& console);

}  // namespace revisit::cli
