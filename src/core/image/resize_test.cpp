// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Resizing against a plain floating-point reference, and its edges.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "image_fixtures.h"
#include "revisit/image.h"

namespace revisit {
namespace {

using testing::error_of;

Image picture(int width, int height, std::uint32_t seed = 1) {
  return {width, height, testing::noise(width, height, 3, seed).data};
}

double kernel(double x, ResizeFilter filter) {
  x = std::abs(x);
  if (filter == ResizeFilter::kBilinear) return std::max(0.0, 1 - x);
  if (x < 1) return 1.5 * x * x * x - 2.5 * x * x + 1;
  return x < 2 ? -0.5 * x * x * x + 2.5 * x * x - 4 * x + 2 : 0;
}

// By definition every output is the weighted mean of all inputs, rounded to a byte.
Image reference_width(const Image& in, int width, ResizeFilter filter) {
  Image out{width, in.height, {}};
  const double scale = static_cast<double>(in.width) / width;
  const double widen = std::max(1.0, scale);
  for (int y = 0; y < in.height; ++y) {
    for (int x = 0; x < width; ++x) {
      for (int c = 0; c < 3; ++c) {
        double sum = 0;
        double weights = 0;
        for (int i = 0; i < in.width; ++i) {
          const double w = kernel((i + 0.5 - (x + 0.5) * scale) / widen, filter);
          sum += w * in.rgb[static_cast<std::size_t>(3 * (y * in.width + i) + c)];
          weights += w;
        }
        out.rgb.push_back(static_cast<std::uint8_t>(std::clamp(std::floor(sum / weights + 0.5), 0.0, 255.0)));
      }
    }
  }
  return out;
}

Image transpose(const Image& in) {
  Image out{in.height, in.width, std::vector<std::uint8_t>(in.rgb.size())};
  for (int y = 0; y < in.height; ++y) {
    for (int x = 0; x < in.width; ++x) {
      for (int c = 0; c < 3; ++c) {
        out.rgb[static_cast<std::size_t>(3 * (x * in.height + y) + c)] =
            in.rgb[static_cast<std::size_t>(3 * (y * in.width + x) + c)];
      }
    }
  }
  return out;
}

TEST(Resize, AgreesWithTheDefinitionOverOddSizes) {
  const int sizes[][4] = {{7, 5, 3, 9},     {64, 48, 32, 32}, {1, 1, 14, 14}, {33, 1, 1, 17},
                          {97, 61, 42, 28}, {5, 40, 5, 13},   {130, 3, 65, 3}};
  int worst = 0;
  for (const auto& [w, h, to_w, to_h] : sizes) {
    for (const ResizeFilter filter : {ResizeFilter::kBilinear, ResizeFilter::kBicubic}) {
      const Image in = picture(w, h);
      const Image want = transpose(reference_width(transpose(reference_width(in, to_w, filter)), to_h, filter));
      const Image got = resize(in, {to_h, to_w}, filter);
      ASSERT_EQ(got.width, to_w);
      ASSERT_EQ(got.height, to_h);
      worst = std::max(worst, testing::largest_difference(got.rgb, want.rgb));
    }
  }
  EXPECT_LE(worst, 1);  // weights are fixed point here and double there
}

TEST(Resize, ToTheSameSizeIsTheIdentity) {
  const Image in = picture(19, 11);
  EXPECT_EQ(resize(in, {11, 19}, ResizeFilter::kBicubic).rgb, in.rgb);
}

TEST(Resize, KeepsAFlatColourFlat) {
  Image in{50, 40, std::vector<std::uint8_t>(50 * 40 * 3, 255)};
  for (const Size size : {Size{7, 3}, Size{40, 99}, Size{101, 50}, Size{322, 322}}) {
    const Image out = resize(in, size, ResizeFilter::kBicubic);
    EXPECT_EQ(std::count(out.rgb.begin(), out.rgb.end(), 255), static_cast<std::ptrdiff_t>(out.rgb.size()));
  }
}

// The pixels of `in` as a camera might hand them over, `padding` bytes behind every row.
struct Buffer {
  Buffer(const Image& in, PixelFormat format, int step, std::array<int, 3> at, int padding) {
    const int stride = step * in.width + padding;
    bytes.assign(static_cast<std::size_t>(stride * in.height), 0xEE);
    for (int y = 0; y < in.height; ++y) {
      for (int x = 0; x < in.width; ++x) {
        for (std::size_t c = 0; c < 3; ++c) {
          bytes[static_cast<std::size_t>(y * stride + x * step + at[c])] = in.rgb[static_cast<std::size_t>(3 * (y * in.width + x)) + c];
        }
      }
    }
    view = {bytes.data(), in.width, in.height, padding == 0 ? 0 : stride, format};
  }
  std::vector<std::uint8_t> bytes;
  ImageView view;
};

TEST(ResizeView, GivesTheSameBytesWhateverTheBufferLooksLike) {
  const Image in = picture(37, 23);
  Image gray = in;
  for (std::size_t i = 0; i < gray.rgb.size(); ++i) gray.rgb[i] = gray.rgb[i / 3 * 3];
  for (const int padding : {0, 1, 13}) {
    const Buffer buffers[] = {{in, PixelFormat::kRgb8, 3, {0, 1, 2}, padding},
                              {in, PixelFormat::kBgr8, 3, {2, 1, 0}, padding},
                              {in, PixelFormat::kRgba8, 4, {0, 1, 2}, padding},
                              {in, PixelFormat::kBgra8, 4, {2, 1, 0}, padding}};
    const Buffer mono(gray, PixelFormat::kGray8, 1, {0, 0, 0}, padding);
    for (const Size size : {Size{14, 28}, Size{23, 37}, Size{50, 37}, Size{23, 60}}) {
      const auto want = resize(in, size, ResizeFilter::kBicubic).rgb;
      for (const Buffer& buffer : buffers) EXPECT_EQ(resize(buffer.view, size, ResizeFilter::kBicubic).rgb, want);
      EXPECT_EQ(resize(mono.view, size, ResizeFilter::kBicubic).rgb, resize(gray, size, ResizeFilter::kBicubic).rgb);
    }
  }
}

TEST(ResizeView, ReadsRowsStoredFromTheBottom) {
  const Image in = picture(9, 6);
  Image upside_down = in;
  for (int y = 0; y < 6; ++y) std::copy_n(in.rgb.begin() + 27 * (5 - y), 27, upside_down.rgb.begin() + 27 * y);
  const ImageView view{upside_down.rgb.data() + 27 * 5, 9, 6, -27, PixelFormat::kRgb8};
  EXPECT_EQ(resize(view, {4, 5}, ResizeFilter::kBilinear).rgb, resize(in, {4, 5}, ResizeFilter::kBilinear).rgb);
}

TEST(ResizeView, RefusesWhatCannotBeABuffer) {
  const std::vector<std::uint8_t> bytes(300, 0);
  const auto code = [&](const ImageView& view) { return error_of([&] { resize(view, {2, 2}, ResizeFilter::kBilinear); }).code(); };
  EXPECT_EQ(code({nullptr, 10, 10, 0, PixelFormat::kRgb8}), ErrorCode::kUsage);
  EXPECT_EQ(code({bytes.data(), 0, 10, 0, PixelFormat::kRgb8}), ErrorCode::kUsage);
  EXPECT_EQ(code({bytes.data(), 10, -1, 0, PixelFormat::kRgb8}), ErrorCode::kUsage);
  EXPECT_EQ(code({bytes.data(), 65'501, 1, 0, PixelFormat::kGray8}), ErrorCode::kUsage);
  EXPECT_EQ(code({bytes.data(), 10, 10, 29, PixelFormat::kRgb8}), ErrorCode::kUsage);
  EXPECT_EQ(code({bytes.data(), 10, 7, -39, PixelFormat::kRgba8}), ErrorCode::kUsage);
  EXPECT_EQ(code({bytes.data(), 10, 10, 0, static_cast<PixelFormat>(9)}), ErrorCode::kUsage);
}

TEST(Resize, RefusesSizesThatAreNone) {
  const Image in = picture(4, 4);
  EXPECT_EQ(error_of([&] { resize(in, {0, 4}, ResizeFilter::kBilinear); }).code(), ErrorCode::kUsage);
  EXPECT_EQ(error_of([&] { resize(in, {4, -1}, ResizeFilter::kBilinear); }).code(), ErrorCode::kUsage);
  EXPECT_EQ(error_of([&] { resize(in, {65'501, 4}, ResizeFilter::kBilinear); }).code(), ErrorCode::kUsage);
  EXPECT_EQ(error_of([&] { resize(in, {65'500, 65'500}, ResizeFilter::kBilinear); }).code(), ErrorCode::kLimit);
  EXPECT_EQ(error_of([&] { resize(Image{4, 4, {1, 2, 3}}, {2, 2}, ResizeFilter::kBilinear); }).code(), ErrorCode::kUsage);
  EXPECT_EQ(error_of([&] { resize(Image{}, {2, 2}, ResizeFilter::kBilinear); }).code(), ErrorCode::kUsage);
}

}  // namespace
}  // namespace revisit
