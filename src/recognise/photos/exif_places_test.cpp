// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Places from pictures of every format, and from bytes that are not pictures.
#include "recognise/photos/exif_places.h"

#include <gtest/gtest.h>

#include "test_files.h"
#include "exif_fixtures.h"

namespace revisit {
namespace {

using testing::Bytes;
using testing::ExifWriter;
using testing::TemporaryFolder;

Bytes exif_at(std::uint32_t lat, std::uint32_t lon) {
  ExifWriter writer;
  writer.position({{lat, 1}, {30, 1}, {0, 1}}, "N", {{lon, 1}, {0, 1}, {0, 1}}, "E");
  writer.text(ExifWriter::kExif, 0x9003, "2024:05:01 12:30:15");
  return writer.build();
}

std::string text_of(const Bytes& bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

Bytes jpeg_with(const Bytes& exif) {
  const Bytes payload = testing::join({testing::to_bytes(std::string_view("Exif\0\0", 6)), exif});
  return testing::make_jpeg(testing::slopes(16, 16, 3), {.markers = {{0xE1, payload}}});
}

TEST(ExifPlaces, AreFoundInJpegPngAndWebp) {
  const Bytes exif = exif_at(48, 2);
  const Bytes png = testing::with_png_chunks(testing::make_png(testing::slopes(8, 8, 3)), {testing::png_chunk("eXIf", exif)});
  const Bytes picture = testing::webp_picture_chunk(testing::make_webp(testing::slopes(8, 8, 3), false));
  const Bytes webp = testing::webp_container(8, 8, 8, {picture, testing::riff_chunk("EXIF", exif)});
  const TemporaryFolder folder;
  for (const Bytes& file : {jpeg_with(exif), png, webp}) {
    Photo photo;
    photo.path = folder.write("photo.bin", text_of(file));
    place_by_exif(photo);
    ASSERT_TRUE(photo.position && photo.position->geographic);
    EXPECT_NEAR(photo.position->geographic->lat_deg, 48.5, 1e-9);
    EXPECT_NEAR(photo.position->geographic->lon_deg, 2, 1e-9);
    EXPECT_DOUBLE_EQ(photo.time_s.value(), 1714566615);
  }
}

TEST(ExifPlaces, SurviveFilesCutAtEveryByte) {
  const Bytes exif = exif_at(48, 2);
  const Bytes png = testing::with_png_chunks(testing::make_png(testing::slopes(8, 8, 3)), {testing::png_chunk("eXIf", exif)});
  const Bytes picture = testing::webp_picture_chunk(testing::make_webp(testing::slopes(8, 8, 3), false));
  const Bytes webp = testing::webp_container(8, 8, 8, {picture, testing::riff_chunk("EXIF", exif)});
  for (const Bytes& file : {jpeg_with(exif), png, webp}) {
    EXPECT_EQ(exif_of(file).size(), exif.size());
    for (std::size_t size = 0; size < file.size(); ++size) {
      const auto found = exif_of(std::span(file).first(size));
      EXPECT_TRUE(found.empty() || found.size() == exif.size()) << size;
    }
  }
}

}  // namespace
}  // namespace revisit
