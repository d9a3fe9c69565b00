// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
#include "core/formats/other_files.h"

#include <gtest/gtest.h>

namespace revisit {
namespace {

TEST(OtherFiles, AreCountedByKindTheMostFrequentFirst) {
  OtherFiles files;
  EXPECT_EQ(files.text(), "");
  files.add("a/notes.TXT");
  EXPECT_EQ(files.text(), "skipped 1 file that is not a photo (1 text)");
  for (const char* name : {"1.heic", "2.HEIC", "3.heif", "drive.mp4", "README", ".hidden"}) files.add(name);
  EXPECT_EQ(files.count(), 7U);
  EXPECT_EQ(files.text(), "skipped 7 files that are not photos (3 HEIC, 2 other, 1 text, 1 video)");
}

}  // namespace
}  // namespace revisit
