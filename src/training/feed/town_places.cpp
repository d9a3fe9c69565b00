// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The procedural town: a picture's number says under which season, light and weather it is rendered, and from where.
#include <algorithm>
#include <cmath>

#include "core/base/fail.h"
#include "training/feed/sources.h"
#include "revisit/lab/synth.h"
#include "lab/town/town.h"

namespace revisit::feed {
namespace {

constexpr int kMoods = 3 * 3 * 4;     // seasons, lights, weathers
constexpr int kVariants = 1'000'000;  // cameras and traffic under one mood
constexpr int kMaxPlaces = 10'000'000;
constexpr std::uint64_t kTrainingTowns = std::uint64_t{1} << 63U;

/// Seeds of `revisit synth` and of validation are small numbers: so a training town is never one of theirs.
std::uint64_t town_of(std::uint64_t seed) { return seed_of(seed, 0x747261696eULL) | kTrainingTowns; }

class Town final : public PlaceSource {
 public:
  Town(const TrainSource& source, int places_per_batch)
      : seed_(source.seed), town_(town_of(source.seed)), places_(source.places), aligned_(source.aligned) {
    if (places_ < 1 || places_ > kMaxPlaces) {
      fail(ErrorCode::kUsage, "a town has 1 to {} places, not {}", grouped(kMaxPlaces), places_);
    }
    if (places_ < places_per_batch) {
      fail_with_hint(ErrorCode::kUsage, "raise the town's places, or lower places_per_batch",
                     "{} has {} places, but a batch takes {} of them", name(), places_, places_per_batch);
    }
  }

  std::string name() const override { return fmt::format("town {}", seed_); }
  std::string describe() const override { return fmt::format("{}: {} places", name(), grouped(places_)); }
  int places() const override { return places_; }
  int images(int) const override { return kMoods * kVariants; }
  int group(int) const override { return 0; }
  bool may_meet(int place, int other) const override { return place != other; }
  bool aligned() const override { return aligned_; }
  std::string image_name(int place, int index) const override {
    return fmt::format("place {}, picture {} of the town of seed {}", place, index, seed_);
  }

  /// Every mood once, in any order, each from another camera.
  std::vector<int> draw(int, SplitMix& random) const override {
    std::vector<int> out;
    out.reserve(kMoods);
    for (int mood = 0; mood < kMoods; ++mood) out.push_back(static_cast<int>(random.below(kVariants)) * kMoods + mood);
    shuffle(out, random);
    return out;
  }

  /// As wide as photos are (4:3), a tenth larger than wanted, so that cropping leaves enough.
  Image image(int place, int index, Size wanted) const override {
    const int height = static_cast<int>(std::ceil(1.1 * wanted.height));
    const int width = std::max(static_cast<int>(std::ceil(1.1 * wanted.width)), height * 4 / 3);
    const int mood = index % kMoods;
    SceneConditions conditions;
    conditions.season = static_cast<SceneConditions::Season>(mood % 3);
    conditions.light = static_cast<SceneConditions::Light>(mood / 3 % 3);
    conditions.weather = static_cast<SceneConditions::Weather>(mood / 9);
    SplitMix random(seed_of(town_, place, index));
    conditions.traffic_seed = random.next();
    return render_place(town_, place, camera(place, random), conditions, {height, width});
  }

 private:
  static double between(double low, double high, SplitMix& random) { return low + (high - low) * random.uniform(); }

  /// The camera stays on the street: some are narrow.
  SceneCamera camera(int place, SplitMix& random) const {
    const town::Place street = town::make_place(town_, place);
    const double room = (static_cast<double>(street.right_front) - static_cast<double>(street.left_front)) / 2;
    const double reach = std::clamp(room - 2.5, 0.0, 2.5);
    SceneCamera out;
    out.side_m = between(-reach, reach, random);
    out.forward_m = between(-3, 3, random);
    out.heading_deg = between(-11, 11, random);
    out.height_m = between(1.45, 2.3, random);
    return out;
  }

  std::uint64_t seed_, town_;
  int places_;
  bool aligned_;
};

}  // namespace

std::unique_ptr<PlaceSource> open_town(const TrainSource& source, int places_per_batch) {
  return std::make_unique<Town>(source, places_per_batch);
}

}  // namespace revisit::feed
