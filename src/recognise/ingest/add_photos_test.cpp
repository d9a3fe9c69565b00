// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// How adding ends before all photos are in: what was done is kept, and the caller learns what ended it.
#include <gtest/gtest.h>

#include "core/base/fail.h"
#include "core/base/stop_scope.h"
#include "revisit/ingest.h"
#include "test_files.h"

namespace revisit {
namespace {

class AddPhotos : public ::testing::Test {
 protected:
  static constexpr int kPhotos = 3;

  AddPhotos() {
    for (int i = 0; i < kPhotos; ++i) {
      const auto path = folder_ / (std::to_string(i) + ".png");
      save_png({8, 8, std::vector<std::uint8_t>(192, static_cast<std::uint8_t>(50 * i))}, path);
      photos_.push_back({std::to_string(i), path, std::nullopt, std::nullopt});
    }
  }
  AddReport add(std::function<bool(const AddReport&)> progress = {}) {
    IndexWriter writer = IndexWriter::open(folder_ / "db", index_settings_of(extractor_, ""));
    AddOptions options;
    options.progress = std::move(progress);
    return add_photos(writer, extractor_, photos_, options);
  }
  int rows() const { return Index::open(folder_ / "db").rows(); }

  testing::TemporaryFolder folder_;
  std::vector<Photo> photos_;
  Extractor extractor_{Model::random(kDemoModel), {.size = Size{28, 28}}, 1};
};

TEST_F(AddPhotos, StopsWhenProgressSaysNo) {
  const AddReport report = add([](const AddReport& so_far) { return so_far.added < 2; });
  EXPECT_TRUE(report.stopped);
  EXPECT_EQ(report.done(), 2);
  EXPECT_EQ(rows(), 2);
}

TEST_F(AddPhotos, StopsWhenAScopeEndsTheReading) {
  int done = 0;
  const StopScope scope([&] { return done == 1; }, "stopped as asked");
  save_png({5000, 5000, std::vector<std::uint8_t>(75'000'000)}, photos_[1].path);  // decoding it takes its time
  const AddReport report = add([&](const AddReport& so_far) { return done = so_far.done(), true; });
  EXPECT_TRUE(report.stopped);
  EXPECT_EQ(report.done(), 1);
  EXPECT_EQ(rows(), 1);
}

TEST_F(AddPhotos, ThrowsWhatProgressThrowsAndKeepsWhatWasDone) {
  testing::expect_error(
      [&] {
        add([](const AddReport& so_far) -> bool {
          if (so_far.added == 2) fail(ErrorCode::kInterrupted, "enough");
          return true;
        });
      },
      ErrorCode::kInterrupted, "enough");
  EXPECT_EQ(rows(), 2);
}

}  // namespace
}  // namespace revisit
