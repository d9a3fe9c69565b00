// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// `revisit train`: checks a configuration and hands over to revisit-train, the only program that needs LibTorch.
#include "revisit/lab/train.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "cli/binding.h"
#include "cli/verbs.h"
#include "cli/words.h"
#include "core/base/fail.h"
#include "core/base/stop.h"
#include "revisit/lab/bench.h"

namespace revisit::cli {
namespace {

namespace fs = std::filesystem;

struct TrainArgs {
  std::vector<std::string> config;
  std::string out;
  std::string preset;
  bool resume = false;
  bool ablation = false;
  int seeds = 3;
  std::string groups;
  TrainOverrides overrides;
};

struct NamedPath {
  std::string key;
  fs::path path;
};

// Everything the configuration reads from disk.
std::vector<NamedPath> inputs_of(const TrainConfig& config) {
  std::vector<NamedPath> paths{{"[model] backbone", config.model.backbone},
                               {"[validation] queries", config.validation.queries},
                               {"[validation] references", config.validation.references},
                               {"[validation] gt", config.validation.gt},
                               {"[validation] root", config.validation.root}};
  for (const auto& teacher : config.distill.teachers) paths.push_back({"[[distill.teacher]] model", teacher.model});
  for (const auto& photos : config.distill.photos) paths.push_back({"[distill] photos", photos});
  for (const auto& set : config.ablation) {
    const auto title = fmt::format("[[ablation]] '{}' ", set.name);
    for (const auto& [key, path] :
         {NamedPath{"root", set.root}, {"queries", set.queries}, {"references", set.references}, {"gt", set.gt}})
      paths.push_back({title + key, path});
  }
  int number = 0;
  for (const auto& source : config.data.sources) {
    const auto title = fmt::format("[[data.source]] {}", ++number);
    paths.push_back({title + " path", source.path});
    if (source.kind == TrainSource::Kind::kPairs) {
      paths.push_back({title + " queries", source.path / source.queries});
      paths.push_back({title + " references", source.path / source.references});
      paths.push_back({title + " gt", source.path / source.gt});
    }
  }
  return paths;
}

void require_inputs(const TrainConfig& config, const std::string& file) {
  for (const auto& [key, path] : inputs_of(config)) {
    std::error_code error;
    if (path.empty() || fs::exists(path, error)) continue;
    fail_with_hint(ErrorCode::kNotFound, "relative paths are taken from the configuration's folder",
                   "{}: {} does not exist: '{}'", file, key, path.string());
  }
}

// Beside the program, both in the build folder and installed.
fs::path find_trainer() {
  std::error_code error;
  const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const auto* beside : {REVISIT_LIBEXEC, "../libexec/revisit"}) {
    auto program = (folder / beside / "revisit-train").lexically_normal();
    if (::access(program.c_str(), X_OK) == 0) return program;
  }
  fail_with_hint(ErrorCode::kIo, "on Debian: scripts/install-deps.sh train, then build and install revisit again",
                 "this revisit was built without LibTorch (packages libtorch-dev and libopenblas0-openmp): '{}' does not exist",
                 (folder / REVISIT_LIBEXEC / "revisit-train").lexically_normal().string());
}

// LibTorch takes the first BLAS it finds: the one that shares its threads has to come before Debian's choice.
void prefer_openmp_blas(Console& console) {
  if (::access(REVISIT_OPENBLAS_FOLDER "/libblas.so.3", R_OK) != 0) {
    console.warn("notice: the package libopenblas0-openmp is not installed; training may be many times slower without it");
    return;
  }
  const char* before = std::getenv("LD_LIBRARY_PATH");
  const bool any = before != nullptr && *before != '\0';
  ::setenv("LD_LIBRARY_PATH", any ? fmt::format("{}:{}", REVISIT_OPENBLAS_FOLDER, before).c_str() : REVISIT_OPENBLAS_FOLDER, 1);
}

// OpenBLAS identifies processors by model number and gives newer ones its kernels of 2004, ten times slower. The
// instruction set is a better guide; the kernels for newer processors gain nothing in single precision.
void name_the_processor() {
#if defined(__x86_64__)
  constexpr int kUnlessSet = 0;
  __builtin_cpu_init();
  const bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") &&
                    __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                    __builtin_cpu_supports("avx512vl");
  if (wide) {
    ::setenv("OPENBLAS_CORETYPE", "SkylakeX", kUnlessSet);
  } else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    ::setenv("OPENBLAS_CORETYPE", "Haswell", kUnlessSet);
  }
#endif
}

