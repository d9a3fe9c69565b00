// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// `revisit match`: folder against folder, one line per query.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/answers.h"
#include "cli/binding.h"
#include "cli/budget.h"
#include "cli/output.h"
#include "cli/photo_run.h"
#include "cli/rerank.h"
#include "cli/run_folder.h"
#include "cli/verbs.h"
#include "core/base/fail.h"
#include "core/base/limits.h"
#include "revisit/sequence.h"
#include "revisit/whitening.h"

namespace revisit::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kTopK = 10;

struct MatchArgs {
  std::vector<std::string> folders;
  ModelArgs model;
  std::optional<double> reference_rho;
  std::optional<int> top_k;
  std::optional<std::string> gt;
  std::optional<std::string> positions;
  std::string output;
  std::optional<double> min_similarity, max_false_rate;
  std::optional<int> exclude_recent;
  std::optional<double> exclude_seconds;
  std::optional<int> dim;
  int sequence = 0;
  std::optional<int> rerank;
};

using Wanted = std::function<bool(int, int)>;

// Loop closure: the recent past looks like the present, but is not a revisit.
Wanted exclusion(const MatchArgs& args, const Dataset& dataset, Console& console) {
  std::error_code ignored;
  const bool same = fs::equivalent(args.folders[0], args.folders[1], ignored);
  if (!args.exclude_recent && !args.exclude_seconds) {
    if (same)
      console.talk(
          "notice: queries and references are the same folder, so every photo finds itself; --exclude-recent 1 leaves it out");
    return {};
  }
  if (args.exclude_recent && !same) {
    fail(ErrorCode::kUsage, "--exclude-recent is for one sequence, but '{}' and '{}' are two folders", args.folders[0],
         args.folders[1]);
  }
  if (args.exclude_seconds) {
    for (const auto* photos : {&dataset.queries, &dataset.references}) {
      const auto untimed = std::ranges::find_if(*photos, [](const Photo& photo) { return !photo.time_s; });
      if (untimed != photos->end()) {
        fail_with_hint(ErrorCode::kUsage, "times come from EXIF or the time column of --positions; --exclude-recent N needs none",
                       "--exclude-seconds needs the time of every photo, but '{}' has none", untimed->name);
      }
    }
  }
  return [&dataset, recent = args.exclude_recent, seconds = args.exclude_seconds](int q, int r) {
    if (recent && r > q - *recent) return false;
    if (!seconds) return true;
    return *dataset.references[static_cast<std::size_t>(r)].time_s <=
           *dataset.queries[static_cast<std::size_t>(q)].time_s - *seconds;
  };
}

// An excluded reference cannot be the one that should have been found.
void drop_excluded(Dataset& dataset, const Wanted& wanted) {
  for (std::size_t q = 0; wanted && q < dataset.positives.size(); ++q) {
    std::erase_if(dataset.positives[q], [&](int r) { return !wanted(static_cast<int>(q), r); });
  }
}

