// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// How fast a model runs here, next to what its arithmetic units could do at most.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "revisit/extractor.h"
#include "revisit/model.h"

namespace revisit {

struct BenchOptions {
  std::vector<double> rho{1.0, 0.7, 0.5, 0.4};
  DescriptorSpec spec;         ///< its rho is replaced by each of the list
  int threads = 0;             ///< 0: every core
  int batch = 1;               ///< images per call; a batch is a loop over images
  int repeats = 11;            ///< timed calls per rho, after one warm-up; those of the rhos alternate
};

struct BenchRun {
  double rho = 1;
  int batch = 1;
  int threads = 1;
  std::string precision = "f32";
  double median_ms_per_image = 0;  ///< preprocessed tensor to descriptor
  double p95_ms = 0;
  double prune_ms = 0;       ///< median of scoring + top-K + gather
  double end_to_end_ms = 0;  ///< median from JPEG bytes (640x480) to descriptor
  double gmac = 0;
  double gflops = 0;  ///< 2 * gmac / median
};

struct BenchPeak {
  double fma_gflops = 0;              ///< f32 multiply-adds that touch no memory, on all threads
  std::optional<double> bf16_gflops;  ///< the same in bfloat16, on CPUs with instructions for it
  std::optional<double> int8_gops;    ///< and of bytes
  double of(const std::string& precision) const;  ///< fma_gflops where the CPU has nothing faster
};

struct BenchReport {
  std::vector<BenchRun> runs;
  BenchPeak peak;
  std::string cpu;
  std::vector<std::string> notices;  ///< of the extractors, each once: such as what a rho became for the pruner
};

BenchReport run_bench(const Model& model, const BenchOptions& options = {});

/// What `revisit doctor` prints about this machine.
struct SystemInfo {
  std::string cpu;
  int cores = 0;           ///< this process may use
  std::string kernel_isa;  ///< instruction set our kernels use: "AVX2", ...
  std::string kernels;     ///< what products run on: "f32 AVX3, bf16 AMX, int8 AMX"
  std::uint64_t memory_bytes = 0;
};

SystemInfo system_info();

}  // namespace revisit
