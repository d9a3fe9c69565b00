// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Draws two places, each seen twice: the second view is shifted, nearer and in other light. Same bytes on every run.
// usage: make_pictures FOLDER
#include <revisit/error.h>
#include <revisit/image.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

namespace {

using Colour = std::array<double, 3>;

constexpr int kWidth = 480;
constexpr int kHeight = 360;
constexpr double kHorizon = 250;

/// A house in world units: x runs along the street, z is the height of its roof above the street.
struct House {
  double left, width, height;
  Colour wall;
  double window_step;
  bool gable;
};

struct Place {
  std::vector<House> street;
  Colour sky, ground;
};

struct View {
  double shift;  ///< pixels the camera moved along the street
  double zoom;   ///< more than 1: nearer
  double light;  ///< factor on every colour
};

/// std::mt19937 is the same everywhere, its distributions are not: so the uniform number is made here.
class Dice {
 public:
  explicit Dice(std::uint32_t seed) : engine_(seed) {}
  double between(double low, double high) { return low + (high - low) * static_cast<double>(engine_()) / 4294967295.0; }

 private:
  std::mt19937 engine_;
};

Place build_place(std::uint32_t seed) {
  Dice dice(seed);
  Place place;
  place.sky = {dice.between(120, 180), dice.between(160, 200), dice.between(200, 245)};
  place.ground = {dice.between(70, 120), dice.between(70, 120), dice.between(60, 100)};
  for (double x = -200; x < kWidth + 200;) {
    House house{x, dice.between(40, 110), dice.between(60, 210), {}, dice.between(14, 26), dice.between(0, 1) < 0.5};
    for (double& channel : house.wall) channel = dice.between(60, 220);
    place.street.push_back(house);
    x += house.width + dice.between(0, 25);
  }
  return place;
}

/// The colour of the house at (x, z), or nothing of it there: then `colour` stays.
void paint_house(const House& house, double x, double z, Colour& colour) {
  const double u = x - house.left;
  if (u < 0 || u >= house.width || z < 0) return;
  const double roof = house.gable ? std::min(u, house.width - u) * 0.6 : 0;
  if (z >= house.height + roof) return;
  colour = house.wall;
  if (z >= house.height) {
    colour = {house.wall[0] * 0.6, house.wall[1] * 0.4, house.wall[2] * 0.4};
    return;
  }
  const double column = u / house.window_step - static_cast<int>(u / house.window_step);
  const double row = z / (house.window_step * 1.3) - static_cast<int>(z / (house.window_step * 1.3));
  if (column > 0.3 && column < 0.7 && row > 0.35 && row < 0.8) colour = {50, 60, 80};
}

revisit::Image draw(const Place& place, const View& view) {
  revisit::Image image{kWidth, kHeight, {}};
  image.rgb.reserve(std::size_t{3} * kWidth * kHeight);
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      const double street_x = (x - kWidth / 2.0) / view.zoom + kWidth / 2.0 + view.shift;
      const double street_z = (kHorizon - y) / view.zoom;
      Colour colour = place.sky;
      for (double& channel : colour) channel -= 40.0 * (1.0 - y / kHorizon);
      if (street_z < 0) {
        colour = place.ground;
        for (double& channel : colour) channel += 0.3 * (y - kHorizon);
      }
      for (const House& house : place.street) paint_house(house, street_x, street_z, colour);
      for (const double channel : colour)
        image.rgb.push_back(static_cast<std::uint8_t>(std::clamp(channel * view.light, 0.0, 255.0)));
    }
  }
  return image;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::fputs("usage: make_pictures FOLDER\n", stderr);
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  std::filesystem::create_directories(folder);
  const std::array<View, 2> views{View{0, 1.0, 1.0}, View{35, 1.12, 0.65}};
  for (const std::uint32_t seed : {1U, 2U}) {
    const Place place = build_place(seed);
    for (std::size_t v = 0; v < views.size(); ++v) {
      const auto path = folder / ("place" + std::to_string(seed) + "_view" + std::to_string(v + 1) + ".png");
      revisit::save_png(draw(place, views[v]), path);
      std::printf("%s\n", path.c_str());
    }
  }
  return 0;
} catch (const revisit::Error& error) {
  std::fprintf(stderr, "make_pictures: %s\n", error.what());
  return revisit::exit_code_of(error.code());
} catch (const std::exception& error) {
  std::fprintf(stderr, "make_pictures: %s\n", error.what());
  return 1;
}
