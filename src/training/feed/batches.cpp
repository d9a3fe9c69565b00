// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Workers take places, not batches: a batch is ready as soon as all of them together can make it, and few are in memory. A place
// of a batch is a function of the seed, the step and its number, so it does not matter which thread makes it, or when.
#include "training/feed/batches.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

#include "core/base/checked.h"
#include "core/base/fail.h"
#include "core/base/limits.h"
#include "training/feed/picture.h"
#include "training/feed/plan.h"
#include "training/feed/sources.h"
#include "core/image/preprocess.h"

namespace revisit::feed {
namespace {

// With variants, pictures are the same for every seed of a study.
constexpr std::uint64_t kFixedPictures = 0x666978ULL;

constexpr std::size_t kAhead = 2;  // batches in progress or waiting to be taken: 60 x 4 pictures of 224 x 224 are 144 MB

/// Errors that lie in the picture, not in the machine or the program.
bool is_the_pictures(const Error& error) {
  switch (error.code()) {
    case ErrorCode::kNotFound:
    case ErrorCode::kBadImage:
    case ErrorCode::kBadFile:
    case ErrorCode::kLimit:
    case ErrorCode::kIo: return true;
    default: return false;
  }
}

void check(const TrainData& data) {
  const auto require = [](bool good, const char* what, int value, const char* limit) {
    if (!good) fail(ErrorCode::kUsage, "{} is {}, but must be {}", what, value, limit);
  };
  require(data.places_per_batch >= 1, "places_per_batch", data.places_per_batch, "1 or more");
  require(data.images_per_place >= 1, "images_per_place", data.images_per_place, "1 or more");
  require(data.workers >= 1 && data.workers <= limits::kMaxThreads, "workers", data.workers, "1 to 1024");
  for (const int side : {data.size.height, data.size.width}) {
    require(side >= 1 && side <= limits::kMaxInputSide, "a side of the pictures", side, "1 to 4096 pixels");
  }
  if (data.sources.empty()) {
    fail_with_hint(ErrorCode::kUsage, "name at least one source of places", "there is no source to take places from");
  }
}

}  // namespace

struct BatchLoader::Impl {
  struct Slot {
    int source;
    int place;
  };

  struct Job {
    Batch batch;
    std::vector<Slot> slots;
    std::size_t taken = 0;  // guarded by the loader's mutex, like done
    std::size_t done = 0;
    // Per slot, written by the worker that took it.
    std::vector<std::vector<std::string>> unreadable;
    std::vector<std::exception_ptr> failures;
  };

  Impl(const TrainData& the_data, const TrainAugment& the_augment, const Normalisation& the_normalisation, std::uint64_t the_seed,
       std::int64_t first_step, KnownTokens the_known)
      : data(the_data),
        augment(the_augment),
        normalisation(the_normalisation),
        seed(the_seed),
        known(std::move(the_known)),
        next_step(first_step) {
    check(data);
    std::erase_if(data.sources, [](const TrainSource& source) { return source.weight == 0; });
    check_apart(data.sources);
    std::vector<double> weights;
    for (const TrainSource& source : data.sources) weights.push_back(source.weight);
    std::vector<int> quotas(weights.size(), data.places_per_batch);
    if (data.mixed) {
      quotas = quotas_of(weights, data.places_per_batch);
    } else {
      turns.emplace(weights);
    }
    for (std::size_t i = 0; i < data.sources.size(); ++i) {
      sources.push_back(open_source(data.sources[i], data.images_per_place, quotas[i]));
      first_place.push_back(i == 0 ? 0 : first_place[i - 1] + sources[i - 1]->places());
      plans.push_back(std::make_unique<SourcePlan>(*sources[i], quotas[i], seed_of(seed, i)));
      const std::int64_t batches = plans[i]->batches_per_epoch();
      per_epoch = std::max(per_epoch, turns ? turns->steps_for(i, batches) : batches);
    }
    for (int i = 0; i < data.workers; ++i) workers.emplace_back([this](const std::stop_token& stop) { work(stop); });
  }

  ~Impl() {
    for (auto& worker : workers) worker.request_stop();  // all at once, before waiting for the first
  }

