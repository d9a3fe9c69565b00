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

TEST_F(AddPhotos, KeepsLocalFeaturesOnceAskedAndAddsWhatIsMissing) {
  add();
  {
    IndexWriter writer = IndexWriter::open(folder_ / "db", index_settings_of(extractor_, ""));
    AddOptions options;
    options.local = true;
    const AddReport report = add_photos(writer, extractor_, photos_, options);
    EXPECT_EQ(report.local, kPhotos);
    EXPECT_EQ(report.unchanged, kPhotos);
    EXPECT_EQ(report.done(), kPhotos);
  }
  const auto path = folder_ / "3.png";
  save_png({8, 8, std::vector<std::uint8_t>(192, 200)}, path);
  photos_.push_back({"3", path, std::nullopt, std::nullopt});
  const AddReport report = add();  // goes on by itself
  EXPECT_EQ(report.added, 1);
  EXPECT_EQ(report.local, 0);
  const Index index = Index::open(folder_ / "db");
  EXPECT_EQ(index.local_rows(), kPhotos + 1);
  for (int row = 0; row < index.rows(); ++row) {
    LocalFeatures local;
    extractor_.describe(load_image(index.entry(row).path), nullptr, &local);
    EXPECT_EQ(index.local(row), local) << row;
  }
  EXPECT_TRUE(verify_index(folder_ / "db").empty());
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

/// 90 photos: every third is a copy of the one before it, every tenth cannot be used.
class AddManyPhotos : public ::testing::Test {
 protected:
  static constexpr int kMany = 90;

  AddManyPhotos() {
    for (int i = 0; i < kMany; ++i) {
      const auto path = folder_ / (std::to_string(i) + ".png");
      if (i % 10 == 9) {
        folder_.write(path.filename().string(), "no picture");
      } else {
        const int content = i % 3 == 2 ? i - 1 : i;
        std::vector<std::uint8_t> rgb(24 * 24 * 3);
        for (std::size_t k = 0; k < rgb.size(); ++k)
          rgb[k] = static_cast<std::uint8_t>((k * k + 31U * static_cast<unsigned>(content)) >> 3U);
        save_png({24, 24, rgb}, path);
      }
      photos_.push_back({std::to_string(i), path, std::nullopt, std::nullopt});
    }
  }

  AddReport add(const std::string& name, int threads, AddOptions options = {}) {
    Extractor extractor(Model::random(kDemoModel), {.size = Size{28, 28}}, threads);
    IndexWriter writer = IndexWriter::open(folder_ / name, index_settings_of(extractor, ""));
    return add_photos(writer, extractor, photos_, options);
  }

  std::vector<std::pair<std::string, std::vector<float>>> rows(const std::string& name) const {
    const Index index = Index::open(folder_ / name);
    std::vector<std::pair<std::string, std::vector<float>>> out;
    for (int row = 0; row < index.rows(); ++row) {
      const auto values = index.descriptor(row);
      out.emplace_back(index.entry(row).name, std::vector<float>(values.begin(), values.end()));
    }
    return out;
  }

  testing::TemporaryFolder folder_;
  std::vector<Photo> photos_;
};

TEST_F(AddManyPhotos, ByManyThreadsMakeTheSameIndexInTheSameOrder) {
  const AddReport one = add("one", 1);
  std::vector<int> done;
  AddOptions options;
  options.progress = [&](const AddReport& so_far) { return done.push_back(so_far.done()), true; };
  const AddReport many = add("many", 4, options);
  EXPECT_EQ(rows("many"), rows("one"));
  EXPECT_EQ(many.added, one.added);
  EXPECT_EQ(many.duplicates, one.duplicates);
  EXPECT_GT(many.duplicates.size(), 20U);
  EXPECT_EQ(many.skipped.size(), 9U);
  for (int i = 0; i < kMany; ++i) EXPECT_EQ(done[static_cast<std::size_t>(i)], i + 1);
  EXPECT_EQ(add("many", 4).unchanged + 9 + static_cast<int>(many.duplicates.size()), kMany);
}

TEST_F(AddManyPhotos, KeepWhatWasDoneWhenOneEndsTheRun) {
  folder_.write("75.png", "no picture");
  for (Photo& photo : photos_) {
    if (photo.path.filename().string().ends_with("9.png")) photo.path = folder_ / "0.png";
  }
  AddOptions strict;
  strict.strict = true;
  testing::expect_error([&] { add("strict", 4, strict); }, ErrorCode::kBadImage, "75.png");
  const auto kept = rows("strict");
  ASSERT_FALSE(kept.empty());
  EXPECT_EQ(kept.back().first, "73");
  AddOptions stopping;
  stopping.progress = [](const AddReport& so_far) { return so_far.done() < 61; };
  EXPECT_TRUE(add("stopped", 4, stopping).stopped);
  EXPECT_EQ(rows("stopped").back().first, "60");
}

}  // namespace
}  // namespace revisit
