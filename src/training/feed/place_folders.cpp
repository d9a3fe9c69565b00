// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// One folder per place. With positions.csv, pictures shown together were taken near each other (a building has several sides),
// and places whose cameras come near each other are kept apart (one may see the other).
#include <algorithm>
#include <map>
#include <optional>

#include "core/base/fail.h"
#include "core/base/limits.h"
#include "core/formats/csv.h"
#include "lab/dataset/near.h"
#include "recognise/photos/photos.h"
#include "recognise/photos/positions.h"
#include "core/formats/text.h"
#include "training/feed/sources.h"

namespace revisit::feed {
namespace {

namespace fs = std::filesystem;

struct FolderPlace {
  std::vector<int> photos;               // into photos_
  std::vector<std::vector<int>> beside;  // per photo, the others of the place taken nearby; empty without positions
  std::vector<int> near;                 // other places it must not share a batch with, ascending
};

std::string folder_of(const std::string& photo) {
  const auto slash = photo.rfind('/');
  return slash == std::string::npos ? std::string() : photo.substr(0, slash);
}

/// By photo, the number of its condition; -1 if the table has none.
std::vector<int> conditions_of(const std::vector<Photo>& photos, const fs::path& table) {
  std::vector<int> out(photos.size(), -1);
  const std::string text = read_text(table, limits::kMaxCsvBytes);
  CsvReader csv(text, table.string());
  const auto column = csv.column({"condition"});
  if (!column) return out;
  const auto image = csv.required_column({"image", "name", "file", "filename"});
  const PhotoNames names(photos);
  std::map<std::string, int> numbers;
  while (csv.next()) {
    const auto photo = names.find(csv.cell(image));
    const std::string condition = lower(trimmed(csv.cell(*column)));
    if (!photo || condition.empty()) continue;
    out[static_cast<std::size_t>(*photo)] = numbers.emplace(condition, static_cast<int>(numbers.size())).first->second;
  }
  return out;
}

class PlaceFolders final : public PlaceSource {
 public:
  PlaceFolders(const TrainSource& source, int places_per_batch) : root_(source.path), aligned_(source.aligned) {
    require_folder(root_, "the path of a folders source holds one folder per place");
    photos_ = photos_in(root_);
    std::erase_if(photos_, [](const Photo& photo) { return folder_of(photo.name).empty(); });
    if (photos_.empty()) {
      fail_with_hint(ErrorCode::kNotFound, "put the pictures of each place into a folder of its own",
                     "'{}' holds photos, but none of them in the folder of a place", root_.string());
    }
    const fs::path table = root_ / "positions.csv";
    const bool placed = is_there(table);
    if (placed) place(table);
    sort_into_places(source, placed);
    if (placed) keep_apart(source.negative_m);

    count_.usable = static_cast<int>(places_.size());
    count_.hint =
        placed ? "add pictures taken near each other, or raise positive_m" : "add pictures: a place is learnt from two or more";
    require_places(name(), count_, places_per_batch);
  }

  std::string name() const override { return source_name("folders", root_); }
  std::string describe() const override {
    std::string out = fmt::format("{}: {} places", name(), grouped(places()));
    if (count_.all > places())
      out += fmt::format(", {} without two pictures of one view left out", grouped(count_.all - places()));
    if (unplaced_ > 0) out += fmt::format(", {} pictures without a position left out", grouped(unplaced_));
    return out;
  }
  int places() const override { return static_cast<int>(places_.size()); }
  int images(int place) const override { return static_cast<int>(at(place).photos.size()); }
  int group(int) const override { return 0; }
  bool may_meet(int place, int other) const override {
    return place != other && !std::ranges::binary_search(at(place).near, other);
  }
  bool aligned() const override { return aligned_; }
  std::string image_name(int place, int index) const override { return photo(place, index).name; }
  Image image(int place, int index, Size) const override { return load_image(photo(place, index).path); }

  std::vector<int> draw(int place, SplitMix& random) const override {
    const FolderPlace& here = at(place);
    if (here.beside.empty()) return PlaceSource::draw(place, random);
    const int anchor = static_cast<int>(random.below(here.photos.size()));
    std::vector<int> others = here.beside[static_cast<std::size_t>(anchor)];
    shuffle(others, random);
    // By day and by night before twice by day: there is more to learn.
    const auto differs = [&](int index) { return condition(place, index) != condition(place, anchor); };
    if (const auto first = std::ranges::find_if(others, differs); first != others.end()) std::swap(*first, others.front());
    std::vector<int> out{anchor};
    for (const int other : others) {
      const auto& beside = here.beside[static_cast<std::size_t>(other)];
      if (std::ranges::all_of(out, [&](int taken) { return std::ranges::binary_search(beside, taken); })) out.push_back(other);
      if (out.size() == kMostDrawn) break;
    }
    return out;
  }

