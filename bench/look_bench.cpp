// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// How long a second look takes: a query of 256 patches and 20 candidates that show nearly the same.
// usage: look_bench [ROUNDS]
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "core/tensor/narrow_kernels.h"
#include "core/tensor/parallel.h"
#include "retrieval/local/local.h"

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kCandidates = 20, kSide = 16;

/// `photo` with noise, or one of random codes.
revisit::LocalFeatures features(std::mt19937& random, int dim, const revisit::LocalFeatures* photo) {
  revisit::LocalFeatures out;
  out.dim = dim;
  for (int i = 0; i < kSide * kSide; ++i) {
    const auto at = [](int cell) { return static_cast<std::uint16_t>((2 * cell + 1) * 32'768 / kSide); };
    out.patches.push_back({at(i % kSide), at(i / kSide), 65'535});
    for (int k = 0; k < dim; ++k) {
      const int noise = static_cast<int>(random() % 41U) - 20;
      const int code = photo == nullptr ? static_cast<int>(random() % 127U) - 63 : photo->codes[out.codes.size()] + noise;
      out.codes.push_back(static_cast<std::int8_t>(std::clamp(code, -63, 63)));
    }
  }
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 50;
  fmt::print("kernel {}, {} candidates, median of {} rounds\n", revisit::tensor::byte_kernels().front()->name, kCandidates,
             rounds);
  std::mt19937 random(1);
  for (const int dim : {128, 384}) {
    const revisit::LocalFeatures query = features(random, dim, nullptr);
    std::vector<revisit::LocalFeatures> candidates;
    for (int i = 0; i < kCandidates; ++i) candidates.push_back(features(random, dim, &query));
    std::vector<const revisit::LocalFeatures*> references;
    for (const auto& one : candidates) references.push_back(&one);
    for (const int threads : {1, 2}) {
      const revisit::tensor::Team team(threads);
      std::vector<double> ms;
      for (int round = 0; round < rounds; ++round) {
        const auto start = Clock::now();
        const auto looks = revisit::retrieval::second_looks(query, references);
        ms.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
        if (looks.size() != references.size()) return 1;
      }
      std::nth_element(ms.begin(), ms.begin() + rounds / 2, ms.end());
      fmt::print("dim {}, {} thread{}: {:.2f} ms, {:.2f} a candidate\n", dim, threads, threads == 1 ? "" : "s",
                 ms[static_cast<std::size_t>(rounds / 2)], ms[static_cast<std::size_t>(rounds / 2)] / kCandidates);
    }
  }
  return 0;
}
