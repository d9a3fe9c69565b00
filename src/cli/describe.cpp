// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// `revisit describe`: its options and its run. Rows keep the order of the arguments.
#include "cli/describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/binding.h"
#include "cli/budget.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/photo_run.h"
#include "cli/progress.h"
#include "cli/verbs.h"
#include "core/base/fail.h"
#include "core/base/or_skip.h"
#include "core/base/prefetch.h"
#include "core/base/stop.h"
#include "core/base/stop_scope.h"

namespace revisit::cli {
namespace {

std::vector<Option> describe_options(DescribeArgs& args, Console& console) {
  std::vector<Option> options;
  options.push_back({"-o,--output", "FILE.npy", "write the descriptors as float32 (n, D), one row per input, unit length",
                     to_text(args.output)});
  add_model_option(options, args.model);
  add_spec_options(options, args.model);
  add_budget_option(options, args.model);
  options.push_back({"--accept-truncated", "", "use what is left of a truncated photo, with gray for the rest",
                     to_switch(args.accept_truncated)});
  options.push_back({"--skip-bad", "", "describe the rest when an input cannot be read (exit 4); row names go to FILE.names.txt",
                     to_switch(args.skip_bad)});
  options.push_back({"--pictures", "DIR", "draw what the model looks at: heat map, mass, kept tokens, clusters (NAME.*.png)",
                     to_text(args.pictures)});
  options.push_back(
      {"--dump", "DIR", "for a single input, also write the intermediate tensors as .npy files", to_text(args.dump)});
  console.add_options(options);
  return options;
}

double forward_ms(const StageTimes& times) { return times.blocks_ms + times.prune_ms + times.aggregate_ms; }

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

class Run {
 public:
  Run(const DescribeArgs& args, Console& console, Extractor& extractor) : args_(args), console_(console), extractor_(extractor) {
    out_.dim = static_cast<std::size_t>(extractor.descriptor_dim());
    out_.spec = extractor.spec();
  }

  Described over(InputList list) {
    out_.skipped = std::move(list.unreadable);
    out_.rows_are_arguments = !list.has_folder;
    const std::size_t total = list.paths.size();
    DecodeOptions decode = decoding_of(out_.spec);
    decode.accept_truncated = args_.accept_truncated;
    Progress progress("describing", total, console_.quiet);
    const StopScope scope([] { return stop_signal() != 0; }, "stopped while reading an input; nothing was written");
    Prefetch<LoadedInput> inputs(total, [&](std::size_t i) { return load_input(list.paths[i], decode); });
    for (std::size_t done = 0; auto input = inputs.next();) {
      use(*input);
      progress.update(++done, out_.skipped.size());
      if (const int signal = stop_signal(); signal != 0 && done < total) {
        throw Interrupted(signal, fmt::format("stopped after {} of {} inputs; nothing was written", done, total));
      }
    }
    return std::move(out_);
  }

 private:
  // Without --skip-bad one bad input fails the run; the others are then only decoded, so that every bad one is named.
  bool spoiled() const { return !out_.skipped.empty() && !args_.skip_bad; }

  void use(const LoadedInput& input) {
    if (const auto* bad = std::get_if<Skipped>(&input.content)) {
      out_.skipped.push_back(*bad);
      return;
    }
    if (spoiled()) return;
    const auto rows_before = out_.rows.size();
    const auto name = input.path.string();
    if (input.animated) out_.notes.push_back(fmt::format("'{}' holds an animation; only its still picture is used", name));
    try {
      if (const auto* image = std::get_if<Image>(&input.content)) {
        add(name, [&](Trace* trace) { return extractor_.describe(*image, trace); });
        out_.photos.push_back(input.path);
      } else {
        use_stack(name, std::get<TensorStack>(input.content));
      }
    } catch (const Error& error) {
      if (!is_input_fault(error.code()))
        throw Error(error.code(), fmt::format("{} (input '{}')", error.what(), name), error.hint());
      out_.rows.resize(rows_before);
      out_.names.resize(rows_before / out_.dim);
      out_.ms.resize(out_.names.size());
      out_.forward_ms.resize(out_.names.size());
      out_.skipped.push_back({name, error.code(), error.what()});
    }
  }

