// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Every kernel against its plain reference, over odd shapes.
#include "core/tensor/kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "core/tensor/arena.h"
#include "core/tensor/attention.h"
#include "core/tensor/linear.h"
#include "core/tensor/nearest.h"
#include "core/tensor/packed_product.h"
#include "core/tensor/parallel.h"
#include "core/tensor/test_values.h"
#include "core/tensor/tiles.h"
#include "core/tensor/tokens.h"

namespace revisit::tensor {
namespace {

TEST(Kernels, RowKernelsMatchTheirReferenceOverRandomShapes) {
  Random random;
  for (int i = 0; i < 2000; ++i) {
    const int rows = random.between(0, 5);
    const int cols = random.between(1, i % 10 == 0 ? 1000 : 70);
    const float scale = i % 3 == 0 ? 10.0F : 1.0F;
    const auto x = random.values(rows * cols, scale);
    const auto gamma = random.values(cols);
    const auto beta = random.values(cols);

    auto fast = x, plain = x;
    layer_norm(view(fast, rows, cols), gamma.data(), beta.data(), 1e-6F, view(fast, rows, cols));
    reference::layer_norm(view(plain, rows, cols), gamma.data(), beta.data(), 1e-6F, view(plain, rows, cols));
    // Few columns can be almost equal: the variance then cancels, in any f32 implementation.
    ASSERT_LE(relative_error(fast, plain), cols < 4 ? 1e-3 : kTolerance) << "layer_norm " << rows << "x" << cols;

    fast = plain = x;
    softmax_rows(view(fast, rows, cols), 0.125F);
    reference::softmax_rows(view(plain, rows, cols), 0.125F);
    ASSERT_LE(relative_error(fast, plain), kTolerance) << "softmax " << rows << "x" << cols;

    for (int r = 0; r < rows; ++r) {
      const float* row = x.data() + r * cols;
      ASSERT_NEAR(log_sum_exp(row, cols), reference::log_sum_exp(row, cols),
                  1e-5 * (1 + std::abs(reference::log_sum_exp(row, cols))));
      ASSERT_NEAR(l2_norm(row, cols), reference::l2_norm(row, cols), 1e-5 * reference::l2_norm(row, cols));
    }
    fast = plain = x;
    if (rows > 0) {
      l2_normalise(fast.data(), rows * cols);
      reference::l2_normalise(plain.data(), rows * cols);
      ASSERT_LE(relative_error(fast, plain), kTolerance) << "l2";
    }

    const auto wide = random.values(rows * 2 * cols, 3);
    auto wide_copy = wide;
    std::vector<float> fast_out(static_cast<std::size_t>(rows * cols)), plain_out = fast_out;
    swiglu(view(wide_copy, rows, 2 * cols), view(fast_out, rows, cols));
    reference::swiglu(view(wide_copy, rows, 2 * cols), view(plain_out, rows, cols));
    ASSERT_LE(relative_error(fast_out, plain_out), kTolerance) << "swiglu " << rows << "x" << cols;
  }
}

TEST(Kernels, SurviveExtremeValues) {
  std::vector<float> x{1e4F, -1e4F, 1e4F, 0, 3, -1e4F, 1e4F, 1e4F, 5};
  EXPECT_TRUE(std::isfinite(log_sum_exp(x.data(), 9)));
  softmax_rows(view(x, 1, 9), 1.0F);
  float sum = 0;
  for (const float v : x) sum += v;
  EXPECT_NEAR(sum, 1.0F, 1e-6F);
  std::vector<float> zero(12, 0.0F);
  EXPECT_EQ(l2_normalise(zero.data(), 12), 0.0F);
  EXPECT_EQ(zero[3], 0.0F);
}

TEST(Linear, MatchesItsReferenceOverRandomShapesAndEveryEnding) {
  Random random;
  Arena arena;
  for (int i = 0; i < 400; ++i) {
    arena.reset();
    const int rows = random.between(0, 20), in = random.between(1, 80), out = random.between(1, 80);
    const auto after = static_cast<Linear::After>(i % 4);
    const bool scaled = i % 5 == 0;
    const auto weight = random.values(in * out, 0.3F), bias = random.values(out), scale = random.values(out);
    auto x = random.values(rows * in), y = random.values(rows * out);
    auto want = y;
    const Linear linear(weight.data(), i % 7 == 0 ? nullptr : bias.data(), in, out, after, scaled ? scale.data() : nullptr);
    linear(view(x, rows, in), view(y, rows, out), arena);
    reference::linear(view(x, rows, in), weight.data(), i % 7 == 0 ? nullptr : bias.data(), scaled ? scale.data() : nullptr,
                      after, view(want, rows, out));
    // GELU of a very negative sum is tiny but comes from numbers of order 1.
    ASSERT_LE(relative_error(y, want, 1.0), kTolerance)
        << rows << "x" << in << " -> " << out << " ending " << static_cast<int>(after);
  }
}

// Layers as large as real ones cross every edge of the packed kernel: several slices, groups of panels and an odd last panel.
TEST(Linear, OfRealSizeMatchesItsReference) {
  Random random;
  Arena arena;
  const int in = 1700, out = 531, rows = 13;
  const auto weight = random.values(in * out, 0.05F), bias = random.values(out), scale = random.values(out);
  auto x = random.values(rows * in), start = random.values(rows * out);
  for (const auto after : {Linear::After::kNothing, Linear::After::kRelu, Linear::After::kGelu, Linear::After::kAdd}) {
    auto want = start, packed = start;
    reference::linear(view(x, rows, in), weight.data(), bias.data(), scale.data(), after, view(want, rows, out));
    PackedProduct(weight.data(), bias.data(), in, out, after, scale.data())(view(x, rows, in), view(packed, rows, out), arena);
    EXPECT_LE(relative_error(packed, want, 1.0), kTolerance) << "packed, ending " << static_cast<int>(after);
  }
}

TEST(Linear, GivesTheSameBitsForAnyNumberOfRows) {
  Random random;
  Arena arena;
  const int in = 900, out = 100, rows = 29;
  const auto weight = random.values(in * out, 0.05F), bias = random.values(out);
  auto x = random.values(rows * in);
  std::vector<float> all(static_cast<std::size_t>(rows * out)), one(static_cast<std::size_t>(out));
  const PackedProduct product(weight.data(), bias.data(), in, out, Linear::After::kGelu, nullptr);
  product(view(x, rows, in), view(all, rows, out), arena);
  for (int r = 0; r < rows; ++r) {
    product({x.data() + static_cast<std::ptrdiff_t>(r) * in, 1, in, in}, view(one, 1, out), arena);
    EXPECT_TRUE(std::equal(one.begin(), one.end(), all.begin() + static_cast<std::ptrdiff_t>(r) * out)) << "row " << r;
  }
}

TEST(Attention, MatchesItsReferenceOverTokensHeadsAndHeadSizes) {
  Random random;
  Arena arena;
  for (int i = 0; i < 120; ++i) {
    arena.reset();
    const int tokens = i % 6 == 0 ? random.between(90, 140) : random.between(1, 60);
    const int heads = random.between(1, 4), head_dim = random.between(1, 70);
    const int dim = heads * head_dim;
    auto qkv = random.values(tokens * 3 * dim);
    std::vector<float> fast(static_cast<std::size_t>(tokens * dim)), plain = fast;
    std::vector<float> fast_cls(static_cast<std::size_t>(tokens)), plain_cls = fast_cls;
    attention(view(qkv, tokens, 3 * dim), heads, view(fast, tokens, dim), arena, fast_cls.data());
    reference::attention(view(qkv, tokens, 3 * dim), heads, view(plain, tokens, dim), plain_cls.data());
    ASSERT_LE(relative_error(fast, plain), kTolerance) << tokens << " tokens, " << heads << " heads of " << head_dim;
    ASSERT_LE(relative_error(fast_cls, plain_cls), kTolerance);
  }
}

TEST(Attention, CountsKeysByTheirMass) {
  Random random;
  Arena arena;
  for (int i = 0; i < 60; ++i) {
    arena.reset();
    const int tokens = random.between(1, 90), heads = random.between(1, 3), head_dim = random.between(1, 70),
              dim = heads * head_dim;
    auto qkv = random.values(tokens * 3 * dim);
    std::vector<float> mass(static_cast<std::size_t>(tokens));
    for (float& m : mass) m = static_cast<float>(random.between(1, 9));
    std::vector<float> fast(static_cast<std::size_t>(tokens * dim)), plain = fast;
    std::vector<float> fast_cls(static_cast<std::size_t>(tokens)), plain_cls = fast_cls;
    attention(view(qkv, tokens, 3 * dim), heads, view(fast, tokens, dim), arena, fast_cls.data(), Precision::kF32, mass.data());
    reference::attention(view(qkv, tokens, 3 * dim), heads, view(plain, tokens, dim), plain_cls.data(), mass.data());
    ASSERT_LE(relative_error(fast, plain), kTolerance) << tokens << " tokens, " << heads << " heads of " << head_dim;
    ASSERT_LE(relative_error(fast_cls, plain_cls), kTolerance);
  }
}

TEST(NearestRows, AreThoseOfTheReferenceAndTheFirstOfEquals) {
  Random random;
  Arena arena;
  for (int i = 0; i < 80; ++i) {
    arena.reset();
    const int n = random.between(1, 70), m = random.between(1, 90), d = random.between(1, 70);
    auto a = random.values(n * d), b = random.values(m * d);
    for (int copy = m / 2; copy < m; ++copy)
      std::copy_n(b.begin() + static_cast<std::ptrdiff_t>(copy - m / 2) * d, d,
                  b.begin() + static_cast<std::ptrdiff_t>(copy) * d);
    std::vector<int> best(static_cast<std::size_t>(n)), want(static_cast<std::size_t>(n));
    std::vector<float> product(static_cast<std::size_t>(n)), wanted_product(static_cast<std::size_t>(n));
    nearest_rows(view(a, n, d), view(b, m, d), best.data(), product.data(), arena);
    reference::nearest_rows(view(a, n, d), view(b, m, d), want.data(), wanted_product.data());
    EXPECT_EQ(best, want) << n << " to " << m << " of " << d;
    ASSERT_LE(relative_error(product, wanted_product), kTolerance);
  }
}

TEST(NearestRows, NumbersThatAreNoneDoNotMatter) {
  std::vector<float> a(12, NAN), b(36, 1.0F), product(3);
  std::vector<int> best(3, -7);
  Arena arena;
  nearest_rows(view(a, 3, 4), view(b, 9, 4), best.data(), product.data(), arena);
  for (const int i : best) EXPECT_TRUE(i >= 0 && i < 9);
}

TEST(Attention, GivesTheSameBytesOnOneAndOnTwoThreads) {
  Random random;
  auto qkv = random.values(101 * 3 * 128);
  std::vector<float> one(101 * 128), two = one;
  Arena arena;
  set_threads(1);
  attention(view(qkv, 101, 384), 2, view(one, 101, 128), arena);
  set_threads(2);
  arena.reset();
  attention(view(qkv, 101, 384), 2, view(two, 101, 128), arena);
  set_threads(0);
  EXPECT_EQ(one, two);
}

/// What training takes gradients by: values and slopes against the plain formulas in double.
TEST(Kernels, GradientsMatchThePlainFormulas) {
  Random random;
  for (int i = 0; i < 200; ++i) {
    const int count = random.between(1, 70);
    const auto x = random.values(count, i % 3 == 0 ? 4.0F : 1.0F), given = random.values(count);
    std::vector<float> y(x.size()), dx(x.size()), want_y(x.size()), want_dx(x.size());
    for (std::size_t k = 0; k < x.size(); ++k) {
      const double v = x[k], below = 0.5 * std::erfc(-v / std::sqrt(2.0));
      want_y[k] = static_cast<float>(v * below);
      want_dx[k] = static_cast<float>(given[k] * (below + v * std::exp(-v * v / 2) / std::sqrt(8 * std::atan(1.0))));
    }
    gelu(x.data(), count, y.data());
    gelu_gradient(x.data(), given.data(), count, dx.data());
    EXPECT_LT(relative_error(y, want_y, 1), 1e-6);
    EXPECT_LT(relative_error(dx, want_dx, 1), 1e-6);

    constexpr float kScale = 0.125F;
    auto shares = x, plain = x, gradient = given, want = given;
    softmax_row(shares.data(), count, kScale);
    reference::softmax_rows(view(plain, 1, count), kScale);
    EXPECT_LT(relative_error(shares, plain), kTolerance);
    double sum = 0;
    for (std::size_t k = 0; k < x.size(); ++k) sum += static_cast<double>(plain[k]) * static_cast<double>(given[k]);
    for (std::size_t k = 0; k < x.size(); ++k) want[k] = static_cast<float>(kScale * plain[k] * (given[k] - sum));
    softmax_row_gradient(plain.data(), gradient.data(), count, kScale);
    EXPECT_LT(relative_error(gradient, want), kTolerance);
  }
}

TEST(Arena, NeedsOneChunkAfterTheFirstRound) {
  Arena arena;
  for (int round = 0; round < 2; ++round) {
    arena.reset();
    for (int i = 0; i < 10; ++i) ASSERT_EQ(reinterpret_cast<std::uintptr_t>(arena.floats(100'000)) % 64, 0U);
  }
  const auto capacity = arena.capacity_bytes();
  arena.reset();
  for (int i = 0; i < 10; ++i) arena.floats(100'000);
  EXPECT_EQ(arena.capacity_bytes(), capacity);
}

TEST(Arena, GivesBackWhatAScopeTook) {
  Arena arena;
  float* before = nullptr;
  {
    const Arena::Scope scope(arena);
    before = arena.floats(50);
  }
  EXPECT_EQ(arena.floats(50), before);
}

TEST(Tokens, KeepTheirPrefixAndOrderWhenPatchesAreDropped) {
  std::vector<float> values{9, 9, 8, 8, 0, 0, 1, 1, 2, 2, 3, 3};
  std::vector<int> kept{10, 11, 12, 13};
  Tokens tokens{{values.data(), 6, 2, 2}, 2, kept};
  keep_patches(tokens, {1, 3});
  EXPECT_EQ(tokens.values.rows, 4);
  EXPECT_EQ(std::vector<float>(values.begin(), values.begin() + 8), (std::vector<float>{9, 9, 8, 8, 1, 1, 3, 3}));
  EXPECT_EQ(std::vector<int>(tokens.kept.begin(), tokens.kept.end()), (std::vector<int>{11, 13}));
}

}  // namespace
}  // namespace revisit::tensor