int run_match(MatchArgs args, Console& console) {
  check_budget(args.model);
  check_order(args.sequence, args.rerank);
  check_output_folder(args.output);
  RunReport report;
  report.dataset = load_folder_pair({args.folders[0], args.folders[1], args.gt, args.positions});
  Dataset& dataset = report.dataset;
  report.truth_from_positions = dataset.labelled && !args.gt;
  for (const auto& note : dataset.notes) console.talk("notice: " + note);
  const Wanted wanted = exclusion(args, dataset, console);
  drop_excluded(dataset, wanted);
  mention_whitening(dataset, args.dim);
  mention_sequence(dataset, args.sequence);
  mention_rerank(dataset, args.rerank);

  const Model model = open_model(args.model.model, console);
  const DecisionWish wish{args.min_similarity, args.max_false_rate, args.dim.has_value()};
  decision_rule(model.info(), args.model.spec, wish);  // before work: a rate that cannot be kept
  const auto choice = settle_budget(model, args.model, console);
  DescriptorSpec for_references = args.model.spec;
  if (args.reference_rho) for_references.rho = args.reference_rho;
  Side references = describe_side(model, for_references, args.model.threads, dataset.references, "references", console,
                                  args.rerank.has_value());
  Side queries =
      describe_side(model, args.model.spec, args.model.threads, dataset.queries, "queries", console, args.rerank.has_value());
  check_pace(args.model, choice, queries.photos.median_forward_ms, dataset.queries.size(), console);
  if (args.dim) whiten(queries.photos, references.photos, *args.dim);

  report.run = record_of("match", args.model.model, model, queries, references.spec, args.model.threads, console);
  const DecisionRule rule = decision_rule(model.info(), queries.spec, wish);
  record_rule(rule, report.run, console);
  add_sides(report, queries, references);
  const bool follows = args.sequence > 1;
  const int top_k = args.top_k.value_or(kTopK);
  const int candidates = std::max(top_k, follows ? kSequenceCandidates : args.rerank.value_or(0));
  report.matches =
      match_all(queries.photos, references.photos, rule.table ? std::max(candidates, kEvidenceMatches) : candidates, wanted);
  // What changes the order of matches changes which one is the answer, not whether there is one.
  if (rule.table) record_verdicts(decide_all(report.matches, dataset.references, rule), report);
  for (auto& found : report.matches) found.resize(std::min(found.size(), static_cast<std::size_t>(candidates)));
  if (follows) {
    report.support = follow_sequence(queries.photos, references.photos, dataset.queries, dataset.references, args.sequence, top_k,
                                     report.matches);
  }
  look_again(report, queries, references, args.rerank, console);
  if (dataset.labelled) {
    std::vector<int> ks;
    for (const int k : {1, 5, 10, 20}) {
      if (k <= top_k) ks.push_back(k);
    }
    report.evaluation = evaluate(dataset, report.matches, ks);
  }
  if (!args.output.empty()) write_run_folder(args.output, report, model, console);
  print_answers(report, args.top_k.value_or(1), console);
  tell_caution(report, rule, console);
  return report.skipped.empty() ? 0 : 4;
}

}  // namespace

Verb make_match(Console& console) {
  const auto args = std::make_shared<MatchArgs>();
  Verb verb;
  verb.name = "match";
  verb.about =
      "finds, for every photo of one folder, the photos of another that show the same place, without an index. "
      "With ground truth it also reports recall.";
  verb.examples = {"revisit match queries/ references/ --model vlad.safetensors -o report",
                   "revisit match town/queries town/database --gt town/gt.csv --json",
                   "revisit match drive/ drive/ --exclude-recent 50 --max-false-rate 0.01"};
  verb.positional = {"QUERIES REFERENCES", "two folders of photos", 2, 2, &args->folders};
  auto& options = verb.options;
  options = {
      {"-k,--top-k", "K", "matches per query, 1 to 1000, printed one per line; by default 10 are found and the best is printed",
       to_int(args->top_k, 1, limits::kMaxTopK)},
      {"--gt", "FILE.csv", "ground truth: query,best_ref,accepted_refs", to_text(args->gt)},
      {"--positions", "FILE.csv", "image,lat,lon[,heading_deg,time] or image,east,north[,...]", to_text(args->positions)},
      {"-o,--output", "DIR", "write report.html, tables and run.json there", to_text(args->output)},
      {"--min-similarity", "S", kMinSimilarityHelp, to_number(args->min_similarity, {-1, 1})},
      {"--max-false-rate", "R", kMaxFalseRateHelp, to_number(args->max_false_rate, {kLeastFalseRate, kMostFalseRate})},
      {"--dim", "D", "PCA-whitened descriptors of D values, learnt from the references",
       to_int(args->dim, 1, Whitening::kMaxTargetDim)},
      {"--exclude-recent", "N", "loop closure on one folder: leave out the last N photos",
       to_int(args->exclude_recent, 1, 1'000'000'000)},
      {"--exclude-seconds", "T", "leave out references less than T seconds older than the query",
       to_number(args->exclude_seconds, {0})},
      {"--sequence", "N", kSequenceHelp, to_int(args->sequence, 0, kMaxSequence)}};
  add_rerank_option(options, args->rerank);
  add_model_option(options, args->model);
  add_spec_options(options, args->model);
  add_budget_option(options, args->model);
  options.push_back({"--reference-rho", "R", "rho for references; default: as --rho", to_number(args->reference_rho, kRhoRange)});
  console.add_options(options);
  verb.run = [args, &console] { return run_match(*args, console); };
  return verb;
}

}  // namespace revisit::cli
