// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Products of bytes and of bfloat16 numbers against their plain reference, on every kernel this processor can run.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <vector>

#include "core/base/big_buffer.h"
#include "core/tensor/arena.h"
#include "core/tensor/attention.h"
#include "core/tensor/byte_weights.h"
#include "core/tensor/linear.h"
#include "core/tensor/narrow_attention.h"
#include "core/tensor/narrow_product.h"
#include "core/tensor/narrow_rows.h"
#include "core/tensor/parallel.h"
#include "core/tensor/test_values.h"
#include "core/tensor/tiles.h"

namespace revisit::tensor {
namespace {

/// `count` values as the nearest bfloat16.
std::vector<float> rounded(std::vector<float> values) {
  for (float& v : values) v = reference::to_bfloat(v);
  return values;
}

TEST(NarrowRows, BytesAreThoseOfTheReferenceAndComeNearTheRow) {
  Random random;
  for (int i = 0; i < 500; ++i) {
    const int count = random.between(1, 200), zero = i % 2 == 0 ? 128 : 0;
    const std::ptrdiff_t bytes = (count + 63) / 64 * 64;
    auto row = random.values(count, i % 3 == 0 ? 100.0F : 0.1F);
    if (i % 50 == 7) row.assign(row.size(), 0.0F);
    std::vector<std::byte> got(static_cast<std::size_t>(bytes)), want = got;
    const float fast = quantise_row(row.data(), count, zero, got.data(), bytes);
    const float plain = reference::quantise_row(row.data(), count, zero, want.data(), bytes);
    EXPECT_NEAR(fast, plain, 1e-6 * plain);
    for (std::size_t k = 0; k < row.size(); ++k) {
      const auto number = [&](std::byte b) { return zero == 0 ? static_cast<std::int8_t>(b) : static_cast<int>(b) - zero; };
      ASSERT_LE(std::abs(number(got[k]) - number(want[k])), 1);
      ASSERT_LE(std::abs(number(got[k])), 127);
      ASSERT_NEAR(fast * static_cast<float>(number(got[k])), row[k], 0.51 * fast);
    }
    for (auto k = row.size(); k < got.size(); ++k) ASSERT_EQ(got[k], std::byte{0});
  }
}

TEST(NarrowRows, TheSmallestNumbersThereAreStayWithinTheirBytes) {
  std::vector<float> row(40, 1e-45F);
  row[7] = -1e-45F;
  std::vector<std::byte> bytes(64);
  quantise_row(row.data(), 40, 128, bytes.data(), 64);
  EXPECT_EQ(bytes[0], std::byte{255});
  EXPECT_EQ(bytes[7], std::byte{1});
}

TEST(NarrowRows, RotationIsThatOfTheReferenceAndKeepsProducts) {
  Random random;
  for (int i = 0; i < 200; ++i) {
    const int count = i % 4 == 0 ? random.between(1, 100) : 16 * random.between(1, 50);
    const auto a = random.values(count), b = random.values(count);
    std::vector<float> fast(a.size()), plain(a.size()), other(b.size());
    rotate_row(a.data(), count, fast.data());
    reference::rotate_row(a.data(), count, plain.data());
    rotate_row(b.data(), count, other.data());
    double before = 0, after = 0;
    for (std::size_t k = 0; k < a.size(); ++k) {
      ASSERT_NEAR(fast[k], plain[k], 1e-6 * 32) << count;
      before += static_cast<double>(a[k]) * static_cast<double>(b[k]);
      after += static_cast<double>(fast[k]) * static_cast<double>(other[k]);
    }
    ASSERT_NEAR(before, after, 1e-4) << count;
  }
}

TEST(NarrowRows, ALargeChannelIsSpreadOverOthers) {
  std::vector<float> row(384, 0.0F);
  row[77] = 100;
  rotate_row(row.data(), 384, row.data());
  float highest = 0;
  for (const float v : row) highest = std::max(highest, std::abs(v));
  EXPECT_NEAR(highest, 100 / std::sqrt(32.0F), 1e-3);
}

TEST(NarrowRows, WhatIsNotFiniteIsNotLost) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    for (const int at : {0, 20, 68}) {
      std::vector<float> row(70, 0.5F);
      row[static_cast<std::size_t>(at)] = bad;
      std::vector<std::byte> bytes(128);
      EXPECT_FALSE(std::isfinite(quantise_row(row.data(), 70, 128, bytes.data(), 128))) << bad << " at " << at;
    }
  }
}