// Has to be in the environment: the thread pools are made before main() runs. Threads that wait must sleep, not spin: the ones
// that read pictures need the same cores (2.6 times as fast on a busy machine). But not at once: products follow each other
// closely, and a step of a distillation took 1.3 s when every wait slept, 1.1 s with so short a spin first.
void set_up_threads(int threads) {
  constexpr int kUnlessSet = 0, kAlways = 1;
  ::setenv("OMP_NUM_THREADS", std::to_string(threads > 0 ? threads : system_info().cores).c_str(),
           threads > 0 ? kAlways : kUnlessSet);
  ::setenv("OMP_WAIT_POLICY", "passive", kUnlessSet);
  ::setenv("GOMP_SPINCOUNT", "20000", kUnlessSet);
}

// A name that starts with a dash would be taken for an option.
std::string as_file_name(const std::string& name) { return name.starts_with('-') ? "./" + name : name; }

std::vector<std::string> trainer_arguments(const TrainArgs& args, const fs::path& out) {
  std::vector<std::string> words{as_file_name(args.config.front()), "--out", as_file_name(out.string())};
  const auto add = [&](const char* flag, const std::string& value) {
    words.emplace_back(flag);
    words.push_back(value);
  };
  if (args.resume) words.emplace_back("--resume");
  if (args.ablation) {
    words.emplace_back("--ablation");
    add("--seeds", std::to_string(args.seeds));
    if (!args.groups.empty()) add("--only", args.groups);
  }
  const auto& overrides = args.overrides;
  if (overrides.device) add("--device", *overrides.device);
  if (overrides.precision) add("--precision", *overrides.precision);
  if (overrides.threads) add("--threads", std::to_string(*overrides.threads));
  if (overrides.steps) add("--steps", std::to_string(*overrides.steps));
  if (overrides.seed) add("--seed", std::to_string(*overrides.seed));
  return words;
}

Option precision_option(TrainOverrides& overrides) {
  return {"--precision", "P", "f32, bf16 (cuda, or a cpu with AVX-512 BF16 or AMX) or fp16 (cuda); default: the configuration's",
          to_choice(overrides.precision, {"f32", "bf16", "fp16"})};
}

[[noreturn]] void become(const fs::path& program, const std::vector<std::string>& words) {
  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  for (const auto& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  give_signals_back();
  ::execv(program.c_str(), argv.data());
  fail(ErrorCode::kIo, "cannot start '{}': {}", program.string(), std::strerror(errno));
}

int run_train(const TrainArgs& args, Console& console) {
  if (!args.preset.empty()) {
    if (!args.config.empty()) {
      fail_with_hint(ErrorCode::kUsage, "revisit train --print-config weiad-tiny > tiny.toml",
                     "--print-config takes the name of a preset and no file, but '{}' was given too", args.config.front());
    }
    console.data(train_preset(args.preset));
    return 0;
  }
  if (args.config.empty()) {
    fail_with_hint(ErrorCode::kUsage, "revisit train --print-config weiad-tiny > tiny.toml makes one", "'{}' needs CONFIG.toml",
                   args.ablation ? "ablate" : "train");
  }
  const auto& file = args.config.front();
  const auto config = load_train_config(file, args.overrides);
  require_inputs(config, file);
  const fs::path out =
      args.out.empty() ? fs::path("runs") / (config.name + (args.ablation ? "-ablation" : "")) : fs::path(args.out);
  std::error_code error;
  if (fs::exists(out, error) && !fs::is_directory(out, error)) {
    fail_with_hint(ErrorCode::kUsage, "--out names a folder", "'{}' is a file, but training writes into a folder", out.string());
  }
  const auto trainer = find_trainer();
  prefer_openmp_blas(console);
  name_the_processor();
  set_up_threads(config.threads);
  become(trainer, trainer_arguments(args, out));
}

}  // namespace

