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

struct NamedModel {
  std::string name;
  Model model;
};

// Opened before the first photo is described: a model that is not there or cannot prune would end the sweep after hours of work.
std::vector<NamedModel> open_models(const std::vector<std::string>& names, const SweepArgs& args, Console& console) {
  DescriptorSpec smallest = args.model.spec;  // a model that can do this rho can do all above it
  smallest.rho = std::min(*std::ranges::min_element(args.rho), args.data.reference_rho.value_or(1));
  std::vector<NamedModel> models;
  for (const auto& name : names) {
    models.push_back({name, open_model(name, console)});
    possible_spec(models.back().model, smallest, fmt::format("model '{}'", model_label(name)));
  }
  return models;
}

std::string table_of(const Sweep& sweep) {
  std::size_t width = 5;
  for (const auto& point : sweep.points) width = std::max(width, point.model.size());
  std::string out =
      fmt::format("{:<{}}  {:>5}  {:>8}  {:>13}  {:>10}", "model", width, "rho", "ms/image", "p5 to p95", "end-to-end");
  for (const auto& at : sweep.points.front().evaluation.recall) out += fmt::format("  {:>6}", fmt::format("R@{}", at.k));
  out += "  95 % interval\n";
  for (const auto& point : sweep.points) {
    out += fmt::format("{:<{}}  {:>5g}  {:>8.1f}  {:>13}  {:>10.1f}", point.model, width, point.rho, point.ms_per_image,
                       fmt::format("{:.1f} to {:.1f}", point.ms_low, point.ms_high), point.end_to_end_ms);
    for (const auto& at : point.evaluation.recall) out += fmt::format("  {:>6.1f}", at.percent);
    const RecallAt& first = point.evaluation.recall.front();
    out += fmt::format("  R@{} {:.1f} to {:.1f}\n", first.k, first.low95, first.high95);
  }
  return out;
}

void sweep_model(const NamedModel& named, const SweepArgs& args, const Dataset& dataset, Sweep& sweep, Console& console) {
  const auto& [name, model] = named;
  const int top_k = *std::ranges::max_element(args.data.recall_values);
  std::optional<Side> references;
  double described_rho = 0;
  for (const double rho : args.rho) {
    DescriptorSpec spec = args.model.spec;
    spec.rho = args.data.reference_rho.value_or(rho);
    if (!references || described_rho != *spec.rho) {
      references = describe_side(model, spec, args.model.threads, dataset.references, "references", console);
      described_rho = *spec.rho;
    }
    spec.rho = rho;
    Side queries = describe_side(model, spec, args.model.threads, dataset.queries, "queries", console);
    if (sweep.points.empty()) sweep.run = record_of("sweep", name, model, queries, references->spec, args.model.threads, console);
    keep_skipped(*references, sweep.skipped);
    keep_skipped(queries, sweep.skipped);
    DescribedPhotos whitened;  // of the references: the next rho may need them as they are
    if (args.data.dim) {
      whitened = references->photos;
      whiten(queries.photos, whitened, *args.data.dim);
    }
    const auto matches = match_all(queries.photos, args.data.dim ? whitened : references->photos, top_k, search_filter(dataset));
    sweep.points.push_back({model_label(name), rho, described_rho, queries.photos.dim, queries.photos.median_forward_ms,
                            queries.photos.median_end_to_end_ms, evaluate(dataset, matches, args.data.recall_values),
                            queries.photos.forward_ms_p5, queries.photos.forward_ms_p95});
    console.talk(fmt::format("{} at rho {:g}: {}", model_label(name), rho, recall_line(sweep.points.back().evaluation)));
  }
}

int run_sweep(SweepArgs& args, Console& console) {
  const auto names = names_of(args);
  check_output_folder(args.output);
  Dataset dataset = load_data(args.data, console);
  mention_whitening(dataset, args.data.dim);
  if (!dataset.labelled) fail(ErrorCode::kUsage, "'{}' has no ground truth, so there is nothing to sweep over", dataset.name);
  apply_image_size(args.data, dataset, args.model.spec, console);
  const auto models = open_models(names, args, console);
  finish_work_on_signal();
  Sweep sweep;
  int stopped_by = 0;
  try {
    for (const auto& model : models) sweep_model(model, args, dataset, sweep, console);
  } catch (const Interrupted& stop) {
    if (sweep.points.empty()) throw;
    stopped_by = stop.signal;
  }
  if (!args.output.empty()) {
    write_sweep(args.output, sweep);
    console.talk(fmt::format("wrote sweep.csv, sweep.json, sweep.svg, sweep.png and report.html to {}", args.output));
  }
  const std::string out = console.json ? sweep_json(sweep) : table_of(sweep);
  if (stopped_by != 0) {
    console.data_and_error(out, ErrorCode::kInterrupted,
                           fmt::format("stopped after {} of {} points; {}", sweep.points.size(), models.size() * args.rho.size(),
                                       args.output.empty() ? "the finished ones are printed"
                                                           : "the finished ones are printed and written to " + args.output),
                           "");
    return 128 + stopped_by;
  }
  console.data(out);
  return sweep.skipped.empty() ? 0 : 4;
}

}  // namespace

Verb make_sweep(Console& console) {
  const auto args = std::make_shared<SweepArgs>();
  Verb verb;
  verb.name = "sweep";
  verb.about = "evaluates a data set at several rho and models: a table, and with -o the curve of recall over milliseconds.";
  verb.examples = {
      "revisit sweep --rho 1,0.7,0.5 --queries_folder Q --database_folder D --gt gt.csv --model m.safetensors -o sweep",
      "revisit sweep --rho 1,0.5 --reference-rho 1 --queries_folder Q --database_folder D --model m.safetensors",
      "revisit sweep --models a.safetensors,b.safetensors --dataset nordland --root data/nordland --json"};
  auto& options = verb.options;
  options = {{"--rho", "R,R,...", "shares of patch tokens kept; default 1,0.7,0.5", to_numbers(args->rho, kRhoRange)},
             {"--models", "A,B", "several models, in place of --model", to_text(args->models)},
             {"-o,--output", "DIR", "write sweep.csv, .json, .svg, .png and report.html there", to_text(args->output)}};
  add_data_options(options, args->data);
  add_model_option(options, args->model);
  add_run_options(options, args->data, args->model, {"rho"});
  console.add_options(options);
  verb.run = [args, &console] { return run_sweep(*args, console); };
  return verb;
}

}  // namespace revisit::cli
