// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// WebP through libwebp's incremental decoder, which tells a file cut short from a damaged one. Still pictures only: a file whose
// header says it is an animation is refused, frames beside a still picture are left out with a note. Alpha is dropped, not
// blended.
#include <webp/decode.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string_view>

#include "core/base/fail.h"
#include "core/base/stop_scope.h"
#include "core/image/codec.h"

namespace revisit {
namespace {

constexpr std::size_t kStepBytes = 4'000'000;  // given to libwebp between two looks at the clock

struct Survey {
  std::span<const std::byte> exif;
  bool complete = true;   // every byte the RIFF header announces is there
  bool animated = false;  // it has frames, whether or not its header says so
};

Survey survey_chunks(std::span<const std::byte> bytes) {
  const auto u32 = [&](std::size_t at) {
    const auto u8 = [&](std::size_t i) { return std::to_integer<std::uint32_t>(bytes[i]); };
    return u8(at + 3) << 24 | u8(at + 2) << 16 | u8(at + 1) << 8 | u8(at);
  };
  Survey out;
  const std::uint64_t announced = std::uint64_t{u32(4)} + 8;
  out.complete = announced <= bytes.size() + 1;  // some writers leave out the last padding byte
  bytes = bytes.first(std::min<std::uint64_t>(bytes.size(), announced));
  std::size_t at = 12;
  while (at <= bytes.size() && bytes.size() - at >= 8) {
    const std::string_view kind(reinterpret_cast<const char*>(bytes.data() + at), 4);
    const std::uint64_t length = u32(at + 4);
    if (length > bytes.size() - at - 8) break;
    if (kind == "EXIF" && out.exif.empty()) out.exif = without_exif_prefix(bytes.subspan(at + 8, length));
    if (kind == "ANIM" || kind == "ANMF") out.animated = true;
    at += 8 + length + length % 2;
  }
  return out;
}

struct DeleteDecoder {
  void operator()(WebPIDecoder* decoder) const { WebPIDelete(decoder); }
};

[[noreturn]] void fail_damaged(const EncodedImage& source, VP8StatusCode status) {
  if (status == VP8_STATUS_OUT_OF_MEMORY) fail(ErrorCode::kNoMemory, "not enough memory to decode '{}'", source.name);
  const char* why =
      status == VP8_STATUS_UNSUPPORTED_FEATURE ? "it uses a feature libwebp does not know" : "its data is not valid";
  fail(ErrorCode::kBadImage, "'{}' is a damaged WebP: {}", source.name, why);
}

Image decode_pixels(const EncodedImage& source, const WebPBitstreamFeatures& features, bool complete) {
  Image image = gray_image(static_cast<std::uint64_t>(features.width), static_cast<std::uint64_t>(features.height));
  const std::unique_ptr<WebPIDecoder, DeleteDecoder> decoder(
      WebPINewRGB(MODE_RGB, image.rgb.data(), image.rgb.size(), 3 * image.width));
  if (!decoder) fail(ErrorCode::kNoMemory, "not enough memory to decode '{}'", source.name);

  const Deadline deadline(source.max_seconds);
  const auto* data = reinterpret_cast<const std::uint8_t*>(source.bytes.data());
  VP8StatusCode status = VP8_STATUS_SUSPENDED;
  for (std::size_t given = 0; given < source.bytes.size() && status == VP8_STATUS_SUSPENDED;) {
    if (deadline.passed()) fail_too_slow(source);
    check_stop();
    given = std::min(source.bytes.size(), given + kStepBytes);
    status = WebPIUpdate(decoder.get(), data, given);
  }
  // The end of a file cut short can look like damage, so what the RIFF header announces decides.
  if (status == VP8_STATUS_SUSPENDED || (status == VP8_STATUS_BITSTREAM_ERROR && !complete)) {
    if (source.options.accept_truncated) return image;
    int last_row = 0;
    WebPIDecGetRGB(decoder.get(), &last_row, nullptr, nullptr, nullptr);
    fail_truncated(source, static_cast<std::uint64_t>(std::max(0, last_row)), static_cast<std::uint64_t>(image.height));
  }
  if (status != VP8_STATUS_OK) fail_damaged(source, status);
  return image;
}

}  // namespace

DecodedImage decode_webp(const EncodedImage& source) {
  const Survey survey = survey_chunks(source.bytes);
  WebPBitstreamFeatures features{};
  const VP8StatusCode status =
      WebPGetFeatures(reinterpret_cast<const std::uint8_t*>(source.bytes.data()), source.bytes.size(), &features);
  if (status == VP8_STATUS_NOT_ENOUGH_DATA || (status == VP8_STATUS_BITSTREAM_ERROR && !survey.complete))
    fail_truncated(source, 0, 1);
  if (status != VP8_STATUS_OK) fail_damaged(source, status);
  if (features.has_animation != 0)
    fail(ErrorCode::kBadImage, "'{}' is an animated WebP; revisit reads still pictures", source.name);
  check_dimensions(source, static_cast<std::uint64_t>(features.width), static_cast<std::uint64_t>(features.height));

  Image image = decode_pixels(source, features, survey.complete);
  if (!survey.complete && !source.options.accept_truncated) fail_truncated(source, 1, 1);
  return {std::move(image), survey.exif, survey.animated};
}

}  // namespace revisit
