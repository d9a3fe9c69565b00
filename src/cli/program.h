// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The program without main: dispatch to a verb, and the one place where exceptions become messages and exit codes.
#pragma once

#include <string>
#include <vector>

namespace revisit::cli {

/// `arguments` without the program's name. Returns the exit code; does not throw.
int run_program(const std::vector<std::string>& arguments) noexcept;

}  // namespace revisit::cli
