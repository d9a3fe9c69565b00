// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Pictures of places in all conditions, what is drawn from them, and the counts.
#include "decision/worlds.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/random.h"
#include "core/tensor/parallel.h"
#include "revisit/lab/synth.h"

namespace revisit::worlds {
namespace {

constexpr Size kSize{224, 299};
constexpr double kBlock_m = 150;  // from place to place

double between(SplitMix& draws, double low, double high) { return low + (high - low) * draws.uniform(); }

int one_of(SplitMix& draws, int count) { return static_cast<int>(draws.below(static_cast<std::uint64_t>(count))); }

void shuffle_by(SplitMix& draws, std::vector<int>& list) {
  for (int i = static_cast<int>(list.size()) - 1; i > 0; --i)
    std::swap(list[static_cast<std::size_t>(i)], list[static_cast<std::size_t>(one_of(draws, i + 1))]);
}

Image picture_of(const PoolOptions& options, int number) {
  const int place = number / options.pictures, which = number % options.pictures;
  SplitMix draws(scatter(options.seed) + static_cast<std::uint64_t>(number));
  SceneConditions conditions;
  const bool night = which >= options.pictures / 2;
  conditions.light = night ? (one_of(draws, 3) == 0 ? SceneConditions::Light::kDusk : SceneConditions::Light::kNight)
                           : SceneConditions::Light::kDay;
  conditions.season = static_cast<SceneConditions::Season>(one_of(draws, 3));
  conditions.weather = static_cast<SceneConditions::Weather>(one_of(draws, 4));
  conditions.traffic_seed = draws.next();
  SceneCamera camera;
  camera.side_m = between(draws, -0.8, 0.8);
  camera.forward_m = between(draws, -2, 2);
  camera.heading_deg = between(draws, -7.5, 7.5);
  camera.height_m = between(draws, 1.55, 2.1);
  std::optional<int> like;
  if (place < options.places / 2 && place % options.alike != 0) like = place - place % options.alike;
  return render_place(options.seed, place, camera, conditions, kSize, like);
}

/// Places lie on a line, far apart.
Whereabouts where_of(const Pool& pool, int picture) {
  Position position;
  position.east_m = kBlock_m * pool.place_of(picture);
  return {picture, position, std::nullopt};
}

}  // namespace

Pool::Pool(Extractor& extractor, const PoolOptions& options) : options_(options) {
  const int count = pictures();
  std::vector<Image> images(static_cast<std::size_t>(count));
  tensor::parallel_for(count, [&](int i) { images[static_cast<std::size_t>(i)] = picture_of(options_, i); });
  const auto dim = static_cast<std::size_t>(extractor.descriptor_dim());
  std::vector<float> rows;
  rows.reserve(static_cast<std::size_t>(count) * dim);
  for (auto& image : images) {
    const auto row = extractor.describe(image);
    rows.insert(rows.end(), row.begin(), row.end());
    image = {};
  }
  const auto wide = static_cast<std::size_t>(count);
  alike_.resize(wide * wide);
  tensor::parallel_for(count, [&](int a) {
    const float* left = rows.data() + static_cast<std::size_t>(a) * dim;
    for (std::size_t b = 0; b < wide; ++b) {
      const float* right = rows.data() + b * dim;
      float sums[16] = {};
      for (std::size_t i = 0; i + 16 <= dim; i += 16) {
        for (std::size_t j = 0; j < 16; ++j) sums[j] += left[i + j] * right[i + j];
      }
      float sum = 0;
      for (const float one : sums) sum += one;
      for (std::size_t i = dim / 16 * 16; i < dim; ++i) sum += left[i] * right[i];
      alike_[static_cast<std::size_t>(a) * wide + b] = sum;
    }
  });
}

Evidence Pool::ask(int query, std::span<const int> rows, int without_place, int* best) const {
  std::vector<Match> found;
  for (const int row : rows) {
    if (place_of(row) != without_place) found.push_back({row, 0, similarity(query, row)});
  }
  const auto kept = std::min<std::size_t>(found.size(), kEvidenceMatches);
  std::ranges::partial_sort(found, found.begin() + static_cast<std::ptrdiff_t>(kept), std::ranges::greater(), &Match::similarity);
  found.resize(kept);
  if (best != nullptr) *best = found.empty() ? -1 : found.front().row;
  return evidence_of(found, [this](int row) { return where_of(*this, row); });
}

std::vector<Evidence> strangers(const Pool& pool, std::span<const int> rows) {
  std::vector<Evidence> out;
  for (const int row : rows) out.push_back(pool.ask(row, rows, pool.place_of(row), nullptr));
  return out;
}

World make_world(const Pool& pool, int number, bool revisits) {
  const PoolOptions& options = pool.options();
  SplitMix draws(0x776f726c64ULL + static_cast<std::uint64_t>(number));
  std::vector<int> places(static_cast<std::size_t>(options.places));
  std::iota(places.begin(), places.end(), 0);
  if (draws.uniform() < 0.5) {  // whole estates, or single places of them
    std::vector<int> estates(static_cast<std::size_t>(options.places / options.alike));
    std::iota(estates.begin(), estates.end(), 0);
    shuffle_by(draws, estates);
    places.clear();
    for (const int estate : estates) {
      for (int i = 0; i < options.alike; ++i) places.push_back(estate * options.alike + i);
    }
  } else {
    shuffle_by(draws, places);
  }
  const double most = 0.6 * static_cast<double>(places.size()), least = std::min(20.0, most);
  const auto known = static_cast<std::size_t>(least * std::pow(most / least, draws.uniform()));
  const double share = revisits ? between(draws, 0.5, 1) : 0, night = between(draws, 0, 0.5),
               night_rows = draws.uniform() < 0.3 ? 0.5 : 0;
  const int half = options.pictures / 2;
  const auto picture = [&](int place, double by_night) {
    return place * options.pictures + (draws.uniform() < by_night ? half : 0) + one_of(draws, half);
  };
  World out;
  for (std::size_t i = 0; i < known; ++i) {
    const int first = picture(places[i], night_rows), second = picture(places[i], night_rows);
    out.rows.push_back(first);
    if (second != first) out.rows.push_back(second);
  }
  constexpr int kQueries = 100;
  while (out.queries.size() < kQueries) {
    const bool back = draws.uniform() < share;
    const auto which = back ? static_cast<std::size_t>(one_of(draws, static_cast<int>(known)))
                            : known + static_cast<std::size_t>(one_of(draws, static_cast<int>(places.size() - known)));
    const int query = picture(places[which], night);
    if (std::ranges::find(out.rows, query) == out.rows.end()) out.queries.push_back(query);
  }
  return out;
}

Counts judge(const Pool& pool, const World& world, const DecisionTable& table, double rate) {
  std::vector<int> known;
  for (const int row : world.rows) known.push_back(pool.place_of(row));
  Counts out;
  for (const int query : world.queries) {
    int best = -1;
    const Evidence evidence = pool.ask(query, world.rows, -1, &best);
    const bool right = best >= 0 && pool.place_of(best) == pool.place_of(query);
    const auto least = false_rate(evidence, table);
    const bool accepted = least && *least <= rate;
    ++out.asked;
    out.revisits += std::ranges::find(known, pool.place_of(query)) != known.end() ? 1 : 0;
    out.right += right ? 1 : 0;
    out.accepted += accepted ? 1 : 0;
    out.wrong += accepted && !right ? 1 : 0;
  }
  return out;
}

}  // namespace revisit::worlds
