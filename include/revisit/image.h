// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Photos: decoding to RGB8, what EXIF says about them, and resizing as Pillow does it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace revisit {

/// Interleaved 8-bit RGB, row-major: pixel (x, y) starts at rgb[3 * (y * width + x)].
struct Image {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgb;
};

enum class PixelFormat { kRgb8, kBgr8, kRgba8, kBgra8, kGray8 };

/// A picture in memory owned by the caller, such as a camera's buffer. Alpha is ignored, gray is used for all three channels.
struct ImageView {
  const std::uint8_t* data = nullptr;  ///< first byte of the top row
  int width = 0;
  int height = 0;
  std::ptrdiff_t stride_bytes = 0;  ///< from one row to the next: at least a row, negative for rows stored from the bottom; 0: packed
  PixelFormat format = PixelFormat::kRgb8;
};

/// Valid as long as the image stays where it is.
ImageView view_of(const Image& image);

struct Size {
  int height = 0;
  int width = 0;
  bool operator==(const Size&) const = default;
};

enum class Orientation { kApply, kIgnore };  ///< whether the EXIF orientation turns the picture upright

/// What a file says besides the pixels. Absent or invalid fields are empty; `notes` says why one was ignored, and which part of
/// the file was not used.
struct PhotoInfo {
  int orientation = 1;            ///< EXIF 1..8; invalid values count as 1
  std::optional<double> lat_deg;  ///< set only together with lon_deg
  std::optional<double> lon_deg;
  std::optional<double> altitude_m;
  std::optional<double> heading_deg;  ///< GPSImgDirection, 0..360
  std::optional<std::string> time;    ///< DateTimeOriginal (else DateTime) as "YYYY-MM-DDTHH:MM:SS"
  bool animated = false;              ///< the file also has frames of an animation; only the still picture was used
  std::vector<std::string> notes;
};

struct DecodeOptions {
  Orientation orientation = Orientation::kApply;
  bool accept_truncated = false;          ///< use what is left of a truncated file, with gray for the rest
  Size at_least{};                        ///< a JPEG may come out smaller, no side below this one's; 0x0: none does
  std::int64_t max_pixels = 100'000'000;  ///< checked against the header before a pixel buffer exists
  std::int64_t max_file_bytes = 256'000'000;
  bool operator==(const DecodeOptions&) const = default;
};

/// Reads a JPEG, PNG or WebP file, whatever its extension says. Throws Error kNotFound, kBadImage or kLimit.
Image load_image(const std::filesystem::path& path, const DecodeOptions& options = {}, PhotoInfo* info = nullptr);

/// The same from memory; `name` is the name of the file in error messages.
Image decode_image(std::span<const std::byte> bytes, const std::string& name, const DecodeOptions& options = {},
                   PhotoInfo* info = nullptr);

enum class ResizeFilter { kBilinear, kBicubic };

/// Pillow's Image.resize to exactly `size` (aspect ratio is not kept), equal to it byte for byte.
Image resize(const Image& image, Size size, ResizeFilter filter);
/// The same from a buffer. Throws Error kUsage for an invalid view.
Image resize(const ImageView& view, Size size, ResizeFilter filter);

/// A baseline JPEG with full colour resolution; quality 1..100.
std::vector<std::byte> encode_jpeg(const Image& image, int quality = 90);

/// Writes a PNG (used by demos and reports). Throws Error kIo or kNoSpace.
void save_png(const Image& image, const std::filesystem::path& path);

}  // namespace revisit
