// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// JPEG through the libjpeg API with its default (accurate) IDCT and fancy upsampling, as Pillow uses it.
// libjpeg reports errors by longjmp: every call into it happens inside JpegReader::guarded(), between whose setjmp and
// the library no object with a destructor lives. Outside of it errors are exceptions as everywhere else.
#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <utility>

// jpeglib.h needs size_t and FILE declared before it, and jerror.h needs jpeglib.h.
// clang-format off
#include <jpeglib.h>
#include <jerror.h>
// clang-format on

#include "core/base/fail.h"
#include "core/base/stop_scope.h"
#include "core/image/codec.h"
#include "core/image/exif.h"

namespace revisit {
namespace {

enum class Stop { kNone, kDamaged, kTruncated, kTooManyScans, kTooSlow, kUnwanted, kNoMemory };

class JpegReader {
 public:
  explicit JpegReader(const EncodedImage& source) : source_(source), deadline_(source.max_seconds) {
    std::memset(&info_, 0, sizeof(info_));
    info_.err = jpeg_std_error(&errors_);
    errors_.error_exit = [](j_common_ptr info) { self(info).stop_at_error(); };
    errors_.output_message = [](j_common_ptr) {};  // a library does not print; warnings are tolerated as in Pillow
    errors_.emit_message = [](j_common_ptr, int) {};
    info_.client_data = this;
    if (!guarded([this] { jpeg_create_decompress(&info_); })) fail_stopped();
    info_.client_data = this;  // jpeg_create_decompress keeps it, but says nothing about doing so

    input_.next_input_byte = reinterpret_cast<const JOCTET*>(source.bytes.data());
    input_.bytes_in_buffer = source.bytes.size();
    input_.init_source = [](j_decompress_ptr) {};
    input_.term_source = [](j_decompress_ptr) {};
    input_.resync_to_restart = jpeg_resync_to_restart;
    input_.fill_input_buffer = [](j_decompress_ptr info) -> boolean { return self(info).run_dry(); };
    input_.skip_input_data = [](j_decompress_ptr info, long count) { self(info).skip(count); };
    info_.src = &input_;
    progress_.progress_monitor = [](j_common_ptr info) { self(info).check_progress(); };
    info_.progress = &progress_;
  }
  ~JpegReader() { jpeg_destroy_decompress(&info_); }
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;

  /// `least` is in the picture as stored.
  Image decode(Size least) {
    if (!guarded([this] { jpeg_read_header(&info_, TRUE); })) fail_stopped();
    if (ran_dry_) fail_truncated(source_, 0, 1);  // within the header: there is no picture yet
    check_dimensions(source_, info_.image_width, info_.image_height);
    deadline_ = Deadline(source_.max_seconds);  // waiting for room does not count
    choose_colours();
    info_.scale_num = static_cast<unsigned>(eighths_for(info_.image_width, info_.image_height, least));
    info_.scale_denom = 8;
    if (!guarded([this] { jpeg_start_decompress(&info_); })) fail_stopped();

    Image image = gray_image(info_.output_width, info_.output_height);
    std::vector<std::uint8_t> row(static_cast<std::size_t>(info_.output_components) * info_.output_width);
    while (info_.output_scanline < info_.output_height) {
      std::uint8_t* out = image.rgb.data() + std::size_t{3} * info_.output_scanline * info_.output_width;
      JSAMPROW into = info_.output_components == 3 ? out : row.data();
      if (!guarded([this, &into] { jpeg_read_scanlines(&info_, &into, 1); })) fail_stopped();
      if (info_.output_components != 3) convert_row(row.data(), out);
    }
    if (!guarded([this] { jpeg_finish_decompress(&info_); })) fail_stopped();
    return image;
  }

 private:
  template <typename Info>
  static JpegReader& self(Info info) {
    return *static_cast<JpegReader*>(info->client_data);
  }

  // Runs `step`, which may only call libjpeg and touch plain data; false when the library stopped.
  template <typename Step>
  bool guarded(const Step& step) {
    if (setjmp(jump_) != 0) return false;
    step();
    return true;
  }

  [[noreturn]] void stop(Stop why) {
    stop_ = why;
    std::longjmp(jump_, 1);
  }

  [[noreturn]] void stop_at_error() {
    error_code_ = errors_.msg_code;
    errors_.format_message(reinterpret_cast<j_common_ptr>(&info_), message_);
    stop(error_code_ == JERR_OUT_OF_MEMORY ? Stop::kNoMemory : Stop::kDamaged);
  }

  // End of data. With accept_truncated the library is told that the picture ends here and leaves the rest gray.
  boolean run_dry() {
    ran_dry_ = true;
    if (!source_.options.accept_truncated) stop(Stop::kTruncated);
    static constexpr JOCTET kEnd[2] = {0xFF, JPEG_EOI};
    input_.next_input_byte = kEnd;
    input_.bytes_in_buffer = sizeof(kEnd);
    return TRUE;
  }

  void skip(long count) {
    if (count <= 0) return;
    if (static_cast<std::size_t>(count) > input_.bytes_in_buffer) {
      run_dry();
      return;
    }
    input_.next_input_byte += count;
    input_.bytes_in_buffer -= static_cast<std::size_t>(count);
  }

  void check_progress() {
    if (info_.input_scan_number > limits::kMaxJpegScans) stop(Stop::kTooManyScans);
    if (deadline_.passed()) stop(Stop::kTooSlow);
    if ((unwanted_by_ = stop_wanted()) != nullptr) stop(Stop::kUnwanted);
  }