  void work(const std::stop_token& stop) {
    std::unique_lock lock(mutex);
    while (changed.wait(lock, stop, [this] { return has_work(); }) && !stop.stop_requested()) {
      Job* const job = open_job();
      if (job == nullptr) continue;
      const std::size_t slot = job->taken++;
      lock.unlock();
      try {
        make_place(*job, slot);
      } catch (...) {
        job->failures[slot] = std::current_exception();
      }
      lock.lock();
      if (++job->done == job->slots.size()) changed.notify_all();
    }
  }

  bool has_work() const {
    if (broken) return false;
    return jobs.size() < kAhead || std::ranges::any_of(jobs, [](const auto& job) { return job->taken < job->slots.size(); });
  }

  /// The first batch with an unassigned place, or a new one. Null when none can be planned.
  Job* open_job() {
    for (const auto& job : jobs) {
      if (job->taken < job->slots.size()) return job.get();
    }
    try {
      jobs.push_back(plan(next_step));
      ++next_step;
    } catch (...) {
      broken = std::current_exception();
    }
    changed.notify_all();  // others may take places of it, or next() has to throw
    return broken ? nullptr : jobs.back().get();
  }

  std::unique_ptr<Job> plan(std::int64_t step) const {
    auto job = std::make_unique<Job>();
    const auto add = [&](std::size_t source, std::int64_t number) {
      for (const int place : plans[source]->places_of(number)) job->slots.push_back({static_cast<int>(source), place});
    };
    if (turns) {
      const auto [source, number] = turns->at(step);
      add(source, number);
    } else {
      for (std::size_t i = 0; i < plans.size(); ++i) add(i, step);
    }
    const auto images = checked_mul(job->slots.size(), static_cast<std::uint64_t>(data.images_per_place), "pictures of a batch");
    Batch& batch = job->batch;
    batch.step = step;
    batch.images = static_cast<int>(images);
    batch.size = data.size;
    batch.pixels.resize(checked_mul(images, values_per_image(), "values of a batch"));
    batch.labels.resize(images);
    batch.names.resize(images);
    if (data.variants > 0) {
      batch.pictures.resize(images);
      batch.tokens.resize(images);
    }
    job->unreadable.resize(job->slots.size());
    job->failures.resize(job->slots.size());
    return job;
  }

  std::uint64_t values_per_image() const {
    return 3 * checked_mul(static_cast<std::uint64_t>(data.size.height), static_cast<std::uint64_t>(data.size.width), "pixels");
  }

  /// All pictures of the place or none, so that results computed over a place are always the same.
  bool is_known(Batch& batch, std::size_t slot) const {
    if (!known || batch.pictures.empty()) return false;
    const auto wanted = static_cast<std::size_t>(data.images_per_place), first = slot * wanted;
    for (std::size_t at = first; at < first + wanted; ++at) {
      if (known(batch.pictures[at], batch.tokens[at])) continue;
      for (std::size_t other = first; other <= at; ++other) batch.tokens[other].clear();
      return false;
    }
    return true;
  }

  /// One of the place's fixed sets of pictures: numbers them, and returns the generator of their augmentation.
  std::uint64_t choose_variant(Job& job, std::size_t slot) const {
    const auto [source, place] = job.slots[slot];
    const auto variant = SplitMix(seed_of(seed, job.batch.step, slot)).below(static_cast<std::uint64_t>(data.variants));
    const auto set = (first_place[static_cast<std::size_t>(source)] + place) * data.variants + static_cast<std::int64_t>(variant);
    for (int k = 0; k < data.images_per_place; ++k) {
      const auto at = slot * static_cast<std::size_t>(data.images_per_place) + static_cast<std::size_t>(k);
      job.batch.pictures[at] = set * data.images_per_place + k;
    }
    return seed_of(kFixedPictures, source, place, variant);
  }

