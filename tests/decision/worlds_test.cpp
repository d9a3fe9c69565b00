// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Stated rates in made-up worlds of streets that look alike, by the table that the model brings and by one that each collection
// makes of its own photos. Neither has seen this town. REVISIT_WORLDS_MODEL names another model file.
#include "decision/worlds.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <map>

#include "revisit/embedded.h"

namespace revisit::worlds {
namespace {

constexpr double kAllowance = 1.25;  // realised over stated
constexpr double kRatesHere[] = {0.1, 0.05, 0.01};

Model model_here() {
  const char* named = std::getenv("REVISIT_WORLDS_MODEL");
  return named != nullptr ? Model::load(named) : embedded_model();
}

const Pool& test_pool() {
  static Extractor extractor(model_here(), {}, 0);
  static const Pool pool(extractor, {.seed = 20'260'036, .places = REVISIT_WORLDS_PLACES});
  return pool;
}

void add(Counts& total, const Counts& one) {
  total.asked += one.asked;
  total.revisits += one.revisits;
  total.right += one.right;
  total.accepted += one.accepted;
  total.wrong += one.wrong;
}

struct Outcome {
  Counts all;
  double mean_share = 0;  // of wrong answers among those of a world
  int worlds = 0;
};

using TableOf = std::function<DecisionTable(const World&)>;

Outcome outcome_of(double rate, bool revisits, const TableOf& table_of) {
  Outcome out;
  for (int number = 0; number < REVISIT_WORLDS; ++number) {
    const World world = make_world(test_pool(), number, revisits);
    const Counts one = judge(test_pool(), world, table_of(world), rate);
    add(out.all, one);
    out.mean_share += one.accepted > 0 ? static_cast<double>(one.wrong) / one.accepted : 0;
    ++out.worlds;
  }
  out.mean_share /= out.worlds;
  return out;
}

/// At `useful` and above some right answers must be kept: finer rates may take more photos than a collection has.
void hold(const char* what, double useful, const TableOf& table_of) {
  for (const double rate : kRatesHere) {
    const Outcome mixed = outcome_of(rate, true, table_of), single = outcome_of(rate, false, table_of);
    const double share = mixed.all.accepted > 0 ? static_cast<double>(mixed.all.wrong) / mixed.all.accepted : 0;
    const double answered = static_cast<double>(single.all.accepted) / single.all.asked;
    const int right_kept = mixed.all.accepted - mixed.all.wrong;
    std::printf(
        "%s, stated %g: wrong of accepted %.4f (%d of %d), mean of worlds %.4f, right kept %.1f %%, right answers of all %.1f "
        "%%; "
        "nothing revisited: answered %.4f\n",
        what, rate, share, mixed.all.wrong, mixed.all.accepted, mixed.mean_share, 100.0 * right_kept / mixed.all.right,
        100.0 * right_kept / mixed.all.asked, answered);
    EXPECT_LE(share, kAllowance * rate) << what << ", " << rate;
    EXPECT_LE(answered, kAllowance * rate) << what << ", " << rate << ": nothing is revisited";
    EXPECT_GE(right_kept, rate < useful ? 0 : 1) << what << ", " << rate << ": a rule that refuses everything is of no use";
  }
}

TEST(StatedRates, HoldInWorldsByTheModelsTable) {
  const std::string text = model_here().info().decision;
  ASSERT_FALSE(text.empty()) << "the model is not calibrated";
  const DecisionTable table = decision_table_from(text, "the model");
  hold("the model's table", 0.01, [&](const World&) { return table; });
}

TEST(StatedRates, HoldInWorldsByTheTableOfTheirOwnPhotos) {
  std::map<std::vector<int>, DecisionTable> made;  // each world is asked at several rates
  hold("own photos", 0.1, [&](const World& world) {
    const auto [at, is_new] = made.try_emplace(world.rows);
    if (is_new) {
      const std::vector<Evidence> own = strangers(test_pool(), world.rows);
      at->second = make_decision_table(std::span(&own, 1));
    }
    return at->second;
  });
}

}  // namespace
}  // namespace revisit::worlds
