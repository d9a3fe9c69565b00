// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Simulated drives over a map with a street that looks like another one.
#include "recognise/sequence/sequence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "revisit/error.h"

namespace revisit::sequence {
namespace {

using Row = std::vector<float>;

constexpr int kRows = 200, kDim = 64;

Row unit(Row row) {
  const double length = std::sqrt(std::inner_product(row.begin(), row.end(), row.begin(), 0.0));
  for (float& x : row) x = static_cast<float>(static_cast<double>(x) / length);
  return row;
}

Row noise(std::mt19937& random, double size) {
  Row out(kDim);
  for (float& x : out) x = static_cast<float>(size * (static_cast<double>(random() >> 8U) / 8388608 - 1));
  return out;
}

Row mixed(const Row& a, const Row& b, double weight) {
  Row out(kDim);
  for (std::size_t i = 0; i < a.size(); ++i)
    out[i] = static_cast<float>(static_cast<double>(a[i]) + weight * static_cast<double>(b[i]));
  return unit(out);
}

/// Rows that fade into each other; rows 120 to 139 look nearly like rows 40 to 59.
std::vector<Row> street() {
  std::mt19937 random(5);
  std::vector<Row> posts, rows;
  for (int i = 0; i < kRows + 2; ++i) posts.push_back(noise(random, 1));
  for (int i = 0; i < kRows; ++i) {
    const auto at = static_cast<std::size_t>(i);
    rows.push_back(mixed(mixed(posts[at], posts[at + 1], 1), posts[at + 2], 0.7));
  }
  for (std::size_t i = 0; i < 20; ++i) rows[120 + i] = mixed(rows[40 + i], noise(random, 1), 0.01);
  return rows;
}

/// What a camera sees on its way past rows.
std::vector<Row> drive(const std::vector<Row>& rows, const std::vector<int>& way, double noisy = 0.5) {
  std::mt19937 random(9);
  std::vector<Row> out;
  for (const int at : way) out.push_back(mixed(rows[static_cast<std::size_t>(at)], unit(noise(random, 1)), noisy));
  return out;
}

std::vector<int> way_from(int from, int to, int step = 1) {
  std::vector<int> out;
  for (int at = from; step > 0 ? at < to : at > to; at += step) out.push_back(at);
  return out;
}

std::vector<Match> search(const std::vector<Row>& rows, const Row& frame) {
  std::vector<Match> out;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const float dot = std::inner_product(frame.begin(), frame.end(), rows[i].begin(), 0.0F);
    out.push_back({static_cast<int>(i), std::sqrt(std::max(0.0F, 2 - 2 * dot)), dot});
  }
  std::ranges::stable_sort(out, std::ranges::greater(), &Match::similarity);
  out.resize(kSequenceCandidates);
  return out;
}

Map map_of(const std::vector<Row>& rows) {
  return {static_cast<int>(rows.size()),
          [&rows](int row) { return std::span<const float>(rows[static_cast<std::size_t>(row)]); }};
}

struct Told {
  std::vector<int> rows;  // the first match of each frame
  std::vector<double> support;

