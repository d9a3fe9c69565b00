// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// PNG through libpng. The chunks are walked first, so limits hold before libpng sees a byte, and libpng skips every
// ancillary chunk but tRNS (nothing is ever inflated except pixels). Alpha is dropped, not blended, and 16-bit samples
// keep their high byte. libpng reports errors by longjmp: see guarded().
#include <png.h>

#include <csetjmp>
#include <cstring>
#include <string_view>

#include "core/base/fail.h"
#include "core/base/stop_scope.h"
#include "core/image/codec.h"

namespace revisit {
namespace {

constexpr std::size_t kSignatureBytes = 8;

// Checks what the chunk headers say and finds the EXIF chunk. Contents and checksums are left to libpng.
std::span<const std::byte> survey_chunks(const EncodedImage& source) {
  const auto u32 = [&](std::size_t at) {
    const auto u8 = [&](std::size_t i) { return std::to_integer<std::uint32_t>(source.bytes[i]); };
    return u8(at) << 24 | u8(at + 1) << 16 | u8(at + 2) << 8 | u8(at + 3);
  };
  std::span<const std::byte> exif;
  std::uint64_t ancillary_bytes = 0;
  std::size_t at = kSignatureBytes;
  while (source.bytes.size() - at >= 8) {
    const std::uint64_t length = u32(at);
    const std::string_view kind(reinterpret_cast<const char*>(source.bytes.data() + at + 4), 4);
    const std::size_t left = source.bytes.size() - at - 8;
    if (at == kSignatureBytes && (kind != "IHDR" || length != 13)) {
      fail(ErrorCode::kBadImage, "'{}' is a damaged PNG: it does not start with an IHDR chunk of 13 bytes", source.name);
    }
    if (kind == "IHDR" && left >= 8) check_dimensions(source, u32(at + 8), u32(at + 12));
    if (kind == "acTL") {
      fail(ErrorCode::kBadImage, "'{}' is an animated PNG (APNG); revisit reads still pictures", source.name);
    }
    if ((kind[0] & 0x20) != 0) {  // lower case: ancillary
      ancillary_bytes += length;
      if (length > limits::kMaxPngChunkBytes) {
        fail(ErrorCode::kLimit, "'{}' has an ancillary PNG chunk of {} bytes, the limit is {}", source.name, length,
             limits::kMaxPngChunkBytes);
      }
      if (ancillary_bytes > limits::kMaxPngAncillaryBytes) {
        fail(ErrorCode::kLimit, "'{}' has more than {} bytes of ancillary PNG chunks", source.name,
             limits::kMaxPngAncillaryBytes);
      }
    }
    if (length + 4 > left || kind == "IEND") break;  // cut inside this chunk, or the end
    if (kind == "eXIf" && exif.empty()) exif = source.bytes.subspan(at + 8, length);
    at += 12 + length;
  }
  return exif;
}

class PngReader {
 public:
  explicit PngReader(const EncodedImage& source) : source_(source), deadline_(source.max_seconds) {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, on_error, on_warning);
    if (png_ != nullptr) info_ = png_create_info_struct(png_);
    if (info_ == nullptr) {
      png_destroy_read_struct(&png_, nullptr, nullptr);
      fail(ErrorCode::kNoMemory, "not enough memory to decode '{}'", source.name);
    }
  }
  ~PngReader() { png_destroy_read_struct(&png_, &info_, nullptr); }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;

  Image decode() {
    if (!guarded([this] { read_header(); })) fail_stopped();
    const std::uint32_t width = png_get_image_width(png_, info_);
    const std::uint32_t height = png_get_image_height(png_, info_);
    check_dimensions(source_, width, height);
    if (png_get_rowbytes(png_, info_) != std::size_t{3} * width) {
      fail(ErrorCode::kInternal, "'{}': libpng gives {} bytes for a row of {} pixels", source_.name,
           png_get_rowbytes(png_, info_), width);
    }
    all_rows_ = static_cast<std::uint64_t>(num_passes_) * height;
    Image image = gray_image(width, height);
    while (rows_done_ < all_rows_) {
      std::uint8_t* row = image.rgb.data() + std::size_t{3} * width * (rows_done_ % height);
      if (!guarded([this, row] { png_read_row(png_, row, nullptr); })) {
        if (ran_dry_ && source_.options.accept_truncated) return image;  // gray where nothing came
        fail_stopped();
      }
      ++rows_done_;
      if (deadline_.passed()) fail_too_slow(source_);
      check_stop();
    }
    if (!guarded([this] { png_read_end(png_, nullptr); }) && !(ran_dry_ && source_.options.accept_truncated)) fail_stopped();
    return image;
  }

 private:
  // Runs `step`, which may only call libpng and touch plain data; false when the library stopped.
  template <typename Step>
  bool guarded(const Step& step) {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    step();
    return true;
  }

  void read_header() {
    png_set_read_fn(png_, this, on_read);
    png_set_crc_action(png_, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
    png_set_keep_unknown_chunks(png_, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
    png_set_user_limits(png_, limits::kMaxImageSide, limits::kMaxImageSide);
    png_set_chunk_malloc_max(png_, limits::kMaxPngChunkBytes);
    png_read_info(png_, info_);
    const auto colour = png_get_color_type(png_, info_);
    if (colour == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(png_);
    if (colour == PNG_COLOR_TYPE_GRAY && png_get_bit_depth(png_, info_) < 8) png_set_expand_gray_1_2_4_to_8(png_);
    png_set_strip_16(png_);
    png_set_strip_alpha(png_);
    if ((colour & PNG_COLOR_MASK_COLOR) == 0) png_set_gray_to_rgb(png_);
    num_passes_ = png_set_interlace_handling(png_);
    png_read_update_info(png_, info_);
  }

  [[noreturn]] static void on_error(png_structp png, png_const_charp message) {
    auto& self = *static_cast<PngReader*>(png_get_error_ptr(png));
    std::strncpy(self.message_, message, sizeof(self.message_) - 1);
    png_longjmp(png, 1);
  }
  static void on_warning(png_structp, png_const_charp) {}  // a library does not print

  static void on_read(png_structp png, png_bytep out, std::size_t count) {
    auto& self = *static_cast<PngReader*>(png_get_io_ptr(png));
    if (count > self.source_.bytes.size() - self.position_) {
      self.ran_dry_ = true;
      png_error(png, "the file ends early");
    }
    std::memcpy(out, self.source_.bytes.data() + self.position_, count);
    self.position_ += count;
  }

  [[noreturn]] void fail_stopped() const {
    if (ran_dry_) fail_truncated(source_, rows_done_, all_rows_);
    fail(ErrorCode::kBadImage, "'{}' is a damaged PNG: {}", source_.name, static_cast<const char*>(message_));
  }

  const EncodedImage& source_;
  Deadline deadline_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  std::size_t position_ = 0;
  int num_passes_ = 1;
  std::uint64_t rows_done_ = 0;  // over all interlace passes
  std::uint64_t all_rows_ = 0;
  bool ran_dry_ = false;
  char message_[128] = {};
};

}  // namespace

DecodedImage decode_png(const EncodedImage& source) {
  const std::span<const std::byte> exif = survey_chunks(source);
  return {PngReader(source).decode(), exif};
}

}  // namespace revisit
