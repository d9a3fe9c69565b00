// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// `revisit eval`: recall@k on a data set. Takes the command line of VPR-methods-evaluation as it is.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <memory>

#include "cli/binding.h"
#include "cli/budget.h"
#include "cli/challenge.h"
#include "cli/cluster_recall.h"
#include "cli/output.h"
#include "cli/photo_run.h"
#include "cli/rerank.h"
#include "cli/run_folder.h"
#include "cli/verbs.h"
#include "core/base/fail.h"
#include "core/base/file.h"
#include "core/base/limits.h"
#include "core/formats/npy.h"
#include "core/formats/text.h"

namespace revisit::cli {
namespace {

namespace fs = std::filesystem;

struct EvalArgs {
  DataArgs data;
  ModelArgs model;
  int num_preds_to_save = 0;
  bool save_only_wrong_preds = false;
  bool save_descriptors = false;
  std::optional<std::string> log_dir;
  std::optional<double> max_false_rate;
  std::optional<double> calibrate;
  std::string calibrated_model;
  std::string output;
  // The usual names of models, and flags that do nothing here.
  std::string method, backbone, device;
  std::optional<int> descriptors_dimension, num_workers;
  ChallengeArgs challenge;
  std::optional<int> rerank;
};

std::vector<Option> eval_options(EvalArgs& args, Console& console) {
  std::vector<Option> options;
  add_data_options(options, args.data);
  options.push_back({"--no-labels", "", "run without ground truth", to_switch(args.data.no_labels)});
  options.push_back({"-o,--output", "DIR", "write report.html, predictions.csv and run.json there", to_text(args.output)});
  options.push_back({"--log-dir", "NAME", "the same and info.log, to logs/NAME/TIME", to_text(args.log_dir)});
  options.push_back(
      {"--num-preds-to-save", "N", "pictures of the first N matches of every query", to_int(args.num_preds_to_save, 0, 100)});
  options.push_back({"--save-only-wrong-preds", "", "pictures of wrong queries only", to_switch(args.save_only_wrong_preds)});
  options.push_back({"--save-descriptors", "", "write .npy files of both sides, and clusters.csv",
                     to_switch(args.save_descriptors)});
  options.push_back({"--max-false-rate", "R", "what answers at this stated rate, .1, .05 and .01 are worth",
                     to_number(args.max_false_rate, {kLeastFalseRate, kMostFalseRate})});
  options.push_back({"--calibrate", "[P]", "find the \"no match\" similarity for precision P; default .99",
                     to_number(args.calibrate, {0, 1, true}), false, "0.99"});
  options.push_back({"--calibrated-model", "FILE", "where --calibrate writes the model with it", to_text(args.calibrated_model)});
  add_rerank_option(options, args.rerank);
  add_challenge_options(options, args.challenge);
  add_model_option(options, args.model);
  options.back().help = "file, or name from 'model list'; default: built in";
  add_run_options(options, args.data, args.model);
  add_budget_option(options, args.model);
  options.push_back({"--method", "NAME", "imported model, by its usual name", to_text(args.method)});
  options.push_back({"--backbone", "NAME", "the backbone in that name", to_text(args.backbone)});
  options.push_back({"--descriptors-dimension", "D", "the dimension in that name", to_int(args.descriptors_dimension, 1, 65536)});
  options.push_back({"--device", "NAME", "ignored: everything runs on the CPU", to_text(args.device)});
  options.push_back({"--num-workers", "N", "ignored: as many threads decode as are needed", to_int(args.num_workers, 0, 4096)});
  console.add_options(options);
  return options;
}

std::string plain(std::string name) {
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return c == '-' ? '_' : static_cast<char>(std::tolower(c)); });
  return name;
}

