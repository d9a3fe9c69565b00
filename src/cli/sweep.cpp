// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// `revisit sweep`: what each rho costs and gives, for one model or several.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/binding.h"
#include "cli/output.h"
#include "cli/photo_run.h"
#include "cli/verbs.h"
#include "core/base/fail.h"
#include "core/base/stop.h"

namespace revisit::cli {
namespace {

struct SweepArgs {
  DataArgs data;
  ModelArgs model;
  std::vector<double> rho{1, 0.7, 0.5};
  std::vector<std::string> precision;
  std::optional<double> budget_ms;
  std::string models;
  std::string output;
};

std::vector<std::string> names_of(const SweepArgs& args) {
  if (args.models.empty()) return {args.model.model};
  if (!args.model.model.empty()) fail(ErrorCode::kUsage, "--model and --models both choose models: one is enough");
  std::vector<std::string> names;
  for (std::string_view rest = args.models; !rest.empty();) {
    const auto comma = rest.find(',');
    if (const auto name = rest.substr(0, comma); !name.empty()) names.emplace_back(name);
    rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
  }
  if (names.empty()) fail(ErrorCode::kUsage, "--models '{}' names no model", args.models);
  return names;
}

std::vector<SweepModel> open_models(const std::vector<std::string>& names, Console& console) {
  std::vector<SweepModel> models;
  for (const auto& name : names) models.push_back({model_label(name), open_model(name, console)});
  return models;
}

std::string table_of(const Sweep& sweep) {
  std::size_t width = 5;
  for (const auto& point : sweep.points) width = std::max(width, point.model.size());
  std::string out = fmt::format("{:<{}}  {:>5}  {:>9}  {:>8}  {:>13}  {:>10}", "model", width, "rho", "precision", "ms/image",
                                "p5 to p95", "end-to-end");
  for (const auto& at : sweep.points.front().evaluation.recall) out += fmt::format("  {:>6}", fmt::format("R@{}", at.k));
  out += "  front  95 % interval\n";
  const std::vector<bool> front = pareto_front(sweep.points);
  for (std::size_t i = 0; i < sweep.points.size(); ++i) {
    const SweepPoint& point = sweep.points[i];
    out += fmt::format("{:<{}}  {:>5g}  {:>9}  {:>8.1f}  {:>13}  {:>10.1f}", point.model, width, point.rho, point.precision,
                       point.ms_per_image, fmt::format("{:.1f} to {:.1f}", point.ms_low, point.ms_high), point.end_to_end_ms);
    for (const auto& at : point.evaluation.recall) out += fmt::format("  {:>6.1f}", at.percent);
    const RecallAt& first = point.evaluation.recall.front();
    out += fmt::format("  {:>5}  R@{} {:.1f} to {:.1f}\n", front[i] ? "*" : "", first.k, first.low95, first.high95);
  }
  if (sweep.budget_ms) out += budget_sentence(sweep.points, *sweep.budget_ms) + "\n";
  return out;
}

SweepOptions options_of(const SweepArgs& args, RunDisplay& display, Console& console) {
  SweepOptions options;
  options.rho = args.rho;
  options.precision = args.precision;
  options.spec = args.model.spec;
  options.reference_rho = args.data.reference_rho;
  options.dim = args.data.dim;
  options.recall_values = args.data.recall_values;
  options.threads = args.model.threads;
  options.watch = display.watch();
  options.point = [&args, &console](const SweepPoint& point) {
    console.talk(fmt::format("{} at rho {:g}{}: {}", point.model, point.rho,
                             args.precision.size() > 1 ? ", " + point.precision : "", recall_line(point.evaluation)));
  };
  return options;
}

int run_sweep(SweepArgs& args, Console& console) {
  const auto names = names_of(args);
  check_output_folder(args.output);
  const Dataset dataset = load_data(args.data, console);
  apply_image_size(args.data, dataset, args.model.spec, console);
  const auto models = open_models(names, console);
  const std::string started = utc_now();
  RunDisplay display(console);
  Sweep sweep = revisit::run_sweep(models, dataset, options_of(args, display, console));
  if (sweep.points.empty()) throw display.interrupted();
  sweep.budget_ms = args.budget_ms;
  sign(sweep.run, "sweep", started, console);
  if (!args.output.empty()) {
    write_sweep(args.output, sweep);
    console.talk(fmt::format("wrote sweep.csv, sweep.json, sweep.svg, sweep.png and report.html to {}", args.output));
  }
  const std::string out = console.json ? sweep_json(sweep) : table_of(sweep);
  if (sweep.stopped) {
    const std::string kept = args.output.empty() ? "printed" : "printed and written to " + args.output;
    console.data_and_error(
        out, ErrorCode::kInterrupted,
        fmt::format("stopped after {} of {} models; the finished ones are {}",
                    sweep.points.size() / args.rho.size() / std::max<std::size_t>(1, args.precision.size()), models.size(), kept),
        "");
    return 128 + stop_signal();
  }
  console.data(out);
  return sweep.skipped.empty() ? 0 : 4;
}

Binding to_precisions(std::vector<std::string>& out) {
  return [&out](const std::string& text) -> std::string {
    const Setting& precision = setting("precision");
    std::vector<std::string> words;
    for (std::string_view rest = text; words.empty() || !rest.empty();) {
      const auto comma = std::min(rest.find(','), rest.size());
      words.emplace_back(rest.substr(0, comma));
      DescriptorSpec spec;
      if (const auto wrong = to_setting(spec, precision)(words.back()); !wrong.empty())
        return wrong + ", or several with commas between them";
      rest.remove_prefix(std::min(rest.size(), comma + 1));
    }
    out = std::move(words);
    return {};
  };
}

}  // namespace

Verb make_sweep(Console& console) {
  const auto args = std::make_shared<SweepArgs>();
  Verb verb;
  verb.name = "sweep";
  verb.about =
      "evaluates a data set at several rho and models: a table, and with -o the curve of recall over milliseconds. Every photo "
      "is "
      "described at all rho in turn, so a busy minute touches them alike.";
  verb.examples = {
      "revisit sweep --rho 1,0.7,0.5 --queries-folder Q --database-folder D --gt gt.csv --model m.safetensors -o sweep",
      "revisit sweep --rho 1,0.5 --reference-rho 1 --queries-folder Q --database-folder D --model m.safetensors",
      "revisit sweep --models a.safetensors,b.safetensors --precision f32,int8 --budget-ms 50 --dataset nordland --root "
      "data/nordland"};
  auto& options = verb.options;
  options = {
      {"--rho", "R,R,...", "shares of patch tokens kept; default 1,0.7,0.5", to_numbers(args->rho, kRhoRange)},
      {"--precision", "P,P,...", std::string("arithmetic") + setting("precision").range + "; several are tried with every rho",
       to_precisions(args->precision)},
      {"--budget-ms", "X", "name the best point of at most X ms, and the smaller model that beats a pruned larger one",
       to_number(args->budget_ms, {0, 1e9, true})},
      {"--models", "A,B", "several models, in place of --model", to_text(args->models)},
      {"-o,--output", "DIR", "write sweep.csv, .json, .svg, .png and report.html there", to_text(args->output)}};
  add_data_options(options, args->data);
  add_model_option(options, args->model);
  add_run_options(options, args->data, args->model, {"rho", "precision"});
  console.add_options(options);
  verb.run = [args, &console] { return run_sweep(*args, console); };
  return verb;
}

}  // namespace revisit::cli