  [[noreturn]] void fail_stopped() const {
    switch (stop_) {
      case Stop::kTruncated: fail_truncated_here();
      case Stop::kTooManyScans:
        fail(ErrorCode::kLimit, "'{}' has more JPEG scans than the limit of {}", source_.name, limits::kMaxJpegScans);
      case Stop::kTooSlow: fail_too_slow(source_);
      case Stop::kUnwanted: unwanted_by_->end_work();
      case Stop::kNoMemory: fail(ErrorCode::kNoMemory, "not enough memory to decode '{}'", source_.name);
      default: break;
    }
    if (ran_dry_) fail_truncated_here();
    if (error_code_ == JERR_BAD_PRECISION) {
      fail(ErrorCode::kBadImage, "'{}' is a {}-bit JPEG; revisit reads JPEG with 8 bits", source_.name, info_.data_precision);
    }
    if (error_code_ == JERR_IMAGE_TOO_BIG) check_dimensions(source_, info_.image_width, info_.image_height);
    fail(ErrorCode::kBadImage, "'{}' is a damaged or unsupported JPEG: {}", source_.name, static_cast<const char*>(message_));
  }

  [[noreturn]] void fail_truncated_here() const {
    const bool several_scans = info_.input_scan_number > 1;
    if (several_scans || info_.output_scanline == 0) {  // sequential files with no row out yet count the input
      fail_truncated(source_, info_.input_iMCU_row, info_.total_iMCU_rows,
                     several_scans ? fmt::format(" of scan {}", info_.input_scan_number) : "");
    }
    fail_truncated(source_, info_.output_scanline, info_.output_height);
  }

  void choose_colours() {
    switch (info_.num_components) {
      case 1: info_.out_color_space = JCS_GRAYSCALE; break;
      case 3: info_.out_color_space = JCS_RGB; break;
      case 4: info_.out_color_space = JCS_CMYK; break;
      default:
        fail(ErrorCode::kBadImage, "'{}' is a JPEG of {} components; revisit reads 1 (gray), 3 (colour) and 4 (CMYK)",
             source_.name, info_.num_components);
    }
  }

  void convert_row(const std::uint8_t* in, std::uint8_t* out) const {
    if (info_.output_components == 1) {
      for (JDIMENSION x = 0; x < info_.output_width; ++x, out += 3) std::memset(out, in[x], 3);
      return;
    }
    // Files hold CMYK inverted (Adobe's habit), so in[3] is 255-K and in[c] is 255-C. A colour is (255-K) less its C/255 share.
    for (JDIMENSION x = 0; x < info_.output_width; ++x, in += 4, out += 3) {
      const int light = in[3];
      for (int c = 0; c < 3; ++c) {
        const int product = (255 - in[c]) * light + 128;
        out[c] = static_cast<std::uint8_t>(light - (((product >> 8) + product) >> 8));
      }
    }
  }

  const EncodedImage& source_;
  Deadline deadline_;
  jpeg_decompress_struct info_;
  jpeg_error_mgr errors_{};
  jpeg_source_mgr input_{};
  jpeg_progress_mgr progress_{};
  std::jmp_buf jump_;
  Stop stop_ = Stop::kNone;
  const StopScope* unwanted_by_ = nullptr;
  int error_code_ = 0;
  bool ran_dry_ = false;
  char message_[JMSG_LENGTH_MAX] = {};
};

// Walks the markers before the first scan. The payload stays where it is: nothing is copied.
std::span<const std::byte> find_exif(std::span<const std::byte> bytes) {
  const auto u8 = [&](std::size_t at) { return std::to_integer<unsigned>(bytes[at]); };
  std::size_t at = 2;
  while (at + 4 <= bytes.size() && u8(at) == 0xFF) {
    const unsigned marker = u8(at + 1);
    if (marker == 0xFF) {  // fill byte
      ++at;
      continue;
    }
    if (marker == 0xD9 || marker == 0xDA) break;  // end, start of scan
    const bool alone = marker == 0x01 || (marker >= 0xD0 && marker <= 0xD8);
    const std::size_t length = alone ? 0 : u8(at + 2) << 8 | u8(at + 3);
    if ((!alone && length < 2) || length > bytes.size() - at - 2) break;
    if (marker == 0xE1) {
      const auto payload = bytes.subspan(at + 4, length - 2);
      const auto tiff = without_exif_prefix(payload);
      if (tiff.size() < payload.size()) return tiff;
    }
    at += 2 + length;
  }
  return {};
}

}  // namespace

int eighths_for(std::uint64_t width, std::uint64_t height, Size least) {
  if (least == Size{}) return 8;
  const auto reaches = [](std::uint64_t side, int eighths, int wanted) {
    return (side * static_cast<std::uint64_t>(eighths) + 7) / 8 >=
           static_cast<std::uint64_t>(std::max(0, wanted));  // as libjpeg rounds
  };
  int eighths = 1;
  while (eighths < 8 && !(reaches(width, eighths, least.width) && reaches(height, eighths, least.height))) ++eighths;
  return eighths;
}

DecodedImage decode_jpeg(const EncodedImage& source) {
  const auto exif = find_exif(source.bytes);
  Size least = source.options.at_least;
  if (least != Size{} && source.options.orientation == Orientation::kApply) {
    PhotoInfo info;
    if (!exif.empty()) read_exif(exif, info);
    if (info.orientation >= 5) std::swap(least.height, least.width);  // it will be turned by a quarter
  }
  return {JpegReader(source).decode(least), exif};
}

}  // namespace revisit
