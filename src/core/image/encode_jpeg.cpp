// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Pictures out as JPEG.
#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>

// jpeglib.h needs FILE and size_t declared before it.
#include <jpeglib.h>

#include "core/base/fail.h"
#include "revisit/image.h"

namespace revisit {
namespace {

struct Compressor {
  jpeg_compress_struct codec{};
  jpeg_error_mgr errors{};
  std::jmp_buf failed{};
  unsigned char* bytes = nullptr;
  unsigned long size = 0;  // NOLINT: libjpeg's type

  Compressor() { codec.err = jpeg_std_error(&errors); }
  ~Compressor() {
    jpeg_destroy_compress(&codec);
    std::free(bytes);
  }
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;
};

// libjpeg leaves through here; the jump skips no destructor because compress() holds no C++ object.
[[noreturn]] void leave(j_common_ptr codec) { std::longjmp(static_cast<Compressor*>(codec->client_data)->failed, 1); }

bool compress(Compressor& out, const Image& image, int quality) {
  out.errors.error_exit = leave;
  out.codec.client_data = &out;
  if (setjmp(out.failed) != 0) return false;
  jpeg_create_compress(&out.codec);
  jpeg_mem_dest(&out.codec, &out.bytes, &out.size);
  out.codec.image_width = static_cast<JDIMENSION>(image.width);
  out.codec.image_height = static_cast<JDIMENSION>(image.height);
  out.codec.input_components = 3;
  out.codec.in_color_space = JCS_RGB;
  jpeg_set_defaults(&out.codec);
  jpeg_set_quality(&out.codec, std::clamp(quality, 1, 100), TRUE);
  out.codec.comp_info[0].h_samp_factor = 1;
  out.codec.comp_info[0].v_samp_factor = 1;
  jpeg_start_compress(&out.codec, TRUE);
  while (out.codec.next_scanline < out.codec.image_height) {
    auto* row =
        const_cast<JSAMPLE*>(image.rgb.data()) + static_cast<std::size_t>(out.codec.next_scanline) * 3U * out.codec.image_width;
    jpeg_write_scanlines(&out.codec, &row, 1);
  }
  jpeg_finish_compress(&out.codec);
  return true;
}

}  // namespace

std::vector<std::byte> encode_jpeg(const Image& image, int quality) {
  Compressor out;
  if (!compress(out, image, quality)) {
    char text[JMSG_LENGTH_MAX];
    out.errors.format_message(reinterpret_cast<j_common_ptr>(&out.codec), text);
    fail(ErrorCode::kUsage, "a picture of {}x{} cannot become a JPEG: {}", image.width, image.height, text);
  }
  const auto* begin = reinterpret_cast<const std::byte*>(out.bytes);
  return {begin, begin + out.size};
}

}  // namespace revisit
