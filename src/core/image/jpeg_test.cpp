// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// JPEG: what is tolerated, what is refused, and how a truncated file is told from a whole one.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "core/base/limits.h"
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

}  // namespace
}  // namespace revisit