// Sums of bytes are exact: every kernel gives what plain loops give. Those of bfloat16 differ by the order of their sums.
TEST(NarrowKernels, AgreeWithPlainLoopsOverRandomShapes) {
  Random random;
  for (int i = 0; i < 300; ++i) {
    const int steps = random.between(1, i % 20 == 0 ? 48 : 6), values = steps * kStepBytes;
    const std::ptrdiff_t stride = (steps + random.between(0, 1)) * kStepBytes;
    alignas(64) std::int32_t start[kPanel], want[32 * kPanel], got[32 * kPanel];
    std::vector<std::byte> rows(static_cast<std::size_t>(32 * stride));
    const BigBuffer panel = big_buffer(static_cast<std::size_t>(values) * kPanel / sizeof(float));
    auto* weights = reinterpret_cast<std::byte*>(panel.get());
    const int extreme = random.between(0, 3);
    for (const NarrowKernel* kernel : byte_kernels()) {
      const int most = std::min(127, kernel->most_pair / 2), count = random.between(1, kernel->most_rows);
      std::vector<int> numbers(rows.size());
      for (std::size_t k = 0; k < rows.size(); ++k) {
        numbers[k] = extreme == 0 ? 127 : random.between(-127, 127);
        rows[k] = static_cast<std::byte>(numbers[k] + kernel->zero);
      }
      for (int k = 0; k < values * kPanel; ++k) {
        const int weight = extreme == 0 ? most : extreme == 1 ? -most : k % 2 == 0 ? random.between(-127, 127) : random.between(0, 1);
        weights[k] = static_cast<std::byte>(static_cast<std::int8_t>(weight));
      }
      for (int c = 0; c < kPanel; ++c) {
        start[c] = random.between(-1'000'000, 1'000'000);
        for (int r = 0; r < count; ++r) {
          std::int32_t& sum = want[r * kPanel + c] = start[c];
          for (int k = 0; k < values; ++k)
            sum += numbers[static_cast<std::size_t>(r * stride + k)] * static_cast<std::int8_t>(weights[k / 4 * 128 + 4 * c + k % 4]);
        }
        for (int k = 0; k < values; ++k) start[c] -= kernel->zero * static_cast<std::int8_t>(weights[k / 4 * 128 + 4 * c + k % 4]);
      }
      if (kernel->begin != nullptr) kernel->begin();
      kernel->multiply(rows.data(), stride, count, weights, steps, start, got);
      if (kernel->end != nullptr) kernel->end();
      ASSERT_TRUE(std::equal(want, want + count * kPanel, got)) << kernel->name << ", " << count << " rows, " << steps << " steps";
    }
    const auto numbers = rounded(random.values(static_cast<int>(32 * stride / 2)));
    for (std::size_t k = 0; k < numbers.size(); ++k) bfloat_row(&numbers[k], 1, rows.data() + 2 * k, 2);
    const auto others = rounded(random.values(values * kPanel / 2));
    for (std::size_t k = 0; k < others.size(); ++k) bfloat_row(&others[k], 1, weights + 2 * k, 2);
    const auto starts = random.values(kPanel);
    std::memcpy(start, starts.data(), sizeof(start));
    for (const NarrowKernel* kernel : bfloat_kernels()) {
      const int count = random.between(1, kernel->most_rows);
      std::vector<float> plain(static_cast<std::size_t>(count) * kPanel), sums(plain.size());
      for (int r = 0; r < count; ++r) {
        for (int c = 0; c < kPanel; ++c) {
          double sum = static_cast<double>(starts[static_cast<std::size_t>(c)]);
          for (int k = 0; k < values / 2; ++k) {
            sum += static_cast<double>(numbers[static_cast<std::size_t>(r * stride / 2 + k)]) *
                   static_cast<double>(others[static_cast<std::size_t>(k / 2 * 2 * kPanel + 2 * c + k % 2)]);
          }
          plain[static_cast<std::size_t>(r * kPanel + c)] = static_cast<float>(sum);
        }
      }
      if (kernel->begin != nullptr) kernel->begin();
      kernel->multiply(rows.data(), stride, count, weights, steps, start, got);
      if (kernel->end != nullptr) kernel->end();
      std::memcpy(sums.data(), got, sums.size() * sizeof(float));
      ASSERT_LE(relative_error(sums, plain, 1.0), 1e-5) << kernel->name << ", " << count << " rows, " << steps << " steps";
    }
  }
}

