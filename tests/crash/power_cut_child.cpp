// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Writes an index in several runs and says after each commit how many rows it was promised. Runs under power_cut_shim.
// usage: power_cut_child ROOT TOTAL DIM   (the index is ROOT/index, the promises stand in ROOT/promised)
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "index_rows.h"

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const std::filesystem::path root = argv[1];
  const int total = std::atoi(argv[2]);
  const int dim = std::atoi(argv[3]);
  const int promised = ::open((root / "promised").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  if (promised < 0) return 2;
  try {
    int rows = 0;
    for (int run = 1; rows < total; ++run) {
      revisit::IndexWriter writer = revisit::IndexWriter::open(root / "index", revisit::testing::settings_of(dim));
      for (int commit = 0; commit < 3 && rows < total; ++commit) {
        for (int i = 0; i < run + commit && rows < total; ++i, ++rows) {
          writer.add(revisit::testing::row_entry(rows), revisit::testing::row_content(rows, dim));
        }
        writer.commit();
        const std::string line = std::to_string(rows);
        if (::write(promised, line.data(), line.size()) < 0) return 2;
      }
      // The last rows of a run are given up: their bytes may be in the files, behind those that count.
      writer.add(revisit::testing::row_entry(100'000 + run), revisit::testing::row_content(100'000 + run, dim));
    }
  } catch (const revisit::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
