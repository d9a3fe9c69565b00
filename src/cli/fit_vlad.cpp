// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// `revisit model fit-vlad`: a training-free model from a backbone and photos.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/binding.h"
#include "cli/inputs.h"
#include "cli/model_options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/verbs.h"
#include "core/base/fail.h"
#include "core/base/stop.h"
#include "core/base/stop_scope.h"
#include "revisit/lab/vlad.h"

namespace revisit::cli {
namespace {

struct FitVladArgs {
  std::vector<std::string> backbone;
  std::string photos;
  std::string output;
  std::string orientation = "apply";
  FitVladOptions options;
};

void print(const FitVladReport& report, const FitVladArgs& args, Console& console) {
  if (console.json) {
    console.data_json({{"schema", 1},
                       {"model", args.output},
                       {"photos", report.photos},
                       {"tokens", report.tokens},
                       {"rounds", report.rounds},
                       {"mean_square_distance", report.mean_square_distance},
                       {"descriptor_dim", report.info.descriptor_dim},
                       {"skipped", to_json(report.skipped)}});
    return;
  }
  console.data(
      fmt::format("photos        {} read, {} skipped\n"
                  "vocabulary    {} words from {} tokens, {} rounds, mean squared distance {:.4f}\n"
                  "model         {} blocks of {}, {}x{}, {} values per descriptor\n"
                  "written       {}\n",
                  report.photos, report.skipped.size(), report.info.clusters, report.tokens, report.rounds,
                  report.mean_square_distance, report.info.depth, report.info.arch, report.info.size.height,
                  report.info.size.width, report.info.descriptor_dim, args.output));
}

int run_fit_vlad(FitVladArgs& args, Console& console) {
  if (args.photos.empty())
    fail_with_hint(ErrorCode::kUsage, "--photos FOLDER", "--photos is missing: the vocabulary is fitted on photos");
  if (args.output.empty()) fail_with_hint(ErrorCode::kUsage, "-o MODEL.safetensors", "-o is missing: the file for the model");
  check_output_file(args.output);
  args.options.orientation = args.orientation == "apply" ? Orientation::kApply : Orientation::kIgnore;
  std::error_code ignored;
  if (!std::filesystem::exists(args.photos, ignored) && args.photos.find_first_of("*?[") == std::string::npos) {
    fail_with_hint(ErrorCode::kNotFound, "--photos FOLDER", "'{}' does not exist", args.photos);
  }
  const InputList inputs = expand_inputs({args.photos});
  if (!inputs.unreadable.empty()) fail(inputs.unreadable.front().code, "{}", inputs.unreadable.front().reason);
  const Model backbone = open_model(args.backbone.front(), console);
  finish_work_on_signal();
  const StopScope scope([] { return stop_signal() != 0; }, "stopped; nothing was written");
  Progress progress("reading", inputs.paths.size(), console.quiet);
  const auto report = fit_vlad(backbone, inputs.paths, args.output, args.options, [&](int done, int /*total*/) {
    progress.update(static_cast<std::size_t>(done), 0);
    if (const int signal = stop_signal(); signal != 0) {
      throw Interrupted(signal, fmt::format("stopped after {} of {} photos; nothing was written", done, inputs.paths.size()));
    }
    return true;
  });
  progress.clear();
  for (const auto& one : report.skipped) console.warn(fmt::format("skipped {}: {}", one.path, one.reason));
  print(report, args, console);
  return report.skipped.empty() ? 0 : 4;
}

}  // namespace

Verb make_model_fit_vlad(Console& console) {
  const auto args = std::make_shared<FitVladArgs>();
  auto& wanted = args->options;
  Verb verb;
  verb.name = "model fit-vlad";
  verb.about =
      "makes a place recognition model without training: a vocabulary of patch tokens, fitted on your photos, on top of any "
      "backbone. Needs no labels.";
  verb.examples = {
      "revisit model fit-vlad models/vits14.safetensors --photos references/ -o models/vlad.safetensors",
      "revisit model fit-vlad models/vits14.safetensors --photos references/ --size 224x224 -o vlad.safetensors",
      "revisit model fit-vlad models/vits14.safetensors --photos references/ --clusters 64 --layer 9 -o vlad64.safetensors"};
  verb.positional = {"BACKBONE", "a model file, or a name from 'revisit model list'", 1, 1, &args->backbone};
  verb.options = {{"--photos", "FOLDER", "photos to fit on, such as the references; required", to_text(args->photos)},
                  {"-o,--output", "OUT.safetensors", "the model file to write; required", to_text(args->output)},
                  {"--clusters", "K", "words of the vocabulary, 2 to 1024; default 32", to_int(wanted.clusters, 2, 1024)},
                  {"--layer", "L", "tokens are taken after this block, counted from 0; default 8", to_int(wanted.layer, 0, 127)},
                  {"--size", "HxW", "input size, kept in the model; default: the backbone's", to_size(wanted.size)},
                  {"--seed", "S", "seed of the sample and of k-means; default 0", to_seed(wanted.seed)},
                  {"--threads", "N", "cores used, 1 to 1024; default: all this process may use", to_int(wanted.threads, 1, 1024)},
                  {"--orientation", "HOW", "apply or ignore the EXIF orientation; default apply",
                   to_choice(args->orientation, {"apply", "ignore"})}};
  console.add_options(verb.options);
  verb.run = [args, &console] { return run_fit_vlad(*args, console); };
  return verb;
}

}  // namespace revisit::cli