/// What a product of bytes has to give: weights and rows rounded as it rounds them, multiplied in double.
std::vector<float> product_of_bytes(const NarrowKernel& kernel, std::vector<float> x, std::vector<float> weight, int rows, int in, int out) {
  for (int r = 0; r < rows; ++r) rotate_row(x.data() + std::ptrdiff_t{r} * in, in, x.data() + std::ptrdiff_t{r} * in);
  for (int o = 0; o < out; ++o) rotate_row(weight.data() + std::ptrdiff_t{o} * in, in, weight.data() + std::ptrdiff_t{o} * in);
  std::vector<float> result(static_cast<std::size_t>(rows) * static_cast<std::size_t>(out));
  const std::ptrdiff_t bytes = (in + 63) / 64 * 64;
  std::vector<std::byte> row(static_cast<std::size_t>(bytes));
  for (int o = 0; o < out; ++o) {
    const float* w = weight.data() + std::ptrdiff_t{o} * in;
    float highest = 0;
    for (int k = 0; k < in; ++k) highest = std::max(highest, std::abs(w[k]));
    for (int k = 0; k + 1 < in; k += 2)
      highest = std::max(highest, std::abs(w[k] + w[k + 1]) * 127 / static_cast<float>(kernel.most_pair - 1));
    const float step = highest / 127;
    for (int r = 0; r < rows; ++r) {
      const float scale = quantise_row(x.data() + std::ptrdiff_t{r} * in, in, 128, row.data(), bytes);
      double sum = 0;
      for (int k = 0; k < in; ++k) {
        sum += static_cast<double>(std::nearbyint(w[k] / step)) * step * scale *
               (static_cast<int>(row[static_cast<std::size_t>(k)]) - 128);
      }
      result[static_cast<std::size_t>(r * out + o)] = static_cast<float>(sum);
    }
  }
  return result;
}

TEST(NarrowProduct, MatchesItsReferenceOnEveryKernelAndEveryEnding) {
  Random random;
  Arena arena;
  for (int i = 0; i < 60; ++i) {
    const int rows = random.between(1, i % 10 == 0 ? 150 : 40), in = i % 2 == 0 ? random.between(1, 200) : 16 * random.between(1, 20);
    const int out = random.between(1, 100);
    const auto after = static_cast<Linear::After>(i % 4);
    const auto weight = random.values(in * out, 0.3F), bias = random.values(out);
    auto x = random.values(rows * in);
    const auto start = random.values(rows * out);
    const auto ended = [&](std::vector<float> sums) {  // through the f32 reference: identity weights
      std::vector<float> y = start, one(static_cast<std::size_t>(out) * static_cast<std::size_t>(out));
      for (int o = 0; o < out; ++o) one[static_cast<std::size_t>(o * out + o)] = 1;
      reference::linear(view(sums, rows, out), one.data(), bias.data(), nullptr, after, view(y, rows, out));
      return y;
    };
    for (const NarrowKernel* kernel : byte_kernels()) {
      auto y = start;
      NarrowProduct(*kernel, weight.data(), bias.data(), in, out, after, nullptr)(view(x, rows, in), view(y, rows, out), arena);
      ASSERT_LE(relative_error(y, ended(product_of_bytes(*kernel, x, weight, rows, in, out)), 1.0), 2e-5)
          << kernel->name << ' ' << rows << "x" << in << " -> " << out << " ending " << static_cast<int>(after);
    }
    auto near = rounded(x);
    const auto near_weight = rounded(weight);
    std::vector<float> sums(start.size());
    reference::linear(view(near, rows, in), near_weight.data(), nullptr, nullptr, Linear::After::kNothing, view(sums, rows, out));
    for (const NarrowKernel* kernel : bfloat_kernels()) {
      auto y = start;
      NarrowProduct(*kernel, weight.data(), bias.data(), in, out, after, nullptr)(view(x, rows, in), view(y, rows, out), arena);
      ASSERT_LE(relative_error(y, ended(sums), 1.0), 2e-5) << kernel->name;
    }
  }
}

TEST(NarrowProduct, GivesTheSameBitsForAnyNumberOfRowsAndThreads) {
  Random random;
  Arena arena;
  const int in = 300, out = 100, rows = 131;
  const auto weight = random.values(in * out, 0.05F), bias = random.values(out), scale = random.values(out);
  auto x = random.values(rows * in);
  for (const auto& kernels : {byte_kernels(), bfloat_kernels()}) {
    for (const NarrowKernel* kernel : kernels) {
      const NarrowProduct product(*kernel, weight.data(), bias.data(), in, out, Linear::After::kGelu, scale.data());
      std::vector<float> all(static_cast<std::size_t>(rows * out)), one(static_cast<std::size_t>(out));
      {
        const Team team(3);
        product(view(x, rows, in), view(all, rows, out), arena);
      }
      const Team team(1);
      for (int r = 0; r < rows; ++r) {
        product({x.data() + std::ptrdiff_t{r} * in, 1, in, in}, view(one, 1, out), arena);
        ASSERT_TRUE(std::equal(one.begin(), one.end(), all.begin() + std::ptrdiff_t{r} * out)) << kernel->name << " row " << r;
      }
    }
  }
}

