// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Pictures for tests, encoded here with the libraries' encoders or byte by byte: no file is stored.
#pragma once

#include <gtest/gtest.h>
#include <png.h>
#include <webp/encode.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// jpeglib.h needs size_t and FILE declared before it.
// clang-format off
#include <jpeglib.h>
// clang-format on

#include "revisit/error.h"
#include "revisit/image.h"

namespace revisit::testing {

using Bytes = std::vector<std::byte>;

inline Bytes to_bytes(std::string_view text) {
  const auto* p = reinterpret_cast<const std::byte*>(text.data());
  return {p, p + text.size()};
}

inline Bytes join(const std::vector<Bytes>& parts) {
  Bytes out;
  for (const Bytes& part : parts) out.insert(out.end(), part.begin(), part.end());
  return out;
}

inline Bytes u32_be(std::uint32_t v) {
  return {std::byte(v >> 24), std::byte(v >> 16 & 255), std::byte(v >> 8 & 255), std::byte(v & 255)};
}

inline Bytes u32_le(std::uint32_t v) {
  return {std::byte(v & 255), std::byte(v >> 8 & 255), std::byte(v >> 16 & 255), std::byte(v >> 24)};
}

/// Interleaved 8-bit samples, any number of channels.
struct Samples {
  int width = 0;
  int height = 0;
  int channels = 0;
  std::vector<std::uint8_t> data;
};

/// Gentle slopes, different in every channel: lossy encoders at high quality keep them within a few levels.
inline Samples slopes(int width, int height, int channels) {
  Samples out{width, height, channels, {}};
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      for (int c = 0; c < channels; ++c) {
        const int along_x = 200 * x / std::max(1, width - 1);
        const int along_y = 200 * y / std::max(1, height - 1);
        const int mixed = c == 0 ? along_x : c == 1 ? along_y : c == 2 ? (along_x + along_y) / 2 : 200 - along_x;
        out.data.push_back(static_cast<std::uint8_t>(20 + mixed));
      }
    }
  }
  return out;
}

/// Every value, no pattern an encoder could use.
inline Samples noise(int width, int height, int channels, std::uint32_t seed = 1) {
  Samples out{width, height, channels, {}};
  out.data.resize(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * static_cast<std::size_t>(channels));
  for (auto& v : out.data) {
    seed = seed * 1664525u + 1013904223u;
    v = static_cast<std::uint8_t>(seed >> 24);
  }
  return out;
}

struct JpegOptions {
  int quality = 100;
  int h_samp = 1;  ///< luma samples per chroma sample, across
  int v_samp = 1;  ///< and down
  bool progressive = false;
  bool arithmetic = false;
  bool ycck = false;
  bool keep_rgb = false;
  int restart_rows = 0;
  std::vector<jpeg_scan_info> scans = {};
  std::vector<std::pair<int, Bytes>> markers = {};  ///< written right after the header: marker code, payload
};

inline Bytes make_jpeg(const Samples& in, const JpegOptions& options = {}) {
  jpeg_compress_struct info;
  jpeg_error_mgr errors;
  info.err = jpeg_std_error(&errors);  // its error_exit ends the test program: fixtures are not supposed to fail
  jpeg_create_compress(&info);
  unsigned char* data = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&info, &data, &size);
  info.image_width = static_cast<JDIMENSION>(in.width);
  info.image_height = static_cast<JDIMENSION>(in.height);
  info.input_components = in.channels;
  info.in_color_space = in.channels == 1 ? JCS_GRAYSCALE : in.channels == 3 ? JCS_RGB : in.channels == 4 ? JCS_CMYK : JCS_UNKNOWN;
  jpeg_set_defaults(&info);
  if (options.ycck) jpeg_set_colorspace(&info, JCS_YCCK);
  if (options.keep_rgb) jpeg_set_colorspace(&info, JCS_RGB);
  jpeg_set_quality(&info, options.quality, TRUE);
  info.comp_info[0].h_samp_factor = options.h_samp;
  info.comp_info[0].v_samp_factor = options.v_samp;
  if (options.progressive) jpeg_simple_progression(&info);
  if (!options.scans.empty()) {
    info.scan_info = options.scans.data();
    info.num_scans = static_cast<int>(options.scans.size());
  }
  info.arith_code = options.arithmetic ? TRUE : FALSE;
  info.restart_in_rows = options.restart_rows;
  jpeg_start_compress(&info, TRUE);
  for (const auto& [code, payload] : options.markers) {
    jpeg_write_marker(&info, code, reinterpret_cast<const JOCTET*>(payload.data()), static_cast<unsigned>(payload.size()));
  }
  while (info.next_scanline < info.image_height) {
    JSAMPROW row = const_cast<JSAMPROW>(in.data.data() + std::size_t{info.next_scanline} * info.image_width *
                                                             static_cast<std::size_t>(in.channels));
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  const auto* p = reinterpret_cast<const std::byte*>(data);
  Bytes out(p, p + size);
  std::free(data);
  return out;
}

