// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The town as a data set on disk: queries, database and the truth about them.
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "core/base/fail.h"
#include "core/base/file.h"
#include "revisit/lab/synth.h"

namespace revisit {

namespace {

constexpr int kMaxPlaces = 100'000, kMaxViews = 1'000, kMaxAlike = 1'000;

void check(const TownOptions& options) {
  if (options.places < 1 || options.places > kMaxPlaces) {
    fail(ErrorCode::kUsage, "`places` is {}, but a town has 1 to {}", options.places, kMaxPlaces);
  }
  if (options.views < 2 || options.views > kMaxViews) {
    fail(ErrorCode::kUsage, "`views` is {}, but a place has 2 to {}: a query and its references", options.views, kMaxViews);
  }
  if (options.alike < 1 || options.alike > kMaxAlike) {
    fail(ErrorCode::kUsage, "`alike` is {}, but 1 to {} places may look alike", options.alike, kMaxAlike);
  }
}

void make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) fail(ErrorCode::kIo, "cannot create the folder '{}': {}", folder.string(), error.message());
}

/// One row per query: its name, the reference taken nearest to it, and all references of the place.
std::string truth_of(const TownOptions& options, int place) {
  const TownView query = town_view(options, place, 0);
  std::string best, accepted;
  double nearest_m2 = 0;
  for (int view = 1; view < options.views; ++view) {
    const TownView reference = town_view(options, place, view);
    const double east_m = reference.position.east_m - query.position.east_m,
                 north_m = reference.position.north_m - query.position.north_m;
    const double away_m2 = east_m * east_m + north_m * north_m;
    if (best.empty() || away_m2 < nearest_m2) {
      best = reference.file_name;
      nearest_m2 = away_m2;
    }
    accepted += (accepted.empty() ? "" : "|") + reference.file_name;
  }
  return fmt::format("{},{},{}\n", query.file_name, best, accepted);
}

/// Work shared by the threads; the first error or a stop ends all of them.
struct Progress {
  std::atomic<int> next{0};
  std::atomic<bool> stop{false};
  std::mutex mutex;
  int done = 0;
  bool stopped = false;
  std::exception_ptr error;
};

void render_some(const std::filesystem::path& out, const TownOptions& options, const std::function<bool(int, int)>& report,
                 Progress& progress) {
  const int total = options.places * options.views;
  try {
    for (int i = progress.next++; i < total && !progress.stop; i = progress.next++) {
      const TownView view = town_view(options, i / options.views, i % options.views);
      const auto jpeg =
          encode_jpeg(render_place(options.seed, view.place, view.camera, view.conditions, options.size, view.like));
      AtomicFile file(out / (view.query ? "queries" : "database") / view.file_name);
      file.write(jpeg);
      file.commit();
      const std::lock_guard lock(progress.mutex);
      if (!progress.stop && report && !report(++progress.done, total)) progress.stop = progress.stopped = true;
    }
  } catch (...) {
    const std::lock_guard lock(progress.mutex);
    if (!progress.error) progress.error = std::current_exception();
    progress.stop = true;
  }
}

}  // namespace

void write_town(const std::filesystem::path& out, const TownOptions& options, const std::function<bool(int, int)>& report) {
  check(options);
  make_folder(out / "queries");
  make_folder(out / "database");
  Progress progress;
  const unsigned cores = std::thread::hardware_concurrency();
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < cores; ++i) threads.emplace_back([&] { render_some(out, options, report, progress); });
  render_some(out, options, report, progress);
  for (std::thread& thread : threads) thread.join();
  if (progress.error) std::rethrow_exception(progress.error);
  if (progress.stopped) {
    fail(ErrorCode::kInterrupted, "'{}': stopped after {} of {} pictures", out.string(), progress.done,
         options.places * options.views);
  }
  // Last, so that a town with a truth file is complete.
  AtomicFile truth(out / "gt.csv");
  truth.write("query,best_ref,accepted_refs\n");
  for (int place = 0; place < options.places; ++place) truth.write(truth_of(options, place));
  truth.commit();
}

}  // namespace revisit
