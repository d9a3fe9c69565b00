// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// A small `index add`: continues from the rows of the index until it has TOTAL. Crash tests start it and stop it.
// usage: index_add_child FOLDER TOTAL DIM ROWS_PER_COMMIT [MAX_FILE_BYTES]
#include <sys/resource.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "index_rows.h"

namespace {

void limit_files(rlim_t bytes) {
  const rlimit limit{bytes, RLIM_INFINITY};
  ::setrlimit(RLIMIT_FSIZE, &limit);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  const int total = std::atoi(argv[2]);
  const int dim = std::atoi(argv[3]);
  const int per_commit = std::atoi(argv[4]);
  if (argc > 5) {
    limit_files(static_cast<rlim_t>(std::atoll(argv[5])));
    std::signal(SIGXFSZ, SIG_IGN);
  }
  try {
    revisit::IndexWriter writer = revisit::IndexWriter::open(argv[1], revisit::testing::settings_of(dim));
    const bool local = std::getenv("REVISIT_CHILD_LOCAL") != nullptr;
    if (local) writer.open_local(revisit::testing::row_local(0).dim);
    for (int i = 0; local && i < writer.rows(); ++i) {
      if (const auto row = writer.row_without_local(revisit::testing::row_name(i)))
        writer.keep_local(*row, revisit::testing::row_local(i));
    }
    for (int i = writer.rows(); i < total; ++i) {
      if (local) {
        writer.keep_local(writer.add(revisit::testing::row_entry(i), revisit::testing::row_content(i, dim)),
                          revisit::testing::row_local(i));
        if (i % per_commit == per_commit - 1) writer.commit();
        continue;
      }
      writer.add(revisit::testing::row_entry(i), revisit::testing::row_content(i, dim));
      if (i % per_commit == per_commit - 1) writer.commit();
    }
    writer.commit();
  } catch (const revisit::Error& error) {
    limit_files(RLIM_INFINITY);  // the sentence may go to a file, too
    std::fprintf(stderr, "%s: %s\n", revisit::name_of(error.code()), error.what());
    return revisit::exit_code_of(error.code());
  }
  return 0;
}
