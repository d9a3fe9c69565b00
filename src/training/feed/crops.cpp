// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Choosing a picture, and the viewpoint its crop is seen from.
#include "training/feed/crops.h"

#include "core/base/fail.h"
#include "core/base/or_skip.h"
#include "core/base/random.h"
#include "training/feed/picture.h"
#include "training/feed/sources.h"
#include "revisit/lab/dataset.h"

namespace revisit::feed {
namespace {

constexpr int kTries = 20;

TrainAugment viewpoint_only() {
  TrainAugment out;
  out.rand_augment = 0;
  out.crop = 1;
  out.crop_min_area = 0.35;
  out.perspective = 0.3;
  out.flip = 0.5;
  return out;
}

}  // namespace

CropSource::CropSource(const TrainDistill& settings, Size size, std::uint64_t seed)
    : size_(size), seed_(seed), town_share_(settings.town_places > 0 ? settings.town_share : 0) {
  for (const auto& folder : settings.photos) {
    for (const auto& photo : photos_in(folder)) photos_.push_back(photo.path);
  }
  if (settings.town_places > 0) {
    TrainSource town;
    town.places = settings.town_places;
    town.seed = seed;
    town_ = open_town(town, 1);
  }
  if (photos_.empty()) town_share_ = 1;
}

std::string CropSource::describe() const {
  const std::string town = town_ ? fmt::format("a town of {} places", grouped(town_->places())) : "";
  if (photos_.empty()) return town;
  const std::string photos = fmt::format("{} photos", grouped(static_cast<std::int64_t>(photos_.size())));
  return town_ ? photos + " and " + town : photos;
}

Crop CropSource::crop(std::int64_t id) const {
  SplitMix random(seed_of(seed_, 0x63726f70ULL, id));
  Crop out;
  const auto seen_from = [&](const Image& image) {
    const TrainAugment augment = viewpoint_only();
    const PictureOptions options{false, random.uniform() < augment.flip};
    return augment_for_training(image, augment, options, size_, random);
  };
  if (random.uniform() < town_share_) {
    const int place = static_cast<int>(random.below(static_cast<std::uint64_t>(town_->places())));
    out.image = seen_from(town_->image(place, town_->draw(place, random).front(), size_));
    return out;
  }
  for (int attempt = 0; attempt < kTries; ++attempt) {
    const auto& path = photos_[random.below(photos_.size())];
    if (!or_skip(path, [&] { out.image = seen_from(load_image(path)); })) return out;
    out.unreadable.push_back(path.string());
  }
  fail(ErrorCode::kBadImage, "{} photos in a row cannot be read, the last of them '{}'", kTries, out.unreadable.back());
}

}  // namespace revisit::feed
