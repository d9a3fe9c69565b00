// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Measuring a few rhos in turn, and the rho between them that fits.
#include "revisit/budget.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "core/base/fail.h"
#include "core/tensor/machine.h"
#include "core/tensor/parallel.h"
#include "engine/budget/timing.h"
#include "engine/extract/plan.h"

namespace revisit {
namespace {

constexpr int kFewestRounds = 3;
constexpr int kEnoughRounds = 5;
constexpr int kMostRounds = 61;
constexpr double kUpper = 0.75;
constexpr double kBeside = 1.03;  // a run decodes the next photo meanwhile, a measurement does not
constexpr double kStep = 0.01;  // of a chosen rho

/// The finest list of which `seconds` are enough for several rounds, when a photo at rho 1 takes so long.
std::vector<double> rhos_for(double ms, double seconds) {
  for (std::vector<double> rhos : {std::vector{1.0, 0.85, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2}, std::vector{1.0, 0.7, 0.45, 0.2}}) {
    if (kEnoughRounds * ms * std::accumulate(rhos.begin(), rhos.end(), 0.0) <= 1e3 * seconds) return rhos;
  }
  return {1.0, 0.5, 0.2};
}

/// Third quartiles by rising rho. A lower rho that happened to take longer counts for those above it, too.
std::vector<Speed> monotone(const Calibration& calibration) {
  std::vector<Speed> out(calibration.speeds.rbegin(), calibration.speeds.rend());
  for (std::size_t i = 1; i < out.size(); ++i) {
    out[i].upper_ms = std::max(out[i].upper_ms, out[i - 1].upper_ms);
    out[i].median_ms = std::max(out[i].median_ms, out[i - 1].median_ms);
  }
  return out;
}

/// Of `member`, at a rho within those measured.
double interpolated(const std::vector<Speed>& rising, double rho, double Speed::*member) {
  for (std::size_t i = 1; i < rising.size(); ++i) {
    const Speed &low = rising[i - 1], &high = rising[i];
    if (rho <= high.rho) return low.*member + (high.*member - low.*member) * (rho - low.rho) / (high.rho - low.rho);
  }
  return rising.back().*member;
}

std::string ms_text(double ms) { return fmt::format("{:.{}f} ms", ms, ms < 10 ? 1 : 0); }

void require_budget(double budget_ms) {
  if (!(std::isfinite(budget_ms) && budget_ms > 0)) fail(ErrorCode::kUsage, "a budget of {} ms is not a time", budget_ms);
}

}  // namespace

std::vector<float> timing_tensor(Size size) {
  std::vector<float> pixels(3 * static_cast<std::size_t>(size.height) * static_cast<std::size_t>(size.width));
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = std::sin(0.37F * static_cast<float>(i % 9973)) * 2.0F;
  return pixels;
}

double timing_quantile(std::vector<double> values, double share) {
  std::ranges::sort(values);
  return values[static_cast<std::size_t>(std::lround(share * static_cast<double>(values.size() - 1)))];
}

std::string speed_settings(const Extractor& extractor) {
  DescriptorSpec spec = extractor.spec();
  spec.rho = 0.5;  // so that the settings of the pruner are named
  spec.keep_mass.reset();
  spec.orientation.reset();
  spec.seed.reset();
  const tensor::Team team(extractor.threads());
  return fmt::format("{} threads={} cpu={} kernels={} revisit={}", spec_key(spec), tensor::threads(), tensor::cpu_name(),
                     tensor::kernel_names(), REVISIT_VERSION);
}

Calibration measure_speed(const Extractor& extractor, double seconds) {
  const Stopwatch all;
  const Size size = extractor.input_size();
  const std::vector<float> pixels = timing_tensor(size);
  const auto time_of = [&](Extractor& at) {
    const Stopwatch watch;
    at.describe_tensor(pixels, size);
    return watch.ms();
  };
  std::vector<Extractor> extractors;
  extractors.push_back(extractor.with_rho(1));
  time_of(extractors.front());  // warm-up
  std::vector<double> rhos{1.0};
  if (*extractor.spec().prune != "none") rhos = rhos_for(time_of(extractors.front()), seconds);
  for (std::size_t i = 1; i < rhos.size(); ++i) extractors.push_back(extractor.with_rho(rhos[i]));

  std::vector<std::vector<double>> ms(rhos.size());
  for (int round = 0; round < kMostRounds && (round < kFewestRounds || all.ms() < 1e3 * seconds); ++round) {
    for (std::size_t i = 0; i < rhos.size(); ++i) ms[i].push_back(time_of(extractors[i]));
  }
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  Calibration out{speed_settings(extractor), std::chrono::duration_cast<std::chrono::seconds>(now).count(), {}};
  for (std::size_t i = 0; i < rhos.size(); ++i) {
    out.speeds.push_back({rhos[i], timing_quantile(ms[i], 0.5), kBeside * timing_quantile(ms[i], kUpper)});
  }
  return out;
}

double rho_within(const Calibration& calibration, double budget_ms) {
  require_budget(budget_ms);
  if (calibration.speeds.empty()) fail(ErrorCode::kUsage, "a calibration without a measured time chooses nothing");
  const std::vector<Speed> rising = monotone(calibration);
  const Speed& least = rising.front();
  if (least.upper_ms > budget_ms) {
    fail_with_hint(ErrorCode::kUsage, "a smaller `size`, a smaller model or `precision` int8 takes less time",
                   "a budget of {:g} ms is too small: the fastest here takes {}, at rho {:g}", budget_ms, ms_text(least.upper_ms),
                   least.rho);
  }
  for (std::size_t i = rising.size() - 1; i > 0; --i) {
    const Speed &low = rising[i - 1], &high = rising[i];
    if (high.upper_ms <= budget_ms) return high.rho;
    if (low.upper_ms > budget_ms) continue;
    const double rho = low.rho + (high.rho - low.rho) * (budget_ms - low.upper_ms) / (high.upper_ms - low.upper_ms);
    return std::max(low.rho, std::floor(rho / kStep + 1e-9) * kStep);
  }
  return least.rho;
}

BudgetChoice choose_rho(const Extractor& extractor, double budget_ms, const std::filesystem::path& folder) {
  require_budget(budget_ms);
  if (extractor.spec().keep_mass) {
    fail(ErrorCode::kUsage, "a budget of {:g} ms and `keep_mass` {:g} both decide how much is kept: one is enough", budget_ms,
         *extractor.spec().keep_mass);
  }
  BudgetChoice out;
  std::optional<Calibration> calibration;
  if (!folder.empty()) calibration = load_calibration(folder, speed_settings(extractor));
  const auto too_slow = [&] { return std::ranges::min(calibration->speeds, {}, &Speed::rho).upper_ms > budget_ms; };
  if (!calibration || too_slow()) {  // before a refusal it is measured again: the machine may have been busy
    calibration = measure_speed(extractor);
    try {
      if (!folder.empty()) save_calibration(folder, *calibration);
    } catch (const Error& error) {
      out.notice = fmt::format("the speed of the model is measured each time, because it could not be kept: {}", error.what());
    }
  }
  if (!folder.empty() && out.notice.empty()) out.calibration = calibration_file(folder, calibration->settings);
  out.rho = rho_within(*calibration, budget_ms);
  out.median_ms = interpolated(monotone(*calibration), out.rho, &Speed::median_ms);
  out.sentence = fmt::format("budget {:g} ms: rho {:g}, {} ({} at the median here)", budget_ms, out.rho,
                             *extractor.spec().precision, ms_text(out.median_ms));
  return out;
}

}  // namespace revisit
