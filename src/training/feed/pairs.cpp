// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Two traverses and a gt.csv: a place is a query with its accepted references, and with the queries just before and after it that
// accept a reference in common. Frames are numbered by the order of the names.
#include <algorithm>
#include <cstdlib>

#include "core/base/fail.h"
#include "core/formats/text.h"
#include "training/feed/sources.h"
#include "revisit/lab/dataset.h"

namespace revisit::feed {
namespace {

struct PairPlace {
  int query = 0;                // frame of the queries
  int centre = 0;               // the middle one of the accepted references
  std::vector<int> queries;     // itself and its neighbours, ascending
  std::vector<int> references;  // ascending
};

/// Whether a frame of one list is at most `frames` away from one of the other; both ascend.
bool come_within(int frames, const std::vector<int>& a, const std::vector<int>& b) {
  for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end();) {
    if (std::abs(*i - *j) <= frames) return true;
    *i < *j ? ++i : ++j;
  }
  return false;
}

class Pairs final : public PlaceSource {
 public:
  Pairs(const TrainSource& source, int places_per_batch)
      : name_(source_name("pairs", source.path)),
        tolerance_(std::max(0, source.tolerance_frames)),
        apart_(source.negative_frames > 0 ? source.negative_frames : 2 * tolerance_),
        stretch_(source.stretch_frames),
        aligned_(source.aligned) {
    const char* layout = "a pairs source has a folder of queries, one of references and a gt.csv, relative to its path";
    require_folder(source.path, layout);
    require_folder(source.path / source.queries, layout);
    require_folder(source.path / source.references, layout);
    FolderPair pair;
    pair.queries = source.path / source.queries;
    pair.references = source.path / source.references;
    pair.gt = source.path / source.gt;
    data_ = load_folder_pair(pair);
    const int frames = static_cast<int>(data_.queries.size());
    for (int query = 0; query < frames; ++query) {
      const auto& accepted = accepted_by(query);
      if (accepted.empty()) continue;
      PairPlace place{query, accepted[accepted.size() / 2], {}, accepted};
      for (int other = std::max(0, query - tolerance_); other <= std::min(frames - 1, query + tolerance_); ++other) {
        if (come_within(0, accepted, accepted_by(other))) place.queries.push_back(other);  // unordered sets have no neighbours
      }
      places_.push_back(std::move(place));
    }
    PlaceCount count{.usable = places(), .all = frames, .most_images = 1, .hint = "its gt.csv accepts no reference"};
    require_places(name_, count, places_per_batch);
  }

  std::string name() const override { return name_; }
  std::string describe() const override {
    std::string out = fmt::format("{}: {} places", name_, grouped(places()));
    const auto without = static_cast<int>(data_.queries.size()) - places();
    if (without > 0) out += fmt::format(", {} queries without an accepted reference left out", grouped(without));
    return out;
  }
  int places() const override { return static_cast<int>(places_.size()); }
  int images(int place) const override { return static_cast<int>(at(place).queries.size() + at(place).references.size()); }
  int group(int) const override { return 0; }
  int stretch() const override { return stretch_; }
  int frame(int place) const override { return at(place).query; }
  /// Places lie negative_frames apart on both traverses, and no picture of one comes within the tolerance of one of the other:
  /// adjacent frames look alike, and the loss seeks the hardest negatives.
  bool may_meet(int place, int other) const override {
    const PairPlace &a = at(place), &b = at(other);
    return place != other && std::abs(a.query - b.query) >= apart_ && std::abs(a.centre - b.centre) >= apart_ &&
           !come_within(tolerance_, a.queries, b.queries) && !come_within(tolerance_, a.references, b.references);
  }
  bool aligned() const override { return aligned_; }
  std::string image_name(int place, int index) const override {
    return fmt::format("{} {}", is_query(place, index) ? "query" : "reference", photo(place, index).name);
  }
  Image image(int place, int index, Size) const override { return load_image(photo(place, index).path); }

  /// One of each traverse first: what they share is what should be learnt.
  std::vector<int> draw(int place, SplitMix& random) const override {
    std::vector<int> out = PlaceSource::draw(place, random);
    const bool first = is_query(place, out.front());
    const auto other = std::ranges::find_if(out, [&](int index) { return is_query(place, index) != first; });
    std::swap(*other, out[1]);  // a place has at least one of each
    return out;
  }

 private:
  const PairPlace& at(int place) const { return places_[static_cast<std::size_t>(place)]; }
  const std::vector<int>& accepted_by(int query) const { return data_.positives[static_cast<std::size_t>(query)]; }
  bool is_query(int place, int index) const { return static_cast<std::size_t>(index) < at(place).queries.size(); }
  const Photo& photo(int place, int index) const {
    const auto i = static_cast<std::size_t>(index);
    const auto& queries = at(place).queries;
    if (i < queries.size()) return data_.queries[static_cast<std::size_t>(queries[i])];
    return data_.references[static_cast<std::size_t>(at(place).references[i - queries.size()])];
  }

  std::string name_;
  int tolerance_;
  int apart_;
  int stretch_;
  bool aligned_;
  Dataset data_;
  std::vector<PairPlace> places_;
};

}  // namespace

std::unique_ptr<PlaceSource> open_pairs(const TrainSource& source, int places_per_batch) {
  return std::make_unique<Pairs>(source, places_per_batch);
}

}  // namespace revisit::feed
