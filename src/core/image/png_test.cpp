// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// PNG: checksums, chunk limits, animation, and truncated files. Pixel formats are tested with all formats together.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "core/base/limits.h"
#include "image_fixtures.h"
#include "revisit/image.h"

namespace revisit {
namespace {

using namespace testing;

TEST(Png, RefusesAWrongChecksumInAnyChunk) {
  const Bytes file = with_png_chunks(make_png(noise(9, 9, 3)), {png_chunk("tEXt", to_bytes("a text"))});
  EXPECT_EQ(decode_image(file, "x").width, 9);
  std::size_t at = 8;
  int chunks = 0;
  while (at < file.size()) {
    const std::size_t length = std::to_integer<std::size_t>(file[at + 2]) << 8 | std::to_integer<std::size_t>(file[at + 3]);
    Bytes bad = file;
    bad[at + 8 + length] ^= std::byte{1};
    const Error error = error_of([&] { decode_image(bad, "x"); });
    EXPECT_EQ(error.code(), ErrorCode::kBadImage);
    EXPECT_NE(std::string(error.what()).find("CRC error"), std::string::npos) << error.what();
    at += 12 + length;
    ++chunks;
  }
  EXPECT_EQ(chunks, 4);
}

TEST(Png, HoldsTheLimitOfOneAncillaryChunk) {
  const Bytes picture = make_png(slopes(4, 4, 3));
  const auto with = [&](std::size_t size) { return with_png_chunks(picture, {png_chunk("tEXt", Bytes(size, std::byte{'a'}))}); };
  EXPECT_EQ(decode_image(with(limits::kMaxPngChunkBytes - 1), "x").width, 4);
  EXPECT_EQ(decode_image(with(limits::kMaxPngChunkBytes), "x").width, 4);
  const Error error = error_of([&] { decode_image(with(limits::kMaxPngChunkBytes + 1), "x"); });
  EXPECT_EQ(error.code(), ErrorCode::kLimit);
  EXPECT_STREQ(error.what(), "'x' has an ancillary PNG chunk of 1000001 bytes, the limit is 1000000");
}

TEST(Png, HoldsTheLimitOfAllAncillaryChunks) {
  const Bytes picture = make_png(slopes(4, 4, 3));
  const Bytes big = png_chunk("tEXt", Bytes(limits::kMaxPngChunkBytes, std::byte{'a'}));
  const auto with = [&](std::size_t last) {
    std::vector<Bytes> chunks(limits::kMaxPngAncillaryBytes / limits::kMaxPngChunkBytes - 1, big);
    chunks.push_back(png_chunk("tEXt", Bytes(limits::kMaxPngChunkBytes - 10, std::byte{'a'})));
    chunks.push_back(png_chunk("tEXt", Bytes(last, std::byte{'a'})));
    return with_png_chunks(picture, chunks);
  };
  EXPECT_EQ(decode_image(with(9), "x").width, 4);
  EXPECT_EQ(decode_image(with(10), "x").width, 4);
  EXPECT_EQ(error_of([&] { decode_image(with(11), "x"); }).code(), ErrorCode::kLimit);
}

TEST(Png, HoldsTheSideLimit) {
  EXPECT_EQ(decode_image(make_png(slopes(65499, 1, 1)), "x").width, 65499);
  EXPECT_EQ(decode_image(make_png(slopes(65500, 1, 1)), "x").width, 65500);
  EXPECT_EQ(decode_image(make_png(slopes(1, 65500, 1)), "x").height, 65500);
  EXPECT_STREQ(error_of([&] { decode_image(make_png(slopes(65501, 1, 1)), "x"); }).what(),
               "'x' is 65501 x 1 pixels, the limit for a side is 65500");
  EXPECT_EQ(error_of([&] { decode_image(make_png(slopes(1, 65501, 1)), "x"); }).code(), ErrorCode::kLimit);
}

TEST(Png, HoldsTheDefaultPixelLimitFromTheHeaderAlone) {
  const auto header = [](std::uint32_t w, std::uint32_t h) { return join({png_signature(), png_header(w, h)}); };
  EXPECT_EQ(error_of([&] { decode_image(header(10'000, 9'999), "x"); }).code(), ErrorCode::kBadImage);  // truncated, not too big
  EXPECT_EQ(error_of([&] { decode_image(header(10'000, 10'000), "x"); }).code(), ErrorCode::kBadImage);
  EXPECT_EQ(error_of([&] { decode_image(header(10'000, 10'001), "x"); }).code(), ErrorCode::kLimit);
  EXPECT_EQ(error_of([&] { decode_image(header(0xFFFFFFFF, 0xFFFFFFFF), "x"); }).code(), ErrorCode::kLimit);
  EXPECT_EQ(error_of([&] { decode_image(header(0, 5), "x"); }).code(), ErrorCode::kBadImage);
}

TEST(Png, RefusesAnimationByName) {
  const Bytes apng = with_png_chunks(make_png(slopes(4, 4, 3)), {png_chunk("acTL", join({u32_be(2), u32_be(0)}))});
  EXPECT_STREQ(error_of([&] { decode_image(apng, "x"); }).what(), "'x' is an animated PNG (APNG); revisit reads still pictures");
}

TEST(Png, LeavesTheMissingRestOfATruncatedFileGray) {
  for (const bool adam7 : {false, true}) {
    const Bytes file = make_png(noise(40, 400, 3), adam7);
    const Bytes half(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(file.size() / 2));
    const std::string what = error_of([&] { decode_image(half, "x"); }).what();
    EXPECT_TRUE(what.starts_with("'x' is truncated at ")) << what;
    const Image whole = decode_image(file, "x");
    const Image part = decode_image(half, "x", {.accept_truncated = true});
    ASSERT_EQ(part.rgb.size(), whole.rgb.size());
    std::size_t same = 0;
    for (std::size_t i = 0; i < part.rgb.size(); ++i) {
      same += part.rgb[i] == whole.rgb[i] ? 1 : 0;
      ASSERT_TRUE(part.rgb[i] == whole.rgb[i] || part.rgb[i] == 128) << i;
    }
    EXPECT_GT(same, part.rgb.size() / 4);
  }
}

TEST(Png, RefusesAFileThatDoesNotStartWithItsHeader) {
  const Bytes file = join({png_signature(), png_chunk("IDAT", Bytes(4)), png_header(4, 4)});
  EXPECT_NE(std::string(error_of([&] { decode_image(file, "x"); }).what()).find("does not start with an IHDR"),
            std::string::npos);
}

}  // namespace
}  // namespace revisit
