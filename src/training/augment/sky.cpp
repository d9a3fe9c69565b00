// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// A flood from the top edge over bright, cool, even pixels, grown over the bright rim that roofs and leaves have against the sky.
#include "training/augment/sky.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "training/augment/soften.h"

namespace revisit::augment {
namespace {

constexpr int kLeastLuma = 80;
constexpr int kAboveMean = 10;    // sky is brighter than the picture on average
constexpr int kWarmth = 14;       // how much red or green may exceed blue: overcast skies are gray
constexpr int kLargestStep = 16;  // of luma between neighbours: more is an edge

class Flood {
 public:
  explicit Flood(const Image& image) : width_(image.width), height_(image.height), luma_(pixels()), cool_(pixels()) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < luma_.size(); ++i) {
      const std::uint8_t* pixel = &image.rgb[3 * i];
      luma_[i] = static_cast<std::uint8_t>((2 * pixel[0] + 5 * pixel[1] + pixel[2]) / 8);
      cool_[i] = pixel[2] + kWarmth >= pixel[0] && pixel[2] + kWarmth >= pixel[1];
      sum += luma_[i];
    }
    least_ = std::max(kLeastLuma, static_cast<int>(sum / std::max<std::size_t>(1, luma_.size())) + kAboveMean);
  }

  std::vector<float> run() {
    std::vector<float> sky(pixels(), 0.0F);
    std::vector<std::size_t> todo;
    const auto reach = [&](std::size_t at) {
      if (sky[at] > 0 || !cool_[at] || luma_[at] < least_) return;
      sky[at] = 1;
      todo.push_back(at);
    };
    for (int x = 0; x < width_; ++x) reach(static_cast<std::size_t>(x));
    while (!todo.empty()) {
      const std::size_t at = todo.back();
      todo.pop_back();
      const auto step = [&](std::size_t to) {
        if (std::abs(int{luma_[at]} - int{luma_[to]}) <= kLargestStep) reach(to);
      };
      const auto column = at % static_cast<std::size_t>(width_);
      if (column > 0) step(at - 1);
      if (column + 1 < static_cast<std::size_t>(width_)) step(at + 1);
      if (at >= static_cast<std::size_t>(width_)) step(at - static_cast<std::size_t>(width_));
      if (at + static_cast<std::size_t>(width_) < pixels()) step(at + static_cast<std::size_t>(width_));
    }
    return sky;
  }

 private:
  std::size_t pixels() const { return static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_); }

  int width_, height_;
  std::vector<std::uint8_t> luma_;
  std::vector<char> cool_;
  int least_ = 0;
};

constexpr int kRim = 2;  // pixels of an edge that are half sky

/// Each value becomes the largest of itself and its neighbours.
void grow_line(float* at, std::size_t length, std::size_t step) {
  float before = *at;
  for (std::size_t i = 0; i < length; ++i, at += step) {
    const float here = *at, after = i + 1 < length ? at[step] : here;
    *at = std::max({before, here, after});
    before = here;
  }
}

}  // namespace

std::vector<float> find_sky(const Image& image) {
  if (image.width < 1 || image.height < 1) return {};
  std::vector<float> sky = Flood(image).run();
  const auto width = static_cast<std::size_t>(image.width), height = static_cast<std::size_t>(image.height);
  for (int pass = 0; pass < kRim; ++pass) {
    for (std::size_t row = 0; row < height; ++row) grow_line(sky.data() + row * width, width, 1);
    for (std::size_t column = 0; column < width; ++column) grow_line(sky.data() + column, height, width);
  }
  soften(sky.data(), width, height, 1, 1.0F / 3);
  return sky;
}

}  // namespace revisit::augment
