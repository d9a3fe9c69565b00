// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// `revisit bench`: the library's measurement as a table or as JSON.
#include "revisit/lab/bench.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/binding.h"
#include "cli/budget.h"
#include "cli/model_options.h"
#include "cli/verbs.h"
#include "core/base/fail.h"

namespace revisit::cli {
namespace {

using Json = nlohmann::ordered_json;

struct BenchArgs {
  ModelArgs model;
  std::optional<std::string> random;
  std::vector<double> rho;  // empty: the default
  BenchOptions bench;
};

std::vector<Option> bench_options(BenchArgs& args, Console& console) {
  std::vector<Option> options;
  add_model_option(options, args.model);
  options.push_back({"--random", "ARCH", "a randomly initialised architecture instead: vits14, vitb14 or vitl14",
                     to_choice(args.random, {"vits14", "vitb14", "vitl14"})});
  options.push_back({"--rho", "R,R,...", "shares of patch tokens kept, each in (0, 1]; default 1,0.7,0.5,0.4",
                     to_numbers(args.rho, kRhoRange)});
  options.push_back(
      {"--batch", "N", "images per call, run one after the other, 1 to 1024; default 1", to_int(args.bench.batch, 1, 1024)});
  options.push_back(
      {"--repeats", "N", "timed calls per rho, after one warm-up, 1 to 10000; default 11", to_int(args.bench.repeats, 1, 10000)});
  add_spec_options(options, args.model, {"rho", "orientation"});
  add_budget_option(options, args.model);
  console.add_options(options);
  return options;
}

Json object_of(const std::string& model, const BenchReport& report) {
  auto runs = Json::array();
  for (const auto& run : report.runs) {
    runs.push_back({{"rho", run.rho},
                    {"batch", run.batch},
                    {"threads", run.threads},
                    {"precision", run.precision},
                    {"median_ms_per_image", run.median_ms_per_image},
                    {"p95_ms", run.p95_ms},
                    {"gmac", run.gmac},
                    {"gflops", run.gflops},
                    {"prune_ms", run.prune_ms},
                    {"end_to_end_ms", run.end_to_end_ms}});
  }
  Json peak{{"fma_gflops", report.peak.fma_gflops}};
  if (report.peak.bf16_gflops) peak["bf16_gflops"] = *report.peak.bf16_gflops;
  if (report.peak.int8_gops) peak["int8_gops"] = *report.peak.int8_gops;
  return {{"schema", 1},
          {"model", model},
          {"runs", std::move(runs)},
          {"peak", std::move(peak)},
          {"cpu", report.cpu}};
}

double percent(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

std::string table_of(const std::string& model, const BenchReport& report) {
  const double full_ms = [&] {
    for (const auto& run : report.runs) {
      if (run.rho == 1) return run.median_ms_per_image;
    }
    return 0.0;
  }();
  const auto& first = report.runs.front();
  const double peak = report.peak.of(first.precision);
  auto out = fmt::format("{}, {}, {} threads, batch {}, {}\n\n", model, report.cpu, first.threads, first.batch, first.precision);
  out += fmt::format("{:>6}{:>11}{:>9}{:>8}{:>9}{:>10}{:>12}{:>9}{:>15}\n", "rho", "ms median", "p95", "ratio", "GMAC", first.precision == "int8" ? "GOP/s" : "GFLOP/s",
                     "of peak", "prune", "end to end ms");
  for (const auto& run : report.runs) {
    const auto ratio = full_ms > 0 ? fmt::format("{:.3f}", run.median_ms_per_image / full_ms) : std::string("-");
    out += fmt::format("{:>6g}{:>11.1f}{:>9.1f}{:>8}{:>9.2f}{:>10.1f}{:>10.1f} %{:>7.2f} %{:>15.1f}\n", run.rho,
                       run.median_ms_per_image, run.p95_ms, ratio, run.gmac, run.gflops,
                       percent(run.gflops, peak), percent(run.prune_ms, run.median_ms_per_image),
                       run.end_to_end_ms);
  }
  return out + fmt::format("\npeak of this machine in {}, measured in the same run: {:.0f} {} ({})\n", first.precision, peak,
                           first.precision == "int8" ? "GOP/s" : "GFLOP/s", system_info().kernels);
}

int run_bench_verb(BenchArgs args, Console& console) {
  if (args.random && !args.model.model.empty()) {
    fail(ErrorCode::kUsage, "--model '{}' and --random '{}' cannot be used together", args.model.model, *args.random);
  }
  if (!args.rho.empty()) args.bench.rho = args.rho;
  if (!args.rho.empty() && args.model.budget_ms) args.model.spec.rho = args.rho.front();  // refused by the next line
  check_budget(args.model);
  const Model model = args.random ? Model::random(*args.random) : open_model(args.model.model, console);
  if (const auto choice = settle_budget(model, args.model, console)) {
    args.bench.rho = {1.0};
    if (choice->rho < 1) args.bench.rho.push_back(choice->rho);
  }
  args.bench.spec = args.model.spec;
  args.bench.threads = args.model.threads;
  const BenchReport report = run_bench(model, args.bench);
  for (const auto& notice : report.notices) console.talk_once("notice: " + notice);
  const auto label = args.random ? "random " + *args.random : model_label(args.model.model);
  console.json ? console.data_json(object_of(label, report)) : console.data(table_of(label, report));
  return 0;
}

}  // namespace

Verb make_bench(Console& console) {
  const auto args = std::make_shared<BenchArgs>();
  Verb verb;
  verb.name = "bench";
  verb.about =
      "measures milliseconds per image at each rho, next to what the arithmetic units of this CPU reach at most in the "
      "same run. Decoding is excluded; the end-to-end column includes it.";
  verb.examples = {"revisit bench --random vitb14", "revisit bench --model models/salad.safetensors --rho 1,0.7,0.5 --threads 2",
                   "revisit bench --random vits14 --precision int8 --repeats 21 --json"};
  verb.options = bench_options(*args, console);
  verb.run = [args, &console] { return run_bench_verb(*args, console); };
  return verb;
}

}  // namespace revisit::cli