TEST(NarrowProduct, OfBytesGivesTheBitsOfTheFloatsTheyWereMadeOf) {
  Random random;
  Arena arena;
  for (int i = 0; i < 40; ++i) {
    const int rows = random.between(1, 40), in = i % 2 == 0 ? random.between(1, 200) : 16 * random.between(1, 20);
    const int out = random.between(1, 100);
    auto weight = random.values(in * out, 0.3F), scale = random.values(out);
    const auto bias = random.values(out);
    std::fill_n(weight.begin(), in, i % 5 == 0 ? 0.0F : 1e-41F);  // an output of nothing, or of denormal numbers
    scale.back() = 0;
    auto x = random.values(rows * in);
    std::vector<std::int8_t> values(weight.size());
    std::vector<float> scales(scale.size());
    to_bytes(weight.data(), in, out, values.data(), scales.data());
    for (const float one : scales) ASSERT_GT(one, 0);
    for (const std::int8_t q : values) ASSERT_GE(q, -127);
    const ByteWeights bytes{values.data(), scales.data()};
    for (const NarrowKernel* kernel : byte_kernels()) {
      if (kernel->most_pair < kAnyPair) continue;
      std::vector<float> from_floats(static_cast<std::size_t>(rows * out)), from_bytes = from_floats;
      const auto after = static_cast<Linear::After>(i % 4);
      NarrowProduct(*kernel, weight.data(), bias.data(), in, out, after, scale.data())(view(x, rows, in),
                                                                                       view(from_floats, rows, out), arena);
      NarrowProduct(*kernel, bytes, bias.data(), in, out, after, scale.data())(view(x, rows, in), view(from_bytes, rows, out),
                                                                               arena);
      ASSERT_EQ(from_floats, from_bytes) << kernel->name;
    }
    const auto back = to_floats(bytes, in, out);
    for (int o = 0; o < out; ++o) {
      const auto first = static_cast<std::size_t>(o) * static_cast<std::size_t>(in);
      double lost = 0;  // a step's half for each byte, whichever way it is turned
      for (auto k = first; k < first + static_cast<std::size_t>(in); ++k)
        lost += static_cast<double>(back[k] - weight[k]) * static_cast<double>(back[k] - weight[k]);
      const double most = 0.501 * static_cast<double>(scales[static_cast<std::size_t>(o)]) * std::sqrt(in);
      ASSERT_LE(std::sqrt(lost), most + 1e-6);
    }
    for (const Precision precision : {Precision::kF32, Precision::kBf16, Precision::kInt8}) {
      std::vector<float> want(static_cast<std::size_t>(rows * out)), got = want;
      reference::linear(view(x, rows, in), back.data(), bias.data(), scale.data(), Linear::After::kNothing,
                        view(want, rows, out));
      Linear(bytes, bias.data(), in, out, Linear::After::kNothing, scale.data(), precision)(view(x, rows, in),
                                                                                            view(got, rows, out), arena);
      ASSERT_LE(relative_error(got, want, 1.0), precision == Precision::kF32 ? 1e-5 : 4e-2) << static_cast<int>(precision);
    }
  }
}

TEST(Attention, OfBfloatsComesNearItsReferenceOnEveryKernel) {
  Random random;
  Arena arena;
  for (int i = 0; i < 60; ++i) {
    const int tokens = i % 6 == 0 ? random.between(90, 140) : random.between(1, 60);
    const int heads = random.between(1, 4), head_dim = random.between(1, 70);
    const int dim = heads * head_dim;
    auto qkv = rounded(random.values(tokens * 3 * dim));
    std::vector<float> plain(static_cast<std::size_t>(tokens * dim)), plain_cls(static_cast<std::size_t>(tokens));
    reference::attention(view(qkv, tokens, 3 * dim), heads, view(plain, tokens, dim), plain_cls.data());
    for (const NarrowKernel* kernel : bfloat_kernels()) {
      std::vector<float> got(plain.size()), cls(plain_cls.size());
      narrow_attention(*kernel, view(qkv, tokens, 3 * dim), heads, view(got, tokens, dim), arena, cls.data());
      ASSERT_LE(relative_error(got, plain), 4e-3) << kernel->name << ' ' << tokens << " tokens, " << heads << " heads of " << head_dim;
      ASSERT_LE(relative_error(cls, plain_cls), 8e-3) << kernel->name;
    }
    std::vector<float> mass(static_cast<std::size_t>(tokens));
    for (float& m : mass) m = static_cast<float>(random.between(1, 9));
    reference::attention(view(qkv, tokens, 3 * dim), heads, view(plain, tokens, dim), plain_cls.data(), mass.data());
    for (const NarrowKernel* kernel : bfloat_kernels()) {
      std::vector<float> got(plain.size()), cls(plain_cls.size());
      narrow_attention(*kernel, view(qkv, tokens, 3 * dim), heads, view(got, tokens, dim), arena, cls.data(), mass.data());
      ASSERT_LE(relative_error(got, plain), 4e-3) << kernel->name << " by mass";
      ASSERT_LE(relative_error(cls, plain_cls), 8e-3) << kernel->name << " by mass";
    }
  }
}

}  // namespace
}  // namespace revisit::tensor
