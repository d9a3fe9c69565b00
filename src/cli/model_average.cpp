// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// `revisit model average`: one model from several trainings.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "core/base/fail.h"
#include "core/base/stop.h"
#include "cli/binding.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "revisit/model.h"

namespace revisit::cli {
namespace {

constexpr double kAlike = 0.9;  // two models of random weights have about 0.7, trainings that started alike more than 0.99

struct AverageArgs {
  std::vector<std::string> files;
  std::string output;
};

int run_average(const AverageArgs& args, Console& console) {
  if (args.output.empty()) fail_with_hint(ErrorCode::kUsage, "-o MODEL.safetensors", "-o is missing: the file for the model");
  check_output_file(args.output);
  for (const auto& file : args.files) {
    std::error_code ignored;  // a missing output equals nothing
    if (std::filesystem::equivalent(file, args.output, ignored)) {
      fail(ErrorCode::kUsage, "'{}' cannot be both an input and the output", args.output);
    }
  }
  finish_work_on_signal();
  const AverageReport report =
      average_models({args.files.begin(), args.files.end()}, args.output, [] { return stop_signal() != 0; });
  auto list = nlohmann::ordered_json::array();
  std::string out;
  for (std::size_t i = 0; i < args.files.size(); ++i) {
    list.push_back({{"file", args.files[i]}, {"alike", report.alike[i]}});
    out += fmt::format("similarity {:.4f}  {}\n", report.alike[i], args.files[i]);
  }
  if (console.json) {
    console.data_json({{"schema", 1}, {"output", args.output}, {"fingerprint", report.info.fingerprint}, {"files", list}});
  } else {
    console.data(out + fmt::format("written       {}\n", args.output));
  }
  for (std::size_t i = 0; i < args.files.size(); ++i) {
    if (report.alike[i] >= kAlike) continue;
    console.warn(fmt::format(
        "'{}' has a similarity of only {:.2f} to the mean: averaging helps only models that started from the same weights",
        args.files[i], report.alike[i]));
  }
  if (const int signal = stop_signal(); signal != 0) throw Interrupted(signal, "stopped, but the mean had been written already");
  return 0;
}

}  // namespace

Verb make_model_average(Console& console) {
  const auto args = std::make_shared<AverageArgs>();
  Verb verb;
  verb.name = "model average";
  verb.about =
      "averages the weights of several model files, from trainings that started alike ([model] start_seed) and saw different "
      "pictures. A calibrated threshold is dropped.";
  verb.examples = {"revisit model average runs/a/last.safetensors runs/b/last.safetensors -o mean.safetensors",
                   "revisit model average seed-1.safetensors seed-2.safetensors seed-3.safetensors -o mean.safetensors",
                   "revisit model average before.safetensors after.safetensors -o between.safetensors --json"};
  verb.positional = {"FILE FILE...", "model files that differ in their weights alone, 2 to 100", 2, 100, &args->files};
  verb.options = {{"-o,--output", "OUT.safetensors", "the model file to write; required", to_text(args->output)}};
  console.add_options(verb.options);
  verb.run = [args, &console] { return run_average(*args, console); };
  return verb;
}

}  // namespace revisit::cli