Verb make_train(Console& console) {
  const auto args = std::make_shared<TrainArgs>();
  auto& overrides = args->overrides;
  Verb verb;
  verb.name = "train";
  verb.about = fmt::format(
      "trains a model on photos of places, as a TOML file describes; --print-config writes a file to start from, with every key "
      "explained: {}. Exits with 1 if revisit was built without LibTorch.",
      fmt::join(train_presets(), ", "));
  verb.examples = {"revisit train --print-config weiad-tiny > tiny.toml", "revisit train tiny.toml --resume --steps 2000",
                   "revisit train tiny.toml --out runs/second --seed 2"};
  verb.positional = {"CONFIG.toml", "the model, the photos and the settings; relative paths in it are taken from its folder", 0,
                     1, &args->config};
  verb.options = {
      {"--out", "DIR", "where checkpoints, log and model go; default: runs/NAME, with the configuration's name",
       to_text(args->out)},
      {"--resume", "", "continue from the last checkpoint in DIR", to_switch(args->resume)},
      {"--device", "D", "cpu or cuda; default: the configuration's", to_choice(overrides.device, {"cpu", "cuda"})},
      precision_option(overrides),
      {"--threads", "N", "cores used, 1 to 1024; default: the configuration's", to_int(overrides.threads, 1, 1024)},
      {"--steps", "N", "total steps, 1 to 100000000; default: the configuration's", to_int(overrides.steps, 1, 100'000'000)},
      {"--seed", "S", "seed of the run; default: the configuration's", to_seed(overrides.seed)},
      {"--print-config", "PRESET", "write a preset to standard output and do nothing else", to_text(args->preset)}};
  verb.run = [args, &console] { return run_train(*args, console); };
  return verb;
}

Verb make_ablate(Console& console) {
  const auto args = std::make_shared<TrainArgs>();
  args->ablation = true;
  auto& overrides = args->overrides;
  Verb verb;
  verb.name = "ablate";
  verb.about =
      "measures what each part of WeiAD and WeiToP is worth on your data: trains a configuration as it is and with one change at "
      "a time, and writes a table of recalls. Finished rows are kept, so it can be stopped and started again. Exits with 1 if "
      "revisit was built without LibTorch.";
  verb.examples = {"revisit ablate tiny.toml", "revisit ablate tiny.toml --seeds 5 --out runs/five",
                   "revisit ablate tiny.toml --only parts,kappa"};
  verb.positional = {"CONFIG.toml", "the full model, as for `revisit train`", 0, 1, &args->config};
  verb.options = {
      {"--out", "DIR", "where the rows and the table go; default: runs/NAME-ablation, with the configuration's name",
       to_text(args->out)},
      {"--seeds", "N", "runs per row, 1 to 100; default: 3", to_int(args->seeds, 1, 100)},
      {"--only", "GROUPS",
       "groups, separated by commas: parts, tiers, delta, gamma, layer, kappa, cluster; default: all. The last two need no "
       "training",
       to_text(args->groups)},
      {"--device", "D", "cpu or cuda; default: the configuration's", to_choice(overrides.device, {"cpu", "cuda"})},
      precision_option(overrides),
      {"--threads", "N", "cores used, 1 to 1024; default: the configuration's", to_int(overrides.threads, 1, 1024)},
      {"--steps", "N", "steps per row, 1 to 100000000; default: the configuration's", to_int(overrides.steps, 1, 100'000'000)}};
  verb.run = [args, &console] { return run_train(*args, console); };
  return verb;
}

}  // namespace revisit::cli
