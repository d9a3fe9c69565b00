// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Threads that load photos, and describe them too where one photo per thread is faster.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "core/base/prefetch.h"
#include "core/base/room.h"
#include "recognise/ingest/pace.h"
#include "revisit/extractor.h"

namespace revisit {

struct Describer {
  int dim;  ///< values per row
  /// `local` is null where nobody asks for local features.
  std::function<std::vector<float>(const Image& image, StageTimes& times, LocalFeatures* local)> describe;
  std::function<Describer()> alone{};  ///< another one that uses one thread and may run at the same time; none: always together
  int threads = 1;                     ///< that `describe` uses
};

Describer describer_of(Extractor& extractor);

/// What is loaded and what becomes of it is the caller's.
class Crew {
 public:
  /// `together` as in Pace.
  Crew(Describer describer, std::size_t photos, int together);

  /// On the thread that loads, around the loading of one photo: bounds the memory of all that are in work.
  Room& room() { return room_; }
  bool apart() const { return pace_.apart(); }
  /// On the thread that loads, while apart() said so.
  std::vector<float> describe_apart(const Image& image, StageTimes& times, LocalFeatures* local = nullptr);

  /// On the caller's thread, after it described a photo itself: by all threads.
  void described_together();
  /// On the caller's thread, after each photo.
  template <typename Item>
  void set_pace(Prefetch<Item>& loaded) {
    if (apart() == was_apart_) return;
    was_apart_ = apart();
    const auto threads = static_cast<std::size_t>(describer_.threads);
    loaded.set_pace(was_apart_ ? threads : 1, was_apart_ ? kAheadPerThread * threads : 1);
  }

 private:
  static constexpr std::size_t kAheadPerThread = 2;

  std::unique_ptr<Describer> take();

  const Describer describer_;
  Room room_;
  Pace pace_;
  bool was_apart_ = false;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Describer>> free_;  // guarded by mutex_
};

}  // namespace revisit
