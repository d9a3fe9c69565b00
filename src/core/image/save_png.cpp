// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Writing a PNG: encoded in memory, then put in place whole.
#include <png.h>

#include <csetjmp>
#include <cstring>
#include <new>

#include "core/base/fail.h"
#include "core/base/file.h"
#include "core/image/pixels.h"

namespace revisit {
namespace {

class PngWriter {
 public:
  explicit PngWriter(const std::string& name) : name_(name) {
    png_ = png_create_write_struct(PNG_LIBPNG_VER_STRING, this, on_error, [](png_structp, png_const_charp) {});
    if (png_ != nullptr) info_ = png_create_info_struct(png_);
    if (info_ == nullptr) {
      png_destroy_write_struct(&png_, nullptr);
      fail(ErrorCode::kNoMemory, "not enough memory to write '{}'", name_);
    }
  }
  ~PngWriter() { png_destroy_write_struct(&png_, &info_); }
  PngWriter(const PngWriter&) = delete;
  PngWriter& operator=(const PngWriter&) = delete;

  std::vector<std::byte> encode(const Image& image) {
    if (!encode_guarded(image)) fail(ErrorCode::kIo, "cannot encode '{}': {}", name_, static_cast<const char*>(message_));
    return std::move(bytes_);
  }

 private:
  // No object with a destructor may live in this frame: libpng leaves it by longjmp.
  bool encode_guarded(const Image& image) {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    png_set_write_fn(png_, this, on_write, [](png_structp) {});
    png_set_user_limits(png_, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_IHDR(png_, info_, static_cast<png_uint_32>(image.width), static_cast<png_uint_32>(image.height), 8,
                 PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png_, info_);
    const std::size_t row_bytes = std::size_t{3} * static_cast<std::size_t>(image.width);
    for (int y = 0; y < image.height; ++y) png_write_row(png_, image.rgb.data() + row_bytes * static_cast<std::size_t>(y));
    png_write_end(png_, info_);
    return true;
  }

  [[noreturn]] static void on_error(png_structp png, png_const_charp message) {
    auto& self = *static_cast<PngWriter*>(png_get_error_ptr(png));
    std::strncpy(self.message_, message, sizeof(self.message_) - 1);
    png_longjmp(png, 1);
  }

  static void on_write(png_structp png, png_bytep data, std::size_t count) {
    auto& self = *static_cast<PngWriter*>(png_get_io_ptr(png));
    bool stored = true;
    try {
      const auto* bytes = reinterpret_cast<const std::byte*>(data);
      self.bytes_.insert(self.bytes_.end(), bytes, bytes + count);
    } catch (const std::bad_alloc&) {
      stored = false;
    }
    if (!stored) png_error(png, "not enough memory");
  }

  std::string name_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  std::vector<std::byte> bytes_;
  char message_[128] = {};
};

}  // namespace

void save_png(const Image& image, const std::filesystem::path& path) {
  check_pixels(image, "save_png");
  const std::vector<std::byte> bytes = PngWriter(path.string()).encode(image);
  AtomicFile out(path);
  out.write(bytes);
  out.commit();
}

}  // namespace revisit
