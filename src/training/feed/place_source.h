// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Places to train on, wherever their pictures come from.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "revisit/image.h"
#include "revisit/lab/train.h"

namespace revisit::feed {

/// A set of places with pictures. All members may be called from several threads at once.
class PlaceSource {
 public:
  virtual ~PlaceSource() = default;

  virtual std::string name() const = 0;      ///< for messages and logs: "folders 'tmbud'"
  virtual std::string describe() const = 0;  ///< the name, the number of places, and what was left out
  virtual int places() const = 0;
  virtual int images(int place) const = 0;  ///< pictures to choose from
  virtual int group(int place) const = 0;   ///< batches are filled from one group (a city) while it lasts; ascending with place
  /// > 0: a batch is filled from a stretch of so many frames while it lasts, so that its negatives are near and hard.
  virtual int stretch() const { return 0; }
  virtual int frame(int place) const { return place; }  ///< where on the drive
  /// Two places that may look like one must not share a batch.
  virtual bool may_meet(int place, int other) const = 0;
  virtual bool aligned() const = 0;  ///< see TrainSource::aligned
  virtual std::string image_name(int place, int index) const = 0;
  /// Decoded, upright, at least `wanted` large where the original is (a source may decode at reduced size). Throws Error.
  virtual Image image(int place, int index, Size wanted) const = 0;

  /// Pictures that show one view of the place, each once, in order of use: the first ones are shown,
  /// later ones replace unreadable ones. Never empty; may be shorter than what a batch needs.
  virtual std::vector<int> draw(int place, SplitMix& random) const;
};

/// Checks everything that can be checked without decoding: folders, tables, and that there are `places_per_batch` places.
/// GSV-Cities drops places of fewer than `images_per_place` pictures; of the others a place needs two, and pictures are repeated,
/// augmented differently, if there are too few. Throws Error with one sentence.
std::unique_ptr<PlaceSource> open_source(const TrainSource& source, int images_per_place, int places_per_batch);

/// Throws Error kUsage when two sources show the same places, which would share a batch as if they were different.
void check_apart(const std::vector<TrainSource>& sources);

}  // namespace revisit::feed
