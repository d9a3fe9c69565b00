// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
#include "lab/report/answer_words.h"

#include <gtest/gtest.h>

namespace revisit::report {
namespace {

Photo placed(const char* name, std::optional<LatLon> place = {}) {
  Photo photo;
  photo.name = name;
  if (place) photo.position = position_from(*place);
  return photo;
}

RunReport run_of(std::vector<Match> matches) {
  RunReport out;
  out.dataset.queries = {placed("q")};
  out.dataset.references = {placed("a"), placed("b", LatLon{-33.5, 151.25}), placed("c", LatLon{59.4370125, 24.7451})};
  out.matches = {std::move(matches)};
  return out;
}

TEST(WhyWords, CompareTheSimilarityWithTheThreshold) {
  auto run = run_of({{1, 0.5F, 0.8125F}});
  EXPECT_EQ(why_words(run, 0), "Accepted: this run has no threshold, so the most similar photo is the answer.");
  run.run.min_similarity = 0.31;
  EXPECT_EQ(why_words(run, 0), "Accepted: similarity 0.812 reaches the threshold 0.310.");
  run.run.min_similarity = 0.9;
  EXPECT_EQ(why_words(run, 0), "No match: the best similarity, 0.812, is below the threshold 0.900.");
  run.run.min_similarity = 0.8125;
  EXPECT_EQ(why_words(run, 0), "Accepted: similarity 0.812 reaches the threshold 0.812.");
  run.matches[0][0].similarity = 0.875F;
  run.run.min_similarity = 0.87503;
  EXPECT_EQ(why_words(run, 0), "No match: the best similarity, 0.87500, is below the threshold 0.87503.") << "told apart";
  EXPECT_EQ(why_words(run_of({}), 0), "No match: no photo could be compared with this one.");
}

TEST(WhyWords, SayWhetherARefusedMatchWasRight) {
  auto run = run_of({{1, 0.5F, 0.25F}});
  run.run.min_similarity = 0.5;
  run.dataset.labelled = true;
  run.dataset.positives = {{1}};
  EXPECT_TRUE(why_words(run, 0).ends_with(" It would have been right."));
  run.dataset.positives = {{2}};
  EXPECT_TRUE(why_words(run, 0).ends_with(" It would have been wrong."));
}

TEST(WhereWords, TakeTheFirstAcceptedMatchWithAKnownPlace) {
  auto run = run_of({{2, 0.5F, 0.75F}, {1, 0.6F, 0.5F}});
  EXPECT_EQ(where_words(run, 0), "Answer: near 59.437013, 24.745100, where match 1 was taken.");
  run.matches = {{{0, 0.5F, 0.75F}, {1, 0.6F, 0.5F}}};
  EXPECT_EQ(where_words(run, 0), "Answer: near -33.500000, 151.250000, where match 2 was taken; match 1 has no known place.");
  run.matches = {{{0, 0.5F, 0.75F}, {0, 0.5F, 0.75F}, {1, 0.6F, 0.5F}}};
  EXPECT_TRUE(where_words(run, 0).ends_with("; matches 1 and 2 have no known place."));
  run.run.min_similarity = 0.6;
  EXPECT_EQ(where_words(run, 0), "Where it was taken is not known: no match that is good enough has a known place.");
  run.run.min_similarity = 0.8;
  EXPECT_EQ(where_words(run, 0), "Match 3 was taken at -33.500000, 151.250000.") << "a refused query has no answer";
}

TEST(WhereWords, SpeakOfMetresOnAPlaneAndOfNothingUnknown) {
  auto run = run_of({{1, 0.5F, 0.75F}});
  run.dataset.references[1].position->geographic.reset();
  run.dataset.references[1].position->east_m = -12.34;
  run.dataset.references[1].position->north_m = 5;
  EXPECT_EQ(where_words(run, 0), "Answer: near east -12.3 m, north 5.0 m, where match 1 was taken.");
  for (auto& photo : run.dataset.references) photo.position.reset();
  EXPECT_EQ(where_words(run, 0), "");
  EXPECT_EQ(where_words(run_of({}), 0), "");
}

}  // namespace
}  // namespace revisit::report
