// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Recorded cases: case.json plus .npy files, compared with the tolerance each tensor states.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "core/formats/npy.h"
#include "shared_data.h"

namespace revisit::testing {

class GoldenCase {
 public:
  explicit GoldenCase(const std::string& name) : folder_(shared_folder() / "golden" / name) {
    std::ifstream in(folder_ / "case.json");
    json_ = nlohmann::json::parse(in);
  }

  const nlohmann::json& json() const { return json_; }
  const std::filesystem::path& folder() const { return folder_; }
  bool has(const std::string& tensor) const { return json_["tensors"].contains(tensor); }
  NpyArray tensor(const std::string& name) const {
    return read_npy(folder_ / json_["tensors"].at(name).at("file").get<std::string>());
  }
  std::vector<float> f32(const std::string& name) const { return tensor(name).to_f32(); }
  std::filesystem::path checkpoint(int i = 0) const { return folder_ / json_["checkpoints"].at(i).at("file").get<std::string>(); }
  double atol(const std::string& name) const { return json_["tensors"].at(name).at("atol").get<double>(); }

  /// Every value within the tensor's own atol.
  void expect_close(const std::string& name, std::span<const float> got) const {
    const auto want = f32(name);
    ASSERT_EQ(want.size(), got.size()) << name;
    double worst = 0;
    for (std::size_t i = 0; i < want.size(); ++i) {
      const double error = std::abs(static_cast<double>(got[i]) - static_cast<double>(want[i]));
      worst = std::isnan(error) ? INFINITY : std::max(worst, error);
    }
    EXPECT_LE(worst, atol(name)) << name << " of " << folder_.filename();
    ::testing::Test::RecordProperty(name + "_max_error", fmt::format("{:.2e}", worst));
  }

  void expect_equal(const std::string& name, std::span<const std::int64_t> got) const {
    const auto want = tensor(name).to_i64();
    EXPECT_TRUE(std::ranges::equal(want, got)) << name << " of " << folder_.filename();
  }

 private:
  std::filesystem::path folder_;
  nlohmann::json json_;
};

}  // namespace revisit::testing
