// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// verify_index: reads every byte that matters and reports what is wrong.
#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>

#include "core/base/fail.h"
#include "retrieval/files/disk.h"
#include "retrieval/files/local_record.h"
#include "retrieval/files/quantise.h"
#include "retrieval/files/row_file.h"
#include "retrieval/store/catalogue.h"
#include "revisit/index.h"

namespace revisit {
namespace {

constexpr std::size_t kMaxProblems = 1'000;  // a report, not a copy of the damage

void verify_row(retrieval::Catalogue& catalogue, const retrieval::RowFile& vectors, int row,
                std::vector<IndexProblem>& problems) {
  try {
    const retrieval::Line line = catalogue.line_as_it_stands(row);
    if (!catalogue.fits_seal(line)) problems.push_back({row, catalogue.changed(line)});
    const std::uint64_t actual = XXH3_64bits(vectors.row(row), vectors.header().row_bytes());
    if (line.checksum != actual) {
      problems.push_back({row, fmt::format("'{}': row {} has the checksum {:016x}, the catalogue says {:016x}",
                                           retrieval::kVectorsName, row, actual, line.checksum)});
    }
  } catch (const Error& error) {
    if (error.code() == ErrorCode::kInterrupted) throw;
    problems.push_back({row, error.what()});
  }
  const std::span values(reinterpret_cast<const float*>(vectors.row(row)), static_cast<std::size_t>(vectors.header().dim));
  const auto bad = std::find_if(values.begin(), values.end(), [](float v) { return !std::isfinite(v); });
  if (bad != values.end()) {
    problems.push_back(
        {row, fmt::format("'{}': row {} holds {} at position {}", retrieval::kVectorsName, row, *bad, bad - values.begin())});
  }
}

// Every row's bound must hold, or an exact search could miss the row.
void verify_codes(const retrieval::RowFile& codes, const retrieval::RowFile& vectors, int row,
                  std::vector<IndexProblem>& problems) {
  const auto dim = static_cast<std::size_t>(vectors.header().dim);
  const std::span values(reinterpret_cast<const float*>(vectors.row(row)), dim);
  retrieval::CodeRow stored;
  std::memcpy(&stored, codes.row(row), sizeof(stored));
  const auto* bytes = reinterpret_cast<const std::int8_t*>(codes.row(row) + retrieval::kCodeRowBytes);
  double squares = 0;
  for (const float v : values) squares += static_cast<double>(v) * static_cast<double>(v);
  const double residual = retrieval::residual_norm(values, stored, bytes);
  const bool bounded = static_cast<double>(stored.residual) >= residual;
  const bool same_norm = std::abs(stored.squared_norm - squares) <= 1e-12 * squares;
  const bool in_range = std::none_of(bytes, bytes + dim, [](std::int8_t c) { return c == -128; });
  const bool padded =
      std::all_of(bytes + dim, bytes + retrieval::padded_dim(vectors.header().dim), [](std::int8_t c) { return c == 0; });
  if (!bounded || !same_norm || !in_range || !padded) {
    problems.push_back({row, fmt::format("'{}': the codes of row {} do not belong to it; delete the file, it will be rebuilt",
                                         retrieval::kCodesName, row)});
  }
}

// Of every row that has some. A missing or foreign file is one problem, not one for each row.
void verify_local(retrieval::Catalogue& catalogue, const std::filesystem::path& folder, int rows,
                  std::vector<IndexProblem>& problems) {
  std::optional<retrieval::LocalFile> file;
  for (int row = 0; row < rows && problems.size() < kMaxProblems; ++row) {
    try {
      const auto line = catalogue.local(row);
      if (!line) continue;
      if (!file) file.emplace(folder, catalogue.identity());
      file->read(row, line->start, line->bytes, line->checksum);
    } catch (const Error& error) {
      if (error.code() == ErrorCode::kInterrupted) throw;
      problems.push_back({file ? row : -1, error.what()});
      if (!file) return;
    }
  }
}

}  // namespace

std::vector<IndexProblem> verify_index(const std::filesystem::path& folder) {
  retrieval::require_folder(folder);
  std::vector<IndexProblem> problems;
  try {
    retrieval::Catalogue catalogue = retrieval::Catalogue::open(folder);
    for (const std::string& what : catalogue.integrity_problems()) problems.push_back({-1, what});
    const int rows = catalogue.snapshot(0).rows;
    const retrieval::RowFile vectors = retrieval::open_vectors(folder, catalogue.settings().dim, catalogue.identity(), rows);
    std::optional<retrieval::RowFile> codes;
    try {
      if (retrieval::is_regular_or_absent(folder / retrieval::kCodesName)) {
        codes.emplace(folder / retrieval::kCodesName, retrieval::FileKind::kCodes, rows);
        retrieval::require_same_index(codes->header(), vectors.header().dim, vectors.header().identity,
                                      folder / retrieval::kCodesName);
      }
    } catch (const Error& error) {
      if (error.code() == ErrorCode::kInterrupted) throw;
      codes.reset();
      problems.push_back({-1, error.what()});
    }
    for (int row = 0; row < rows && problems.size() < kMaxProblems; ++row) {
      verify_row(catalogue, vectors, row, problems);
      if (codes) verify_codes(*codes, vectors, row, problems);
    }
    verify_local(catalogue, folder, rows, problems);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::kInterrupted) throw;
    problems.push_back({-1, error.what()});
  }
  return problems;
}

}  // namespace revisit