  void use_stack(const std::string& name, const TensorStack& stack) {
    if (stack.count > 1) {
      out_.rows_are_arguments = false;
      if (!args_.dump.empty())
        fail(ErrorCode::kUsage, "--dump takes a single input, but '{}' holds {} pictures", name, stack.count);
    }
    const std::size_t stride = stack.values.size() / stack.count;
    for (std::size_t i = 0; i < stack.count; ++i) {
      const auto pixels = std::span(stack.values).subspan(i * stride, stride);
      add(stack.count == 1 ? name : fmt::format("{}#{}", name, i),
          [&](Trace* trace) { return extractor_.describe_tensor(pixels, stack.size, trace); });
    }
  }

  template <typename Describe>
  void add(std::string name, Describe describe) {
    Trace* trace = args_.dump.empty() ? nullptr : &out_.trace.emplace();
    const auto row = describe(trace);
    out_.rows.insert(out_.rows.end(), row.begin(), row.end());
    out_.names.push_back(std::move(name));
    const StageTimes times = extractor_.last_times();
    out_.forward_ms.push_back(forward_ms(times));
    out_.ms.push_back(times.preprocess_ms + out_.forward_ms.back());
  }

  const DescribeArgs& args_;
  Console& console_;
  Extractor& extractor_;
  Described out_;
};

constexpr const char* kInputHint = "inputs are JPEG, PNG and WebP photos, folders of them, and .npy float32 tensors";

// A single bad input is reported as the error; several are listed one per line before the error that counts them.
int refuse(const std::vector<Skipped>& bad, std::size_t inputs, Console& console) {
  if (bad.size() > 1) {
    for (const auto& one : bad) console.warn(fmt::format("bad input {}: {}", one.path, one.reason));
  }
  const auto code = bad.front().code;
  const auto sentence = bad.size() == 1 ? bad.front().reason
                                        : fmt::format("{} of {} inputs cannot be used and nothing was written; the first is '{}'",
                                                      bad.size(), inputs, bad.front().path);
  console.error(code, sentence, bad.size() < inputs ? "--skip-bad describes the rest" : kInputHint, bad);
  return exit_code_of(ErrorCode::kBadFile);
}

int run_describe(const DescribeArgs& args, Console& console) {
  auto list = expand_inputs(args.inputs);
  const std::size_t inputs = list.paths.size() + list.unreadable.size();
  if (!args.dump.empty() && inputs != 1) fail(ErrorCode::kUsage, "--dump takes a single input, but there are {}", inputs);
  check_output_folder(args.pictures);
  check_output_folder(args.dump);
  if (!args.output.empty()) {
    check_output_file(args.output);
    refuse_to_overwrite(args.output, list);
  }
  if (list.others.count() > 0) console.talk("notice: " + list.others.text());

  const Model model = open_model(args.model.model, console);
  auto [extractor, choice] = open_extractor(model, args.model.spec, args.model, console);
  finish_work_on_signal();  // until here there is nothing to lose: a signal ends the program at once
  const Described described = Run(args, console, extractor).over(std::move(list));
  mention_left_out(described.notes, console);
  check_pace(args.model, choice, median_of(described.forward_ms), described.forward_ms.size(), console);

  if (!described.skipped.empty()) {
    if (!args.skip_bad || described.names.empty()) return refuse(described.skipped, inputs, console);
    for (const auto& one : described.skipped) console.warn(fmt::format("skipped {}: {}", one.path, one.reason));
  }
  if (described.trace) write_trace(args.dump, *described.trace);
  if (!args.output.empty()) write_descriptors(args, described);
  if (!args.pictures.empty()) write_token_pictures(args, described, extractor, console);
  print_described(args, described, console);
  return described.skipped.empty() ? 0 : 4;
}

}  // namespace

Verb make_describe(Console& console) {
  const auto args = std::make_shared<DescribeArgs>();
  Verb verb;
  verb.name = "describe";
  verb.about =
      "turns photos into descriptors, vectors of unit length whose cosine says how alike two places look. "
      "Without -o or --json it prints a table.";
  verb.examples = {"revisit describe first.jpg second.jpg", "revisit describe photos/ -o photos.npy --skip-bad",
                   "revisit describe photo.jpg --model dinov2.safetensors --aggregate gem --rho 0.5 --json"};
  verb.positional = {"INPUT...", "photos (JPEG, PNG, WebP), folders of photos, or .npy float32 tensors (3,H,W) or (n,3,H,W)", 1,
                     1U << 20U, &args->inputs};
  verb.options = describe_options(*args, console);
  verb.run = [args, &console] { return run_describe(*args, console); };
  return verb;
}

}  // namespace revisit::cli