 private:
  static constexpr std::size_t kMostDrawn = 64;  // more than any place of a batch needs, stand-ins included

  const FolderPlace& at(int place) const { return places_[static_cast<std::size_t>(place)]; }
  int photo_number(int place, int index) const { return at(place).photos[static_cast<std::size_t>(index)]; }
  const Photo& photo(int place, int index) const { return photos_[static_cast<std::size_t>(photo_number(place, index))]; }
  int condition(int place, int index) const {
    return conditions_.empty() ? -1 : conditions_[static_cast<std::size_t>(photo_number(place, index))];
  }

  // A picture with an unknown camera position cannot be paired safely.
  void place(const fs::path& table) {
    std::vector<std::string> notes;
    PositionTable positions = read_positions(table, notes);
    geographic_ = positions.geographic;
    place_by_table(photos_, last_part(root_), positions);
    unplaced_ = static_cast<std::int64_t>(std::erase_if(photos_, [](const Photo& photo) { return !photo.position; }));
    if (photos_.empty()) {
      fail_with_hint(ErrorCode::kBadFile, "its column image should read FOLDER/NAME.jpg",
                     "'{}' has no position for any of the {} photos in the folders beside it", table.string(),
                     grouped(unplaced_));
    }
    conditions_ = conditions_of(photos_, table);
  }

  std::vector<std::vector<int>> near_each_other(const std::vector<Photo>& photos, double distance_m) const {
    const auto metric = geographic_ ? dataset::Metric::kEllipsoid : dataset::Metric::kPlane;
    return dataset::positives_within(photos, photos, distance_m, metric);
  }

  void sort_into_places(const TrainSource& source, bool placed) {
    std::map<std::string, std::vector<int>> by_folder;
    for (std::size_t i = 0; i < photos_.size(); ++i) by_folder[folder_of(photos_[i].name)].push_back(static_cast<int>(i));
    count_.all = static_cast<int>(by_folder.size());
    for (auto& [folder, photos] : by_folder) {
      FolderPlace place;
      place.photos = std::move(photos);
      count_.most_images = std::max(count_.most_images, static_cast<int>(place.photos.size()));
      if (placed) split_views(place, source.positive_m);
      if (place.photos.size() >= 2) places_.push_back(std::move(place));
    }
  }

  /// Notes which pictures were taken side by side, and leaves out those taken next to no other.
  void split_views(FolderPlace& place, double positive_m) const {
    std::vector<Photo> photos;
    for (const int number : place.photos) photos.push_back(photos_[static_cast<std::size_t>(number)]);
    const auto near = near_each_other(photos, positive_m);  // each is near itself
    std::vector<int> kept, new_index(photos.size(), -1);
    for (std::size_t i = 0; i < photos.size(); ++i) {
      if (near[i].size() < 2) continue;
      new_index[i] = static_cast<int>(kept.size());
      kept.push_back(place.photos[i]);
    }
    for (std::size_t i = 0; i < photos.size(); ++i) {
      if (new_index[i] < 0) continue;
      auto& beside = place.beside.emplace_back();
      for (const int j : near[i]) {
        const int index = new_index[static_cast<std::size_t>(j)];
        if (static_cast<std::size_t>(j) != i && index >= 0) beside.push_back(index);
      }
    }
    place.photos = std::move(kept);
  }

  void keep_apart(double negative_m) {
    std::vector<Photo> photos;
    std::vector<int> place_of;
    for (std::size_t i = 0; i < places_.size(); ++i) {
      for (const int number : places_[i].photos) {
        photos.push_back(photos_[static_cast<std::size_t>(number)]);
        place_of.push_back(static_cast<int>(i));
      }
    }
    const auto near = near_each_other(photos, negative_m);
    for (std::size_t i = 0; i < near.size(); ++i) {
      auto& list = places_[static_cast<std::size_t>(place_of[i])].near;
      for (const int j : near[i]) {
        if (place_of[static_cast<std::size_t>(j)] != place_of[i]) list.push_back(place_of[static_cast<std::size_t>(j)]);
      }
    }
    for (auto& place : places_) {
      std::ranges::sort(place.near);
      place.near.erase(std::unique(place.near.begin(), place.near.end()), place.near.end());
    }
  }

  fs::path root_;
  bool aligned_;
  bool geographic_ = false;
  std::vector<Photo> photos_;
  std::vector<int> conditions_;  // by photo; empty without positions.csv
  std::vector<FolderPlace> places_;
  PlaceCount count_;
  std::int64_t unplaced_ = 0;
};

}  // namespace

std::unique_ptr<PlaceSource> open_place_folders(const TrainSource& source, int places_per_batch) {
  return std::make_unique<PlaceFolders>(source, places_per_batch);
}

}  // namespace revisit::feed