  int wrong(const std::vector<int>& way, std::size_t from = 0) const {
    int count = 0;
    for (std::size_t i = from; i < way.size(); ++i) count += std::abs(rows[i] - way[i]) > 1 ? 1 : 0;
    return count;
  }
};

Told told(const std::vector<Row>& rows, const std::vector<Row>& frames, int window, const Map& map) {
  Filter filter(window);
  Told out;
  for (const Row& frame : frames) {
    auto matches = search(rows, frame);
    out.support.push_back(follow(filter, frame, map, 10, matches).front());
    out.rows.push_back(matches.front().row);
  }
  return out;
}

Told told(const std::vector<Row>& rows, const std::vector<Row>& frames, int window) {
  return told(rows, frames, window, map_of(rows));
}

TEST(Sequence, TellsStreetsApartThatLookAlike) {
  const auto rows = street();
  int alone = 0;
  for (const auto& way : {way_from(105, 150), way_from(150, 105, -1), way_from(100, 150, 2)}) {
    const auto frames = drive(rows, way);
    alone += told(rows, frames, 1).wrong(way);
    EXPECT_LE(told(rows, frames, 10).wrong(way), 2);
  }
  EXPECT_GE(alone, 12) << "the streets must be hard to tell apart";
}

TEST(Sequence, ACameraMayStopAndGoOn) {
  const auto rows = street();
  auto way = way_from(108, 125);
  way.insert(way.end(), 12, 125);
  for (const int at : way_from(126, 139)) way.push_back(at);
  const auto frames = drive(rows, way);
  const int alone = told(rows, frames, 1).wrong(way);
  EXPECT_GE(alone, 8);
  EXPECT_LE(told(rows, frames, 10).wrong(way), alone / 2);
}

TEST(Sequence, SupportGrowsWithTheFramesThatAgree) {
  const auto rows = street();
  const auto way = way_from(150, 170);
  const Told drove = told(rows, drive(rows, way), 10);
  EXPECT_GT(*std::min_element(drove.support.begin() + 8, drove.support.end()), 0.9);
  for (const double support : drove.support) {
    EXPECT_GE(support, 0);
    EXPECT_LE(support, 1);
  }
}

TEST(Sequence, AJumpIsForgottenWithinTheWindow) {
  const auto rows = street();
  auto way = way_from(5, 30);
  for (const int at : way_from(160, 185)) way.push_back(at);
  const Told drove = told(rows, drive(rows, way), 10);
  EXPECT_EQ(drove.wrong(way, 25 + 4), 0);
  EXPECT_LE(drove.wrong(way), 3);
}

TEST(Sequence, OnlyTheWindowCounts) {
  const auto rows = street();
  const auto after = way_from(110, 130);
  auto way = way_from(70, 90), other = way_from(20, 5, -1);
  for (auto* past : {&way, &other}) past->insert(past->end(), after.begin(), after.end());
  // Noise is drawn frame by frame, so the last frames are made alone.
  const auto last = drive(rows, after);
  const auto with_past = [&](const std::vector<int>& whole) {
    auto frames = drive(rows, {whole.begin(), whole.end() - static_cast<std::ptrdiff_t>(after.size())});
    frames.insert(frames.end(), last.begin(), last.end());
    return told(rows, frames, 6);
  };
  const Told a = with_past(way), b = with_past(other);
  for (std::size_t i = 5; i < after.size(); ++i) {
    EXPECT_EQ(a.rows[a.rows.size() - after.size() + i], b.rows[b.rows.size() - after.size() + i]);
    EXPECT_EQ(a.support[a.support.size() - after.size() + i], b.support[b.support.size() - after.size() + i]) << "the same bits";
  }
  const Told alone = told(rows, {last.front()}, 6);
  EXPECT_EQ(alone.rows.front(), search(rows, last.front()).front().row) << "a frame without a past keeps its order";
}

TEST(Sequence, PhotosInNoOrderAreHardlyWorse) {
  const auto rows = street();
  auto way = way_from(0, kRows);
  std::mt19937 random(3);
  for (std::size_t i = way.size() - 1; i > 0; --i) std::swap(way[i], way[random() % (i + 1)]);
  const auto frames = drive(rows, way);
  EXPECT_LE(told(rows, frames, 10).wrong(way), told(rows, frames, 1).wrong(way) + 4);
}

TEST(Sequence, PositionsOrderRowsThatHaveNoOrder) {
  const auto ordered = street();
  std::vector<int> place(kRows);
  std::iota(place.begin(), place.end(), 0);
  std::mt19937 random(4);
  for (std::size_t i = 1; i + 1 < place.size();
       i += 2) {  // small exchanges: neighbours stay near, but no longer next to each other
    if (random() % 2 == 0) std::swap(place[i], place[i + 1]);
  }
  std::ranges::reverse(place.begin() + 50, place.begin() + 130);  // and a part that was added backwards
  std::vector<Row> rows;
  for (const int at : place) rows.push_back(ordered[static_cast<std::size_t>(at)]);
  std::vector<int> row_of(kRows);
  for (int row = 0; row < kRows; ++row) row_of[static_cast<std::size_t>(place[static_cast<std::size_t>(row)])] = row;

  const auto way = way_from(105, 150);
  const auto frames = drive(ordered, way);
  Map map = map_of(rows);
  map.position = [&](int row) {
    Position out;
    out.east_m = 10.0 * place[static_cast<std::size_t>(row)];
    return out;
  };
  const auto wrong = [&](const Told& drove) {
    int count = 0;
    for (std::size_t i = 0; i < way.size(); ++i) {
      count += std::abs(place[static_cast<std::size_t>(drove.rows[i])] - way[i]) > 1 ? 1 : 0;
    }
    return count;
  };
  const int alone = wrong(told(rows, frames, 1, map));
  EXPECT_GE(alone, 3);
  EXPECT_LE(wrong(told(rows, frames, 10, map)), alone / 3);
}

TEST(Sequence, BearsRowsThatAreDamagedOrNotThere) {
  auto rows = street();
  const auto way = way_from(10, 30);
  const auto frames = drive(rows, way);
  const auto whole = rows;
  rows[15].assign(kDim, std::numeric_limits<float>::quiet_NaN());
  rows[16].clear();
  Filter filter(5);
  const Map map = map_of(rows);
  for (const Row& frame : frames) {
    auto matches = search(whole, frame);
    for (const double support : follow(filter, frame, map, 5, matches)) EXPECT_TRUE(std::isfinite(support));
    EXPECT_EQ(matches.size(), 5U);
  }
  std::vector<Match> none;
  EXPECT_TRUE(follow(filter, frames.front(), map, 5, none).empty());
  auto matches = search(whole, frames.back());
  EXPECT_EQ(follow(filter, frames.back(), map, 5, matches).size(), 5U) << "after a frame without matches";
}

TEST(Sequence, MatchesBehindTheCandidatesStayWhereTheyAre) {
  const auto rows = street();
  Filter filter(5);
  std::vector<Match> many;
  for (int i = 0; i < 80; ++i) many.push_back({i, 1, 1.0F - 0.001F * static_cast<float>(i)});
  const auto support = follow(filter, rows.front(), map_of(rows), 60, many);
  ASSERT_EQ(many.size(), 60U);
  ASSERT_EQ(support.size(), 60U);
  for (int i = kSequenceCandidates; i < 60; ++i) {
    EXPECT_EQ(many[static_cast<std::size_t>(i)].row, i);
    EXPECT_EQ(support[static_cast<std::size_t>(i)], 0);
  }
}

TEST(Sequence, AFolderIsFollowedInOrderOfTime) {
  const auto rows = street();
  auto way = way_from(105, 150);
  const auto frames = drive(rows, way);
  const auto follow_folder = [&](bool shuffled, bool timed) {
    std::vector<std::size_t> order(way.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (shuffled) std::ranges::stable_sort(order, {}, [](std::size_t i) { return i * 7 % 45; });
    DescribedPhotos queries, references;
    queries.dim = references.dim = kDim;
    std::vector<Photo> asked(way.size()), known(rows.size());
    std::vector<std::vector<Match>> matches;
    for (std::size_t i = 0; i < order.size(); ++i) {
      queries.rows.insert(queries.rows.end(), frames[order[i]].begin(), frames[order[i]].end());
      if (timed) asked[i].time_s = static_cast<double>(order[i]);
      matches.push_back(search(rows, frames[order[i]]));
    }
    for (const Row& row : rows) references.rows.insert(references.rows.end(), row.begin(), row.end());
    const auto support = follow_sequence(queries, references, asked, known, 10, 3, matches);
    std::vector<std::pair<int, double>> out(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) out[order[i]] = {matches[i].front().row, support[i].front()};
    return out;
  };
  const auto straight = follow_folder(false, false);
  EXPECT_EQ(follow_folder(true, true), straight);
  EXPECT_NE(follow_folder(true, false), straight);
}

TEST(Sequence, TakesUpToAHundredFrames) {
  EXPECT_NO_THROW(check_sequence(0));
  EXPECT_NO_THROW(check_sequence(kMaxSequence));
  EXPECT_THROW(check_sequence(kMaxSequence + 1), Error);
  EXPECT_THROW(check_sequence(-1), Error);
}

}  // namespace
}  // namespace revisit::sequence
