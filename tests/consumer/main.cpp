// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Uses the installed library as a stranger would: describes a picture, and catches an error thrown inside.
#include <revisit/error.h>
#include <revisit/extractor.h>

#include <cmath>
#include <cstdio>
#include <numeric>

int main() {
  revisit::Image image{64, 48, std::vector<std::uint8_t>(64 * 48 * 3)};
  for (std::size_t i = 0; i < image.rgb.size(); ++i) image.rgb[i] = static_cast<std::uint8_t>(i * 7 % 251);
  revisit::Extractor extractor(revisit::Model::random("demo"), {.rho = 0.5});
  const auto descriptor = extractor.describe(image);
  const double length = std::sqrt(std::inner_product(descriptor.begin(), descriptor.end(), descriptor.begin(), 0.0));
  std::printf("%zu numbers of length %.6f\n", descriptor.size(), length);
  try {
    revisit::load_image("no such picture.jpg");
  } catch (const revisit::Error& error) {  // crosses the boundary of a library with hidden symbols
    std::printf("%s: %s\n", revisit::name_of(error.code()), error.what());
    return static_cast<int>(descriptor.size()) == extractor.descriptor_dim() && std::abs(length - 1) < 1e-5 ? 0 : 1;
  }
  return 1;
}
