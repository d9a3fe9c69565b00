// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The loop. What is logged and saved depends on the configuration and the steps done, never on when a run was
// interrupted; only times differ.
#include "training/train/trainer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <system_error>

#include "core/base/fail.h"
#include "core/base/file.h"
#include "core/tensor/parallel.h"
#include "engine/model/model_file.h"
#include "engine/model/provenance.h"
#include "training/feed/batches.h"
#include "training/train/checkpoint.h"
#include "training/train/clock.h"
#include "training/train/curve.h"
#include "training/train/files.h"
#include "training/train/initial_model.h"
#include "training/train/learner.h"
#include "training/train/run_log.h"
#include "training/train/trained_pruner.h"
#include "training/train/vocabulary_start.h"

namespace revisit::train {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kNamesInASentence = 8;

/// Left by a run that was killed while writing; the lock guarantees that nobody is writing now.
void remove_unfinished_files(const fs::path& folder) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    const bool ours = name.starts_with("checkpoint.") || name.starts_with("model.safetensors.") ||
                      name.starts_with("last.safetensors.") || name.starts_with("curve.svg.");
    if (ours && (name.ends_with(".tmp") || name == "checkpoint.new.safetensors")) fs::remove(entry.path(), error);
  }
}

/// Does not write into a folder that holds another model.
void refuse_to_overwrite(const fs::path& folder) {
  for (const auto* name : {"model.safetensors", "last.safetensors", "curve.svg"}) {
    if (!fs::exists(folder / name)) continue;
    fail_with_hint(ErrorCode::kUsage, "choose a new folder as `out`", "'{}' already exists, but '{}' holds no training run",
                   (folder / name).string(), folder.string());
  }
}

/// The model that teaches [loss] context, read again for a resumed run, whose model has changed.
std::optional<model::LoadedModel> context_teacher(const TrainConfig& config, ProgressLine& progress) {
  if (config.loss.context == 0) return std::nullopt;
  const TrainConfig first = beginning_of(config);
  progress.begin("reading the model that teaches [loss] context");
  return initial_model(first.model, first.data.size, first.seed);
}

/// Where the run starts: at the beginning, or at the newest checkpoint. `settings` are the current ones.
TrainingState begin(const TrainRun& run, const Settings& settings, RunLog& log, ProgressLine& progress) {
  TrainingState state;
  if (!run.resume) {
    if (has_checkpoint(run.out)) {
      fail_with_hint(ErrorCode::kUsage, "`resume` continues it, another `out` starts a new one",
                     "'{}' already holds a training run", run.out.string());
    }
    if (log.empty()) refuse_to_overwrite(run.out);
    log.cut(-1, -1);
  } else if (!has_checkpoint(run.out)) {
    if (log.empty()) {
      fail_with_hint(ErrorCode::kNotFound, "leave out `resume` to start one", "there is no training run in '{}' to resume",
                     run.out.string());
    }
    progress.say(fmt::format("notice: the run in '{}' has no checkpoint yet, so it starts at step 0", run.out.string()));
    log.cut(-1, -1);
  } else {
    progress.begin(fmt::format("reading the checkpoint in '{}'", run.out.string()));
    auto found = load_checkpoint(run.out);
    if (!found.notice.empty()) progress.say("notice: " + found.notice);
    state = std::move(found.state);
    check_same_settings(state.settings, settings, run.out.string());
    log.cut(state.step, state.validated_step);
    progress.say(fmt::format("continuing at step {} of {}", state.step, run.config.steps));
    return state;
  }
  state.settings = settings;
  const TrainConfig first = beginning_of(run.config);
  progress.begin(first.model.backbone.empty() ? "drawing random weights"
                                              : fmt::format("reading the backbone '{}'", first.model.backbone.string()));
  state.learner.model = initial_model(first.model, first.data.size, first.seed);
  check_rhos(run.config, state.learner.model.config);
  if (run.config.model.head_start == "vocabulary") {
    progress.say("the head starts with a vocabulary of the backbone's tokens");
    progress.begin("describing pictures for the vocabulary");
    const auto patches =
        sample_patches(state.learner.model, first, [&](std::int64_t done, std::int64_t total) { progress.count(done, total); });
    progress.begin(fmt::format("finding {} words among their patches", state.learner.model.config.head.clusters()));
    start_from_vocabulary(state.learner.model, patches, first.seed);
  }
  return state;
}

