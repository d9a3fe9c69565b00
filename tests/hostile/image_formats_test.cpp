// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Every kind of JPEG, PNG and WebP: made here from known pixels and decoded back, or refused by name. What the pixels
// should be is computed from the samples that went in, never by decoding.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "image_fixtures.h"
#include "revisit/image.h"

namespace revisit {
namespace {

using namespace testing;

using Rgb = std::vector<std::uint8_t>;

// Gray and alpha forms to RGB: alpha is dropped.
Rgb as_rgb(const Samples& in) {
  Rgb out;
  const auto n = static_cast<std::size_t>(in.channels);
  for (std::size_t i = 0; i < in.data.size(); i += n) {
    for (std::size_t c = 0; c < 3; ++c) out.push_back(in.data[i + (n < 3 ? 0 : c)]);
  }
  return out;
}

// Samples are stored inverted, so light = 255 - ink is what the file holds.
Rgb cmyk_as_rgb(const Samples& in) {
  Rgb out;
  for (std::size_t i = 0; i < in.data.size(); i += 4) {
    for (std::size_t c = 0; c < 3; ++c)
      out.push_back(static_cast<std::uint8_t>(std::lround(in.data[i + c] * in.data[i + 3] / 255.0)));
  }
  return out;
}

struct Format {
  std::string name;
  Bytes file;
  Rgb rgb;
  int tolerance;
};

void expect_decoded(const std::vector<Format>& formats) {
  for (const Format& format : formats) {
    try {
      const Image image = decode_image(format.file, format.name);
      EXPECT_LE(largest_difference(image.rgb, format.rgb), format.tolerance) << format.name;
    } catch (const Error& error) {
      ADD_FAILURE() << error.what();
    }
  }
}

TEST(ImageFormats, DecodesEveryKindOfJpeg) {
  const Samples rgb = slopes(52, 37, 3);
  const Samples gray = slopes(52, 37, 1);
  const Samples cmyk = slopes(52, 37, 4);
  const Samples column = slopes(1, 10'000, 3);
  const Samples row = slopes(10'000, 1, 3);
  const Samples dot{1, 1, 3, {200, 100, 50}};
  const Bytes profile = join({to_bytes(std::string_view("ICC_PROFILE\0\1\1", 14)), Bytes(200)});
  // Quality 100 still rounds three times: transform, colour, transform back.
  expect_decoded({
      {"gray", make_jpeg(gray), as_rgb(gray), 1},
      {"444", make_jpeg(rgb), as_rgb(rgb), 3},
      {"stored as RGB", make_jpeg(rgb, {.keep_rgb = true}), as_rgb(rgb), 1},
      {"420 of odd size", make_jpeg(rgb, {.h_samp = 2, .v_samp = 2}), as_rgb(rgb), 5},
      {"422", make_jpeg(rgb, {.h_samp = 2}), as_rgb(rgb), 4},
      {"440", make_jpeg(rgb, {.v_samp = 2}), as_rgb(rgb), 4},
      {"411", make_jpeg(rgb, {.h_samp = 4}), as_rgb(rgb), 7},
      {"restarts", make_jpeg(rgb, {.restart_rows = 1}), as_rgb(rgb), 3},
      {"with a colour profile", make_jpeg(rgb, {.markers = {{JPEG_APP0 + 2, profile}}}), as_rgb(rgb), 3},
      {"CMYK", make_jpeg(cmyk), cmyk_as_rgb(cmyk), 2},
      {"YCCK", make_jpeg(cmyk, {.ycck = true}), cmyk_as_rgb(cmyk), 4},
      {"1 x 1", make_jpeg(dot), as_rgb(dot), 1},
      {"1 x 10000", make_jpeg(column), as_rgb(column), 2},
      {"10000 x 1", make_jpeg(row), as_rgb(row), 2},
  });
}

TEST(ImageFormats, AnotherCodingOfTheSameCoefficientsGivesTheSamePixels) {
  const Samples rgb = noise(50, 35, 3);
  for (const int sampling : {1, 2}) {
    const JpegOptions plain{.quality = 85, .h_samp = sampling, .v_samp = sampling};
    const Image want = decode_image(make_jpeg(rgb, plain), "baseline");
    for (const bool progressive : {false, true}) {
      for (const bool arithmetic : {false, true}) {
        JpegOptions options = plain;
        options.progressive = progressive;
        options.arithmetic = arithmetic;
        EXPECT_EQ(decode_image(make_jpeg(rgb, options), "recoded").rgb, want.rgb) << progressive << arithmetic;
      }
    }
  }
}

TEST(ImageFormats, DecodesEveryKindOfPng) {
  const Samples rgb = noise(23, 31, 3);
  const Samples gray = noise(23, 31, 1);
  const Samples gray_alpha = noise(23, 31, 2);
  const Samples rgba = noise(23, 31, 4);
  const Samples dot{1, 1, 3, {1, 2, 3}};
  const Samples column = noise(1, 10'000, 3);
  const auto high_bytes = [](const Samples& in, std::size_t channels) {  // 16 bits: every second byte
    Samples out{in.width, in.height, static_cast<int>(channels), {}};
    for (std::size_t i = 0; i < in.data.size(); i += 2) out.data.push_back(in.data[i]);
    return as_rgb(out);
  };
  const Samples two = noise(23, 31, 2), four = noise(23, 31, 4), six = noise(23, 31, 6), eight = noise(23, 31, 8);

  // Packed samples: the value of pixel x in a row of whole bytes, first pixel in the high bits.
  const auto packed = [](int depth, const std::function<Rgb(int)>& colour) {
    const int row_bytes = (23 * depth + 7) / 8;
    const Samples rows = noise(row_bytes, 31, 1, 7);
    Rgb want;
    for (int y = 0; y < 31; ++y) {
      for (int x = 0; x < 23; ++x) {
        const int byte = rows.data[static_cast<std::size_t>(y * row_bytes + x * depth / 8)];
        const int value = byte >> (8 - depth - x * depth % 8) & ((1 << depth) - 1);
        const Rgb c = colour(value);
        want.insert(want.end(), c.begin(), c.end());
      }
    }
    return std::pair(rows.data, want);
  };
  std::vector<Format> formats = {
      {"RGB", make_png(rgb), as_rgb(rgb), 0},
      {"gray", make_png(gray), as_rgb(gray), 0},
      {"gray and alpha", make_png(gray_alpha), as_rgb(gray_alpha), 0},
      {"RGBA", make_png(rgba), as_rgb(rgba), 0},
      {"Adam7 RGB", make_png(rgb, true), as_rgb(rgb), 0},
      {"Adam7 RGBA", make_png(rgba, true), as_rgb(rgba), 0},
      {"1 x 1", make_png(dot), as_rgb(dot), 0},
      {"1 x 1 Adam7", make_png(dot, true), as_rgb(dot), 0},
      {"1 x 10000", make_png(column), as_rgb(column), 0},
      {"gray of 16 bits", make_png(23, 31, two.data, {.colour = PNG_COLOR_TYPE_GRAY, .depth = 16}), high_bytes(two, 1), 0},
      {"gray and alpha of 16 bits", make_png(23, 31, four.data, {.colour = PNG_COLOR_TYPE_GRAY_ALPHA, .depth = 16}),
       high_bytes(four, 2), 0},
      {"RGB of 16 bits", make_png(23, 31, six.data, {.depth = 16}), high_bytes(six, 3), 0},
      {"RGBA of 16 bits", make_png(23, 31, eight.data, {.colour = PNG_COLOR_TYPE_RGBA, .depth = 16, .adam7 = true}),
       high_bytes(eight, 4), 0},
      {"with a transparent colour",
       make_png(23, 31, rgb.data,
                {.extra =
                     [&](png_structp png, png_infop info) {
                       png_color_16 colour{};
                       colour.red = rgb.data[0];
                       colour.green = rgb.data[1];
                       colour.blue = rgb.data[2];
                       png_set_tRNS(png, info, nullptr, 0, &colour);
                     }}),
       as_rgb(rgb), 0},
      {"with a colour profile", with_png_chunks(make_png(rgb), {png_chunk("iCCP", Bytes(300, std::byte{7}))}), as_rgb(rgb), 0},
      {"with gamma", make_png(23, 31, rgb.data, {.extra = [](png_structp png, png_infop info) { png_set_gAMA(png, info, 1.0); }}),
       as_rgb(rgb), 0},
  };
  for (const int depth : {1, 2, 4}) {
    const auto [rows, want] =
        packed(depth, [&](int v) { return Rgb(3, static_cast<std::uint8_t>(v * 255 / ((1 << depth) - 1))); });
    formats.push_back(
        {"gray of " + std::to_string(depth), make_png(23, 31, rows, {.colour = PNG_COLOR_TYPE_GRAY, .depth = depth}), want, 0});
  }
  for (const int depth : {1, 2, 4, 8}) {
    for (const bool transparent : {false, true}) {
      PngOptions options{.colour = PNG_COLOR_TYPE_PALETTE, .depth = depth, .adam7 = transparent};
      for (int i = 0; i < 1 << depth; ++i) {
        options.palette.push_back({static_cast<png_byte>(7 * i), static_cast<png_byte>(255 - i), static_cast<png_byte>(i ^ 33)});
      }
      static constexpr png_byte kAlpha[2] = {0, 128};
      if (transparent) options.extra = [](png_structp png, png_infop info) { png_set_tRNS(png, info, kAlpha, 2, nullptr); };
      const auto [rows, want] = packed(depth, [&](int v) {
        const png_color c = options.palette[static_cast<std::size_t>(v)];
        return Rgb{c.red, c.green, c.blue};
      });
      formats.push_back({"palette of " + std::to_string(depth), make_png(23, 31, rows, options), want, 0});
    }
  }
  expect_decoded(formats);
}

TEST(ImageFormats, DecodesEveryKindOfWebp) {
  const Samples sharp = noise(31, 23, 3);
  const Samples soft = slopes(31, 23, 3);
  Samples alpha = slopes(31, 23, 4);
  for (std::size_t i = 3; i < alpha.data.size(); i += 4) alpha.data[i] = 77;
  const Samples dot{1, 1, 3, {9, 8, 7}};
  expect_decoded({
      {"lossless", make_webp(sharp, true), as_rgb(sharp), 0},
      {"lossless with alpha", make_webp(alpha, true), as_rgb(alpha), 0},
      {"lossy", make_webp(soft, false), as_rgb(soft), 6},
      {"lossy with alpha", make_webp(alpha, false), as_rgb(alpha), 6},
      {"1 x 1", make_webp(dot, true), as_rgb(dot), 0},
      {"extended", webp_container(31, 23, 0, {webp_picture_chunk(make_webp(sharp, true))}), as_rgb(sharp), 0},
  });
}

}  // namespace
}  // namespace revisit
