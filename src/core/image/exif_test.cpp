// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// EXIF fields in both byte orders, and the rules that make one invalid. The hostile fixtures are in tests/hostile.
#include "core/image/exif.h"

#include <gtest/gtest.h>

#include <string>

#include "core/base/limits.h"
#include "exif_fixtures.h"

namespace revisit {
namespace {

using testing::Bytes;
using testing::ExifWriter;

PhotoInfo read(const Bytes& tiff) {
  PhotoInfo info;
  read_exif(tiff, info);
  return info;
}

TEST(Exif, ReadsEveryFieldInBothByteOrders) {
  for (const bool big_endian : {false, true}) {
    const PhotoInfo info = read(ExifWriter(big_endian)
                                    .shorts(ExifWriter::kMain, 0x0112, 8)
                                    .text(ExifWriter::kMain, 0x0132, "2020:01:01 00:00:00")
                                    .text(ExifWriter::kExif, 0x9003, "2019:12:31 23:59:58")
                                    .position({{33, 1}, {51, 1}, {2520, 100}}, "S", {{151, 1}, {12, 1}, {3600, 100}}, "W")
                                    .byte(ExifWriter::kGps, 5, 1)
                                    .rationals(ExifWriter::kGps, 6, {{125, 10}})
                                    .text(ExifWriter::kGps, 16, "T")
                                    .rationals(ExifWriter::kGps, 17, {{35950, 100}})
                                    .build());
    EXPECT_EQ(info.orientation, 8);
    EXPECT_EQ(info.time, "2019-12-31T23:59:58");
    ASSERT_TRUE(info.lat_deg && info.lon_deg && info.altitude_m && info.heading_deg);
    EXPECT_NEAR(*info.lat_deg, -(33 + 51 / 60.0 + 25.2 / 3600), 1e-12);
    EXPECT_NEAR(*info.lon_deg, -(151 + 12 / 60.0 + 36 / 3600.0), 1e-12);
    EXPECT_DOUBLE_EQ(*info.altitude_m, -12.5);
    EXPECT_DOUBLE_EQ(*info.heading_deg, 359.5);
    EXPECT_TRUE(info.notes.empty()) << info.notes.front();
  }
}

TEST(Exif, FallsBackToDateTimeAndNotesAnInvalidDate) {
  const PhotoInfo info = read(ExifWriter()
                                  .text(ExifWriter::kMain, 0x0132, "2020:02:03 04:05:06")
                                  .text(ExifWriter::kExif, 0x9003, "2020:13:03 04:05:06")
                                  .build());
  EXPECT_EQ(info.time, "2020-02-03T04:05:06");
  ASSERT_EQ(info.notes.size(), 1u);
  EXPECT_EQ(info.notes[0], "EXIF DateTimeOriginal ignored: '2020:13:03 04:05:06' is not a date and time");
  EXPECT_FALSE(read(ExifWriter().text(ExifWriter::kMain, 0x0132, "    :  :     :  :  ").build()).time);
}

TEST(Exif, SetsLatitudeOnlyTogetherWithLongitude) {
  const PhotoInfo info =
      read(ExifWriter().text(ExifWriter::kGps, 1, "N").rationals(ExifWriter::kGps, 2, {{48, 1}, {0, 1}, {0, 1}}).build());
  EXPECT_FALSE(info.lat_deg);
  EXPECT_FALSE(info.lon_deg);
  ASSERT_EQ(info.notes.size(), 1u);
  EXPECT_EQ(info.notes[0], "EXIF GPSLatitude ignored: there is no valid GPSLongitude");
}

TEST(Exif, HoldsTheLimitOfEntriesInADirectory) {
  const auto with = [](int entries) {
    ExifWriter writer;
    for (int i = 0; i < entries - 1; ++i) writer.shorts(ExifWriter::kMain, 0x9999, 1);
    return read(writer.shorts(ExifWriter::kMain, 0x0112, 3).build());
  };
  EXPECT_EQ(with(limits::kMaxExifEntries - 1).orientation, 3);
  EXPECT_EQ(with(limits::kMaxExifEntries).orientation, 3);
  const PhotoInfo above = with(limits::kMaxExifEntries + 1);
  EXPECT_EQ(above.orientation, 1);
  ASSERT_EQ(above.notes.size(), 1u);
  EXPECT_EQ(above.notes[0], "EXIF IFD0 ignored: it has 1001 entries, the limit is 1000");
}

TEST(Exif, NeverThrowsWhereverItIsCut) {
  const Bytes whole = ExifWriter(true)
                          .shorts(ExifWriter::kMain, 0x0112, 8)
                          .text(ExifWriter::kExif, 0x9003, "2019:12:31 23:59:58")
                          .position({{33, 1}, {51, 1}, {2520, 100}}, "S", {{151, 1}, {12, 1}, {3600, 100}}, "W")
                          .build();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const PhotoInfo info = read(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)));
    EXPECT_FALSE(info.notes.empty()) << size;
    EXPECT_EQ(info.lat_deg.has_value(), info.lon_deg.has_value());
  }
}

TEST(Exif, NotesHoldNothingButPrintableText) {
  const PhotoInfo info = read(ExifWriter().text(ExifWriter::kMain, 0x0132, "\x1b[31m\xff evil \n").build());
  ASSERT_EQ(info.notes.size(), 1u);
  for (const char c : info.notes[0]) EXPECT_TRUE(c >= 0x20 && c < 0x7f);
}

}  // namespace
}  // namespace revisit
