// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// A stop and the file: before it nothing is left, after it nothing is lost.
#include <gtest/gtest.h>

#include "core/base/stop_scope.h"
#include "revisit/lab/vlad.h"
#include "test_files.h"

namespace revisit {
namespace {

TEST(FitVlad, IsReportedOnceItIsWritten) {
  const testing::TemporaryFolder folder;
  const auto photo = folder / "photo.png", out = folder / "vlad.safetensors";
  Image noise{64, 64, {}};
  for (unsigned i = 0, v = 1; i < 64 * 64 * 3; ++i, v = v * 1664525U + 1013904223U) {
    noise.rgb.push_back(static_cast<std::uint8_t>(v >> 24U));
  }
  save_png(noise, photo);
  FitVladOptions options;
  options.clusters = 2;
  options.layer = 0;
  options.size = Size{28, 28};
  options.threads = 1;
  const Model backbone = Model::random(kDemoModel);
  {
    const StopScope scope([] { return true; }, "stopped as asked");
    testing::expect_error([&] { fit_vlad(backbone, {photo}, out, options); }, ErrorCode::kInterrupted, "stopped as asked");
    EXPECT_FALSE(std::filesystem::exists(out));
  }
  FitVladReport report;
  {
    const StopScope scope([&] { return std::filesystem::exists(out); }, "stopped as asked");
    report = fit_vlad(backbone, {photo}, out, options);
  }
  EXPECT_EQ(report.info.identity, Model::load(out).info().identity);
}

}  // namespace
}  // namespace revisit
