// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Where tests find recorded cases, real weights and photos, and how they say that these are not there.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace revisit::testing {

/// The folder named by the environment variable REVISIT_SHARED, else the one fixed at configure time.
inline std::filesystem::path shared_folder() {
  const char* from_environment = std::getenv("REVISIT_SHARED");
  return from_environment != nullptr ? from_environment : REVISIT_SHARED;
}

inline bool on_ci() {
  const char* ci = std::getenv("CI");
  return ci != nullptr && std::string(ci) == "true";
}

}  // namespace revisit::testing

/// First line of a test that reads the shared folder: skips with a reason, or fails where CI=true.
#define REVISIT_REQUIRE_SHARED(relative)                                                                   \
  do {                                                                                                     \
    const auto wanted = revisit::testing::shared_folder() / (relative);                                    \
    if (!std::filesystem::exists(wanted)) {                                                                \
      if (revisit::testing::on_ci()) FAIL() << wanted << " is missing, and with CI=true it must be there"; \
      GTEST_SKIP() << wanted << " does not exist; this test needs the recorded cases";                       \
    }                                                                                                      \
  } while (false)