feed::Normalisation normalisation_of(const model::InputConfig& input) { return {input.mean, input.std}; }

feed::KnownTokens known_in(const FrozenStore* store) {
  if (store == nullptr) return {};
  return [store](std::int64_t picture, std::vector<std::uint16_t>& values) { return store->load(picture, values); };
}

class Trainer {
 public:
  Trainer(const TrainRun& run, TrainingState state, const model::LoadedModel* teacher, RunLog& log, ProgressLine& progress,
          int threads)
      : run_(run),
        config_(run.config),
        state_(std::move(state)),
        log_(log),
        progress_(progress),
        store_(config_.data.variants > 0 ? std::make_unique<FrozenStore>(config_, state_.learner.model, run.out) : nullptr),
        loader_(during("finding the places to train on").data, config_.augment,
                normalisation_of(state_.learner.model.config.input), config_.seed, state_.step, known_in(store_.get())),
        learner_(during("setting up the network"), state_.learner.model, store_.get(), teacher),
        validation_(during(config_.validation.on_town() ? "rendering the validation town" : "finding the validation photos"),
                    threads) {
    const std::string data = model::as_utf8(loader_.describe());
    if (!state_.data.empty()) {  // of a checkpoint
      if (state_.data != data) {
        fail_with_hint(ErrorCode::kMismatch, "continue with the data of that run, or start a new one with another `out`",
                       "the run in '{}' was trained on {}, but now there is {}", run_.out.string(), state_.data, data);
      }
      learner_.restore(state_.learner);
    }
    state_.data = data;
    origin_ = state_.learner.model.config.provenance;
    state_.learner = {};  // the learner has it now
    progress_.say(fmt::format("training on {}", data));
    progress_.say(fmt::format("validating on {}", validation_.describe()));
  }

  TrainOutcome run();

 private:
  bool validation_is_due() const {
    const int every = config_.validation.every_steps;
    const bool due = state_.step == 0 || state_.step >= config_.steps || (every > 0 && state_.step % every == 0);
    return due && state_.validated_step < state_.step;
  }
  bool stop_wanted() const { return run_.stop_signal && run_.stop_signal() != 0; }
  /// The configuration, for a member whose constructor is slow.
  const TrainConfig& during(const char* stage) {
    progress_.begin(stage);
    return config_;
  }

  bool validate();
  void learn();
  feed::Batch next_batch();
  void note_unreadable(const feed::Batch& batch);
  [[noreturn]] void refuse(const feed::Batch& batch, const StepResult& result) const;
  model::LoadedModel model_to_ship() const;
  void save();
  void write_curve() const { write_text(run_.out / "curve.svg", draw_curve(log_.history(), config_.name)); }
  TrainOutcome outcome(bool stopped) const;

  const TrainRun& run_;
  const TrainConfig& config_;
  TrainingState state_;
  RunLog& log_;
  ProgressLine& progress_;
  std::unique_ptr<FrozenStore> store_;  // null: every picture is augmented afresh
  feed::BatchLoader loader_;
  Learner learner_;
  Validation validation_;
  std::string origin_;                // provenance of the initial model
  std::set<std::string> unreadable_;  // named already
  std::int64_t saved_step_ = -1;
  Clock::time_point saved_at_ = Clock::now();
  double learning_s_ = 0;  // of this process
  std::int64_t learnt_steps_ = 0, learnt_images_ = 0;
};

