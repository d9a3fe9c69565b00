// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The front door as a robot uses it: a drive through the town whose second lap must be recognised, from a camera's buffer.
// Its places are some 50 m apart, 5 s at 36 km/h.
// usage: loop MAP PHOTO...   The first half of the photos is the first lap; the second half shows the same places again.
#include <revisit/revisit.h>

#include <cstdio>
#include <string>
#include <vector>

// Blue first, and rows with padding, as cameras deliver them.
struct Frame {
  explicit Frame(const revisit::Image& image) : width(image.width), height(image.height), stride(3 * image.width + 64) {
    pixels.resize(static_cast<std::size_t>(stride) * static_cast<std::size_t>(height));
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        for (int c = 0; c < 3; ++c) {
          pixels[static_cast<std::size_t>(y * stride + 3 * x + 2 - c)] = image.rgb[static_cast<std::size_t>(3 * (y * width + x) + c)];
        }
      }
    }
  }
  revisit::ImageView view() const { return {pixels.data(), width, height, stride, revisit::PixelFormat::kBgr8}; }
  int width, height, stride;
  std::vector<unsigned char> pixels;
};

// "...@place00012view01@.jpg" is a picture of place00012.
std::string place_of(const std::string& name) { return name.substr(name.find("place0"), 10); }

int main(int argc, char** argv) {
  const int lap = (argc - 2) / 2;
  revisit::Recognizer places = revisit::Recognizer::in_memory();
  int early = 0, right = 0, wrong = 0;
  for (int i = 0; i < 2 * lap; ++i) {
    const Frame frame(revisit::load_image(argv[2 + i]));
    const revisit::Answer answer = places.ask(frame.view(), {.exclude_recent = 10, .max_false_rate = 0.2});
    if (answer.recognised && i < lap) ++early;
    if (answer.recognised && i >= lap) ++(place_of(answer.matches.front().name) == place_of(argv[2 + i]) ? right : wrong);
    places.add(frame.view(), {.name = argv[2 + i], .time_s = i * 5.0});
  }
  places.save(argv[1]);
  std::printf("%d places: first lap %d taken for a revisit, second lap %d right, %d wrong\n", lap, early, right, wrong);
  const bool good = lap >= 20 && right >= 0.6 * lap && wrong <= 0.1 * lap && early <= 0.25 * lap;
  return good && places.size() == 2 * lap ? 0 : 1;
}
