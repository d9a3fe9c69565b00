// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// cairo remembers the first failure and ignores later calls, so it is checked once, when the picture is taken.
#include "lab/report/canvas.h"

#include <cairo/cairo.h>
#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <numbers>
#include <vector>

#include "core/base/fail.h"
#include "lab/report/text.h"

namespace revisit::report {
namespace {

using Surface = std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)>;
using Context = std::unique_ptr<cairo_t, decltype(&cairo_destroy)>;

void check(cairo_status_t status) {
  if (status == CAIRO_STATUS_SUCCESS) return;
  fail(status == CAIRO_STATUS_NO_MEMORY ? ErrorCode::kNoMemory : ErrorCode::kInternal, "a picture could not be drawn: {}",
       cairo_status_to_string(status));
}

Surface new_surface(int width, int height) {
  Surface surface(cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height), cairo_surface_destroy);
  check(cairo_surface_status(surface.get()));
  return surface;
}

std::uint32_t* row_of(cairo_surface_t* surface, int y) {
  auto* bytes = cairo_image_surface_get_data(surface) + static_cast<std::ptrdiff_t>(y) * cairo_image_surface_get_stride(surface);
  return reinterpret_cast<std::uint32_t*>(bytes);  // cairo aligns rows to four bytes
}

}  // namespace

std::string hex(Colour colour) { return fmt::format("#{:02x}{:02x}{:02x}", colour.r, colour.g, colour.b); }

struct Canvas::Impl {
  Surface surface;
  Context context;

  Impl(int width, int height) : surface(new_surface(width, height)), context(cairo_create(surface.get()), cairo_destroy) {}

  void use(Colour colour) const {
    cairo_set_source_rgba(context.get(), colour.r / 255.0, colour.g / 255.0, colour.b / 255.0, colour.opacity);
  }
};

Canvas::Canvas(double width, double height, double scale)
    : impl_(std::make_unique<Impl>(static_cast<int>(std::ceil(width * scale)), static_cast<int>(std::ceil(height * scale)))) {
  impl_->use(kWhite);
  cairo_paint(impl_->context.get());
  cairo_scale(impl_->context.get(), scale, scale);
}

Canvas::~Canvas() = default;

void Canvas::rectangle(Point corner, double width, double height, Colour colour) {
  impl_->use(colour);
  cairo_rectangle(impl_->context.get(), corner.x, corner.y, width, height);
  cairo_fill(impl_->context.get());
}

void Canvas::path(std::span<const Point> points, Colour colour, double width, std::span<const double> dash) {
  if (points.empty()) return;
  auto* context = impl_->context.get();
  impl_->use(colour);
  for (const Point& point : points) cairo_line_to(context, point.x, point.y);  // the first one moves
  cairo_set_line_width(context, width);
  cairo_set_line_join(context, CAIRO_LINE_JOIN_ROUND);
  cairo_set_dash(context, dash.data(), static_cast<int>(dash.size()), 0);
  cairo_stroke(context);
}

void Canvas::disc(Point centre, double radius, Colour colour) {
  impl_->use(colour);
  cairo_new_path(impl_->context.get());
  cairo_arc(impl_->context.get(), centre.x, centre.y, radius, 0, 2 * std::numbers::pi);
  cairo_fill(impl_->context.get());
}

void Canvas::text(Point at, std::string_view words, Colour colour, const TextStyle& style) {
  auto* context = impl_->context.get();
  const std::string clean = printable(words);
  cairo_select_font_face(context, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                         style.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(context, style.size);
  cairo_text_extents_t extents;
  cairo_text_extents(context, clean.c_str(), &extents);
  const double share = style.anchor == Anchor::kStart ? 0 : style.anchor == Anchor::kMiddle ? 0.5 : 1;
  impl_->use(colour);
  cairo_save(context);
  cairo_translate(context, at.x, at.y);
  if (style.upwards) cairo_rotate(context, -std::numbers::pi / 2);
  cairo_move_to(context, -share * extents.x_advance, 0);
  cairo_show_text(context, clean.c_str());
  cairo_new_path(context);
  cairo_restore(context);
}

void Canvas::paste(const Image& image, Point corner) {
  const Surface pixels = new_surface(image.width, image.height);
  cairo_surface_flush(pixels.get());
  const std::uint8_t* from = image.rgb.data();
  for (int y = 0; y < image.height; ++y) {
    auto* to = row_of(pixels.get(), y);
    for (int x = 0; x < image.width; ++x, from += 3) {
      to[x] = static_cast<std::uint32_t>(from[0]) << 16U | static_cast<std::uint32_t>(from[1]) << 8U | from[2];
    }
  }
  cairo_surface_mark_dirty(pixels.get());
  auto* context = impl_->context.get();
  cairo_set_source_surface(context, pixels.get(), corner.x, corner.y);
  cairo_rectangle(context, corner.x, corner.y, image.width, image.height);
  cairo_fill(context);
}

Image Canvas::image() const {
  check(cairo_status(impl_->context.get()));
  auto* surface = impl_->surface.get();
  cairo_surface_flush(surface);
  Image out{cairo_image_surface_get_width(surface), cairo_image_surface_get_height(surface), {}};
  out.rgb.resize(3 * static_cast<std::size_t>(out.width) * static_cast<std::size_t>(out.height));
  std::uint8_t* to = out.rgb.data();
  for (int y = 0; y < out.height; ++y) {
    const auto* from = row_of(surface, y);
    for (int x = 0; x < out.width; ++x, to += 3) {
      to[0] = static_cast<std::uint8_t>(from[x] >> 16U);
      to[1] = static_cast<std::uint8_t>(from[x] >> 8U);
      to[2] = static_cast<std::uint8_t>(from[x]);
    }
  }
  return out;
}

}  // namespace revisit::report

#if defined(__SANITIZE_ADDRESS__)
// fontconfig keeps about a kilobyte of patterns for the process in a way the leak checker reports as lost.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:libfontconfig\n"; }
#endif