TrainOutcome Trainer::run() {
  if (run_.work_can_be_lost) run_.work_can_be_lost();
  for (;;) {
    const bool validated = !validation_is_due() || validate();
    if (stop_wanted() || !validated) {
      if (saved_step_ != state_.step) save();
      return outcome(true);
    }
    if (state_.step >= config_.steps) break;
    learn();
    if (state_.step < config_.steps && seconds_since(saved_at_) >= 60 * config_.checkpoint_minutes) save();
  }
  model::save_model_file(run_.out / "last.safetensors", model_to_ship());
  save();  // last: a run with this checkpoint has everything else
  return outcome(false);
}

/// False when a signal ended it; the resumed run repeats it.
bool Trainer::validate() {
  const auto start = Clock::now();
  const auto model = model_to_ship();
  progress_.begin(fmt::format("validating at step {}: describing pictures", state_.step));
  const auto recalls = validation_.measure(model, [this, seen = std::int64_t{0}]() mutable {
    progress_.count(seen++, validation_.pictures());
    return stop_wanted();
  });
  if (!recalls) return false;
  if (state_.step == 0 && !validation_.notice().empty()) progress_.say("notice: " + validation_.notice());
  progress_.say(
      fmt::format("validation at step {}{}: {}", state_.step, state_.step == 0 ? " (untrained)" : "", to_words(*recalls)));
  log_.add(state_.step, *recalls, seconds_since(start));
  state_.validated_step = state_.step;
  if (state_.step == 0) {
    state_.untrained = *recalls;
  } else if (state_.best_step < 0 || config_.validation.keep == "last" || at_least_as_good(*recalls, state_.best)) {
    state_.best_step = state_.step;
    state_.best = *recalls;
    model::save_model_file(run_.out / "model.safetensors", model);
  }
  write_curve();
  return true;
}

/// A place without readable pictures ends the run; the progress is kept.
feed::Batch Trainer::next_batch() {
  try {
    return loader_.next();
  } catch (const Error& error) {
    if (saved_step_ != state_.step) save();
    throw Error(error.code(), fmt::format("{}; the run is saved at step {}", error.what(), state_.step), error.hint());
  }
}

void Trainer::learn() {
  const auto start = Clock::now();
  if (learnt_steps_ == 0) progress_.begin("making the first batch");
  const feed::Batch batch = next_batch();
  if (learnt_steps_ == 0) progress_.begin(fmt::format("training on the first batch of {} pictures", batch.images));
  const StepResult result = learner_.learn(batch, [&](std::int64_t done, std::int64_t total) {
    if (done == 0) progress_.begin("computing tokens of the frozen blocks: pictures");
    progress_.count(done, total);
  });
  if (!result.finite) refuse(batch, result);
  ++state_.step;
  note_unreadable(batch);

  const double seconds = seconds_since(start);
  learning_s_ += seconds;
  ++learnt_steps_;
  learnt_images_ += batch.images;
  StepSurroundings surroundings;
  surroundings.images_per_s = batch.images / std::max(seconds, 1e-9);
  surroundings.waiting = std::min(1.0, loader_.seconds_waited() / std::max(learning_s_, 1e-9));
  surroundings.unreadable = state_.unreadable;
  surroundings.unreadable_now = batch.unreadable;
  log_.add(state_.step, result, surroundings);
  progress_.update({state_.step, config_.steps, static_cast<double>(learnt_images_) / learning_s_,
                    static_cast<double>(config_.steps - state_.step) * learning_s_ / static_cast<double>(learnt_steps_),
                    result.loss, surroundings.waiting, state_.unreadable});
}

void Trainer::note_unreadable(const feed::Batch& batch) {
  constexpr std::size_t kNamed = 10;
  state_.unreadable += static_cast<std::int64_t>(batch.unreadable.size());
  for (const auto& name : batch.unreadable) {
    if (unreadable_.size() > kNamed || !unreadable_.insert(name).second) continue;
    progress_.say(unreadable_.size() <= kNamed
                      ? fmt::format("unreadable: {}; replaced by another picture of its place", name)
                      : fmt::format("further unreadable pictures are listed in '{}'", (run_.out / "log.jsonl").string()));
  }
}

