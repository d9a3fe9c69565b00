// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// How long a search takes on synthetic descriptors that crowd around places as real ones do.
// usage: search_bench [ROWS] [DIM] [QUERIES] [FOLDER]   (an index left in FOLDER is used again; default: a temporary folder)
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "revisit/error.h"
#include "revisit/index.h"
#include "core/tensor/parallel.h"

namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point start) { return std::chrono::duration<double, std::milli>(Clock::now() - start).count(); }

// Of all threads: tells more than the wall clock where other programs run too.
double cpu_ms() { return 1000.0 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// View `number` of a place: the place's vector, the same for all its views, and noise. Unit length.
class Town {
 public:
  Town(int places, int dim)
      : dim_(dim), centres_(static_cast<std::size_t>(places) * static_cast<std::size_t>(dim)), places_(places) {
    for (float& v : centres_) v = normal();
  }

  std::vector<float> view(int number) {
    state_ = static_cast<std::uint64_t>(number) * 0x9E3779B97F4A7C15U + 12345;
    const float* centre = centres_.data() + static_cast<std::size_t>(number % places_) * static_cast<std::size_t>(dim_);
    std::vector<float> out(static_cast<std::size_t>(dim_));
    double squares = 0;
    for (int i = 0; i < dim_; ++i) {
      const float v = centre[i] + 1.2F * normal();  // views of one place: cosine about 0.4
      out[static_cast<std::size_t>(i)] = v;
      squares += static_cast<double>(v) * static_cast<double>(v);
    }
    const auto scale = static_cast<float>(1 / std::sqrt(squares));
    for (float& v : out) v *= scale;
    return out;
  }

 private:
  // Sum of uniform 16-bit numbers, close enough to normal and quick.
  float normal() {
    state_ ^= state_ << 13U;
    state_ ^= state_ >> 7U;
    state_ ^= state_ << 17U;
    const int sum = static_cast<int>(state_ & 0xffffU) + static_cast<int>((state_ >> 16U) & 0xffffU) +
                    static_cast<int>((state_ >> 32U) & 0xffffU) + static_cast<int>(state_ >> 48U);
    return static_cast<float>(sum - 2 * 65535) / 37837.0F;
  }

  int dim_;
  std::vector<float> centres_;
  int places_;
  std::uint64_t state_ = 88172645463325252U;
};

void fill(const std::filesystem::path& folder, int rows, int dim, Town& town) {
  revisit::IndexSettings settings;
  settings.dim = dim;
  revisit::IndexWriter writer = revisit::IndexWriter::open(folder, settings);
  const auto start = Clock::now();
  const int before = writer.rows();
  for (int i = before; i < rows; ++i) {
    writer.add({fmt::format("photo_{:07}.jpg", i), "", 0, std::nullopt, std::nullopt}, town.view(i));
    if (i % 500 == 499) writer.commit();
  }
  writer.commit();
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print("added {} rows in {:.1f} s, peak memory {} MB\n", rows - before, ms_since(start) / 1000, usage.ru_maxrss / 1024);
}

void run(const std::filesystem::path& folder, int rows, int dim, int queries) {
  Town town(2000, dim);
  fill(folder, rows, dim, town);

  const auto start = Clock::now();
  const revisit::Index index = revisit::Index::open(folder);
  fmt::print("open {} rows: {:.1f} ms\n", index.rows(), ms_since(start));

  std::vector<float> all;
  for (int q = 0; q < queries; ++q) {
    const auto view = town.view(1'000'000'007 + q);
    all.insert(all.end(), view.begin(), view.end());
  }
  const auto query = [&](int q) {
    return std::span(all).subspan(static_cast<std::size_t>(q) * static_cast<std::size_t>(dim), static_cast<std::size_t>(dim));
  };
  std::vector<int> first[2];
  for (const auto mode : {revisit::SearchOptions::Mode::kFast, revisit::SearchOptions::Mode::kExact}) {
    const bool fast = mode == revisit::SearchOptions::Mode::kFast;
    revisit::SearchOptions options;
    options.mode = mode;
    index.search(query(0), options);  // pages come in
    std::vector<double> times;
    revisit::SearchStats total;
    const double cpu_start = cpu_ms();
    for (int q = 0; q < queries; ++q) {
      revisit::SearchStats stats;
      const auto begin = Clock::now();
      const auto found = index.search(query(q), options, &stats);
      times.push_back(ms_since(begin));
      total.rows_scanned += stats.rows_scanned;
      total.rows_reranked += stats.rows_reranked;
      first[fast ? 0 : 1].push_back(found[0][0].row);
    }
    const double cpu_each = (cpu_ms() - cpu_start) / queries;
    const auto begin = Clock::now();
    index.search(all, options);
    fmt::print(
        "{}: one query {:.2f} ms (median of {}; least {:.2f}; processor time {:.2f}), {:.2f} ms a query in one batch, {:.3f} % "
        "of rows compared in f32\n",
        fast ? "fast " : "exact", median(times), queries, *std::min_element(times.begin(), times.end()), cpu_each,
        ms_since(begin) / queries, 100.0 * static_cast<double>(total.rows_reranked) / static_cast<double>(total.rows_scanned));
  }
  int same = 0;
  for (std::size_t q = 0; q < first[0].size(); ++q) same += first[0][q] == first[1][q] ? 1 : 0;
  fmt::print("recall@1 of fast against exact: {:.4f} ({} of {})\n", static_cast<double>(same) / queries, same, queries);
}

}  // namespace

int main(int argc, char** argv) {
  const int rows = argc > 1 ? std::atoi(argv[1]) : 10'000;
  const int dim = argc > 2 ? std::atoi(argv[2]) : 8448;
  const int queries = argc > 3 ? std::atoi(argv[3]) : 100;
  const bool keep = argc > 4;
  const std::filesystem::path folder =
      keep ? std::filesystem::path(argv[4])
           : std::filesystem::temp_directory_path() / fmt::format("revisit_search_bench_{}", rows);
  if (rows < 1 || dim < 1 || queries < 1) {
    fmt::print(stderr, "usage: search_bench [ROWS] [DIM] [QUERIES] [FOLDER]\n");
    return 2;
  }
  revisit::tensor::set_threads(0);
  int status = 0;
  try {
    run(folder, rows, dim, queries);
  } catch (const revisit::Error& error) {
    fmt::print(stderr, "search_bench: error: {}\n", error.what());
    status = revisit::exit_code_of(error.code());
  }
  if (!keep) std::filesystem::remove_all(folder);
  return status;
}
