// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// revisit-train CONFIG --out DIR [--resume] [--device D] [--precision P] [--threads N] [--steps N] [--seed S]: what `revisit
// train` starts; with --ablation [--seeds N] [--only GROUPS] what `revisit ablate` starts.
#include <fmt/format.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <new>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "core/base/fail.h"
#include "core/base/shell_words.h"
#include "core/base/stop.h"
#include "core/formats/text.h"
#include "revisit/lab/train.h"
#include "training/train/ablation.h"
#include "training/train/checkpoint.h"
#include "training/train/distiller.h"
#include "training/train/trainer.h"

namespace {

using namespace revisit;

constexpr const char* kUsage =
    "usage: revisit-train CONFIG.toml --out DIR [--resume] [--device cpu|cuda] [--precision P] [--threads N] [--steps N]\n"
    "                     [--seed S] [--ablation [--seeds N] [--only GROUPS]]\n"
    "`revisit train` and `revisit ablate` start it; their --help explains the options.\n";

// Flags of `revisit train` and `revisit ablate` that library messages may name as fields.
const std::vector<std::string> kFlags{"--out",   "--resume", "--device", "--precision", "--threads",
                                      "--steps", "--seed",   "--seeds",  "--only"};

struct Arguments {
  std::string config, out;
  bool resume = false;
  bool ablation = false;
  int seeds = 3;
  std::vector<std::string> groups;
  TrainOverrides overrides;
};

std::vector<std::string> split(const std::string& words) {
  std::vector<std::string> out;
  std::istringstream in(words);
  for (std::string word; std::getline(in, word, ',');) out.push_back(word);
  return out;
}

template <typename T>
T number(const std::string& flag, const std::string& word, T least) {
  T value{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size() || value < least) {
    fail(ErrorCode::kUsage, "{} is '{}', but must be a whole number of at least {}", flag, word, least);
  }
  return value;
}

Arguments parse(const std::vector<std::string>& words) {
  Arguments out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const auto value = [&]() -> const std::string& {
      if (i + 1 == words.size()) fail(ErrorCode::kUsage, "{} needs a value", word);
      return words[++i];
    };
    if (word == "--resume") {
      out.resume = true;
    } else if (word == "--ablation") {
      out.ablation = true;
    } else if (word == "--seeds") {
      out.seeds = number<int>(word, value(), 1);
    } else if (word == "--only") {
      out.groups = split(value());
    } else if (word == "--out") {
      out.out = value();
    } else if (word == "--device") {
      out.overrides.device = value();
    } else if (word == "--precision") {
      out.overrides.precision = value();
    } else if (word == "--threads") {
      out.overrides.threads = number<int>(word, value(), 0);
    } else if (word == "--steps") {
      out.overrides.steps = number<int>(word, value(), 1);
    } else if (word == "--seed") {
      out.overrides.seed = number<std::uint64_t>(word, value(), 0);
    } else if (word.starts_with("-") || !out.config.empty()) {
      fail_with_hint(ErrorCode::kUsage, "revisit train --help", "unknown argument '{}'", word);
    } else {
      out.config = word;
    }
  }
  if (out.config.empty() || out.out.empty())
    fail_with_hint(ErrorCode::kUsage, "revisit train --help", "CONFIG.toml and --out DIR are needed");
  return out;
}

std::string resume_command(const std::vector<std::string>& words) {
  const bool ablation = std::ranges::find(words, "--ablation") != words.end();
  std::string out = ablation ? "revisit ablate" : "revisit train";
  for (const auto& word : words) {
    if (word != "--resume" && word != "--ablation") out += " " + shell_quoted(word);
  }
  return ablation ? out : out + " --resume";
}

void say_error(const std::string& sentence, const std::string& hint) {
  std::string text = fmt::format("revisit: error: {}\n", sentence);
  if (!hint.empty()) text += fmt::format("hint: {}\n", hint);
  [[maybe_unused]] const auto put = ::write(STDERR_FILENO, text.data(), text.size());
}

constexpr int kSomeInputUnusable = 4;

void put(const std::string& text) {
  if (std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0) fail(ErrorCode::kIo, "cannot write to standard output");
}