/// --method, with --backbone and --descriptors-dimension, to the model file whose name has most of them.
std::string model_of_method(const EvalArgs& args) {
  if (!args.model.model.empty()) fail(ErrorCode::kUsage, "--model and --method both choose a model: one is enough");
  std::vector<std::string> names{args.method};
  if (!args.backbone.empty()) names.push_back(names.back() + "_" + args.backbone);
  if (args.descriptors_dimension) names.push_back(fmt::format("{}_{}", names.back(), *args.descriptors_dimension));
  std::ranges::reverse(names);
  for (const auto& name : names) {
    for (const auto& file : find_model_files()) {
      if (plain(file.stem().string()) == plain(name)) return file.string();
    }
  }
  // Methods of the field whose checkpoints cannot be imported.
  constexpr std::array kUnknown{"netvlad",  "sfrs",          "cosplace", "convap", "mixvpr", "eigenplaces", "anyloc",
                                "cricavpr", "clique_mining", "megaloc",  "boq",    "apgem",  "supervlad"};
  if (std::ranges::any_of(kUnknown, [&](const char* name) { return plain(args.method).starts_with(name); })) {
    fail_with_hint(ErrorCode::kUsage, "`revisit model import` reads DINOv2, SALAD, WeiAD with WeiToP and timm ViT",
                   "revisit cannot run the method '{}' yet", args.method);
  }
  fail_with_hint(ErrorCode::kUsage,
                 fmt::format("mkdir -p models && revisit model import CHECKPOINT -o models/{}.safetensors", plain(args.method)),
                 "there is no model file named '{}': import its weights first", names.back());
}

void mention_unused(const EvalArgs& args, Console& console) {
  if (!args.device.empty() && args.device != "cpu")
    console.talk(fmt::format("notice: --device {} is ignored, everything runs on the CPU", args.device));
  if (args.num_workers) console.talk("notice: --num-workers is ignored, as many threads decode as are needed");
}

void write_descriptors_of(const Side& side, const fs::path& file) {
  const std::int64_t dim = side.photos.dim;
  write_npy(file, side.photos.rows, {static_cast<std::int64_t>(side.photos.rows.size()) / dim, dim});
}

std::string text_of(const RunReport& report) {
  std::string out;
  if (report.evaluation) {
    const Evaluation& result = *report.evaluation;
    out += recall_line(result) + "\n";
    for (const auto& at : result.recall)
      out += fmt::format("  R@{:<3} {:5.1f} %  95 % interval {:.1f} to {:.1f}\n", at.k, at.percent, at.low95, at.high95);
    out += fmt::format("average precision {:.1f} %, recall at 100 % precision: {:.1f} %\n", result.average_precision,
                       result.recall_at_full_precision);
    out += fmt::format("{} ({} without a right reference, counted as {}), {}\n", counted(result.num_queries, "query"),
                       result.num_without_positive, result.num_without_positive == 1 ? "a miss" : "misses",
                       counted(result.num_references, "reference"));
    for (const auto& at : report.outcomes) {
      out += fmt::format("at a stated false rate of {:g}: {} answered, {} of them wrong ({:.1f} %), {:.1f} % of {} kept\n",
                         at.rate, counted(static_cast<std::size_t>(at.accepted), "query"), at.wrong,
                         at.accepted > 0 ? 100.0 * at.wrong / at.accepted : 0.0, at.right > 0 ? 100.0 * at.kept / at.right : 0.0,
                         counted(static_cast<std::size_t>(at.right), "right answer"));
    }
    if (result.challenge) out += challenge_text(*result.challenge);
  }
  out += fmt::format("{:.1f} ms per image, {:.1f} ms with decoding, rho {:g}, {}x{}\n", report.run.ms_per_image,
                     report.run.end_to_end_ms, *report.run.spec.rho, report.run.spec.size->height, report.run.spec.size->width);
  if (report.run.spec.keep_mass) {
    out += fmt::format("kept on average {:.2f} of the patches of a query, for a mass of {:g}\n", report.run.mean_kept,
                       *report.run.spec.keep_mass);
  }
  return out + "protocol: " + report.dataset.protocol + "\n";
}

/// The messages of the run, where VPR-methods-evaluation puts them.
std::string log_of(const RunReport& report) {
  std::string out =
      fmt::format("{} revisit {} {}\n", report.run.started, report.run.command, fmt::join(report.run.arguments, " "));
  out += fmt::format("model {} (identity {}), {} values\n", report.run.model, *report.run.spec.model_identity, report.run.dim);
  for (const auto& note : report.dataset.notes) out += "notice: " + note + "\n";
  for (const auto& one : report.skipped) out += fmt::format("skipped {}: {}\n", one.path, one.reason);
  return out + text_of(report);
}

bool wants_logs(const EvalArgs& args) { return args.log_dir || args.num_preds_to_save > 0 || args.save_descriptors; }

/// Holds all runs of one name.
fs::path log_folder(const EvalArgs& args) { return fs::path("logs") / args.log_dir.value_or("default"); }

