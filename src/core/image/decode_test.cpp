// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// What all formats share: naming the kind of a file, limits, EXIF in each container, saving.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "core/base/stop_scope.h"
#include "core/image/codec.h"
#include "exif_fixtures.h"
#include "image_fixtures.h"
#include "revisit/image.h"

namespace revisit {
namespace {

using namespace testing;
using namespace std::string_view_literals;

TEST(Sniff, NamesWhatAFileIsFromItsContent) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"BM......"sv, "a BMP file"},
      {"GIF89a.."sv, "a GIF file"},
      {"II*\0...."sv, "a TIFF file"},
      {"MM\0*...."sv, "a TIFF file"},
      {"\0\0\0\x18"
       "ftypheic...."sv,
       "a HEIC file"},
      {"\0\0\0\x18"
       "ftypavif...."sv,
       "an AVIF file"},
      {"\0\0\0\x18"
       "ftypisom...."sv,
       "a video (MP4 or QuickTime)"},
      {"\0\0\0\x0cJXL ...."sv, "a JPEG XL file"},
      {"P6\n3 3"sv, "a PNM file"},
      {"RIFF....AVI ...."sv, "a RIFF file other than WebP"},
      {"<html><body>"sv, "an HTML, XML or SVG file"},
      {"hello"sv, "a text file"},
      {""sv, "empty"},
      {"\1\2\3\4\5\6\7\x80"sv, "of an unknown kind"},
  };
  for (const auto& [head, what] : cases) {
    const Error error = error_of([&h = head] { decode_image(to_bytes(h), "x.jpg"); });
    EXPECT_EQ(error.code(), ErrorCode::kBadImage);
    EXPECT_EQ(std::string(error.what()), "'x.jpg' is " + std::string(what) + "; revisit reads JPEG, PNG and WebP");
  }
}

TEST(Decode, HoldsThePixelLimitInEveryFormat) {
  const Samples in = slopes(40, 25, 3);  // 1000 pixels
  for (const Bytes& file : {make_jpeg(in), make_png(in), make_webp(in, true)}) {
    EXPECT_EQ(decode_image(file, "x", {.max_pixels = 1001}).rgb.size(), 3000u);
    EXPECT_EQ(decode_image(file, "x", {.max_pixels = 1000}).rgb.size(), 3000u);
    const Error error = error_of([&] { decode_image(file, "x", {.max_pixels = 999}); });
    EXPECT_EQ(error.code(), ErrorCode::kLimit);
    EXPECT_STREQ(error.what(), "'x' is 40 x 25 = 1000 pixels, the limit is 999");
    EXPECT_EQ(error_of([&] { decode_image(file, "x", {.max_pixels = -1}); }).code(), ErrorCode::kLimit);
  }
}

TEST(Decode, HoldsTheFileLimitFromMemoryAndFromDisk) {
  const Bytes file = make_png(slopes(8, 8, 3));
  const auto n = static_cast<std::int64_t>(file.size());
  const auto path = std::filesystem::temp_directory_path() / ("revisit_decode_test_" + std::to_string(::getpid()) + ".png");
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(file.data()), n);
  for (const std::int64_t limit : {n + 1, n}) {
    EXPECT_EQ(decode_image(file, "x", {.max_file_bytes = limit}).width, 8);
    EXPECT_EQ(load_image(path, {.max_file_bytes = limit}).width, 8);
  }
  EXPECT_EQ(error_of([&] { decode_image(file, "x", {.max_file_bytes = n - 1}); }).code(), ErrorCode::kLimit);
  EXPECT_EQ(error_of([&] { load_image(path, {.max_file_bytes = n - 1}); }).code(), ErrorCode::kLimit);
  std::filesystem::remove(path);
}

TEST(Decode, StopsEveryFormatWhenItsTimeIsUp) {
  const Samples in = slopes(64, 64, 3);
  const DecodeOptions options;
  using Decoder = DecodedImage (*)(const EncodedImage&);
  const std::pair<Bytes, Decoder> cases[] = {{make_jpeg(in, {.progressive = true}), decode_jpeg},
                                             {make_jpeg(in), decode_jpeg},
                                             {make_png(in), decode_png},
                                             {make_webp(in, false), decode_webp}};
  for (const auto& [file, decode] : cases) {
    EXPECT_EQ(decode({file, "x", options, 10.0}).image.width, 64);
    const Error error = error_of([&, d = decode, &f = file] { d({f, "x", options, 0.0}); });
    EXPECT_EQ(error.code(), ErrorCode::kLimit);
    EXPECT_STREQ(error.what(), "'x' takes longer to decode than the limit of 0 s");
  }
}

