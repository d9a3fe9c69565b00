// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// WebP: still pictures, lossless to the bit; animation and damage are refused by name.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "exif_fixtures.h"
#include "image_fixtures.h"
#include "revisit/image.h"

namespace revisit {
namespace {

using namespace testing;

TEST(WebP, ReturnsLosslessPixelsAsTheyWere) {
  const Samples in = noise(61, 43, 3);
  EXPECT_EQ(decode_image(make_webp(in, true), "x").rgb, in.data);
}

TEST(WebP, DropsAlphaAndKeepsTheColour) {
  Samples in = slopes(20, 10, 4);
  for (std::size_t i = 3; i < in.data.size(); i += 4) in.data[i] = static_cast<std::uint8_t>(1 + i % 255);
  const Image out = decode_image(make_webp(in, true), "x");
  for (std::size_t i = 0; i < out.rgb.size(); ++i) ASSERT_EQ(out.rgb[i], in.data[i / 3 * 4 + i % 3]) << i;
}

TEST(WebP, RefusesAnimationByName) {
  const Bytes picture = webp_picture_chunk(make_webp(slopes(8, 8, 3), true));
  const Bytes frame = riff_chunk("ANMF", join({Bytes(6), {std::byte{7}, {}, {}, std::byte{7}, {}, {}}, Bytes(4), picture}));
  const Bytes file = webp_container(8, 8, 2, {riff_chunk("ANIM", Bytes(6)), frame});
  EXPECT_STREQ(error_of([&] { decode_image(file, "x"); }).what(), "'x' is an animated WebP; revisit reads still pictures");
}

TEST(WebP, SaysThatFramesBesideAStillPictureAreNotUsed) {
  const Samples in = slopes(8, 8, 3);
  const Bytes picture = webp_picture_chunk(make_webp(in, true));
  const Bytes frame = riff_chunk("ANMF", join({Bytes(6), {std::byte{7}, {}, {}, std::byte{7}, {}, {}}, Bytes(4), picture}));
  const Bytes exif = riff_chunk("EXIF", ExifWriter().shorts(ExifWriter::kMain, 0x0112, 6).build());
  const auto plain = [](const std::vector<Bytes>& chunks) {  // without the header that could say what the file is
    const Bytes body = join(chunks);
    return join({to_bytes("RIFF"), u32_le(static_cast<std::uint32_t>(4 + body.size())), to_bytes("WEBP"), body});
  };
  const Bytes control = riff_chunk("ANIM", Bytes(6));
  for (const Bytes& file :
       {webp_container(8, 8, 0, {picture, control, frame}), webp_container(8, 8, 0, {control, frame, picture}),
        webp_container(8, 8, 8, {picture, exif, frame}), plain({picture, control, frame, frame})}) {
    PhotoInfo info;
    const Image image = decode_image(file, "x", {.orientation = Orientation::kIgnore}, &info);
    EXPECT_EQ(image.rgb, in.data);
    EXPECT_TRUE(info.animated);
    ASSERT_EQ(info.notes.size(), 1U);
    EXPECT_EQ(info.notes[0], "the file holds an animation; only its still picture is used");
  }
  PhotoInfo still;
  decode_image(webp_container(8, 8, 8, {picture, exif}), "x", {}, &still);
  EXPECT_FALSE(still.animated);
  EXPECT_EQ(still.orientation, 6);
  EXPECT_TRUE(still.notes.empty());
}

TEST(WebP, TellsTruncationFromDamage) {
  const Bytes file = make_webp(noise(64, 64, 3), false);
  const Bytes half(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(file.size() / 2));
  const std::string cut = error_of([&] { decode_image(half, "x"); }).what();
  EXPECT_TRUE(cut.starts_with("'x' is truncated at ")) << cut;
  const Image part = decode_image(half, "x", {.accept_truncated = true});
  EXPECT_EQ(part.rgb.size(), 64u * 64 * 3);
  EXPECT_EQ(part.rgb.back(), 128);
  Bytes bad = file;
  bad[23] ^= std::byte{0xFF};  // start code of the picture
  const std::string damaged = error_of([&] { decode_image(bad, "x"); }).what();
  EXPECT_TRUE(damaged.starts_with("'x' is a damaged WebP: ")) << damaged;
}

TEST(WebP, NoticesMetadataThatIsCutOff) {
  const Bytes picture = webp_picture_chunk(make_webp(slopes(8, 8, 3), true));
  const Bytes file = webp_container(8, 8, 8, {picture, riff_chunk("EXIF", Bytes(100))});
  const Bytes shorter(file.begin(), file.end() - 50);
  EXPECT_NE(std::string(error_of([&] { decode_image(shorter, "x"); }).what()).find("truncated at 100 %"), std::string::npos);
  EXPECT_EQ(decode_image(shorter, "x", {.accept_truncated = true}).width, 8);
}

}  // namespace
}  // namespace revisit