void write_logs(const EvalArgs& args, RunReport& report, const Side& queries, const Side& references, const Model& model,
                Console& console) {
  if (!wants_logs(args)) return;
  const fs::path folder = log_folder(args) / utc_now(true);
  write_run_folder(folder, report, model, console);
  AtomicFile log(folder / "info.log");
  log.write(log_of(report));
  log.commit();
  if (args.save_descriptors) {
    write_descriptors_of(queries, folder / "queries_descriptors.npy");
    write_descriptors_of(references, folder / "database_descriptors.npy");
    if (report.dataset.labelled && !args.data.dim)
      write_clusters(folder / "clusters.csv", model, report, queries.photos, references.photos, console);
  }
  if (args.num_preds_to_save > 0)
    write_prediction_pictures(folder / "preds", report, args.num_preds_to_save, args.save_only_wrong_preds);
}

/// The threshold becomes part of the report. Nothing is written when there is none.
void calibrate(const EvalArgs& args, RunReport& report, const Model& model, Console& console) {
  const auto threshold = calibrate_threshold(*report.evaluation, *args.calibrate);
  if (!threshold) return;
  report.run.min_similarity = threshold;
  save_calibrated(model, args.calibrated_model, *threshold, *args.calibrate, report.run.spec);
  console.talk(fmt::format("similarity {:.4f} reaches precision {:g} on this set; wrote {}", *threshold, *args.calibrate,
                           args.calibrated_model));
}

void check_calibration(const EvalArgs& args) {
  if (!args.calibrate) {
    if (args.calibrated_model.empty()) return;
    fail_with_hint(ErrorCode::kUsage, "--calibrate 0.99 --calibrated-model OUT.safetensors",
                   "--calibrated-model '{}' is what --calibrate writes, but --calibrate is missing", args.calibrated_model);
  }
  if (args.calibrated_model.empty()) {
    fail_with_hint(ErrorCode::kUsage, "--calibrated-model OUT.safetensors",
                   "--calibrate needs --calibrated-model: the file for the model with its threshold");
  }
  if (args.data.no_labels) fail(ErrorCode::kUsage, "--calibrate needs ground truth, which --no-labels turns off");
  if (args.model.spec.keep_mass) {
    fail(ErrorCode::kUsage, "--keep-mass {:g} and --calibrate cannot be used together: a model's threshold holds for a rho",
         *args.model.spec.keep_mass);
  }
  if (args.rerank) {
    fail(ErrorCode::kUsage,
         "--rerank {} and --calibrate cannot be used together: a model's threshold holds without a second look", *args.rerank);
  }
  if (args.data.dim)
    fail(ErrorCode::kUsage,
         "--dim {} and --calibrate cannot be used together: a model's threshold holds for full-length descriptors only",
         *args.data.dim);
  check_output_file(args.calibrated_model);
}

/// What answers at stated rates would have been worth.
std::vector<RateOutcome> judged(const EvalArgs& args, const std::vector<Verdicts>& verdicts, const RunReport& report) {
  std::vector<double> rates{0.1, 0.05, 0.01};
  if (args.max_false_rate && std::ranges::find(rates, *args.max_false_rate) == rates.end()) rates.push_back(*args.max_false_rate);
  std::ranges::sort(rates, std::ranges::greater());
  return rate_outcomes(report.dataset, report.matches, verdicts, rates);
}

void mention_silence(const EvalArgs& args, const Dataset& dataset, Console& console) {
  if (dataset.labelled || wants_logs(args) || !args.output.empty() || !args.challenge.write.empty()) return;
  console.talk("notice: without ground truth there are only times to print; -o DIR writes the matches");
}

/// The evaluation is worth printing even when no threshold was found.
int print_run(const EvalArgs& args, const RunReport& report, Console& console) {
  const std::string out = console.json ? run_json(report) : text_of(report);
  if (args.calibrate && !report.run.min_similarity) {
    console.data_and_error(out, ErrorCode::kFailed,
                           fmt::format("no similarity reaches a precision of {:g} on this set, so '{}' was not written",
                                       *args.calibrate, args.calibrated_model),
                           "ask for a lower precision, or use a better model");
    return exit_code_of(ErrorCode::kFailed);
  }
  console.data(out);
  return report.skipped.empty() ? 0 : 4;
}