  void make_place(Job& job, std::size_t slot) const {
    const auto [source_number, place] = job.slots[slot];
    const PlaceSource& source = *sources[static_cast<std::size_t>(source_number)];
    const auto wanted = static_cast<std::size_t>(data.images_per_place);
    Batch& batch = job.batch;
    const std::uint64_t own_seed = data.variants > 0 ? choose_variant(job, slot) : seed_of(seed, batch.step, slot);
    SplitMix random(own_seed);
    const bool mirrored = random.uniform() < augment.flip;
    const std::vector<int> drawn = source.draw(place, random);
    if (is_known(batch, slot)) {
      for (std::size_t k = 0; k < wanted; ++k) {
        batch.labels[slot * wanted + k] = static_cast<std::int64_t>(slot);
        batch.names[slot * wanted + k] = fmt::format("{}: {}", source.name(), source.image_name(place, drawn[k % drawn.size()]));
      }
      return;
    }

    std::vector<Image> pictures;
    std::vector<std::string> names;
    for (const int index : drawn) {
      if (pictures.size() == wanted) break;
      try {
        pictures.push_back(source.image(place, index, data.size));
        names.push_back(fmt::format("{}: {}", source.name(), source.image_name(place, index)));
      } catch (const Error& error) {
        if (!is_the_pictures(error)) throw;
        job.unreadable[slot].emplace_back(error.what());
      }
    }
    if (pictures.empty()) {
      fail_with_hint(ErrorCode::kBadImage, "replace the pictures, or leave the place out and start a new run with another `out`",
                     "none of the pictures of a place of {} can be read: {}", source.name(), job.unreadable[slot].front());
    }
    for (std::size_t k = 0; k < wanted; ++k) {
      const std::size_t i = k % pictures.size(), at = slot * wanted + k;
      SplitMix own(data.variants > 0 ? seed_of(own_seed, k) : seed_of(seed, batch.step, slot, k));
      const Image picture =
          augment_for_training(pictures[i], augment, {.aligned = source.aligned(), .mirrored = mirrored}, data.size, own);
      normalise_to_planes(picture, normalisation.mean, normalisation.std, batch.pixels.data() + at * values_per_image());
      batch.labels[at] = static_cast<std::int64_t>(slot);
      batch.names[at] = names[i];
    }
  }

  Batch next() {
    const auto start = std::chrono::steady_clock::now();
    std::unique_lock lock(mutex);
    const auto front_done = [this] { return !jobs.empty() && jobs.front()->done == jobs.front()->slots.size(); };
    changed.wait(lock, [&] { return front_done() || (jobs.empty() && broken); });
    waited_s = waited_s + std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (jobs.empty()) std::rethrow_exception(broken);
    Job& job = *jobs.front();
    for (const auto& failure : job.failures) {
      if (failure) std::rethrow_exception(failure);  // the batch stays: asking again throws again
    }
    for (auto& names : job.unreadable) std::ranges::move(names, std::back_inserter(job.batch.unreadable));
    Batch out = std::move(job.batch);
    jobs.pop_front();
    lock.unlock();
    changed.notify_all();
    return out;
  }

  std::string describe() const {
    std::string out;
    for (const auto& source : sources) {
      std::int64_t small = 0;
      for (int place = 0; place < source->places(); ++place) small += source->images(place) < data.images_per_place ? 1 : 0;
      out += source->describe();
      if (small > 0)
        out += fmt::format(" ({} with fewer than {} pictures, which are repeated)", grouped(small), data.images_per_place);
      out += "; ";
    }
    return out + fmt::format("{} batches per epoch", grouped(per_epoch));
  }

  TrainData data;
  const TrainAugment augment;
  const Normalisation normalisation;
  const std::uint64_t seed;
  const KnownTokens known;
  std::vector<std::unique_ptr<PlaceSource>> sources;
  std::vector<std::int64_t> first_place;  // of each source, among the places of all
  std::vector<std::unique_ptr<SourcePlan>> plans;
  std::optional<Turns> turns;  // where batches are not mixed
  std::int64_t per_epoch = 0;

  std::mutex mutex;
  std::condition_variable_any changed;
  std::deque<std::unique_ptr<Job>> jobs;  // guarded by mutex, like what follows; in order of their steps
  std::int64_t next_step;
  std::exception_ptr broken;  // planning failed: there will be no further batch
  std::atomic<double> waited_s{0};
  std::vector<std::jthread> workers;  // last: they use all of the above
};

BatchLoader::BatchLoader(const TrainData& data, const TrainAugment& augment, const Normalisation& normalisation,
                         std::uint64_t seed, std::int64_t first_step, KnownTokens known)
    : impl_(std::make_unique<Impl>(data, augment, normalisation, seed, first_step, std::move(known))) {}

BatchLoader::~BatchLoader() = default;

Batch BatchLoader::next() { return impl_->next(); }
double BatchLoader::seconds_waited() const { return impl_->waited_s; }
std::int64_t BatchLoader::batches_per_epoch() const { return impl_->per_epoch; }
std::string BatchLoader::describe() const { return impl_->describe(); }

}  // namespace revisit::feed
