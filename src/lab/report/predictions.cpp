// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Lines and tables. Distances and similarities are printed so that they read back exactly.
#include <fmt/format.h>

#include <algorithm>

#include "core/formats/csv.h"
#include "lab/report/text.h"
#include "revisit/lab/report.h"
#include "revisit/recognizer.h"

namespace revisit {

bool RunReport::accepted(int query) const {
  const auto q = static_cast<std::size_t>(query);
  if (!decisions.empty()) return decisions.at(q).recognised;
  const auto& list = matches.at(q);
  return !list.empty() && is_accepted(static_cast<double>(list.front().similarity), run.min_similarity);
}

const SecondLook* RunReport::look(int query, std::size_t rank) const {
  const auto q = static_cast<std::size_t>(query);
  return q < second_looks.looks.size() && rank < second_looks.looks[q].size() ? &second_looks.looks[q][rank] : nullptr;
}

bool RunReport::is_positive(int query, int row) const {
  return dataset.labelled && std::ranges::binary_search(dataset.positives.at(static_cast<std::size_t>(query)), row);
}

std::optional<bool> RunReport::verdict(int query, int row) const {
  const bool placed = dataset.queries.at(static_cast<std::size_t>(query)).position.has_value() &&
                      dataset.references.at(static_cast<std::size_t>(row)).position.has_value();
  if (!dataset.labelled || (truth_from_positions && !placed)) return std::nullopt;
  return is_positive(query, row);
}

std::optional<double> RunReport::support_of(std::size_t query, std::size_t match) const {
  if (query >= support.size() || match >= support[query].size()) return std::nullopt;
  return support[query][match];
}

bool RunReport::right(int query) const {
  const auto& list = matches.at(static_cast<std::size_t>(query));
  return !list.empty() && is_positive(query, list.front().row);
}

std::string recall_line(const Evaluation& evaluation) {
  std::string out;
  for (const auto& at : evaluation.recall) out += fmt::format("{}R@{}: {:.1f}", out.empty() ? "" : ", ", at.k, at.percent);
  return out;
}

void write_run_record(const std::filesystem::path& file, const RunReport& report) { report::write_text(file, run_json(report)); }

void write_predictions(const std::filesystem::path& file, const RunReport& report) {
  std::string out = "query,rank,reference,distance,similarity\n";
  for (std::size_t q = 0; q < report.matches.size(); ++q) {
    int rank = 0;
    for (const auto& match : report.matches[q]) {
      out += fmt::format("{},{},{},{},{}\n", csv_cell(report.dataset.queries[q].name), ++rank,
                         csv_cell(report.dataset.references[static_cast<std::size_t>(match.row)].name), match.distance,
                         match.similarity);
    }
  }
  report::write_text(file, out);
}

}  // namespace revisit
