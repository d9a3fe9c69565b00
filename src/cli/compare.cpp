// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// `revisit compare`: models, pruners and settings against each other on several data sets, as a TOML file says.
#include "revisit/lab/compare.h"

#include <fmt/format.h>

#include <memory>

#include "cli/binding.h"
#include "cli/output.h"
#include "cli/photo_run.h"
#include "cli/verbs.h"
#include "core/base/stop.h"

namespace revisit::cli {
namespace {

namespace fs = std::filesystem;

struct CompareArgs {
  std::vector<std::string> config;
  std::string out;
  int threads = 0;
};

CompareOptions options_of(const CompareArgs& args, const CompareConfig& config, RunDisplay& display, Console& console) {
  CompareOptions options;
  options.cells = fs::path(args.out) / "cells";
  options.threads = args.threads;
  options.open_model = [&](const std::string& name) { return open_model(name, console); };
  options.watch = display.watch();
  options.line = [&, k = config.recall_values.front()](const CompareLine& line) {
    console.talk(fmt::format("{} at rho {:g}: mean R@{} {:.1f}", line.name, line.rho, k, mean_recall_of(line, k).mean));
  };
  return options;
}

std::size_t lines_of(const CompareConfig& config) {
  std::size_t lines = 0;
  for (const auto& row : config.rows) lines += row.rhos.size();
  return lines;
}

int run_compare(CompareArgs args, Console& console) {
  const CompareConfig config = load_compare_config(args.config.front());
  if (args.out.empty()) args.out = (fs::path("runs") / config.name).string();
  check_output_folder(args.out);
  RunDisplay display(console);
  const Comparison result = revisit::run_compare(config, options_of(args, config, display, console));
  if (!result.lines.empty()) {
    write_comparison(args.out, result);
    console.talk(fmt::format("wrote compare.md, .tex, .csv, .json, compare.svg and compare-gmac.svg to {}", args.out));
  }
  const std::string out = console.json ? comparison_json(result) : comparison_text(result);
  if (!result.stopped) {
    console.data(out);
    return result.skipped.empty() ? 0 : 4;
  }
  const std::string sentence = fmt::format("stopped after {} of {} lines, all of them safe in '{}'; the same command goes on",
                                           result.lines.size(), lines_of(config), args.out);
  if (result.lines.empty()) throw Interrupted(stop_signal(), sentence);
  console.data_and_error(out, ErrorCode::kInterrupted, sentence, "");
  return 128 + stop_signal();
}

}  // namespace

Verb make_compare(Console& console) {
  const auto args = std::make_shared<CompareArgs>();
  Verb verb;
  verb.name = "compare";
  verb.about =
      "models, pruners and settings against each other on several data sets: tables with mean, deviation and paired intervals. "
      "What is measured is kept, so the same command goes on where one stopped.";
  verb.examples = {"revisit compare recipes/compare-embedded.toml", "revisit compare study.toml --out study --threads 2",
                   "revisit compare study.toml --json"};
  verb.positional = {"CONFIG.toml", "data sets, rows and the differences to look at (docs/comparing.md)", 1, 1, &args->config};
  verb.options = {{"--out", "DIR", "where results and measured cells go; default runs/NAME", to_text(args->out)},
                  {"--threads", "N", "cores used for each image, 1 to 1024; default: all this process may use",
                   to_int(args->threads, 1, 1024)}};
  console.add_options(verb.options);
  verb.run = [args, &console] { return run_compare(*args, console); };
  return verb;
}

}  // namespace revisit::cli
