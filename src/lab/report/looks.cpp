// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// looks.json: which patches of the photos shown side by side agree, so that a page can be drawn again.
#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "lab/report/examples.h"
#include "lab/report/json_fields.h"
#include "lab/report/run_files.h"

namespace revisit::report {

std::string looks_json(const RunReport& report) {
  auto list = nlohmann::ordered_json::array();
  const ShownQueries shown = shown_queries(report);
  for (const auto* queries : {&shown.best, &shown.worst}) {
    for (const int q : *queries) {
      const SecondLook* look = report.look(q, 0);
      if (look == nullptr) continue;
      auto table = nlohmann::ordered_json::array();
      for (const PatchPair& pair : look->pairs)
        table.push_back({pair.from.x, pair.from.y, pair.to.x, pair.to.y, pair.similarity});
      list.push_back({{"query", q}, {"score", look->score}, {"patches", std::move(table)}});
    }
  }
  return list.empty() ? "" : nlohmann::ordered_json{{"schema", 1}, {"looks", std::move(list)}}.dump() + "\n";
}

void read_looks(const std::filesystem::path& file, RunReport& report) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return;  // only after --rerank
  const nlohmann::json json = read_json_file(file);
  const auto where = "'" + file.string() + "'";
  int number = 0;
  for (const auto& one : Fields(json, where).list("looks")) {
    const Fields fields(one, fmt::format("{}, look {}", where, ++number));
    const int q = fields.whole("query", 0, static_cast<int>(report.dataset.queries.size()) - 1);
    SecondLook look;
    look.score = static_cast<float>(fields.number("score", 0, std::numeric_limits<float>::max()));
    for (const auto& row : fields.list("patches")) {
      const auto place = [&](std::size_t i) {
        const bool fits =
            row.is_array() && row.size() == 5 && row[i].is_number_unsigned() && row[i].get<std::uint64_t>() <= 65'535;
        if (!fits) fields.bad("'patches' holds something that is not four places, 0 to 65535, and a similarity");
        return row[i].get<std::uint16_t>();
      };
      PatchPair pair;
      pair.from = {place(0), place(1), 0};
      pair.to = {place(2), place(3), 0};
      if (!row[4].is_number()) fields.bad("'patches' holds a similarity that is not a number");
      pair.similarity = row[4].get<float>();
      if (look.pairs.size() == LocalFeatures::kMostPatches) {
        fields.bad("'patches' has more than {} rows", int{LocalFeatures::kMostPatches});
      }
      look.pairs.push_back(pair);
    }
    report.second_looks.looks.resize(report.dataset.queries.size());
    report.second_looks.looks[static_cast<std::size_t>(q)] = {std::move(look)};
  }
}

}  // namespace revisit::report
