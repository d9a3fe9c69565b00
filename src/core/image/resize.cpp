// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Pillow's resampling: a horizontal and a vertical pass of a filter that widens when shrinking, fixed-point weights
// of 22 bits, and rounding to 8 bits between the passes. An axis whose size does not change is left alone.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "core/base/checked.h"
#include "core/base/limits.h"
#include "core/image/pixels.h"

namespace revisit {
namespace {

constexpr int kWeightBits = 32 - 8 - 2;  // 8 bits of pixel and 2 of headroom for a filter's overshoot
constexpr std::int32_t kHalf = 1 << (kWeightBits - 1);

double triangle(double x) {
  x = std::abs(x);
  return x < 1 ? 1 - x : 0;
}

// Keys' cubic convolution with a = -1/2.
double cubic(double x) {
  constexpr double a = -0.5;
  x = std::abs(x);
  if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2) return (((x - 5) * x + 8) * x - 4) * a;
  return 0;
}

// For every output position: which inputs it reads and with what weights.
struct Taps {
  std::vector<int> first;            // (out) index of the first input
  std::vector<int> count;            // (out) how many inputs
  std::vector<std::int32_t> weight;  // (out, stride) fixed point
  std::size_t stride = 0;

  const std::int32_t* weights(int out) const { return weight.data() + static_cast<std::size_t>(out) * stride; }
};

Taps make_taps(int in, int out, ResizeFilter filter) {
  const bool bilinear = filter == ResizeFilter::kBilinear;
  const double scale = static_cast<double>(in) / out;
  const double widen = std::max(scale, 1.0);
  const double support = (bilinear ? 1.0 : 2.0) * widen;
  Taps taps;
  taps.stride = static_cast<std::size_t>(std::ceil(support)) * 2 + 1;
  taps.first.resize(static_cast<std::size_t>(out));
  taps.count.resize(static_cast<std::size_t>(out));
  taps.weight.assign(static_cast<std::size_t>(out) * taps.stride, 0);
  std::vector<double> exact(taps.stride);
  for (int o = 0; o < out; ++o) {
    const double center = (o + 0.5) * scale;
    const int first = std::max(0, static_cast<int>(center - support + 0.5));
    const int last = std::min(in, static_cast<int>(center + support + 0.5));
    const int count = last - first;
    double sum = 0;
    for (int i = 0; i < count; ++i) {
      const double x = (i + first - center + 0.5) * (1.0 / widen);
      exact[static_cast<std::size_t>(i)] = bilinear ? triangle(x) : cubic(x);
      sum += exact[static_cast<std::size_t>(i)];
    }
    std::int32_t* weight = taps.weight.data() + static_cast<std::size_t>(o) * taps.stride;
    for (int i = 0; i < count; ++i) {
      const double share = sum != 0 ? exact[static_cast<std::size_t>(i)] / sum : exact[static_cast<std::size_t>(i)];
      weight[i] = static_cast<std::int32_t>(share * (1 << kWeightBits) + (share < 0 ? -0.5 : 0.5));  // half away from zero
    }
    taps.first[static_cast<std::size_t>(o)] = first;
    taps.count[static_cast<std::size_t>(o)] = count;
  }
  return taps;
}

std::uint8_t to_byte(std::int32_t sum) { return static_cast<std::uint8_t>(std::clamp(sum >> kWeightBits, 0, 255)); }

// Where the channels of a pixel lie.
struct Layout {
  int step;  // bytes of a pixel
  int red, green, blue;
};

Layout layout_of(PixelFormat format) {
  switch (format) {
    case PixelFormat::kRgb8: return {3, 0, 1, 2};
    case PixelFormat::kBgr8: return {3, 2, 1, 0};
    case PixelFormat::kRgba8: return {4, 0, 1, 2};
    case PixelFormat::kBgra8: return {4, 2, 1, 0};
    case PixelFormat::kGray8: return {1, 0, 0, 0};
  }
  fail(ErrorCode::kUsage, "pixel format {} is not one of PixelFormat", static_cast<int>(format));
}

// One row of pixels of any layout to (out, 3). Step is that of the layout, so that the usual one stays a plain loop.
template <int Step>
void resize_row(const std::uint8_t* in, const Layout& layout, const Taps& taps, int out_width, std::uint8_t* out) {
  for (int x = 0; x < out_width; ++x, out += 3) {
    const std::int32_t* weight = taps.weights(x);
    const std::uint8_t* pixel = in + std::ptrdiff_t{Step} * taps.first[static_cast<std::size_t>(x)];
    std::int32_t r = kHalf;
    std::int32_t g = kHalf;
    std::int32_t b = kHalf;
    for (int i = taps.count[static_cast<std::size_t>(x)]; i > 0; --i, pixel += Step, ++weight) {
      r += pixel[layout.red] * *weight;
      g += pixel[layout.green] * *weight;
      b += pixel[layout.blue] * *weight;
    }
    out[0] = to_byte(r);
    out[1] = to_byte(g);
    out[2] = to_byte(b);
  }
}

// One output row as the weighted sum of `count` rows of `bytes` bytes; blocks of fixed length so that it vectorises.
void blend_rows(const std::uint8_t* rows, std::size_t bytes, const std::int32_t* weight, int count, std::uint8_t* out) {
  constexpr std::size_t kBlock = 64;
  for (std::size_t at = 0; at < bytes; at += kBlock) {
    std::array<std::int32_t, kBlock> sum;
    sum.fill(kHalf);
    const std::size_t length = std::min(kBlock, bytes - at);
    for (int i = 0; i < count; ++i) {
      const std::uint8_t* row = rows + static_cast<std::size_t>(i) * bytes + at;
      if (length == kBlock) {
        for (std::size_t x = 0; x < kBlock; ++x) sum[x] += row[x] * weight[i];
      } else {
        for (std::size_t x = 0; x < length; ++x) sum[x] += row[x] * weight[i];
      }
    }
    for (std::size_t x = 0; x < length; ++x) out[at + x] = to_byte(sum[x]);
  }
}

Image blank(int width, int height) {
  return {width, height,
          std::vector<std::uint8_t>(std::size_t{3} * static_cast<std::size_t>(width) * static_cast<std::size_t>(height))};
}

std::ptrdiff_t stride_of(const ImageView& view) {
  return view.stride_bytes != 0 ? view.stride_bytes : std::ptrdiff_t{view.width} * layout_of(view.format).step;
}

Image resize_width(const ImageView& view, int width, ResizeFilter filter) {
  Image out = blank(width, view.height);
  const Taps taps = make_taps(view.width, width, filter);
  const Layout layout = layout_of(view.format);
  const auto row = layout.step == 3 ? &resize_row<3> : layout.step == 4 ? &resize_row<4> : &resize_row<1>;
  for (int y = 0; y < view.height; ++y) {
    row(view.data + y * stride_of(view), layout, taps, width, out.rgb.data() + std::ptrdiff_t{3} * y * width);
  }
  return out;
}

// The pixels as they are, packed and in order.
Image packed(const ImageView& view) {
  Image out = blank(view.width, view.height);
  const Layout layout = layout_of(view.format);
  std::uint8_t* to = out.rgb.data();
  for (int y = 0; y < view.height; ++y) {
    const std::uint8_t* pixel = view.data + y * stride_of(view);
    for (int x = 0; x < view.width; ++x, pixel += layout.step, to += 3) {
      to[0] = pixel[layout.red];
      to[1] = pixel[layout.green];
      to[2] = pixel[layout.blue];
    }
  }
  return out;
}

Image resize_height(const Image& image, int height, ResizeFilter filter) {
  const std::size_t row_bytes = std::size_t{3} * static_cast<std::size_t>(image.width);
  Image out = blank(image.width, height);
  const Taps taps = make_taps(image.height, height, filter);
  for (int y = 0; y < height; ++y) {
    const auto i = static_cast<std::size_t>(y);
    blend_rows(image.rgb.data() + row_bytes * static_cast<std::size_t>(taps.first[i]), row_bytes, taps.weights(y), taps.count[i],
               out.rgb.data() + row_bytes * i);
  }
  return out;
}

void check_view(const ImageView& view) {
  if (view.data == nullptr) fail(ErrorCode::kUsage, "an image view has no data");
  if (view.width < 1 || view.height < 1 || view.width > limits::kMaxImageSide || view.height > limits::kMaxImageSide) {
    fail(ErrorCode::kUsage, "an image view of {}x{} (HxW) is out of range: a side is 1..{} pixels", view.height, view.width,
         limits::kMaxImageSide);
  }
  const auto row = std::ptrdiff_t{view.width} * layout_of(view.format).step;
  if (std::abs(stride_of(view)) < row) {
    fail(ErrorCode::kUsage, "an image view with rows of {} bytes has them only {} bytes apart", row, view.stride_bytes);
  }
}

}  // namespace

