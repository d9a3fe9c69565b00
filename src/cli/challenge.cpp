// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Writing and scoring predictions of the MSLS challenge.
#include "cli/challenge.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/binding.h"
#include "cli/output.h"
#include "core/base/fail.h"
#include "core/formats/text.h"

namespace revisit::cli {
namespace {

constexpr int kDepth = 25;

std::string line_of(const PartScore& part) {
  std::string recall, map;
  for (const auto& at : part.at) {
    recall += fmt::format("  R@{} {:.1f}", at.k, at.recall);
    map += fmt::format("  mAP@{} {:.1f}", at.k, at.map);
  }
  return fmt::format("  {:<12}{}{}  ({} queries, {} references)\n", part.name, recall, map, part.num_queries,
                     part.num_references);
}

}  // namespace

void add_challenge_options(std::vector<Option>& options, ChallengeArgs& args) {
  options.push_back(
      {"--msls-challenge", "FILE", "predictions for the MSLS challenge (with --dataset msls_test)", to_text(args.write)});
  options.push_back(
      {"--score-msls", "FILE", "score such a file by the tables under --root; needs no model", to_text(args.score)});
}

int challenge_depth(const ChallengeArgs& args) { return args.write.empty() ? 0 : kDepth; }

void check_challenge(const ChallengeArgs& args, const Dataset& dataset) {
  if (args.write.empty()) return;
  if (dataset.parts.empty()) {
    fail_with_hint(ErrorCode::kUsage, "--dataset msls_test --root FOLDER",
                   "--msls-challenge writes predictions for msls_test, but the data set is '{}'", dataset.name);
  }
  check_output_file(args.write);
}

void write_challenge(const ChallengeArgs& args, const RunReport& report, Console& console) {
  if (args.write.empty()) return;
  const int lines = write_msls_predictions(args.write, report.dataset, report.matches, kDepth);
  console.talk(fmt::format("wrote predictions for {} to {}", counted(lines, "query"), args.write));
  if (const auto missing = report.dataset.queries.size() - static_cast<std::size_t>(lines); missing > 0) {
    console.warn(fmt::format("{} of {} could not be described and {} no line in {}; the challenge's scorer will miss {}", missing,
                             counted(report.dataset.queries.size(), "query"), missing == 1 ? "has" : "have", args.write,
                             missing == 1 ? "it" : "them"));
  }
}

std::string challenge_text(const ChallengeScore& score) {
  std::string out = line_of(score.all);
  for (const auto& part : score.parts) out += line_of(part);
  return out + fmt::format("{} without a right reference, left out here: {}\n",
                           score.all.num_without_positive == 1 ? "query" : "queries", score.all.num_without_positive);
}

int score_challenge(const ChallengeArgs& args, const DataArgs& data, Console& console) {
  if (!args.write.empty())
    fail(ErrorCode::kUsage, "--score-msls and --msls-challenge cannot be used together: run them one after the other");
  if (data.root.empty())
    fail_with_hint(ErrorCode::kUsage, "--root FOLDER, the one that holds test/CITY",
                   "--score-msls needs --root, the folder with the MSLS tables");
  if (!data.queries_folder.empty() || !data.database_folder.empty() || data.gt || data.positions)
    fail(ErrorCode::kUsage, "--score-msls takes its queries, references and ground truth from --root alone");
  const auto score =
      score_msls_predictions(args.score, data.root, data.dataset.empty() ? "msls_test" : data.dataset, data.recall_values);
  for (const auto& note : score.notes) console.talk("notice: " + note);
  console.data(console.json ? challenge_json(score) : challenge_text(score) + "protocol: " + score.protocol + "\n");
  return 0;
}

}  // namespace revisit::cli
