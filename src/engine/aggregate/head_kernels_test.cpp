// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/aggregate/head_kernels.h"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/aggregate/test_support.h"

namespace revisit::aggregate {
namespace {

struct Shape {
  int rows, cols, dim;
};

class HeadKernels : public ::testing::TestWithParam<Shape> {
 protected:
  std::mt19937 random_{7};
};

TEST_P(HeadKernels, LogSumExpOfBothSidesEqualsTheReference) {
  const auto [rows, cols, dim] = GetParam();
  const int stride = padded(cols);
  std::vector<float> x(static_cast<std::size_t>(rows) * static_cast<std::size_t>(stride), -1e37F);
  const auto values = testing::random_values(static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols), random_, 3.0F);
  for (int i = 0; i < rows; ++i) std::copy_n(values.data() + i * cols, cols, x.data() + i * stride);
  const auto row_shift = testing::random_values(static_cast<std::size_t>(rows), random_);
  auto col_shift = testing::random_values(static_cast<std::size_t>(stride), random_);
  const tensor::Matrix m{x.data(), rows, cols, stride};

  std::vector<float> want(static_cast<std::size_t>(std::max(rows, stride)));
  std::vector<float> got(want.size());
  std::vector<float> scratch(2 * static_cast<std::size_t>(stride));
  reference::column_log_sum_exp(m, row_shift.data(), want.data());
  column_log_sum_exp(m, row_shift.data(), got.data(), scratch.data());
  for (int j = 0; j < cols; ++j) EXPECT_NEAR(got[static_cast<std::size_t>(j)], want[static_cast<std::size_t>(j)], 3e-6);

  reference::row_log_sum_exp(m, col_shift.data(), want.data());
  row_log_sum_exp(m, col_shift.data(), got.data());
  for (int i = 0; i < rows; ++i) EXPECT_NEAR(got[static_cast<std::size_t>(i)], want[static_cast<std::size_t>(i)], 3e-6);

  const std::vector<float> mass(static_cast<std::size_t>(rows), 2.0F);
  row_softmax(m, col_shift.data(), mass.data(), got.data());
  for (int i = 0; i < rows; ++i) {
    EXPECT_NEAR(got[static_cast<std::size_t>(i)], want[static_cast<std::size_t>(i)], 3e-6);
    for (int j = 0; j < cols; ++j) {
      const double logit =
          static_cast<double>(values[static_cast<std::size_t>(i * cols + j)]) + col_shift[static_cast<std::size_t>(j)];
      EXPECT_NEAR(m.row(i)[j], 2 * std::exp(logit - want[static_cast<std::size_t>(i)]), 3e-6);
    }
  }
}

TEST_P(HeadKernels, WeightedSumsEqualTheReference) {
  const auto [rows, cols, dim] = GetParam();
  const auto p = testing::random_values(static_cast<std::size_t>(rows * (cols + 1)), random_);
  const auto f = testing::random_values(static_cast<std::size_t>(rows * dim), random_);
  std::vector<float> want(static_cast<std::size_t>(cols * dim));
  std::vector<float> got(want.size(), NAN);
  const tensor::ConstMatrix weights{p.data(), rows, cols, cols + 1};
  reference::weighted_sums(weights, testing::view(f, rows, dim), {want.data(), cols, dim, dim});
  weighted_sums(weights, testing::view(f, rows, dim), {got.data(), cols, dim, dim});
  for (std::size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(got[i], want[i], 5e-6 * std::sqrt(rows));
}

INSTANTIATE_TEST_SUITE_P(Shapes, HeadKernels,
                         ::testing::Values(Shape{1, 1, 1}, Shape{2, 3, 5}, Shape{5, 16, 16}, Shape{17, 17, 31},
                                           Shape{70, 65, 128}, Shape{256, 64, 33}, Shape{257, 63, 64}, Shape{600, 6, 40}));

}  // namespace
}  // namespace revisit::aggregate