/// A progressive script of exactly `count` scans (1..1 + 630 * components): DC, then single AC coefficients, then their
/// refinements bit by bit.
inline std::vector<jpeg_scan_info> many_scans(int count, int components = 1) {
  std::vector<jpeg_scan_info> out;
  jpeg_scan_info dc{};
  dc.comps_in_scan = components;
  for (int c = 0; c < components; ++c) dc.component_index[c] = c;
  out.push_back(dc);
  for (int low = 9; low >= 0; --low) {
    for (int band = 1; band < 64; ++band) {
      for (int c = 0; c < components; ++c) {
        jpeg_scan_info ac{};
        ac.comps_in_scan = 1;
        ac.component_index[0] = c;
        ac.Ss = ac.Se = band;
        ac.Ah = low == 9 ? 0 : low + 1;
        ac.Al = low;
        if (static_cast<int>(out.size()) < count) out.push_back(ac);
      }
    }
  }
  return out;
}

inline std::uint32_t crc32_of(std::span<const std::byte> bytes) {
  std::uint32_t crc = 0xFFFFFFFFu;
  for (const std::byte b : bytes) {
    crc ^= std::to_integer<std::uint32_t>(b);
    for (int i = 0; i < 8; ++i) crc = (crc >> 1) ^ (0xEDB88320u & (0u - (crc & 1u)));
  }
  return ~crc;
}

inline Bytes png_chunk(std::string_view kind, const Bytes& payload) {
  const Bytes checked = join({to_bytes(kind), payload});
  return join({u32_be(static_cast<std::uint32_t>(payload.size())), checked, u32_be(crc32_of(checked))});
}

inline Bytes png_signature() { return to_bytes("\x89PNG\r\n\x1a\n"); }

inline Bytes png_header(std::uint32_t width, std::uint32_t height, int depth = 8, int colour = PNG_COLOR_TYPE_RGB) {
  return png_chunk("IHDR", join({u32_be(width), u32_be(height), {std::byte(depth), std::byte(colour), {}, {}, {}}}));
}

/// Puts chunks right after IHDR.
inline Bytes with_png_chunks(const Bytes& png, const std::vector<Bytes>& chunks) {
  const auto split = png.begin() + 8 + 25;
  return join({Bytes(png.begin(), split), join(chunks), Bytes(split, png.end())});
}

struct PngOptions {
  int colour = PNG_COLOR_TYPE_RGB;
  int depth = 8;
  bool adam7 = false;
  std::vector<png_color> palette = {};
  std::function<void(png_structp, png_infop)> extra = {};  ///< such as png_set_tRNS
};

