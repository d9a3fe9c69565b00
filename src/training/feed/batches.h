// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Batches of P places x K pictures, made on worker threads. Batch `step` depends on the configuration and `step` alone, so that
// a resumed run sees the same pictures.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "training/feed/place_source.h"
#include "revisit/lab/train.h"

namespace revisit::feed {

struct Batch {
  std::int64_t step = 0;
  int images = 0;  ///< places x pictures of a place; a place's pictures follow each other
  Size size;
  std::vector<float> pixels;            ///< (images, 3, height, width), normalised
  std::vector<std::int64_t> labels;     ///< (images), the place's number within the batch
  std::vector<std::string> names;       ///< (images), to identify a batch in an error
  std::vector<std::string> unreadable;  ///< pictures that could not be read and were replaced by another of their place

  // With TrainData::variants; empty otherwise.
  std::vector<std::int64_t> pictures;              ///< (images), the number of each among all that are ever shown
  std::vector<std::vector<std::uint16_t>> tokens;  ///< (images), if known; the pixels of such a picture are not filled in
};

/// Loads the known tokens of a picture by number; false: none. Called from several threads at once.
using KnownTokens = std::function<bool(std::int64_t picture, std::vector<std::uint16_t>& tokens)>;

struct Normalisation {
  std::array<float, 3> mean;
  std::array<float, 3> std;
};

class BatchLoader {
 public:
  /// Starts `data.workers` threads at batch `first_step`. Places whose pictures are all `known` are not read. Throws what
  /// open_source throws.
  BatchLoader(const TrainData& data, const TrainAugment& augment, const Normalisation& normalisation, std::uint64_t seed,
              std::int64_t first_step, KnownTokens known = {});
  ~BatchLoader();
  BatchLoader(const BatchLoader&) = delete;
  BatchLoader& operator=(const BatchLoader&) = delete;

  /// The next batch, in order. Throws Error when a place has no readable picture left, or a worker failed.
  Batch next();
  double seconds_waited() const;  ///< how long next() has had to wait in all
  std::int64_t batches_per_epoch() const;
  std::string describe() const;  ///< "gsv-cities: 62,000 places; town: 2,000 places; 1,040 batches per epoch"

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace revisit::feed
