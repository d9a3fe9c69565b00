// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
#include "engine/model/weights.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "revisit/error.h"

namespace revisit::model {
namespace {

template <typename T>
TensorView view_of(DType dtype, const std::vector<T>& values) {
  return {dtype, {static_cast<std::int64_t>(values.size())}, reinterpret_cast<const std::byte*>(values.data())};
}

// Every finite half against arithmetic in double, bit pattern by bit pattern.
TEST(Weights, WidensAllHalfFloatsExactly) {
  std::vector<std::uint16_t> all(65536);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint16_t>(i);
  const auto got = to_f32(view_of(DType::kF16, all));
  for (std::size_t i = 0; i < all.size(); ++i) {
    const int exponent = static_cast<int>((i >> 10) & 31);
    const double fraction = static_cast<double>(i & 1023) / 1024.0;
    const double sign = (i & 0x8000) != 0 ? -1.0 : 1.0;
    if (exponent == 31) {
      EXPECT_EQ(std::isnan(got[i]), fraction != 0) << i;
      if (fraction == 0) {
        EXPECT_EQ(got[i], sign * std::numeric_limits<double>::infinity());
      }
      continue;
    }
    const double want =
        exponent == 0 ? sign * fraction * std::pow(2.0, -14) : sign * (1 + fraction) * std::pow(2.0, exponent - 15);
    EXPECT_EQ(static_cast<double>(got[i]), want) << i;
    EXPECT_EQ(std::signbit(got[i]), sign < 0) << i;
  }
}

TEST(Weights, WidensEveryOtherDtype) {
  EXPECT_EQ(to_f32(view_of<double>(DType::kF64, {1.5, -2.0})), (std::vector<float>{1.5F, -2.0F}));
  EXPECT_EQ(to_f32(view_of<float>(DType::kF32, {1.5F, -2.0F})), (std::vector<float>{1.5F, -2.0F}));
  EXPECT_EQ(to_f32(view_of<std::uint16_t>(DType::kBF16, {0x3F80, 0xC040})), (std::vector<float>{1.0F, -3.0F}));
  EXPECT_EQ(to_f32(view_of<std::int64_t>(DType::kI64, {-7, 1 << 20})), (std::vector<float>{-7.0F, 1048576.0F}));
  EXPECT_EQ(to_f32(view_of<std::int32_t>(DType::kI32, {-7, 3})), (std::vector<float>{-7.0F, 3.0F}));
  EXPECT_EQ(to_f32(view_of<std::int16_t>(DType::kI16, {-7, 3})), (std::vector<float>{-7.0F, 3.0F}));
  EXPECT_EQ(to_f32(view_of<std::int8_t>(DType::kI8, {-7, 3})), (std::vector<float>{-7.0F, 3.0F}));
  EXPECT_EQ(to_f32(view_of<std::uint8_t>(DType::kU8, {200, 3})), (std::vector<float>{200.0F, 3.0F}));
  EXPECT_EQ(to_f32(view_of<std::uint8_t>(DType::kBool, {0, 1})), (std::vector<float>{0.0F, 1.0F}));
}

TEST(Weights, DtypesHaveNamesAndSizes) {
  const std::vector<std::pair<DType, std::string>> all = {
      {DType::kF64, "F64"}, {DType::kF32, "F32"}, {DType::kF16, "F16"}, {DType::kBF16, "BF16"}, {DType::kI64, "I64"},
      {DType::kI32, "I32"}, {DType::kI16, "I16"}, {DType::kI8, "I8"},   {DType::kU8, "U8"},     {DType::kBool, "BOOL"}};
  const std::vector<std::size_t> sizes = {8, 4, 2, 2, 8, 4, 2, 1, 1, 1};
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(name_of(all[i].first), all[i].second);
    EXPECT_EQ(bytes_of(all[i].first), sizes[i]) << all[i].second;
    EXPECT_EQ(is_floating(all[i].first), i < 4) << all[i].second;
  }
}

TEST(Weights, CountsScalarsAndEmptyTensors) {
  EXPECT_EQ((TensorView{DType::kF32, {}, nullptr}.count()), 1);
  EXPECT_EQ((TensorView{DType::kF32, {3, 0, 1LL << 62, 4}, nullptr}.count()), 0);
  EXPECT_EQ((TensorView{DType::kF64, {2, 3}, nullptr}.size_bytes()), 48U);
  EXPECT_EQ((TensorView{DType::kF64, {2, 3}, nullptr}.shape_text()), "[2, 3]");
  EXPECT_EQ((TensorView{DType::kF64, {}, nullptr}.shape_text()), "[]");
}

TEST(Weights, RefusesShapesThatOverflowOrAreNegative) {
  EXPECT_THROW((TensorView{DType::kF32, {1LL << 32, 1LL << 31}, nullptr}.count()), Error);
  EXPECT_THROW((TensorView{DType::kF32, {-1}, nullptr}.count()), Error);
  EXPECT_THROW((TensorView{DType::kF64, {1LL << 62}, nullptr}.size_bytes()), Error);
}

TEST(Weights, GivesF32InPlaceAndWidensOthersOnce) {
  Weights weights;
  weights.add_f32("a", {2}, {1.0F, 2.0F});
  const auto half = std::make_shared<std::vector<std::uint16_t>>(std::vector<std::uint16_t>{0x3C00, 0xC000});
  weights.add("b", view_of(DType::kF16, *half), half);
  EXPECT_EQ(reinterpret_cast<const std::byte*>(weights.f32_data("a", 2)), weights.at("a").data);
  const float* b = weights.f32_data("b", 2);
  EXPECT_EQ(b[0], 1.0F);
  EXPECT_EQ(b[1], -2.0F);
  EXPECT_EQ(weights.f32_data("b", 2), b);
}

TEST(Weights, CopiesF32ThatIsNotAligned) {
  std::vector<std::byte> bytes(9);
  const std::vector<float> values = {3.0F, 4.0F};
  std::memcpy(bytes.data() + 1, values.data(), 8);
  Weights weights;
  weights.add("a", {DType::kF32, {2}, bytes.data() + 1}, nullptr);
  const float* a = weights.f32_data("a", 2);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a) % alignof(float), 0U);
  EXPECT_EQ(a[1], 4.0F);
}

TEST(Weights, RefusesMissingNamesWrongCountsAndDuplicates) {
  Weights weights;
  weights.add_f32("a", {2}, {1.0F, 2.0F});
  const auto refused = [](auto&& action, const std::string& part) {
    try {
      action();
      ADD_FAILURE() << "not refused: " << part;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kBadModel);
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  refused([&] { weights.at("b"); }, "'b' is missing");
  refused([&] { weights.f32_data("a", 3); }, "should have 3 elements");
  refused([&] { weights.i8_data("a", 2); }, "is F32, not I8");
  weights.add("q", {DType::kI8, {2}, reinterpret_cast<const std::byte*>("ab")}, nullptr);
  EXPECT_EQ(weights.i8_data("q", 2)[1], 'b');
  refused([&] { weights.f32_data("q", 2); }, "'q' is quantised");
  refused([&] { weights.add_f32("a", {1}, {1.0F}); }, "'a' occurs twice");
  refused([&] { weights.add_f32("c", {2, 2}, {1.0F}); }, "'c' of shape [2, 2] was given 1 values");
}

}  // namespace
}  // namespace revisit::model