TEST(Decode, EndsWhenAStopIsWanted) {
  const Samples in = noise(64, 64, 3);
  for (const Bytes& file : {make_jpeg(in), make_png(in), make_webp(in, false)}) {
    const StopScope scope([] { return true; }, "stopped as asked");
    const Error error = error_of([&] { decode_image(file, "x"); });
    EXPECT_EQ(error.code(), ErrorCode::kInterrupted);
    EXPECT_STREQ(error.what(), "stopped as asked");
  }
}

TEST(Decode, AskedOnceIsEnough) {
  const Samples in = noise(64, 64, 3);
  for (const Bytes& file : {make_jpeg(in), make_png(in), make_webp(in, false)}) {
    int asked = 0;
    const StopScope scope([&] { return ++asked == 1; }, "stopped as asked");
    EXPECT_EQ(error_of([&] { decode_image(file, "x"); }).code(), ErrorCode::kInterrupted);
  }
}

TEST(Decode, FindsExifInEveryContainer) {
  const Samples in = slopes(30, 20, 3);
  const Bytes tiff =
      ExifWriter().shorts(ExifWriter::kMain, 0x0112, 6).text(ExifWriter::kMain, 0x0132, "2026:05:04 03:02:01").build();
  const Bytes webp = webp_picture_chunk(make_webp(in, true));
  const Bytes prefixed = exif_marker(tiff).second;
  const Bytes files[] = {
      make_jpeg(in, {.markers = {{JPEG_APP0 + 1, to_bytes("http://ns.adobe.com/xap/1.0/")}, exif_marker(tiff)}}),
      with_png_chunks(make_png(in), {png_chunk("eXIf", tiff)}), webp_container(30, 20, 8, {webp, riff_chunk("EXIF", tiff)}),
      webp_container(30, 20, 8, {webp, riff_chunk("EXIF", prefixed)})};
  for (const Bytes& file : files) {
    PhotoInfo info;
    const Image upright = decode_image(file, "x", {}, &info);
    EXPECT_EQ(upright.width, 20);
    EXPECT_EQ(upright.height, 30);
    EXPECT_EQ(info.orientation, 6);
    EXPECT_EQ(info.time, "2026-05-04T03:02:01");
    EXPECT_TRUE(info.notes.empty());
    EXPECT_EQ(decode_image(file, "x", {.orientation = Orientation::kIgnore}).width, 30);
  }
}

TEST(Decode, OnlyJpegComesOutSmaller) {
  const Samples in = slopes(160, 80, 3);
  const DecodeOptions small{.at_least = {10, 10}};
  EXPECT_EQ(decode_image(make_jpeg(in), "x", small).width, 20);
  EXPECT_EQ(decode_image(make_png(in), "x", small).rgb, in.data);
  EXPECT_EQ(decode_image(make_webp(in, true), "x", small).rgb, in.data);
}

TEST(Decode, ForgetsWhatAnEarlierPhotoSaid) {
  PhotoInfo info;
  info.orientation = 8;
  info.lat_deg = 1.0;
  info.notes.push_back("old");
  decode_image(make_png(slopes(4, 4, 3)), "x", {}, &info);
  EXPECT_EQ(info.orientation, 1);
  EXPECT_FALSE(info.lat_deg);
  EXPECT_TRUE(info.notes.empty());
}

TEST(SavePng, RoundTripsEveryPixel) {
  const auto path = std::filesystem::temp_directory_path() / ("revisit_save_png_" + std::to_string(::getpid()) + ".png");
  for (const auto& [width, height] : {std::pair(1, 1), std::pair(37, 52), std::pair(300, 7)}) {
    const Image image{width, height, noise(width, height, 3).data};
    save_png(image, path);
    const Image back = load_image(path);
    EXPECT_EQ(back.width, width);
    EXPECT_EQ(back.rgb, image.rgb);
  }
  std::filesystem::remove(path);
}

TEST(SavePng, SaysWhyItCannotWrite) {
  const Image image{2, 2, noise(2, 2, 3).data};
  EXPECT_EQ(error_of([&] { save_png(image, "/nonexistent/folder/x.png"); }).code(), ErrorCode::kIo);
  EXPECT_EQ(error_of([&] { save_png(Image{2, 2, {}}, "x.png"); }).code(), ErrorCode::kUsage);
  EXPECT_EQ(error_of([&] { save_png(image, "/dev/full"); }).code(), ErrorCode::kNoSpace);
}

}  // namespace
}  // namespace revisit
