// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The loop of the stage. A thread makes crops and changes their light while the student learns; the teacher sees each fresh
// crop once, in its own light, so the student learns to see at night what the teacher sees by day.
#include "training/train/distiller.h"

#include <fmt/ranges.h>

#include <limits>
#include <numeric>
#include <set>

#include "core/base/fail.h"
#include "core/base/file.h"
#include "core/base/prefetch.h"
#include "core/image/preprocess.h"
#include "engine/model/model_file.h"
#include "engine/model/provenance.h"
#include "training/feed/crops.h"
#include "training/feed/picture.h"
#include "training/train/checkpoint.h"
#include "training/train/clock.h"
#include "training/train/curve.h"
#include "training/train/files.h"
#include "training/train/initial_model.h"
#include "training/train/rotation.h"
#include "training/train/run_log.h"
#include "training/train/student.h"
#include "training/train/teacher.h"
#include "training/train/token_cache.h"

namespace revisit::train {
namespace {

namespace fs = std::filesystem;

constexpr int kHeldOut = 32;                              // crops for validation
constexpr std::int64_t kHeldOutFrom = 1'000'000'000'000;  // their ids, never used for training
constexpr int kJudgeEvery = 200;                          // steps

TrainAugment light_only(const TrainAugment& augment) {
  TrainAugment out;
  out.rand_augment = 0;  // its shifts would tear student's and teacher's patches apart
  out.light = augment.light;
  out.night = augment.night;
  return out;
}

/// The backbone of [model], random or that of an earlier run, without a head.
model::LoadedModel first_student(const TrainConfig& config) {
  TrainModel settings = config.model;
  settings.trained_blocks = 0;
  model::LoadedModel out = initial_model(settings, config.data.size, beginning_of(config).seed);
  out.config.head = {};
  out.config.own = {};
  out.config.weitop_hidden = out.config.predictors = 0;
  model::Weights backbone;
  for (const auto& [name, shape] : model::required_tensors(out.config)) {
    const auto& tensor = out.weights.at(name);
    backbone.add_f32(name, shape, model::to_f32(tensor));
  }
  out.weights = std::move(backbone);
  return out;
}

/// Everything that can change what the stage learns.
Settings distill_settings(const TrainConfig& config) {
  const TrainDistill& d = config.distill;
  const TrainModel& m = config.model;
  Settings out;
  const auto add = [&](const char* name, const auto& value) { out.emplace_back(name, model::as_utf8(fmt::format("{}", value))); };
  add("seed", config.seed);
  if (config.precision != "f32") add("precision", config.precision);
  add("model.arch", m.arch);
  if (m.start != TrainModel{}.start) add("model.start", m.start);
  if (!m.backbone.empty()) add("model.backbone", settled_path(m.backbone));
  add("model.width", m.width);
  add("model.depth", m.depth);
  add("model.heads", m.heads);
  add("model.patch", m.patch);
  add("data.size", fmt::format("{}x{}", config.data.size.height, config.data.size.width));
  add("augment.light", config.augment.light);
  add("augment.night", config.augment.night);
  for (const auto& teacher : d.teachers) {
    add("distill.teacher.model", settled_path(teacher.model));
    add("distill.teacher.block", teacher.block);
    add("distill.teacher.size", fmt::format("{}x{}", teacher.size.height, teacher.size.width));
  }
  for (const auto& folder : d.photos) add("distill.photos", settled_path(folder));
  add("distill.town_places", d.town_places);
  add("distill.town_share", d.town_share);
  add("distill.batch", d.batch);
  add("distill.renewed_share", d.renewed_share);
  add("distill.cached_crops", d.cached_crops);
  add("distill.seen_share", d.seen_share);
  add("distill.lr", d.lr);
  if (d.orthogonal) add("distill.orthogonal", d.orthogonal);
  add("distill.warmup_steps", d.warmup_steps);
  add("distill.weight_decay", d.weight_decay);
  return out;
}

/// What the prefetching thread delivers: everything but the tokens of fresh crops.
struct Prepared {
  CropRotation::Step ids;
  std::vector<feed::Crop> fresh;
  std::vector<CachedCrop> cached;  // empty if the cache lost it: the caller makes it again
  std::vector<float> pixels;       // of fresh, then cached; those of lost crops are filled in later
};

class Distiller {
 public:
  Distiller(const TrainRun& run, TrainingState state, RunLog& log, ProgressLine& progress)
      : run_(run),
        config_(run.config),
        folder_(run.out / "distill"),
        state_(std::move(state)),
        log_(log),
        progress_(progress),
        teachers_(during("reading the teachers").distill.teachers),
        crops_(during("looking for the photos to learn from").distill, crop_size(), config_.seed),
        rotation_(config_.distill.batch, config_.distill.renewed_share, config_.distill.cached_crops, config_.seed),
        student_(during("setting up the student"), state_.learner.model, teachers_.rows(), teachers_.widths()),
        input_(state_.learner.model.config.input) {
    check_grids();
    if (state_.step > 0) student_.restore(state_.learner);
    state_.learner = {};
    open_cache();
    progress_.say(fmt::format("distilling from {}", crops_.describe()));
  }