/// `rows` is in PNG's own packing for the depth: big-endian 16 bits, or several samples a byte.
inline Bytes make_png(int width, int height, const std::vector<std::uint8_t>& rows, const PngOptions& options = {}) {
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  Bytes out;
  const auto write = [](png_structp p, png_bytep data, std::size_t count) {
    auto& to = *static_cast<Bytes*>(png_get_io_ptr(p));
    const auto* from = reinterpret_cast<const std::byte*>(data);
    to.insert(to.end(), from, from + count);
  };
  png_set_write_fn(png, &out, write, [](png_structp) {});
  png_set_IHDR(png, info, static_cast<png_uint_32>(width), static_cast<png_uint_32>(height), options.depth, options.colour,
               options.adam7 ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (!options.palette.empty()) png_set_PLTE(png, info, options.palette.data(), static_cast<int>(options.palette.size()));
  if (options.extra) options.extra(png, info);
  png_write_info(png, info);
  const std::size_t row_bytes = png_get_rowbytes(png, info);
  std::vector<png_bytep> pointers;
  for (int y = 0; y < height; ++y)
    pointers.push_back(const_cast<png_bytep>(rows.data() + row_bytes * static_cast<std::size_t>(y)));
  png_write_image(png, pointers.data());
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  return out;
}

inline Bytes make_png(const Samples& in, bool adam7 = false) {
  static constexpr int kColours[] = {0, PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGBA};
  return make_png(in.width, in.height, in.data, {.colour = kColours[in.channels], .adam7 = adam7});
}

/// A zlib stream of `count` zeros, 13 bits for every 258 of them, made without inflating anything.
inline Bytes zlib_of_zeros(std::uint64_t count) {
  Bytes out = {std::byte{0x78}, std::byte{0x01}};
  unsigned bits = 0;
  int num_bits = 0;
  const auto put = [&](unsigned code, int length) {  // Huffman codes: most significant bit first
    for (int i = length - 1; i >= 0; --i) {
      bits |= (code >> i & 1u) << num_bits;
      if (++num_bits == 8) {
        out.push_back(std::byte(bits));
        bits = 0;
        num_bits = 0;
      }
    }
  };
  put(0b110, 3);  // last block, fixed codes
  put(0x30, 8);   // one zero as it is
  std::uint64_t left = count - 1;
  for (; left >= 258; left -= 258) put(0b1100010100000, 13);  // 258 bytes, from 1 byte back
  for (; left > 0; --left) put(0x30, 8);
  put(0, 7);
  while (num_bits != 0) put(0, 1);
  return join({out, u32_be(static_cast<std::uint32_t>(count % 65521) << 16 | 1)});
}

/// `channels` 3 or 4.
inline Bytes make_webp(const Samples& in, bool lossless) {
  std::uint8_t* data = nullptr;
  std::size_t size = 0;
  const int stride = in.width * in.channels;
  if (lossless) {
    size = in.channels == 4 ? WebPEncodeLosslessRGBA(in.data.data(), in.width, in.height, stride, &data)
                            : WebPEncodeLosslessRGB(in.data.data(), in.width, in.height, stride, &data);
  } else {
    size = in.channels == 4 ? WebPEncodeRGBA(in.data.data(), in.width, in.height, stride, 100, &data)
                            : WebPEncodeRGB(in.data.data(), in.width, in.height, stride, 100, &data);
  }
  const auto* p = reinterpret_cast<const std::byte*>(data);
  Bytes out(p, p + size);
  WebPFree(data);
  return out;
}

inline Bytes riff_chunk(std::string_view kind, const Bytes& payload) {
  return join({to_bytes(kind), u32_le(static_cast<std::uint32_t>(payload.size())), payload, Bytes(payload.size() % 2)});
}

/// An extended WebP file: VP8X header with `flags`, then the chunks given.
inline Bytes webp_container(int width, int height, int flags, const std::vector<Bytes>& chunks) {
  Bytes header = u32_le(static_cast<std::uint32_t>(flags));
  for (const int side : {width - 1, height - 1}) {
    const Bytes four = u32_le(static_cast<std::uint32_t>(side));
    header.insert(header.end(), four.begin(), four.begin() + 3);
  }
  const Bytes body = join({to_bytes("WEBP"), riff_chunk("VP8X", header), join(chunks)});
  return join({to_bytes("RIFF"), u32_le(static_cast<std::uint32_t>(body.size())), body});
}

/// The picture chunk (VP8 or VP8L) of a simple WebP file.
inline Bytes webp_picture_chunk(const Bytes& webp) { return {webp.begin() + 12, webp.end()}; }

/// The error a call throws; the test fails when it throws none.
inline Error error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "nothing was thrown";
  return Error(ErrorCode::kInternal, "nothing was thrown");
}

inline int largest_difference(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b) {
  if (a.size() != b.size()) return 256;
  int worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

}  // namespace revisit::testing
