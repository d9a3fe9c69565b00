// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "engine/model/model_file.h"

namespace revisit::model {
namespace {

/// What becomes of values in a 2 x n matrix.
std::vector<float> through_half(std::vector<float> values) {
  LoadedModel model;
  const auto count = static_cast<std::int64_t>(values.size());
  values.insert(values.end(), values.begin(), values.begin() + count);
  model.weights.add_f32("m", {2, count}, values);
  const LoadedModel half = with_half_matrices(model);
  EXPECT_EQ(half.weights.at("m").dtype, DType::kF16);
  auto out = to_f32(half.weights.at("m"));
  out.resize(static_cast<std::size_t>(count));
  return out;
}

TEST(HalfMatrices, RoundToTheNearestOfAllHalves) {
  // Every half rounds to itself; a value between two neighbours goes to the nearer one, in the middle to the even one.
  std::vector<float> halves;
  for (std::uint32_t bits = 0; bits < 0x7C00U; ++bits) {
    const int exponent = static_cast<int>(bits >> 10U), fraction = static_cast<int>(bits & 0x3FFU);
    halves.push_back(exponent == 0 ? std::ldexp(static_cast<float>(fraction), -24)
                                   : std::ldexp(static_cast<float>(1024 + fraction), exponent - 25));
  }
  EXPECT_EQ(through_half(halves), halves);
  std::vector<float> below, middle, above, to_even;
  for (std::size_t i = 0; i + 1 < halves.size(); ++i) {
    middle.push_back((halves[i] + halves[i + 1]) / 2);  // exact: f32 has the digits
    below.push_back(std::nextafter(middle.back(), 0.0F));
    above.push_back(std::nextafter(middle.back(), 1e9F));
    to_even.push_back(i % 2 == 0 ? halves[i] : halves[i + 1]);
  }
  const std::size_t last = halves.size() - 1;
  EXPECT_EQ(through_half(below), std::vector<float>(halves.begin(), halves.begin() + static_cast<std::ptrdiff_t>(last)));
  EXPECT_EQ(through_half(above), std::vector<float>(halves.begin() + 1, halves.end()));
  EXPECT_EQ(through_half(middle), to_even);
}

TEST(HalfMatrices, KeepTheSignAndWhatDoesNotFitStaysWhole) {
  EXPECT_EQ(through_half({-1.5F, 0.0F}), (std::vector<float>{-1.5F, 0.0F}));
  EXPECT_TRUE(std::signbit(through_half({-0.0F, 1.0F})[0]));
  for (const float odd : {65'520.0F, -1e30F, INFINITY, NAN}) {
    LoadedModel model;
    model.weights.add_f32("m", {2, 2}, {1, 2, 3, odd});
    EXPECT_EQ(with_half_matrices(model).weights.at("m").dtype, DType::kF32) << odd;
  }
}

TEST(HalfMatrices, LeaveVectorsAloneAndHaveAFingerprintOfTheirOwn) {
  LoadedModel model;
  model.weights.add_f32("vector", {1, 3}, {0.1F, 0.2F, 0.3F});
  model.weights.add_f32("matrix", {2, 2}, {0.1F, 0.2F, 0.3F, 0.4F});
  const LoadedModel half = with_half_matrices(model);
  EXPECT_EQ(to_f32(half.weights.at("vector")), (std::vector<float>{0.1F, 0.2F, 0.3F}));
  EXPECT_EQ(half.config.fingerprint, fingerprint_of(half.weights));
  EXPECT_NE(half.config.fingerprint, fingerprint_of(model.weights)) << "its descriptors differ, if little";
  EXPECT_EQ(fingerprint_of(with_half_matrices(half).weights), half.config.fingerprint) << "twice is once";
}

}  // namespace
}  // namespace revisit::model
