// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Which files `describe --dump` writes.
#include <gtest/gtest.h>

#include <set>

#include "cli/describe.h"
#include "core/formats/npy.h"
#include "test_files.h"

namespace revisit::cli {
namespace {

std::set<std::string> dumped(const std::filesystem::path& folder, const Trace& trace) {
  write_trace(folder, trace);
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) names.insert(entry.path().filename().string());
  return names;
}

TEST(WriteTrace, MassAndOwnerAreFilesOnlyWhereSomethingWasMerged) {
  const testing::TemporaryFolder folder;
  Trace trace;
  trace.kept = {0, 2};
  EXPECT_EQ(dumped(folder / "dropped", trace), (std::set<std::string>{"kept.npy"}));
  trace.mass = {{2}, {2, 1}};
  trace.owner = {0, 0, 2, -1};
  EXPECT_EQ(dumped(folder / "merged", trace), (std::set<std::string>{"kept.npy", "mass.npy", "owner.npy"}));
  EXPECT_EQ(read_npy(folder / "merged/mass.npy").to_f32(), trace.mass.values);
  EXPECT_EQ(read_npy(folder / "merged/owner.npy").to_i64(), trace.owner);
}

}  // namespace
}  // namespace revisit::cli
