// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// A SLAM program's loop: has this place been seen before? Then the picture is remembered, and at the end the map is saved.
// usage: 02_loop_closure MAP RECENT PHOTO...   (in the order they were taken; the last RECENT are no revisits)
#include <revisit/revisit.h>

#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) try {
  if (argc < 4) return std::fprintf(stderr, "usage: 02_loop_closure MAP RECENT PHOTO...\n"), 2;
  revisit::Recognizer places = revisit::Recognizer::in_memory({.spec = {.rho = 0.7}});
  for (int i = 3; i < argc; ++i) {
    const revisit::Image image = revisit::load_image(argv[i]);  // or a camera's buffer: revisit::ImageView
    const revisit::Answer answer = places.ask(image, {.exclude_recent = std::atoi(argv[2])});
    if (answer.recognised) {
      std::printf("%s: been here, %s %.2f\n", argv[i], answer.matches.front().name.c_str(), answer.matches.front().similarity);
    } else {
      std::printf("%s: %s\n", argv[i], answer.reason.c_str());
    }
    places.add(image, {.name = std::to_string(i - 3) + " " + argv[i], .time_s = i / 10.0});
  }
  places.save(argv[1]);
} catch (const revisit::Error& error) {
  std::fprintf(stderr, "02_loop_closure: %s\n%s\n", error.what(), error.hint().c_str());
  return revisit::exit_code_of(error.code());
}
