// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// How alike are two photos? usage: 01_describe PHOTO PHOTO [MODEL.safetensors] [RHO]
// Without a model file the model is the default one, which comes with revisit.
#include <revisit/embedded.h>
#include <revisit/error.h>
#include <revisit/extractor.h>

#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

int main(int argc, char** argv) try {
  if (argc < 3) {
    std::fputs("usage: 01_describe PHOTO PHOTO [MODEL.safetensors] [RHO]\n", stderr);
    return 2;
  }
  const revisit::Model model = argc > 3 ? revisit::Model::load(argv[3]) : revisit::default_model();
  revisit::DescriptorSpec spec;
  if (argc > 4) spec.rho = std::strtod(argv[4], nullptr);  // share of patch tokens kept: less is faster
  revisit::Extractor extractor(model, spec);

  const std::vector<float> a = extractor.describe(revisit::load_image(argv[1]));  // unit length
  const std::vector<float> b = extractor.describe(revisit::load_image(argv[2]));
  std::printf("similarity %.4f\n", std::inner_product(a.begin(), a.end(), b.begin(), 0.0));
  return 0;
} catch (const revisit::Error& error) {
  std::fprintf(stderr, "01_describe: %s\n%s\n", error.what(), error.hint().c_str());
  return revisit::exit_code_of(error.code());
}