int run_eval(EvalArgs& args, Console& console) {
  if (!args.challenge.score.empty()) return score_challenge(args.challenge, args.data, console);
  check_calibration(args);
  check_output_folder(args.output);
  check_budget(args.model);
  if (wants_logs(args)) check_output_folder(log_folder(args));
  if (!args.method.empty()) args.model.model = model_of_method(args);
  if (args.method.empty() && !args.backbone.empty()) {
    fail_with_hint(ErrorCode::kUsage, "--method NAME --backbone NAME, or --model FILE alone",
                   "--backbone {} completes the name given by --method, but --method is missing", args.backbone);
  }
  mention_unused(args, console);
  RunReport report;
  report.dataset = load_data(args.data, console);
  mention_whitening(report.dataset, args.data.dim);
  mention_rerank(report.dataset, args.rerank);
  const Dataset& dataset = report.dataset;
  report.truth_from_positions = dataset.labelled && args.data.dataset.empty() && !args.data.gt;
  mention_silence(args, dataset, console);
  if (args.calibrate && !dataset.labelled) fail(ErrorCode::kUsage, "'{}' has no ground truth to calibrate on", dataset.name);
  check_challenge(args.challenge, dataset);
  apply_image_size(args.data, dataset, args.model.spec, console);
  const Model model = open_model(args.model.model, console);
  if (const int dim = model.info().descriptor_dim; args.descriptors_dimension && dim > 0 && dim != *args.descriptors_dimension) {
    fail_with_hint(
        ErrorCode::kUsage, "import weights of that dimension: revisit model import CHECKPOINT -o models/NAME.safetensors",
        "'{}' gives descriptors of {} values, not {}", model_label(args.model.model), dim, *args.descriptors_dimension);
  }

  const DecisionWish wish{{}, args.max_false_rate, args.data.dim.has_value()};
  decision_rule(model.info(), args.model.spec, wish);  // before work: a rate that cannot be kept
  const auto choice = settle_budget(model, args.model, console);
  DescriptorSpec for_references = args.model.spec;
  if (args.data.reference_rho) for_references.rho = args.data.reference_rho;
  Side references = describe_side(model, for_references, args.model.threads, dataset.references, "references", console,
                                  args.rerank.has_value());
  Side queries =
      describe_side(model, args.model.spec, args.model.threads, dataset.queries, "queries", console, args.rerank.has_value());
  check_pace(args.model, choice, queries.photos.median_forward_ms, dataset.queries.size(), console);
  if (args.data.dim) whiten(queries.photos, references.photos, *args.data.dim);
  report.run = record_of("eval", args.model.model, model, queries, references.spec, args.model.threads, console);
  add_sides(report, queries, references);
  const DecisionRule rule = decision_rule(model.info(), queries.spec, wish);
  const int top_k = std::max({*std::ranges::max_element(args.data.recall_values), args.num_preds_to_save,
                              challenge_depth(args.challenge), args.rerank.value_or(0)});
  report.matches = match_all(queries.photos, references.photos, rule.table ? std::max(top_k, kEvidenceMatches) : top_k,
                             search_filter(dataset));
  std::vector<Verdicts> verdicts;  // a second look changes which match is the answer, not whether there is one
  if (rule.table) verdicts = decide_all(report.matches, dataset.references, rule);
  for (auto& found : report.matches) found.resize(std::min(found.size(), static_cast<std::size_t>(top_k)));
  look_again(report, queries, references, args.rerank, console);
  if (dataset.labelled && rule.table) report.outcomes = judged(args, verdicts, report);
  if (dataset.labelled) report.evaluation = evaluate(dataset, report.matches, args.data.recall_values);

  if (args.calibrate) calibrate(args, report, model, console);
  write_challenge(args.challenge, report, console);
  if (!args.output.empty()) write_run_folder(args.output, report, model, console);
  write_logs(args, report, queries, references, model, console);
  return print_run(args, report, console);
}

}  // namespace

Verb make_eval(Console& console) {
  const auto args = std::make_shared<EvalArgs>();
  Verb verb;
  verb.name = "eval";
  verb.about = "recall@k of a model on a data set, with 95 % intervals. Takes VPR-methods-evaluation's flags.";
  verb.examples = {"revisit eval --queries-folder Q --database-folder D --gt gt.csv --model vlad.safetensors -o report",
                   "revisit eval --dataset nordland --root data/nordland --model salad.safetensors --rho 0.5 --json",
                   "revisit eval --dataset sped --root data/sped --calibrate 0.99 --calibrated-model sure.safetensors"};
  verb.options = eval_options(*args, console);
  verb.run = [args, &console] { return run_eval(*args, console); };
  return verb;
}

}  // namespace revisit::cli