/// Names the batch, so that its pictures can be inspected; it has touched neither the weights nor the checkpoint.
void Trainer::refuse(const feed::Batch& batch, const StepResult& result) const {
  const fs::path list = run_.out / "nonfinite.txt";
  write_text(list, fmt::format("{}\n", fmt::join(batch.names, "\n")));
  const std::size_t shown = std::min(kNamesInASentence, batch.names.size());
  const std::vector<std::string> names(batch.names.begin(), batch.names.begin() + static_cast<std::ptrdiff_t>(shown));
  const std::string more = shown < batch.names.size() ? fmt::format(" and {} more", batch.names.size() - shown) : "";
  const bool loss = !std::isfinite(result.loss);
  const std::string saved = has_checkpoint(run_.out) ? "the checkpoint is untouched" : "there was no checkpoint yet";
  fail_with_hint(ErrorCode::kBadModel, "a lower optimiser.lr, more warmup_steps or a clip_norm may help",
                 "the {} is {} at step {}, on the pictures {}{} (all in '{}'); {}", loss ? "loss" : "length of the gradient",
                 loss ? result.loss : result.gradient_norm, batch.step, fmt::join(names, ", "), more, list.string(), saved);
}

model::LoadedModel Trainer::model_to_ship() const {
  model::LoadedModel model = learner_.model();
  model.config.input.size = config_.infer_size();
  const bool only = config_.model.weitop_only;
  model.config.provenance = model::history(
      origin_, fmt::format("{} by revisit, config {}, seed {}, {} steps of {} x {} pictures, on {}",
                           only ? "WeiToP trained on" : "trained" + pruner_words(config_.model), config_.name, config_.seed,
                           state_.step, config_.data.places_per_batch, config_.data.images_per_place, state_.data));
  return model;
}

void Trainer::save() {
  state_.learner = learner_.state();
  state_.learner.model.config.provenance = origin_;
  save_checkpoint(run_.out, state_);
  state_.learner = {};
  saved_step_ = state_.step;
  saved_at_ = Clock::now();
  write_curve();
}

TrainOutcome Trainer::outcome(bool stopped) const {
  TrainOutcome out;
  out.stopped = stopped;
  out.step = state_.step;
  out.best_step = state_.best_step;
  out.best = state_.best;
  out.untrained = state_.untrained;
  out.unreadable = state_.unreadable;
  out.model = run_.out / "model.safetensors";
  return out;
}

}  // namespace

void check_places(const TrainConfig& config) {
  const feed::BatchLoader loader(config.data, config.augment, normalisation_of({}), config.seed, 0);
  if (!config.validation.on_town()) const Validation validation(config, 1);
}

TrainOutcome train(const TrainRun& run, ProgressLine& progress) {
  progress.begin(fmt::format("training '{}', {} steps, into '{}'", run.config.name, run.config.steps, run.out.string()));
  const int threads = use_threads(run.config.threads);
  // Gradients of well-fitted pairs are denormal sooner or later, and those are slow. Our engine does the same, so that
  // a validation in between changes nothing.
  const tensor::FlushDenormals flush;
  make_folder(run.out);
  RunLog log(run.out / "log.jsonl");
  remove_unfinished_files(run.out);
  auto teacher = context_teacher(run.config, progress);
  Settings settings = settings_of(run.config);
  if (teacher) settings.emplace_back("loss.context.teacher", model::identity_of(teacher->config));
  TrainingState state = begin(run, settings, log, progress);
  Trainer trainer(run, std::move(state), teacher ? &*teacher : nullptr, log, progress, threads);
  teacher.reset();  // the learner has it now
  return trainer.run();
}

}  // namespace revisit::train
