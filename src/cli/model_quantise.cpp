// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// `revisit model quantise`: a model in about a quarter of the space.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/binding.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "core/base/fail.h"
#include "core/base/stop.h"
#include "revisit/model.h"

namespace revisit::cli {
namespace {

struct QuantiseArgs {
  std::vector<std::string> files;
  std::string output;
  DescriptorSpec own;
};

int run_quantise(const QuantiseArgs& args, Console& console) {
  if (args.output.empty()) fail_with_hint(ErrorCode::kUsage, "-o MODEL.safetensors", "-o is missing: the file for the model");
  check_output_file(args.output);
  const std::filesystem::path from = args.files.front();
  std::error_code ignored;  // a missing output equals nothing
  if (std::filesystem::equivalent(from, args.output, ignored)) {
    fail(ErrorCode::kUsage, "'{}' cannot be both the input and the output", args.output);
  }
  QuantiseOptions options;
  options.precision = args.own.precision.value_or(options.precision);
  options.stop = [] { return stop_signal() != 0; };
  finish_work_on_signal();
  const QuantiseReport report = quantise_model(from, args.output, options);
  if (console.json) {
    console.data_json({{"schema", 1},
                       {"output", args.output},
                       {"matrices", report.matrices},
                       {"bytes", report.bytes},
                       {"source_bytes", report.source_bytes},
                       {"precision", options.precision},
                       {"identity", report.info.identity}});
  } else {
    console.data(
        fmt::format("matrices      {} in 8 bits\nsize          {:.1f} MB, was {:.1f} MB\nprecision     {}\nwritten       {}\n",
                    report.matrices, static_cast<double>(report.bytes) / 1e6, static_cast<double>(report.source_bytes) / 1e6,
                    options.precision, args.output));
  }
  if (const int signal = stop_signal(); signal != 0) throw Interrupted(signal, "stopped, but the model had been written already");
  return 0;
}

}  // namespace

Verb make_model_quantise(Console& console) {
  const auto args = std::make_shared<QuantiseArgs>();
  const Setting& precision = setting("precision");
  Verb verb;
  verb.name = "model quantise";
  verb.about =
      "stores the matrices of a model's blocks in 8 bits, about a quarter of the size. It stays the same model: an index made "
      "with the one can be asked with the other. In int8 its descriptors are those of the original.";
  verb.examples = {"revisit model quantise vitb14.safetensors -o vitb14-int8.safetensors",
                   "revisit model quantise salad.safetensors -o salad-int8.safetensors --precision auto",
                   "revisit model quantise vitb14.safetensors -o vitb14-int8.safetensors --json"};
  verb.positional = {"FILE", "a model file", 1, 1, &args->files};
  verb.options = {{"-o,--output", "OUT.safetensors", "the model file to write; required", to_text(args->output)},
                  {"--precision", precision.placeholder, "recorded as the model's own; " + precision.wanted + "; default: int8",
                   to_setting(args->own, precision)}};
  console.add_options(verb.options);
  verb.run = [args, &console] { return run_quantise(*args, console); };
  return verb;
}

}  // namespace revisit::cli