ImageView view_of(const Image& image) {
  check_pixels(image, "view_of");
  return {image.rgb.data(), image.width, image.height, 0, PixelFormat::kRgb8};
}

Image resize(const Image& image, Size size, ResizeFilter filter) { return resize(view_of(image), size, filter); }

Image resize(const ImageView& view, Size size, ResizeFilter filter) {
  check_view(view);
  if (size.width < 1 || size.height < 1 || size.width > limits::kMaxImageSide || size.height > limits::kMaxImageSide) {
    fail(ErrorCode::kUsage, "cannot resize to {} x {} (HxW): a side is 1..{} pixels", size.height, size.width,
         limits::kMaxImageSide);
  }
  const auto max_pixels = static_cast<std::uint64_t>(DecodeOptions{}.max_pixels);
  // The picture between the passes has the new width and the old height; the limit applies to it too.
  const auto tallest = static_cast<std::uint64_t>(size.width == view.width ? size.height : std::max(view.height, size.height));
  if (checked_mul(static_cast<std::uint64_t>(size.width), tallest, "resize") > max_pixels) {
    fail(ErrorCode::kLimit, "resizing {} x {} to {} x {} (HxW) needs a picture of more than {} pixels", view.height, view.width,
         size.height, size.width, max_pixels);
  }
  const Image wide = size.width == view.width ? packed(view) : resize_width(view, size.width, filter);
  return size.height == view.height ? wide : resize_height(wide, size.height, filter);
}

}  // namespace revisit
