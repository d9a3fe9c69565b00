// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The JSON objects of match, eval and sweep. Keys are a contract: add, never rename.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "revisit/lab/report.h"

namespace revisit {
namespace {

using Json = nlohmann::ordered_json;

// File names need not be UTF-8; JSON must be.
std::string text_of(const Json& object) { return object.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"; }

Json skipped_json(const std::vector<Skipped>& skipped) {
  auto list = Json::array();
  for (const auto& one : skipped) list.push_back({{"path", one.path}, {"code", name_of(one.code)}, {"reason", one.reason}});
  return list;
}

void add_rule(Json& object, const RunRecord& run) {
  if (run.min_similarity) object["min_similarity"] = *run.min_similarity;
  if (!run.max_false_rate) return;
  object["max_false_rate"] = *run.max_false_rate;
  object["calibration"] = run.calibration;
}

Json outcomes_json(const std::vector<RateOutcome>& outcomes) {
  auto list = Json::array();
  for (const auto& one : outcomes) {
    list.push_back(
        {{"rate", one.rate}, {"accepted", one.accepted}, {"wrong", one.wrong}, {"right", one.right}, {"kept", one.kept}});
  }
  return list;
}

void add_recall(Json& object, const Evaluation& evaluation) {
  auto recall = Json::object(), interval = Json::object();
  for (const auto& at : evaluation.recall) {
    recall[std::to_string(at.k)] = at.percent;
    interval[std::to_string(at.k)] = {at.low95, at.high95};
  }
  object["recall"] = std::move(recall);
  object["recall_interval95"] = std::move(interval);
  object["average_precision"] = evaluation.average_precision;
  object["recall_at_full_precision"] = evaluation.recall_at_full_precision;
}

Json part_json(const PartScore& part) {
  auto recall = Json::object(), map = Json::object();
  for (const auto& at : part.at) {
    recall[std::to_string(at.k)] = at.recall;
    map[std::to_string(at.k)] = at.map;
  }
  return {{"num_queries", part.num_queries},
          {"num_without_positive", part.num_without_positive},
          {"num_references", part.num_references},
          {"recall", std::move(recall)},
          {"map", std::move(map)}};
}

// Queries without a positive are not in the denominator here, unlike in the recall of a run.
Json score_json(const ChallengeScore& score) {
  Json object = part_json(score.all);
  auto cities = Json::object();
  for (const auto& part : score.parts) cities[part.name] = part_json(part);
  object["cities"] = std::move(cities);
  object["protocol"] = score.protocol;
  object["notes"] = score.notes;
  return object;
}

// Distance of the first match over that of the second: near 1 when the two are almost tied.
std::optional<float> first_to_second(const std::vector<Match>& matches) {
  if (matches.size() < 2 || matches[1].distance <= 0) return std::nullopt;
  return matches[0].distance / matches[1].distance;
}

// Its settings beside the others, under their own names; "pruner" is the old name of prune.
void add_spec(Json& object, const DescriptorSpec& spec) {
  object.update(Json::parse(spec_json(spec)));
  object["pruner"] = spec.prune.value_or("none");
}

double share_of(std::uint16_t place) { return std::round(place / 6.5536) / 10'000; }

// The table of pairs of the first match only: of all of them it would be most of the answer.
void add_look(Json& match, const SecondLook& look, bool first) {
  match["local_score"] = look.score;
  match["agreeing_patches"] = look.pairs.size();
  if (!first) return;
  auto table = Json::array();
  for (const PatchPair& pair : look.pairs) {
    table.push_back({share_of(pair.from.x), share_of(pair.from.y), share_of(pair.to.x), share_of(pair.to.y), pair.similarity});
  }
  match["patches"] = std::move(table);
}

void add_rerank(Json& object, const SecondLooks& looks) {
  if (looks.candidates == 0) return;
  object["reranked_candidates"] = looks.candidates;
  object["rerank_ms_per_candidate"] = looks.ms_per_candidate();
}

void add_run(Json& object, const RunRecord& run) {
  object["model"] = run.model;
  object["fingerprint"] = run.fingerprint;
  object["aggregator"] = run.aggregator;
  add_spec(object, completed(run.spec));
  object["dim"] = run.dim;
  object["threads"] = run.threads;
  object["cpu"] = run.cpu;
  object["command"] = run.command;
  object["arguments"] = run.arguments;
  object["version"] = run.version;
  if (!run.commit.empty()) object["commit"] = run.commit;
  object["started"] = run.started;
}

}  // namespace

std::string run_json(const RunReport& report) {
  const RunRecord& run = report.run;
  Json object{
      {"schema", 1}, {"num_queries", report.dataset.queries.size()}, {"num_references", report.dataset.references.size()}};
  if (report.evaluation) {
    object["num_without_positive"] = report.evaluation->num_without_positive;
    add_recall(object, *report.evaluation);
    if (report.evaluation->challenge) object["challenge"] = score_json(*report.evaluation->challenge);
  }
  object["dataset"] = report.dataset.name;
  object["protocol"] = report.dataset.protocol;
  object["reference_rho"] = report.run.reference_spec.rho.value_or(1);
  object["ms_per_image"] = run.ms_per_image;
  object["end_to_end_ms"] = run.end_to_end_ms;
  object["reference_ms_per_image"] = run.reference_ms_per_image;
  if (run.spec.keep_mass) object["mean_kept"] = run.mean_kept;
  add_rule(object, run);
  if (!report.outcomes.empty()) object["decisions"] = outcomes_json(report.outcomes);
  if (report.truth_from_positions) object["truth_from_positions"] = true;
  add_rerank(object, report.second_looks);
  object["notes"] = report.dataset.notes;
  add_run(object, run);
  object["skipped"] = skipped_json(report.skipped);
  return text_of(object);
}

std::string matches_json(const RunReport& report) {
  auto queries = Json::array();
  for (std::size_t q = 0; q < report.matches.size(); ++q) {
    const Photo& query = report.dataset.queries[q];
    auto matches = Json::array();
    for (const auto& match : report.matches[q]) {
      const Photo& reference = report.dataset.references[static_cast<std::size_t>(match.row)];
      Json one{{"rank", matches.size() + 1},
               {"reference", reference.name},
               {"distance", match.distance},
               {"similarity", match.similarity}};
      if (const SecondLook* look = report.look(static_cast<int>(q), matches.size())) add_look(one, *look, matches.empty());
      if (reference.position && reference.position->geographic) {
        one["lat"] = reference.position->geographic->lat_deg;
        one["lon"] = reference.position->geographic->lon_deg;
      }
      if (reference.position && query.position) one["metres"] = distance_m(*query.position, *reference.position);
      if (const auto support = report.support_of(q, matches.size())) one["support"] = *support;
      matches.push_back(std::move(one));
    }
    Json one{{"query", query.name}, {"matches", std::move(matches)}, {"accepted", report.accepted(static_cast<int>(q))}};
    if (!report.decisions.empty()) {
      const Decision& decision = report.decisions[q];
      if (report.run.max_false_rate) one["verdict"] = name_of(decision.verdict);
      if (decision.false_rate) one["false_rate"] = *decision.false_rate;
      if (!decision.reason.empty()) one["reason"] = decision.reason;
    }
    if (const auto ratio = first_to_second(report.matches[q])) one["ratio"] = *ratio;
    queries.push_back(std::move(one));
  }
  Json object{{"schema", 1}, {"queries", std::move(queries)}};
  if (report.evaluation) {
    object["num_without_positive"] = report.evaluation->num_without_positive;
    add_recall(object, *report.evaluation);
    object["protocol"] = report.evaluation->protocol;
  }
  add_rule(object, report.run);
  add_rerank(object, report.second_looks);
  object["notes"] = report.dataset.notes;
  object["skipped"] = skipped_json(report.skipped);
  return text_of(object);
}

std::string challenge_json(const ChallengeScore& score) {
  Json object{{"schema", 1}};
  object.update(score_json(score));
  return text_of(object);
}

std::string sweep_json(const Sweep& sweep) {
  auto runs = Json::array();
  const std::vector<bool> front = pareto_front(sweep.points);
  for (const auto& point : sweep.points) {
    Json one{{"model", point.model},
             {"rho", point.rho},
             {"precision", point.precision},
             {"pareto", bool{front[runs.size()]}},
             {"reference_rho", point.reference_rho},
             {"dim", point.dim},
             {"ms_per_image", point.ms_per_image},
             {"end_to_end_ms", point.end_to_end_ms}};
    if (point.ms_high > 0) {
      one["ms_per_image_p5"] = point.ms_low;
      one["ms_per_image_p95"] = point.ms_high;
    }
    add_recall(one, point.evaluation);
    runs.push_back(std::move(one));
  }
  Json object{{"schema", 1}};
  if (!sweep.points.empty()) {
    const Evaluation& first = sweep.points.front().evaluation;
    object["num_queries"] = first.num_queries;
    object["num_references"] = first.num_references;
    object["num_without_positive"] = first.num_without_positive;
    object["protocol"] = first.protocol;
  }
  if (sweep.budget_ms) {
    object["budget_ms"] = *sweep.budget_ms;
    if (const auto best = best_within(sweep.points, *sweep.budget_ms)) object["best_within_budget"] = runs[*best];
    object["budget_says"] = budget_sentence(sweep.points, *sweep.budget_ms);
  }
  object["runs"] = std::move(runs);
  DescriptorSpec common = completed(sweep.run.spec);
  common.rho.reset();  // every point has its own
  const bool one_precision = std::ranges::all_of(sweep.points, [&](const auto& p) { return p.precision == common.precision; });
  if (!one_precision) common.precision.reset();
  add_spec(object, common);
  object["threads"] = sweep.run.threads;
  object["cpu"] = sweep.run.cpu;
  object["command"] = sweep.run.command;
  object["arguments"] = sweep.run.arguments;
  object["version"] = sweep.run.version;
  if (!sweep.run.commit.empty()) object["commit"] = sweep.run.commit;
  object["started"] = sweep.run.started;
  object["skipped"] = skipped_json(sweep.skipped);
  return text_of(object);
}

}  // namespace revisit
