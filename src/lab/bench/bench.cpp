// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The benchmark: every rho in turn, again and again, so that a noisy machine treats all alike.
#include "revisit/lab/bench.h"

#include <unistd.h>

#include <algorithm>
#include <map>
#include <memory>

#include "core/base/fail.h"
#include "core/tensor/machine.h"
#include "core/tensor/parallel.h"
#include "engine/budget/timing.h"
#include "engine/extract/plan.h"
#include "lab/bench/machine_peaks.h"

namespace revisit {
namespace {

constexpr double kPeakSeconds = 0.1;  // of each kind
constexpr int kMaxRepeats = 10'000;
constexpr int kMaxBatch = 4'096;

// A photo-like picture: gradients with stripes, so that JPEG has something to do.
Image test_picture(int width, int height) {
  Image image{width, height, {}};
  image.rgb.resize(3 * static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      auto* pixel = &image.rgb[3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x))];
      pixel[0] = static_cast<std::uint8_t>((x * 255) / width);
      pixel[1] = static_cast<std::uint8_t>((y * 255) / height);
      pixel[2] = static_cast<std::uint8_t>(((x / 9) ^ (y / 7)) * 16);
    }
  }
  return image;
}

struct Series {
  std::unique_ptr<Extractor> extractor;
  double rho = 1;
  std::vector<double> forward_ms;  // per image
  std::vector<double> prune_ms;
  std::vector<double> end_to_end_ms;
};

void time_forward(Series& series, const std::vector<float>& pixels, int batch) {
  double prune_ms = 0;
  const Stopwatch watch;
  for (int i = 0; i < batch; ++i) {
    series.extractor->describe_tensor(pixels, series.extractor->input_size());
    prune_ms += series.extractor->last_times().prune_ms;
  }
  series.forward_ms.push_back(watch.ms() / batch);
  series.prune_ms.push_back(prune_ms / batch);
}

void time_end_to_end(Series& series, const std::vector<std::byte>& jpeg) {
  const Stopwatch watch;
  series.extractor->describe(decode_image(jpeg, "test picture", decoding_of(series.extractor->spec())));
  series.end_to_end_ms.push_back(watch.ms());
}

BenchRun summarise(const Series& series, int batch, int threads) {
  BenchRun run;
  run.rho = series.rho;
  run.precision = *series.extractor->spec().precision;
  run.batch = batch;
  run.threads = threads;
  run.median_ms_per_image = timing_quantile(series.forward_ms, 0.5);
  run.p95_ms = timing_quantile(series.forward_ms, 0.95);
  run.prune_ms = timing_quantile(series.prune_ms, 0.5);
  run.end_to_end_ms = timing_quantile(series.end_to_end_ms, 0.5);
  run.gmac = series.extractor->gmac();
  run.gflops = 2 * run.gmac / run.median_ms_per_image * 1e3;
  return run;
}

BenchPeak peak_of(const std::map<std::string, double>& peaks) {
  const auto best = [&](std::initializer_list<const char*> kinds) -> std::optional<double> {
    std::optional<double> out;
    for (const char* kind : kinds) {
      if (const auto found = peaks.find(kind); found != peaks.end()) out = std::max(out.value_or(0), found->second);
    }
    return out;
  };
  return {peaks.at("fma"), best({"bf16", "amx_bf16"}), best({"vnni", "amx_int8"})};
}

}  // namespace

double BenchPeak::of(const std::string& precision) const {
  const auto narrow = precision == "int8" ? int8_gops : precision == "bf16" ? bf16_gflops : std::nullopt;
  return narrow.value_or(fma_gflops);
}

BenchReport run_bench(const Model& model, const BenchOptions& options) {
  if (options.rho.empty()) fail(ErrorCode::kUsage, "a benchmark needs at least one rho");
  if (options.repeats < 1 || options.repeats > kMaxRepeats) {
    fail(ErrorCode::kUsage, "repeats {} is out of range: 1 to {}", options.repeats, kMaxRepeats);
  }
  if (options.batch < 1 || options.batch > kMaxBatch)
    fail(ErrorCode::kUsage, "batch {} is out of range: 1 to {}", options.batch, kMaxBatch);
  std::vector<Series> all;
  for (const double rho : options.rho) {
    DescriptorSpec spec = options.spec;
    spec.rho = rho;
    all.push_back({std::make_unique<Extractor>(model, spec, options.threads), rho, {}, {}, {}});
  }

  const tensor::Team team(options.threads);
  const int threads = tensor::threads();
  const Size size = all.front().extractor->input_size();
  const std::vector<float> pixels = timing_tensor(size);
  const std::vector<std::byte> jpeg = encode_jpeg(test_picture(640, 480));

  for (Series& series : all) series.extractor->describe_tensor(pixels, size);  // warm-up
  for (int repeat = 0; repeat < options.repeats; ++repeat) {
    for (Series& series : all) {
      time_forward(series, pixels, options.batch);
      if (repeat < 3) time_end_to_end(series, jpeg);
    }
  }

  BenchReport report;
  for (const Series& series : all) {
    report.runs.push_back(summarise(series, options.batch, threads));
    for (const auto& sentence : series.extractor->notices()) {
      if (std::ranges::find(report.notices, sentence) == report.notices.end()) report.notices.push_back(sentence);
    }
  }
  report.peak = peak_of(machine_peaks(threads, kPeakSeconds));
  report.cpu = tensor::cpu_name();
  return report;
}

SystemInfo system_info() {
  SystemInfo info;
  info.cpu = tensor::cpu_name();
  info.cores = tensor::usable_cores();
  info.kernel_isa = tensor::kernel_isa();
  info.kernels = tensor::kernel_names();
  info.memory_bytes = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return info;
}

}  // namespace revisit
