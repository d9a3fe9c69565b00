// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Writes an index in several runs and says after each commit how many rows it was promised. Runs under power_cut_shim.
// usage: power_cut_child ROOT TOTAL DIM [OLD]   (the index is ROOT/index, the promises stand in ROOT/promised; OLD is an index
// to begin with, of which each row counts as promised)
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "core/base/file.h"
#include "index_rows.h"
#include "retrieval/files/disk.h"

namespace {

void copy_and_flush(const std::filesystem::path& old, const std::filesystem::path& index) {
  std::filesystem::create_directory(index);
  revisit::retrieval::flush_folder(index.parent_path());
  for (const auto& file : std::filesystem::directory_iterator(old)) {
    revisit::AtomicFile out(index / file.path().filename());
    out.write(revisit::read_file(file.path(), 1U << 20U));
    out.commit();
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const std::filesystem::path root = argv[1];
  const int total = std::atoi(argv[2]);
  const int dim = std::atoi(argv[3]);
  const int promised = ::open((root / "promised").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  if (promised < 0) return 2;
  try {
    int rows = 0;
    const auto promise = [&] {
      const std::string line = std::to_string(rows);
      return ::write(promised, line.data(), line.size()) >= 0;
    };
    if (argc > 4) {
      copy_and_flush(argv[4], root / "index");
      rows = revisit::Index::open(root / "index").rows();
      if (!promise()) return 2;
    }
    for (int run = 1; rows < total; ++run) {
      revisit::IndexWriter writer = revisit::IndexWriter::open(root / "index", revisit::testing::settings_of(dim));
      for (int commit = 0; commit < 3 && rows < total; ++commit) {
        for (int i = 0; i < run + commit && rows < total; ++i, ++rows) {
          writer.add(revisit::testing::row_entry(rows), revisit::testing::row_content(rows, dim));
        }
        writer.commit();
        if (!promise()) return 2;
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