int print(const train::TrainOutcome& outcome) {
  std::string text =
      fmt::format("trained {}\nuntrained   {}\nbest        {} (step {})\nmodel       {}\n", counted(outcome.step, "step"),
                  train::to_words(outcome.untrained), train::to_words(outcome.best), outcome.best_step, outcome.model.string());
  if (outcome.unreadable > 0)
    text += fmt::format("unreadable  {}, replaced by others of the same place\n", counted(outcome.unreadable, "picture"));
  put(text);
  return outcome.unreadable > 0 ? kSomeInputUnusable : 0;
}

int print(const train::AblationOutcome& outcome) {
  std::string text = fmt::format("{}\nstudy       {}\n", outcome.table, (outcome.folder / "ablation.md").string());
  if (outcome.unreadable > 0)
    text += fmt::format("unreadable  {}, replaced by others of the same place\n", counted(outcome.unreadable, "picture"));
  put(text);
  return outcome.unreadable > 0 ? kSomeInputUnusable : 0;
}

int print(const train::DistillOutcome& outcome) {
  std::string text = fmt::format("distilled   {}{}\nbackbone    {}\n", counted(outcome.step, "step"),
                                 outcome.cosine ? fmt::format(", cosine to the teacher {:.4f}", *outcome.cosine) : "",
                                 outcome.backbone.string());
  if (outcome.unreadable > 0) text += fmt::format("unreadable  {}, left out\n", counted(outcome.unreadable, "photo"));
  put(text);
  return outcome.unreadable > 0 ? kSomeInputUnusable : 0;
}

int stopped(std::int64_t done, std::int64_t of, const char* what, const train::TrainRun& job,
            const std::vector<std::string>& words) {
  say_error(fmt::format("stopped after {} of {} {}, all of them safe in '{}'; to continue: {}", done, of, what, job.out.string(),
                        resume_command(words)),
            "");
  return 128 + revisit::stop_signal();
}

int run(const std::vector<std::string>& words) {
  const Arguments arguments = parse(words);
  train::TrainRun job;
  job.config = load_train_config(arguments.config, arguments.overrides);
  job.out = arguments.out;
  job.resume = arguments.resume;
  job.stop_signal = revisit::stop_signal;
  job.work_can_be_lost = revisit::finish_work_on_signal;
  train::ProgressLine progress;
  if (arguments.ablation) {
    const train::AblationOutcome outcome = train::ablate({job, arguments.seeds, arguments.groups}, progress);
    progress.clear();
    return outcome.stopped ? stopped(outcome.rows_done, outcome.rows, "rows", job, words) : print(outcome);
  }
  if (!job.config.distill.teachers.empty()) {
    progress.begin("checking the places to train on after the distillation");
    if (job.config.steps > 0) train::check_places(job.config);  // fail now rather than hours later
    const train::DistillOutcome distilled = train::distill(job, progress);
    progress.clear();
    if (distilled.stopped) return stopped(distilled.step, job.config.distill.steps, "steps of the distillation", job, words);
    if (job.config.steps == 0) return print(distilled);
    job.config.model.backbone = distilled.backbone;
    job.resume = job.resume && train::has_checkpoint(job.out);  // perhaps only the first stage was started
  }
  const train::TrainOutcome outcome = train::train(job, progress);
  progress.clear();
  if (!outcome.stopped) return print(outcome);
  return stopped(outcome.step, job.config.steps, "steps", job, words);
}

/// Every step asks for the same large tensors again. By default their pages go back to the system in between and come back
/// zeroed, which took a fifteenth of a step's time.
void keep_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, -1);  // never
#endif
}

}  // namespace

int main(int argc, char** argv) {
  try {
    keep_freed_memory();
    revisit::install_signal_handlers();
    const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
    if (words.size() == 1 && (words[0] == "--help" || words[0] == "-h")) return std::fputs(kUsage, stdout) < 0 ? 1 : 0;
    return run(words);
  } catch (const Error& error) {
    say_error(with_flags(error.what(), kFlags), with_flags(error.hint(), kFlags));
    return exit_code_of(error.code());
  } catch (const std::bad_alloc&) {
    say_error("not enough memory", "use fewer data.places_per_batch or a smaller data.size");
    return exit_code_of(ErrorCode::kNoMemory);
  } catch (const std::exception& error) {
    const std::string text = error.what();
    say_error(fmt::format("unexpected failure: {}", text.substr(0, text.find('\n'))), "");
    return exit_code_of(ErrorCode::kInternal);
  }
}