  DistillOutcome run();

 private:
  /// Large enough for the student and all teachers.
  Size crop_size() const {
    const Size a = teachers_.size(), b = config_.data.size;
    return {std::max(a.height, b.height), std::max(a.width, b.width)};
  }
  std::size_t image_floats() const {
    return 3 * static_cast<std::size_t>(config_.data.size.height) * static_cast<std::size_t>(config_.data.size.width);
  }
  std::size_t token_count() const {
    const auto& widths = teachers_.widths();
    return static_cast<std::size_t>(teachers_.rows()) * std::accumulate(widths.begin(), widths.end(), std::size_t{0});
  }

  /// The configuration, for a member whose constructor is slow.
  const TrainConfig& during(const char* stage) {
    progress_.begin(stage);
    return config_;
  }
  void check_grids() const;
  void open_cache();
  Prepared prepare(std::int64_t step) const;
  void to_pixels(const Image& crop, std::int64_t step, int slot, float* out) const;
  CachedCrop taught(const feed::Crop& crop, std::int64_t id);
  StudentBatch batch_of(Prepared prepared, std::int64_t step);
  StudentBatch held_out();
  void save();
  bool stop_wanted() const { return run_.stop_signal && run_.stop_signal() != 0; }

  const TrainRun& run_;
  const TrainConfig& config_;
  fs::path folder_;
  TrainingState state_;
  RunLog& log_;
  ProgressLine& progress_;
  Teachers teachers_;
  feed::CropSource crops_;
  CropRotation rotation_;
  Student student_;
  model::InputConfig input_;
  std::unique_ptr<TokenCache> cache_;
  std::set<std::string> unreadable_;
};

void Distiller::check_grids() const {
  const int patch = student_.model().config.vit().patch;
  const Size size = config_.data.size, grid = teachers_.grid();
  if (size.height != grid.height * patch || size.width != grid.width * patch) {
    fail_with_hint(
        ErrorCode::kUsage, fmt::format("data.size = \"{}x{}\"", grid.height * patch, grid.width * patch),
        "student and teacher must see the same {}x{} patches, but data.size {}x{} with patches of {} pixels gives others",
        grid.height, grid.width, size.height, size.width, patch);
  }
}

void Distiller::open_cache() {
  const auto& settings = config_.distill;
  const fs::path folder = settings.cache.empty() ? folder_ : settings.cache;
  make_folder(folder);
  std::uint64_t key = scatter(config_.seed);
  const Size size = crop_size();
  std::string words =
      fmt::format("{} {} {} {}x{}", teachers_.fingerprint(), crops_.describe(), settings.town_share, size.height, size.width);
  for (const auto& photos : settings.photos) words += " " + settled_path(photos);
  for (const char c : words) key = scatter(key ^ static_cast<std::uint64_t>(static_cast<unsigned char>(c)));
  // The key is in the name: runs that share a folder but not their crops stay separate.
  cache_ = std::make_unique<TokenCache>(folder / fmt::format("teacher-{:016x}.tokens", key), rotation_.capacity(),
                                        3 * static_cast<std::size_t>(size.height) * static_cast<std::size_t>(size.width),
                                        token_count(), key,
                                        "lower [distill] cached_crops, or give [distill] cache a folder with room");
}

void Distiller::to_pixels(const Image& crop, std::int64_t step, int slot, float* out) const {
  SplitMix random(
      scatter(scatter(scatter(config_.seed ^ 0x6c69ULL) ^ static_cast<std::uint64_t>(step)) ^ static_cast<std::uint64_t>(slot)));
  const Image seen = feed::augment_for_training(crop, light_only(config_.augment), {}, config_.data.size, random);
  normalise_to_planes(seen, input_.mean, input_.std, out);
}

Prepared Distiller::prepare(std::int64_t step) const {
  Prepared out;
  out.ids = rotation_.at(step);
  out.pixels.resize(static_cast<std::size_t>(config_.distill.batch) * image_floats());
  const Size size = crop_size();
  int slot = 0;
  for (const auto id : out.ids.fresh) {
    out.fresh.push_back(crops_.crop(id));
    to_pixels(out.fresh.back().image, step, slot, out.pixels.data() + static_cast<std::size_t>(slot) * image_floats());
    ++slot;
  }
  for (const auto id : out.ids.cached) {
    CachedCrop cached;
    if (cache_->load(id, cached)) {
      const Image crop{size.width, size.height, cached.pixels};
      to_pixels(crop, step, slot, out.pixels.data() + static_cast<std::size_t>(slot) * image_floats());
      cached.pixels.clear();
    } else {
      cached = {};
    }
    out.cached.push_back(std::move(cached));
    ++slot;
  }
  return out;
}

/// The output of the teachers for a crop, also put into the cache.
CachedCrop Distiller::taught(const feed::Crop& crop, std::int64_t id) {
  for (const auto& name : crop.unreadable) {
    if (unreadable_.insert(name).second) progress_.say(fmt::format("notice: '{}' cannot be read and is left out", name));
  }
  CachedCrop out;
  if (cache_->load(id, out) && out.pixels == crop.image.rgb) return out;  // by a run that shares the cache
  out = {};
  out.pixels = crop.image.rgb;
  out.tokens = to_half(teachers_.tokens_of(crop.image));
  cache_->store(id, out);
  return out;
}

StudentBatch Distiller::batch_of(Prepared prepared, std::int64_t step) {
  StudentBatch out;
  out.step = step;
  out.images = config_.distill.batch;
  out.size = config_.data.size;
  out.pixels = std::move(prepared.pixels);
  out.targets.reserve(static_cast<std::size_t>(out.images) * token_count());
  const auto add = [&](const std::vector<std::uint16_t>& tokens) {
    out.targets.insert(out.targets.end(), tokens.begin(), tokens.end());
  };
  for (std::size_t i = 0; i < prepared.fresh.size(); ++i) add(taught(prepared.fresh[i], prepared.ids.fresh[i]).tokens);
  for (std::size_t i = 0; i < prepared.cached.size(); ++i) {
    if (!prepared.cached[i].tokens.empty()) {
      add(prepared.cached[i].tokens);
      continue;
    }
    const feed::Crop crop = crops_.crop(prepared.ids.cached[i]);  // the cache was deleted or damaged
    const int slot = static_cast<int>(prepared.fresh.size() + i);
    to_pixels(crop.image, step, slot, out.pixels.data() + static_cast<std::size_t>(slot) * image_floats());
    add(taught(crop, prepared.ids.cached[i]).tokens);
  }
  return out;
}

/// In daylight: how close the student comes to the teacher when both see the same picture.
StudentBatch Distiller::held_out() {
  StudentBatch out;
  out.images = kHeldOut;
  out.size = config_.data.size;
  out.pixels.resize(static_cast<std::size_t>(kHeldOut) * image_floats());
  progress_.begin("running the teachers on held-out crops");
  for (int i = 0; i < kHeldOut; ++i) {
    progress_.count(i, kHeldOut);
    const Image crop = crops_.crop(kHeldOutFrom + i).image;
    normalise_to_planes(resize(crop, config_.data.size, input_.resize), input_.mean, input_.std,
                        out.pixels.data() + static_cast<std::size_t>(i) * image_floats());
    const auto tokens = to_half(teachers_.tokens_of(crop));
    out.targets.insert(out.targets.end(), tokens.begin(), tokens.end());
  }
  return out;
}

void Distiller::save() {
  state_.learner = student_.state();
  state_.unreadable = static_cast<std::int64_t>(unreadable_.size());
  save_checkpoint(folder_, state_);
  state_.learner = {};
}

DistillOutcome Distiller::run() {
  if (run_.work_can_be_lost) run_.work_can_be_lost();
  const StudentBatch judge = held_out();
  DistillOutcome outcome;
  outcome.backbone = folder_ / "backbone.safetensors";
  const int steps = config_.distill.steps;
  const std::int64_t first = state_.step;
  Prefetch<Prepared> ahead(static_cast<std::size_t>(steps - first),
                           [this, first](std::size_t i) { return prepare(first + static_cast<std::int64_t>(i)); });
  progress_.begin("making the first batch and running the teachers on it");
  const auto started = Clock::now();
  auto saved_at = started;
  double waited = 0;
  while (state_.step < steps && !stop_wanted()) {
    const auto asked = Clock::now();
    auto prepared = ahead.next();
    waited += seconds_since(asked);
    const std::int64_t step = state_.step;
    const StudentResult result = student_.learn(batch_of(std::move(*prepared), step));
    if (!result.finite) {
      fail_with_hint(ErrorCode::kInternal, "a lower [distill] lr may help; `resume` continues from the last checkpoint",
                     "the loss of step {} of the distillation is not finite", step);
    }
    state_.step = step + 1;
    const double per_s = static_cast<double>(state_.step - first) / seconds_since(started);
    RunLog::Values values{{"loss", result.loss},
                          {"cosine", result.cosine},
                          {"distance", result.distance},
                          {"lr", result.lr},
                          {"images_per_s", per_s * config_.distill.batch}};
    if (state_.step % kJudgeEvery == 0 || state_.step == steps) {
      outcome.cosine = student_.cosine(judge);
      values.emplace_back("held_out_cosine", *outcome.cosine);
      progress_.say(
          fmt::format("distillation at step {}: cosine to the teacher on held-out crops {:.4f}", state_.step, *outcome.cosine));
    }
    log_.add(state_.step, values);
    progress_.update({state_.step, steps, per_s * config_.distill.batch, static_cast<double>(steps - state_.step) / per_s,
                      result.loss, waited / seconds_since(started), static_cast<std::int64_t>(unreadable_.size())});
    if (state_.step < steps && seconds_since(saved_at) >= 60 * config_.checkpoint_minutes) {
      save();
      saved_at = Clock::now();
    }
  }
  outcome.step = state_.step;
  outcome.unreadable = static_cast<std::int64_t>(unreadable_.size());
  outcome.stopped = state_.step < steps;
  if (!outcome.stopped) {
    model::LoadedModel backbone = student_.model();
    std::vector<std::string> names;
    for (const auto& teacher : config_.distill.teachers) names.push_back(teacher.model.filename().string());
    const std::string now =
        fmt::format("{}: distilled from {} for {} steps, seed {}", config_.name, fmt::join(names, " and "), steps, config_.seed);
    backbone.config.provenance =
        config_.model.backbone.empty() ? model::as_utf8(now) : model::history(backbone.config.provenance, now);
    model::save_model_file(outcome.backbone, backbone);
  }
  save();
  write_text(folder_ / "curve.svg", draw_curve(log_.history(), config_.name + ": distillation"));
  return outcome;
}

}  // namespace

DistillOutcome distill(const TrainRun& run, ProgressLine& progress) {
  const fs::path folder = run.out / "distill";
  progress.begin(
      fmt::format("distilling for '{}', {} steps, into '{}'", run.config.name, run.config.distill.steps, folder.string()));
  make_folder(folder);
  RunLog log(folder / "log.jsonl");
  TrainingState state;
  if (has_checkpoint(folder)) {
    if (!run.resume) {
      fail_with_hint(ErrorCode::kUsage, "`resume` continues it, another `out` starts a new one",
                     "'{}' already holds a training run", run.out.string());
    }
    auto found = load_checkpoint(folder);
    if (!found.notice.empty()) progress.say("notice: " + found.notice);
    state = std::move(found.state);
    check_same_settings(state.settings, distill_settings(run.config), folder.string());
  } else {
    state.settings = distill_settings(run.config);
    progress.begin(run.config.model.backbone.empty()
                       ? "drawing random weights for the student"
                       : fmt::format("reading the backbone '{}'", run.config.model.backbone.string()));
    state.learner.model = first_student(run.config);
  }
  log.cut(state.step, -1);
  use_threads(run.config.threads);
  if (state.step >= run.config.distill.steps && fs::exists(folder / "backbone.safetensors")) {
    DistillOutcome done;
    done.step = state.step;
    done.backbone = folder / "backbone.safetensors";
    return done;
  }
  return Distiller(run, std::move(state), log, progress).run();
}

}  // namespace revisit::train
