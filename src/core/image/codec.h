// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Input and output of every decoder here, and the checks they share. Each decoder checks the header
// with check_dimensions() before a pixel buffer exists, and stops with an Error when its time is up.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "core/base/limits.h"
#include "revisit/image.h"

namespace revisit {

struct EncodedImage {
  std::span<const std::byte> bytes;  ///< the whole file
  std::string name;                  ///< name of the file in error messages
  DecodeOptions options;
  double max_seconds = limits::kMaxDecodeSeconds;
};

struct DecodedImage {
  Image image;                      ///< as stored: the EXIF orientation is not applied yet
  std::span<const std::byte> exif;  ///< TIFF structure inside the encoded bytes; empty when there is none
  bool animated = false;            ///< frames of an animation were left out
};

/// How many eighths of its size a JPEG is decoded at, 1..8: the fewest of which both sides are at least `least`.
int eighths_for(std::uint64_t width, std::uint64_t height, Size least);
DecodedImage decode_jpeg(const EncodedImage& source);
DecodedImage decode_png(const EncodedImage& source);
DecodedImage decode_webp(const EncodedImage& source);

/// "a JPEG file", "a BMP file", "an HTML page", ... from the first bytes alone; "of an unknown kind" otherwise.
enum class FileKind { kJpeg, kPng, kWebp, kOther };
struct Sniffed {
  FileKind kind = FileKind::kOther;
  std::string what;
};
Sniffed sniff(std::span<const std::byte> bytes);

/// Throws kBadImage for an empty picture and kLimit for one above the limits. Takes room for its pixels (core/base/room.h).
void check_dimensions(const EncodedImage& source, std::uint64_t width, std::uint64_t height);

/// A picture of 128-gray, the colour of the missing rest of a truncated file.
Image gray_image(std::uint64_t width, std::uint64_t height);

/// `where` continues "truncated at n %", such as " of scan 3"; percent is of the picture, not of the file.
[[noreturn]] void fail_truncated(const EncodedImage& source, std::uint64_t done, std::uint64_t all,
                                 const std::string& where = {});
[[noreturn]] void fail_too_slow(const EncodedImage& source);

/// Drops the "Exif\0\0" in front of the TIFF structure in JPEG and in some WebP files.
std::span<const std::byte> without_exif_prefix(std::span<const std::byte> payload);

class Deadline {
 public:
  explicit Deadline(double seconds)
      : end_(Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds))) {}
  bool passed() const { return Clock::now() >= end_; }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point end_;
};

}  // namespace revisit
