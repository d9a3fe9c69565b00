// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Small sets of places on disk, and one in memory whose places and conflicts a test chooses.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "test_files.h"
#include "training/feed/place_source.h"
#include "revisit/image.h"

namespace revisit::testing {

/// A picture of one colour with some structure, as a JPEG.
inline std::string jpeg_of(int colour, int width = 24, int height = 18) {
  Image image{width, height, {}};
  for (int i = 0; i < width * height; ++i) {
    for (const int shift : {0, 3, 6}) {
      const int level = (colour >> shift) & 7;
      image.rgb.push_back(static_cast<std::uint8_t>(30 * level + (i % width) + (i / width)));
    }
  }
  const auto bytes = encode_jpeg(image, 95);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

inline constexpr const char* kGsvHeader = "place_id,year,month,northdeg,city_id,lat,lon,panoid\n";

/// Dataframes/<city>.csv and Images/<city>/ with `places` places of `images` pictures.
inline void write_gsv_city(const TemporaryFolder& folder, const std::string& city, int places, int images) {
  std::string table = kGsvHeader;
  for (int place = 0; place < places; ++place) {
    for (int i = 0; i < images; ++i) {
      const std::string pano = "p_" + std::to_string(i) + "-x";
      const std::string lat = "13.7" + std::to_string(10 + place), lon = "100.5" + std::to_string(10 + i);
      table += std::to_string(place) + ",2015,4,7," + city + "," + lat + "," + lon + "," + pano + "\n";
      const std::string number = std::to_string(place);
      const std::string stem =
          city + "_" + std::string(7 - number.size(), '0') + number + "_2015_04_007_" + lat + "_" + lon + "_" + pano;
      folder.write("Images/" + city + "/" + stem + ".jpg", jpeg_of(place * 8 + i));
    }
  }
  folder.write("Dataframes/" + city + ".csv", table);
}

inline TrainSource gsv(const TemporaryFolder& folder) {
  TrainSource out;
  out.kind = TrainSource::Kind::kGsvCities;
  out.path = folder.path();
  return out;
}

/// "placeNN/i.jpg".
inline void write_place_folders(const TemporaryFolder& folder, int places, int images) {
  for (int place = 0; place < places; ++place) {
    for (int i = 0; i < images; ++i) {
      folder.write("place" + std::to_string(10 + place) + "/" + std::to_string(i) + ".jpg", jpeg_of(place * 8 + i));
    }
  }
}

inline TrainSource folders(const TemporaryFolder& folder) {
  TrainSource out;
  out.kind = TrainSource::Kind::kFolders;
  out.path = folder.path();
  return out;
}

/// Two traverses of `frames` frames; each query accepts the references up to `reach` frames away.
inline void write_pairs(const TemporaryFolder& folder, int frames, int reach) {
  std::string table = "query,best_ref,accepted_refs\n";
  const auto name = [](int frame) { return std::to_string(1000 + frame) + ".jpg"; };
  for (int frame = 0; frame < frames; ++frame) {
    folder.write("queries/" + name(frame), jpeg_of(2 * frame));
    folder.write("references/" + name(frame), jpeg_of(2 * frame + 1));
    std::string accepted;
    for (int ref = std::max(0, frame - reach); ref <= std::min(frames - 1, frame + reach); ++ref) {
      accepted += (accepted.empty() ? "" : "|") + name(ref);
    }
    table += name(frame) + "," + name(frame) + "," + accepted + "\n";
  }
  folder.write("gt.csv", table);
}

inline TrainSource pairs(const TemporaryFolder& folder) {
  TrainSource out;
  out.kind = TrainSource::Kind::kPairs;
  out.path = folder.path();
  out.queries = "queries";
  out.references = "references";
  return out;
}

inline TrainSource town(int places, std::uint64_t seed = 1) {
  TrainSource out;
  out.kind = TrainSource::Kind::kTown;
  out.places = places;
  out.seed = seed;
  return out;
}

/// Places without pictures; whether two may meet, and their groups, is up to the test.
class MadeUpPlaces final : public feed::PlaceSource {
 public:
  explicit MadeUpPlaces(int places, std::function<bool(int, int)> may_meet = {}, int places_per_group = 1'000'000,
                        int stretch = 0)
      : places_(places), may_meet_(std::move(may_meet)), places_per_group_(places_per_group), stretch_(stretch) {}

  std::string name() const override { return "made up"; }
  std::string describe() const override { return "made up"; }
  int places() const override { return places_; }
  int images(int place) const override { return 4 + place % 3; }
  int group(int place) const override { return place / places_per_group_; }
  int stretch() const override { return stretch_; }
  bool may_meet(int place, int other) const override { return !may_meet_ || may_meet_(place, other); }
  bool aligned() const override { return false; }
  std::string image_name(int, int) const override { return {}; }
  Image image(int, int, Size) const override { return {}; }

 private:
  int places_;
  std::function<bool(int, int)> may_meet_;
  int places_per_group_;
  int stretch_;
};

}  // namespace revisit::testing
