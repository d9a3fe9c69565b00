// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// From a file or bytes to an upright RGB picture: picks the decoder by content, applies limits and orientation.
#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "core/base/checked.h"
#include "core/base/fail.h"
#include "core/base/file.h"
#include "core/base/room.h"
#include "core/image/codec.h"
#include "core/image/exif.h"
#include "core/image/orient.h"

namespace revisit {
namespace {

std::uint64_t byte_limit(const DecodeOptions& options) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, options.max_file_bytes));
}

DecodedImage decode_by_content(const EncodedImage& source) {
  const Sniffed found = sniff(source.bytes);
  switch (found.kind) {
    case FileKind::kJpeg: return decode_jpeg(source);
    case FileKind::kPng: return decode_png(source);
    case FileKind::kWebp: return decode_webp(source);
    case FileKind::kOther: break;
  }
  fail_with_hint(ErrorCode::kBadImage, "convert it to JPEG, PNG or WebP first", "'{}' is {}; revisit reads JPEG, PNG and WebP",
                 source.name, found.what);
}

}  // namespace

void check_dimensions(const EncodedImage& source, std::uint64_t width, std::uint64_t height) {
  if (width == 0 || height == 0)
    fail(ErrorCode::kBadImage, "'{}' has no pixels: its header says {} x {}", source.name, width, height);
  const auto max_side = static_cast<std::uint64_t>(limits::kMaxImageSide);
  if (width > max_side || height > max_side) {
    fail(ErrorCode::kLimit, "'{}' is {} x {} pixels, the limit for a side is {}", source.name, width, height, max_side);
  }
  const std::uint64_t pixels = checked_mul(width, height, source.name);
  const auto max_pixels = static_cast<std::uint64_t>(std::max<std::int64_t>(0, source.options.max_pixels));
  if (pixels > max_pixels) {
    fail(ErrorCode::kLimit, "'{}' is {} x {} = {} pixels, the limit is {}", source.name, width, height, pixels, max_pixels);
  }
  take_room(checked_mul(3, pixels, source.name));
}

Image gray_image(std::uint64_t width, std::uint64_t height) {
  Image image;
  image.width = static_cast<int>(width);
  image.height = static_cast<int>(height);
  image.rgb.assign(checked_mul(3, checked_mul(width, height, "pixels"), "pixel bytes"), std::uint8_t{128});
  return image;
}

void fail_truncated(const EncodedImage& source, std::uint64_t done, std::uint64_t all, const std::string& where) {
  fail_with_hint(ErrorCode::kBadImage, "copy the file again, or use what is left of it with `accept_truncated`",
                 "'{}' is truncated at {} %{}: the file ends after {} bytes", source.name, all == 0 ? 0 : 100 * done / all, where,
                 source.bytes.size());
}

void fail_too_slow(const EncodedImage& source) {
  fail(ErrorCode::kLimit, "'{}' takes longer to decode than the limit of {} s", source.name, source.max_seconds);
}

std::span<const std::byte> without_exif_prefix(std::span<const std::byte> payload) {
  static constexpr char kPrefix[6] = {'E', 'x', 'i', 'f', 0, 0};
  const bool prefixed = payload.size() >= sizeof(kPrefix) && std::memcmp(payload.data(), kPrefix, sizeof(kPrefix)) == 0;
  return prefixed ? payload.subspan(sizeof(kPrefix)) : payload;
}

Image decode_image(std::span<const std::byte> bytes, const std::string& name, const DecodeOptions& options, PhotoInfo* info) {
  if (bytes.size() > byte_limit(options)) {
    fail(ErrorCode::kLimit, "'{}' has {} bytes, the limit is {}", name, bytes.size(), byte_limit(options));
  }
  try {
    DecodedImage decoded = decode_by_content({.bytes = bytes, .name = name, .options = options});
    PhotoInfo found;
    if (!decoded.exif.empty()) read_exif(decoded.exif, found);
    if (decoded.animated) {
      found.animated = true;
      found.notes.emplace_back("the file holds an animation; only its still picture is used");
    }
    const int turn = options.orientation == Orientation::kApply ? found.orientation : 1;
    if (info != nullptr) *info = std::move(found);
    return make_upright(std::move(decoded.image), turn);
  } catch (const std::bad_alloc&) {
    fail(ErrorCode::kNoMemory, "not enough memory to decode '{}'", name);
  }
}

Image load_image(const std::filesystem::path& path, const DecodeOptions& options, PhotoInfo* info) {
  const std::vector<std::byte> bytes = read_file(path, byte_limit(options));
  return decode_image(bytes, path.string(), options, info);
}

}  // namespace revisit
