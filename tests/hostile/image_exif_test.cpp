// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Thirty photos with EXIF that is right, wrong or malicious: the picture always opens, a wrong field is left out with
// a note, and a right one beside it survives.
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "exif_fixtures.h"
#include "core/image/orient.h"
#include "image_fixtures.h"
#include "revisit/image.h"

namespace revisit {
namespace {

using namespace testing;
using W = ExifWriter;
using Parts = std::vector<W::Rational>;

const Parts kLat = {{48, 1}, {8, 1}, {1550, 100}};
const Parts kLon = {{11, 1}, {34, 1}, {3025, 100}};

struct Fixture {
  std::string name;
  Bytes tiff;
  std::string note;  // part of the one note expected; empty: no note at all
  bool has_position = false;
  int orientation = 1;
};

W good() { return W().position(kLat, "N", kLon, "E"); }

// Overwrites four bytes of a little-endian structure.
Bytes patched(Bytes tiff, std::size_t at, std::uint32_t value) {
  const Bytes four = u32_le(value);
  std::copy(four.begin(), four.end(), tiff.begin() + static_cast<std::ptrdiff_t>(at));
  return tiff;
}

std::vector<Fixture> fixtures() {
  std::vector<Fixture> out;
  for (int o = 1; o <= 8; ++o) {
    out.push_back({"orientation " + std::to_string(o),
                   W(o % 2 == 0).shorts(W::kMain, 0x0112, static_cast<std::uint16_t>(o)).build(), "", false, o});
  }
  const auto lat = [](const Parts& parts, const std::string& ref) { return W().position(parts, ref, kLon, "E").build(); };
  const Bytes plain = good().build();
  const std::vector<Fixture> more = {
      {"orientation 0", W().shorts(W::kMain, 0x0112, 0).build(), "Orientation ignored: 0 is not in 1..8"},
      {"orientation 9", W().shorts(W::kMain, 0x0112, 9).build(), "Orientation ignored: 9 is not in 1..8"},
      {"orientation as text", W().text(W::kMain, 0x0112, "6").build(), "Orientation ignored: type 2"},
      {"good position", plain, "", true},
      {"denominator 0", lat({{48, 1}, {8, 0}, {0, 1}}, "N"), "GPSLatitude ignored: denominator 0"},
      {"0/0 seconds", lat({{48, 1}, {8, 1}, {0, 0}}, "N"), "GPSLatitude ignored: denominator 0"},
      {"latitude 91", lat({{91, 1}, {0, 1}, {0, 1}}, "N"), "GPSLatitude ignored: 91 degrees"},
      {"latitude 90 and a second", lat({{90, 1}, {0, 1}, {1, 1}}, "N"), "GPSLatitude ignored: 90 degrees"},
      {"minutes 61", lat({{48, 1}, {61, 1}, {0, 1}}, "N"), "GPSLatitude ignored: 48 degrees 61 minutes"},
      {"longitude 181", W().position(kLat, "N", {{181, 1}, {0, 1}, {0, 1}}, "E").build(), "GPSLongitude ignored: 181 degrees"},
      {"missing references", W().rationals(W::kGps, 2, kLat).rationals(W::kGps, 4, kLon).build(),
       "GPSLatitude ignored: its reference is 'missing'"},
      {"reference X", lat(kLat, "X"), "GPSLatitude ignored: its reference is 'X'"},
      {"only two parts", lat({{48, 1}, {8, 1}}, "N"), "GPSLatitude ignored: type 5 with 2 values"},
      {"position as shorts",
       W().text(W::kGps, 1, "N").shorts(W::kGps, 2, 48).text(W::kGps, 3, "E").rationals(W::kGps, 4, kLon).build(),
       "GPSLatitude ignored: type 3"},
      {"values past the end",
       W().text(W::kGps, 1, "N").add_at(W::kGps, 2, 5, 3, 0xFFFFFFF0).text(W::kGps, 3, "E").rationals(W::kGps, 4, kLon).build(),
       "GPSLatitude ignored: its value at byte 4294967280 lies past the end"},
      {"altitude of 4 million m", good().rationals(W::kGps, 6, {{0xFFFFFFFF, 1000}}).build(), "GPSAltitude ignored", true},
      {"heading 361", good().rationals(W::kGps, 17, {{361, 1}}).build(), "GPSImgDirection ignored: 361 is not in 0..360", true},
      {"a count of 2^32 - 1", good().add_at(W::kMain, 0x0132, 2, 0xFFFFFFFF, 8).build(),
       "DateTime ignored: its value at byte 8 lies past", true},
      {"GPS directory is the main one", W().shorts(W::kMain, 0x0112, 6).longs(W::kMain, 0x8825, 8).build(),
       "GPSIFD ignored: its offset 8 loops back", false, 6},
      {"directory past the end", W().shorts(W::kMain, 0x0112, 6).longs(W::kMain, 0x8825, 0x7FFFFFFF).build(),
       "GPSIFD ignored: its offset 2147483647 lies past", false, 6},
      {"65535 entries", patched(plain, 8, 0x8825FFFF), "IFD0 ignored: it has 65535 entries"},
      {"more entries than bytes", patched(W().shorts(W::kMain, 0x0112, 6).build(), 8, 0x01120000 | 500),
       "IFD0 is cut short: 1 of 500 entries", false, 6},
      {"first directory past the end", patched(plain, 4, 0xFFFFFFFF), "IFD0 ignored: its offset 4294967295 lies past"},
      {"wrong magic number", patched(plain, 0, 0x002B4949), "EXIF ignored: its header holds 43 instead of 42"},
      {"no byte order", patched(plain, 0, 0x002A5858), "EXIF ignored: it starts with neither II nor MM"},
      {"eight bytes", Bytes(8), "EXIF ignored: it starts with neither II nor MM"},
      {"one byte", Bytes(1), "EXIF ignored: 1 bytes are too few"},
  };
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

TEST(ImageExif, EveryPhotoOpensAndEveryWrongFieldIsNoted) {
  const Samples pixels = noise(12, 7, 3);
  const auto start = std::chrono::steady_clock::now();
  int seen = 0;
  for (const Fixture& fixture : fixtures()) {
    const Bytes files[] = {
        make_jpeg(pixels, {.markers = {exif_marker(fixture.tiff)}}),
        with_png_chunks(make_png(pixels), {png_chunk("eXIf", fixture.tiff)}),
        webp_container(12, 7, 8, {webp_picture_chunk(make_webp(pixels, true)), riff_chunk("EXIF", fixture.tiff)})};
    for (const Bytes& file : files) {
      PhotoInfo info;
      const Image upright = decode_image(file, fixture.name, {}, &info);
      const Image stored = decode_image(file, fixture.name, {.orientation = Orientation::kIgnore});
      EXPECT_EQ(stored.width, 12) << fixture.name;
      EXPECT_EQ(upright.rgb, make_upright(stored, fixture.orientation).rgb) << fixture.name;
      EXPECT_EQ(upright.width, fixture.orientation >= 5 ? 7 : 12) << fixture.name;
      EXPECT_EQ(info.orientation, fixture.orientation) << fixture.name;
      EXPECT_EQ(info.lat_deg.has_value(), fixture.has_position) << fixture.name;
      EXPECT_EQ(info.lon_deg.has_value(), fixture.has_position) << fixture.name;
      if (fixture.note.empty()) {
        EXPECT_TRUE(info.notes.empty()) << fixture.name << ": " << info.notes.front();
      } else {
        ASSERT_FALSE(info.notes.empty()) << fixture.name;
        EXPECT_NE(info.notes.front().find(fixture.note), std::string::npos) << fixture.name << ": " << info.notes.front();
      }
    }
    ++seen;
  }
  EXPECT_GE(seen, 30);
  EXPECT_LE(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), 5.0);
}

}  // namespace
}  // namespace revisit
