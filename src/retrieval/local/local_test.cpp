// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
#include "retrieval/local/local.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <tuple>

#include "core/tensor/parallel.h"
#include "revisit/error.h"

namespace revisit::retrieval {
namespace {

constexpr int kGrid = 16;

LocalPatch at(double x, double y, double weight = 1) {
  const auto place = [](double share) { return static_cast<std::uint16_t>(std::clamp(share, 0.0, 0.9999) * 65'536); };
  return {place(x), place(y), static_cast<std::uint16_t>(weight * 65'535)};
}

std::int8_t code(std::mt19937& random) { return static_cast<std::int8_t>(static_cast<int>(random() % 127U) - 63); }

double share(std::mt19937& random) { return static_cast<int>(random() % 100U) / 99.0; }

LocalFeatures random_features(unsigned seed, int patches, int dim) {
  std::mt19937 random(seed);
  LocalFeatures out;
  out.dim = dim;
  for (int i = 0; i < patches; ++i)
    out.patches.push_back(at((i % kGrid + 0.5) / kGrid, (i / kGrid + 0.5) / kGrid, share(random)));
  for (int i = 0; i < patches * dim; ++i) out.codes.push_back(code(random));
  return out;
}

/// What another camera makes of it: places by `move`, codes with some noise, in another order.
template <typename Move>
LocalFeatures seen_again(const LocalFeatures& photo, unsigned seed, int noise, const Move& move) {
  std::mt19937 random(seed);
  std::vector<int> order(photo.patches.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  std::shuffle(order.begin(), order.end(), random);
  LocalFeatures out{photo.dim, {}, {}};
  for (const int i : order) {
    const LocalPatch& patch = photo.patches[static_cast<std::size_t>(i)];
    const auto [x, y] = move(patch.x / 65'536.0, patch.y / 65'536.0);
    out.patches.push_back(at(x, y, patch.weight / 65'535.0));
    for (int k = 0; k < photo.dim; ++k) {
      const int q =
          photo.codes[static_cast<std::size_t>(i * photo.dim + k)] + static_cast<int>(random() % (2U * noise + 1U)) - noise;
      out.codes.push_back(static_cast<std::int8_t>(std::clamp(q, -63, 63)));
    }
  }
  return out;
}

using Place = std::pair<double, double>;

Place stays(double x, double y) { return {x, y}; }

void expect_same(const SecondLook& a, const SecondLook& b) {
  EXPECT_NEAR(a.score, b.score, 1e-4 * (1 + b.score));
  ASSERT_EQ(a.pairs.size(), b.pairs.size());
  for (std::size_t i = 0; i < a.pairs.size(); ++i) {
    EXPECT_EQ(a.pairs[i].query, b.pairs[i].query);
    EXPECT_EQ(a.pairs[i].reference, b.pairs[i].reference);
    EXPECT_NEAR(a.pairs[i].similarity, b.pairs[i].similarity, 1e-6);
    EXPECT_EQ(a.pairs[i].from, b.pairs[i].from);
    EXPECT_EQ(a.pairs[i].to, b.pairs[i].to);
  }
}

TEST(SecondLook, IsThatOfPlainLoops) {
  for (const auto& [patches, others, dim] :
       {std::tuple{256, 256, 128}, {1, 1, 1}, {33, 7, 64}, {5, 250, 65}, {129, 256, 384}, {31, 32, 3}}) {
    const LocalFeatures query = random_features(static_cast<unsigned>(patches), patches, dim);
    const LocalFeatures strange = random_features(static_cast<unsigned>(others) + 1000, others, dim);
    expect_same(PatchComparison(query).with(strange), reference::second_look(query, strange));
    const LocalFeatures again = seen_again(query, 5, 20, stays);
    expect_same(PatchComparison(query).with(again), reference::second_look(query, again));
  }
}

TEST(SecondLook, IsTheSameBitsByAnyKernel) {
  LocalFeatures query = random_features(1, 100, 130), other = seen_again(query, 2, 40, stays);
  for (std::size_t k = 0; k < query.codes.size(); k += 3)
    query.codes[k] = other.codes[k] = k % 2 == 0 ? 63 : -63;  // the largest sums
  const SecondLook wanted = PatchComparison(query, *tensor::byte_kernels().back()).with(other);
  EXPECT_GT(wanted.pairs.size(), 20U);
  for (const tensor::NarrowKernel* kernel : tensor::byte_kernels()) {
    const SecondLook look = PatchComparison(query, *kernel).with(other);
    EXPECT_EQ(look.score, wanted.score) << kernel->name;
    ASSERT_EQ(look.pairs.size(), wanted.pairs.size()) << kernel->name;
    for (std::size_t i = 0; i < look.pairs.size(); ++i) EXPECT_EQ(look.pairs[i].similarity, wanted.pairs[i].similarity);
  }
}

TEST(SecondLook, FindsAPhotoAgainHoweverTheCameraMovedALittle) {
  const LocalFeatures photo = random_features(1, 256, 128), other = random_features(2, 256, 128);
  const float strange = PatchComparison(photo).with(other).score;
  const auto zoomed = [](double x, double y) { return Place{0.5 + (x - 0.5) * 1.2, 0.5 + (y - 0.5) * 1.2}; };
  const auto shifted = [](double x, double y) { return Place{x + 0.1, y}; };
  const auto turned = [](double x, double y) { return Place{x - 0.1 * (y - 0.5), y + 0.1 * (x - 0.5)}; };
  const float same = PatchComparison(photo).with(seen_again(photo, 3, 30, stays)).score;
  EXPECT_GT(same, 5 * strange);
  EXPECT_GT(PatchComparison(photo).with(seen_again(photo, 3, 30, shifted)).score, 0.95 * same);
  EXPECT_GT(PatchComparison(photo).with(seen_again(photo, 3, 30, turned)).score, 0.8 * same);
  EXPECT_GT(PatchComparison(photo).with(seen_again(photo, 3, 30, zoomed)).score, 0.7 * same);
}

TEST(SecondLook, PatchesThatWentElsewhereCountForLittle) {
  const LocalFeatures photo = random_features(1, 256, 128);
  std::mt19937 random(9);
  const auto scattered = [&](double, double) { return Place{share(random), share(random)}; };
  const SecondLook in_place = PatchComparison(photo).with(seen_again(photo, 3, 10, stays));
  const auto weightless = static_cast<std::size_t>(std::ranges::count(photo.patches, 0, &LocalPatch::weight));
  EXPECT_EQ(in_place.pairs.size(), 256U - weightless) << "patches that weigh nothing agree with nobody";
  EXPECT_LT(PatchComparison(photo).with(seen_again(photo, 3, 10, scattered)).score, 0.4 * in_place.score);
  // Half of them move together, the other half is scattered: the first half agrees.
  const auto half = [&](double x, double y) { return y < 0.5 ? Place{x + 0.05, y} : scattered(x, y); };
  const LocalFeatures mixed = seen_again(photo, 3, 10, half);
  int above = 0;
  const SecondLook look = PatchComparison(photo).with(mixed);
  for (const PatchPair& pair : look.pairs) above += photo.patches[static_cast<std::size_t>(pair.query)].y < 32'768 ? 1 : 0;
  EXPECT_GT(above, 115);
  EXPECT_GT(above, 0.75 * static_cast<double>(look.pairs.size()));
}

TEST(SecondLook, NothingIsFoundInNothing) {
  const LocalFeatures photo = random_features(1, 20, 16), none{16, {}, {}};
  LocalFeatures blank = random_features(1, 20, 16);
  std::ranges::fill(blank.codes, std::int8_t{0});
  for (const LocalFeatures* other : {&none, static_cast<const LocalFeatures*>(&blank)}) {
    EXPECT_EQ(PatchComparison(photo).with(*other).score, 0);
    EXPECT_EQ(PatchComparison(*other).with(photo).pairs.size(), 0U);
  }
}

TEST(SecondLook, RefusesWhatIsNotAsItSays) {
  const LocalFeatures photo = random_features(1, 20, 16);
  const auto refused = [&](LocalFeatures bad, ErrorCode code) {
    for (const bool as_query : {false, true}) {
      try {
        as_query ? PatchComparison(bad).with(photo) : PatchComparison(photo).with(bad);
        ADD_FAILURE();
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), code) << error.what();
      }
    }
  };
  refused(random_features(1, 20, 17), ErrorCode::kMismatch);
  refused(random_features(1, 257, 16), ErrorCode::kUsage);
  refused({0, {}, {}}, ErrorCode::kUsage);
  refused({LocalFeatures::kMostDim + 1, {}, {}}, ErrorCode::kUsage);
  LocalFeatures bad = photo;
  bad.codes.pop_back();
  refused(bad, ErrorCode::kUsage);
  bad = photo;
  bad.codes[7] = 64;
  refused(bad, ErrorCode::kUsage);
}

TEST(SecondLook, ManyAtOnceAreAsOneByOne) {
  const LocalFeatures photo = random_features(1, 200, 128);
  std::vector<LocalFeatures> others;
  std::vector<const LocalFeatures*> references;
  for (unsigned i = 0; i < 20; ++i) others.push_back(seen_again(photo, i, static_cast<int>(3 * i + 1), stays));
  for (const auto& one : others) references.push_back(&one);
  for (const int threads : {1, 2, 3}) {
    const tensor::Team team(threads);
    const auto looks = second_looks(photo, references);
    for (std::size_t i = 0; i < looks.size(); ++i) EXPECT_EQ(looks[i].score, PatchComparison(photo).with(others[i]).score);
  }
}

TEST(SecondLook, OrdersByScoreAndSimilarity) {
  const std::vector<Match> matches = {{7, 0, 0.9F}, {5, 0, 0.8F}, {3, 0, 0.8F}, {2, 0, 0.7F}};
  const auto look = [](float score) { return SecondLook{score, {}}; };
  EXPECT_EQ(order_after(matches, std::vector{look(1), look(2), look(3)}), (std::vector{2, 1, 0, 3})) << "the fourth had no look";
  EXPECT_EQ(order_after(matches, std::vector{look(1), look(1), look(1), look(1)}), (std::vector{0, 1, 2, 3}));
  EXPECT_EQ(order_after(matches, std::vector{look(0), look(0), look(0), look(0)}), (std::vector{0, 1, 2, 3}));
  EXPECT_EQ(order_after(matches, {}), (std::vector{0, 1, 2, 3}));
}

TEST(SecondLook, PutsTheRightOneFirst) {
  const LocalFeatures photo = random_features(1, 200, 64);
  std::vector<LocalFeatures> there;
  for (unsigned i = 0; i < 5; ++i) there.push_back(i == 3 ? seen_again(photo, 7, 20, stays) : random_features(10 + i, 200, 64));
  std::vector<Match> matches = {{0, 0, 0.9F}, {1, 0, 0.8F}, {2, 0, 0.8F}, {3, 0, 0.7F}, {4, 0, 0.6F}};
  const auto local_of = [&](int row) { return &there[static_cast<std::size_t>(row)]; };
  std::vector<Match> untouched = matches;
  EXPECT_EQ(look_again(photo, untouched, 3, local_of).size(), 3U);
  EXPECT_EQ(untouched[3].row, 3) << "beyond the count";
  const auto looks = look_again(photo, matches, 10, local_of);
  ASSERT_EQ(looks.size(), 5U);
  EXPECT_EQ(matches[0].row, 3);
  EXPECT_FLOAT_EQ(matches[0].similarity, 0.7F);
  EXPECT_EQ(looks[0].score, PatchComparison(photo).with(there[3]).score);
  EXPECT_GT(looks[0].score, 3 * looks[1].score);
}

}  // namespace
}  // namespace revisit::retrieval
