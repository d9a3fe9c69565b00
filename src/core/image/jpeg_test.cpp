// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// JPEG: what is tolerated, what is refused, and how a truncated file is told from a whole one.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "core/base/limits.h"
#include "core/image/codec.h"
#include "exif_fixtures.h"
#include "image_fixtures.h"
#include "revisit/image.h"

namespace revisit {
namespace {

using namespace testing;

Bytes cut(const Bytes& file, std::size_t size) { return {file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size)}; }

std::size_t find_marker(const Bytes& file, int code) {
  const std::byte wanted[] = {std::byte{0xFF}, std::byte(code)};
  const auto at = std::search(file.begin(), file.end(), std::begin(wanted), std::end(wanted));
  return static_cast<std::size_t>(at - file.begin());
}

TEST(Jpeg, StopsAtTheScanLimit) {
  const Samples gray = noise(24, 24, 1);
  const auto file = [&](int scans) { return make_jpeg(gray, {.quality = 90, .scans = many_scans(scans)}); };
  EXPECT_EQ(decode_image(file(limits::kMaxJpegScans - 1), "x").width, 24);
  EXPECT_EQ(decode_image(file(limits::kMaxJpegScans), "x").width, 24);
  const Error error = error_of([&] { decode_image(file(limits::kMaxJpegScans + 1), "x.jpg"); });
  EXPECT_EQ(error.code(), ErrorCode::kLimit);
  EXPECT_STREQ(error.what(), "'x.jpg' has more JPEG scans than the limit of 100");
}

TEST(Jpeg, SaysHowFarATruncatedFileGoes) {
  const Bytes file = make_jpeg(noise(64, 640, 3));
  const Error error = error_of([&] { decode_image(cut(file, file.size() / 2), "x.jpg"); });
  EXPECT_EQ(error.code(), ErrorCode::kBadImage);
  const std::string what = error.what();
  EXPECT_TRUE(what.starts_with("'x.jpg' is truncated at 4") || what.starts_with("'x.jpg' is truncated at 5")) << what;
  EXPECT_FALSE(error.hint().empty());
}

TEST(Jpeg, RefusesAFileWithoutItsEndMarker) {
  const Bytes file = make_jpeg(noise(16, 1600, 3));
  const std::string what = error_of([&] { decode_image(cut(file, file.size() - 2), "x"); }).what();
  EXPECT_TRUE(what.starts_with("'x' is truncated at 99 %") || what.starts_with("'x' is truncated at 100 %")) << what;
}

TEST(Jpeg, UsesWhatIsThereOfATruncatedFileWhenAsked) {
  for (const bool progressive : {false, true}) {
    const Bytes file = make_jpeg(noise(64, 64, 3), {.progressive = progressive});
    const Image whole = decode_image(file, "x");
    const Image part = decode_image(cut(file, file.size() * 2 / 3), "x", {.accept_truncated = true});
    ASSERT_EQ(part.rgb.size(), whole.rgb.size());
    if (!progressive) {
      EXPECT_TRUE(std::equal(whole.rgb.begin(), whole.rgb.begin() + 3 * 64 * 16, part.rgb.begin()));
      EXPECT_EQ(largest_difference(std::span(part.rgb).last(30), std::vector<std::uint8_t>(30, 128)),
                0);  // gray where nothing came
    }
  }
}

TEST(Jpeg, ToleratesGarbageAfterTheEndAndDamageInsideAsPillowDoes) {
  Bytes file = make_jpeg(slopes(32, 32, 3));
  const Image whole = decode_image(file, "x");
  EXPECT_EQ(decode_image(join({file, to_bytes("trailing garbage \xff\xd8\xff")}), "x").rgb, whole.rgb);
  const std::size_t scan = find_marker(file, 0xDA);
  file[scan + 40] ^= std::byte{0x55};
  EXPECT_EQ(decode_image(file, "x").rgb.size(), whole.rgb.size());
}

TEST(Jpeg, RefusesTwelveBitsAndLosslessAndOddComponentsByName) {
  Bytes file = make_jpeg(slopes(16, 16, 1));
  const std::size_t frame = find_marker(file, 0xC0);
  Bytes twelve = file;
  twelve[frame + 4] = std::byte{12};
  EXPECT_STREQ(error_of([&] { decode_image(twelve, "x"); }).what(), "'x' is a 12-bit JPEG; revisit reads JPEG with 8 bits");
  Bytes lossless = file;
  lossless[frame + 1] = std::byte{0xC3};
  EXPECT_NE(std::string(error_of([&] { decode_image(lossless, "x"); }).what())
                .find("damaged or unsupported JPEG: Unsupported JPEG process: SOF type 0xc3"),
            std::string::npos);
  const Bytes two = make_jpeg(slopes(16, 16, 2));
  EXPECT_NE(std::string(error_of([&] { decode_image(two, "x"); }).what()).find("is a JPEG of 2 components"), std::string::npos);
}

TEST(Jpeg, ChecksSidesBeforeAnythingElse) {
  Bytes file = make_jpeg(slopes(16, 16, 1));
  const std::size_t frame = find_marker(file, 0xC0);
  const auto sized = [&](int height, int width) {
    Bytes out = file;
    out[frame + 5] = std::byte(height >> 8);
    out[frame + 6] = std::byte(height & 255);
    out[frame + 7] = std::byte(width >> 8);
    out[frame + 8] = std::byte(width & 255);
    return out;
  };
  EXPECT_STREQ(error_of([&] { decode_image(sized(65500, 65500), "x"); }).what(),
               "'x' is 65500 x 65500 = 4290250000 pixels, the limit is 100000000");
  EXPECT_STREQ(error_of([&] { decode_image(sized(1, 65501), "x"); }).what(),
               "'x' is 65501 x 1 pixels, the limit for a side is 65500");
  EXPECT_EQ(error_of([&] { decode_image(sized(65501, 1), "x"); }).code(), ErrorCode::kLimit);
  EXPECT_EQ(error_of([&] { decode_image(sized(16, 0), "x"); }).code(), ErrorCode::kBadImage);
  EXPECT_EQ(decode_image(make_jpeg(slopes(65500, 1, 1)), "x").width, 65500);
  EXPECT_EQ(decode_image(make_jpeg(slopes(65499, 1, 1)), "x").width, 65499);
}

TEST(Jpeg, IsDecodedAtTheFewestEighthsThatAreLargeEnough) {
  struct Case {
    std::uint64_t width, height;
    Size least;
    int eighths;
  };
  const Case cases[] = {
      {4000, 3000, {0, 0}, 8},     {4000, 3000, {644, 644}, 2},  {4000, 3000, {375, 500}, 1},  {4000, 3000, {376, 500}, 2},
      {4000, 3000, {375, 501}, 2}, {4000, 3000, {750, 1000}, 2}, {4000, 3000, {644, 2000}, 4}, {640, 480, {644, 644}, 8},
      {1000, 1000, {999, 999}, 8}, {1001, 1001, {126, 126}, 1},  {1001, 1001, {127, 127}, 2},  {1, 1, {1, 1}, 1},
      {65500, 1, {1, 644}, 1},     {65500, 65500, {8188, 1}, 1}, {65500, 65500, {8189, 1}, 2}, {9, 9, {-5, 3}, 2},
  };
  for (const Case& one : cases)
    EXPECT_EQ(eighths_for(one.width, one.height, one.least), one.eighths) << one.width << "x" << one.height;
}

TEST(Jpeg, ComesOutNoSmallerThanAsked) {
  for (const auto& [width, height] : {std::pair(200, 150), std::pair(97, 131), std::pair(640, 16)}) {
    const Image whole = decode_image(make_jpeg(slopes(width, height, 3)), "x");
    for (int h_samp : {1, 2}) {
      const Bytes file = make_jpeg(slopes(width, height, 3), {.h_samp = h_samp, .v_samp = h_samp, .progressive = h_samp == 2});
      for (const Size least : {Size{1, 1}, Size{40, 30}, Size{100, 50}, Size{16, 16}, Size{500, 500}}) {
        const Image image = decode_image(file, "x", {.at_least = least});
        const int eighths = eighths_for(static_cast<std::uint64_t>(width), static_cast<std::uint64_t>(height), least);
        EXPECT_EQ(image.width, (width * eighths + 7) / 8);
        EXPECT_EQ(image.height, (height * eighths + 7) / 8);
        EXPECT_TRUE(eighths == 8 || (image.width >= least.width && image.height >= least.height));
        const Image small = resize(whole, {image.height, image.width}, ResizeFilter::kBilinear);
        EXPECT_LE(largest_difference(image.rgb, small.rgb), 24) << width << "x" << height << " at " << eighths << " eighths";
      }
    }
  }
}

TEST(Jpeg, TheSmallestSizeIsThatOfTheUprightPicture) {
  for (const int orientation : {1, 3, 5, 6, 8}) {
    const Bytes tiff = ExifWriter().shorts(ExifWriter::kMain, 0x0112, static_cast<std::uint16_t>(orientation)).build();
    const Bytes file = make_jpeg(slopes(800, 400, 3), {.markers = {exif_marker(tiff)}});
    const bool turned = orientation >= 5;
    const Image image = decode_image(file, "x", {.at_least = {100, 100}});
    EXPECT_EQ(std::pair(image.width, image.height), turned ? std::pair(100, 200) : std::pair(200, 100)) << orientation;
    const Image tall = decode_image(file, "x", {.at_least = {400, 100}});
    EXPECT_EQ(std::pair(tall.width, tall.height), turned ? std::pair(200, 400) : std::pair(800, 400)) << orientation;
    const Image as_stored = decode_image(file, "x", {.orientation = Orientation::kIgnore, .at_least = {50, 400}});
    EXPECT_EQ(std::pair(as_stored.width, as_stored.height), std::pair(400, 200)) << orientation;
  }
}

TEST(Jpeg, LimitsAndTruncationAreThoseOfTheWholePicture) {
  const Bytes file = make_jpeg(noise(640, 480, 3));
  const DecodeOptions small{.at_least = {32, 32}};
  DecodeOptions tight = small;
  tight.max_pixels = 640 * 480 - 1;
  EXPECT_EQ(error_of([&] { decode_image(file, "x", tight); }).code(), ErrorCode::kLimit);
  const Error error = error_of([&] { decode_image(cut(file, file.size() / 2), "x.jpg", small); });
  EXPECT_EQ(error.code(), ErrorCode::kBadImage);
  const std::string what = error.what();
  EXPECT_TRUE(what.starts_with("'x.jpg' is truncated at 4") || what.starts_with("'x.jpg' is truncated at 5")) << what;
  DecodeOptions lenient = small;
  lenient.accept_truncated = true;
  EXPECT_EQ(decode_image(cut(file, file.size() / 2), "x.jpg", lenient).width, 80);
}

}  // namespace
}  // namespace revisit
