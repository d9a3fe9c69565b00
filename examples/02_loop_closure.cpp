// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// A SLAM program's loop: describe the current picture, ask whether the place was seen before, keep it for later.
// usage: 02_loop_closure INDEX MIN_SIMILARITY PHOTO...   (photos in the order they were taken)
#include <revisit/embedded.h>
#include <revisit/error.h>
#include <revisit/extractor.h>
#include <revisit/index.h>

#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: 02_loop_closure INDEX MIN_SIMILARITY PHOTO...\n");
    return 2;
  }
  try {
    revisit::ExtractorOptions how;
    how.rho = 0.7;
    revisit::Extractor extractor(revisit::embedded_model(), how);
    revisit::IndexSettings settings;
    settings.dim = extractor.descriptor_dim();
    auto writer = revisit::IndexWriter::open(argv[1], settings);
    auto index = revisit::Index::open(argv[1]);
    const double min_similarity = std::atof(argv[2]);

    for (int i = 3; i < argc; ++i) {
      const std::vector<float> descriptor = extractor.describe(revisit::load_image(argv[i]));
      revisit::SearchOptions options;
      options.top_k = 1;
      options.end_row = index.rows() > 2 ? index.rows() - 2 : 0;  // the last two pictures look like this one anyway
      const auto found = index.search(descriptor, options).front();
      if (!found.empty() && found.front().similarity >= min_similarity) {
        std::printf("%s: been here, %s\n", argv[i], index.entry(found.front().row).name.c_str());
      } else {
        std::printf("%s: new\n", argv[i]);
      }
      revisit::IndexEntry entry;
      entry.name = std::to_string(writer.rows()) + " " + argv[i];
      writer.add(entry, descriptor);
      writer.commit();  // from here on a crash cannot lose it
      index.refresh();
    }
  } catch (const revisit::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return revisit::exit_code_of(error.code());
  }
}
