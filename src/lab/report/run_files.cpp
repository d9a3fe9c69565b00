// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The folder a run writes. photos.csv has one line per photo, queries first; a query's right references are row numbers among the
// references, runs of them written as "first-last", and so are its matches, best first: names need not be unique. Tables keep
// every byte of a name (csv_cell); JSON, which must be UTF-8, may not.
#include "lab/report/run_files.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/formats/csv.h"
#include "lab/report/text.h"

namespace revisit {
namespace report {
namespace {

using OrderedJson = nlohmann::ordered_json;

std::string ranges_of(const std::vector<int>& rows) {
  std::string out;
  for (std::size_t i = 0; i < rows.size();) {
    std::size_t last = i;
    while (last + 1 < rows.size() && rows[last + 1] == rows[last] + 1) ++last;
    out += fmt::format("{}{}", out.empty() ? "" : "|", rows[i]);
    if (last > i) out += fmt::format("-{}", rows[last]);
    i = last + 1;
  }
  return out;
}

std::string rows_of(const std::vector<Match>& matches) {
  std::string out;
  for (const auto& match : matches) out += fmt::format("{}{}", out.empty() ? "" : "|", match.row);
  return out;
}

/// `lists` are the last cells.
std::string line_of(const Photo& photo, const char* role, const std::string& part, const std::string& lists) {
  std::error_code ignored;
  const auto absolute = std::filesystem::absolute(photo.path, ignored);
  std::string out = fmt::format("{},{},{},", role, csv_cell(photo.name), csv_cell((ignored ? photo.path : absolute).string()));
  const auto number = [&](bool known, double value) { out += known ? fmt::format("{},", value) : ","; };
  const auto& at = photo.position;
  const bool geographic = at && at->geographic;
  number(at.has_value(), at ? at->east_m : 0);
  number(at.has_value(), at ? at->north_m : 0);
  number(geographic, geographic ? at->geographic->lat_deg : 0);
  number(geographic, geographic ? at->geographic->lon_deg : 0);
  return out + fmt::format("{},{}\n", csv_cell(part), lists);
}

std::string photos_csv(const RunReport& report) {
  const Dataset& dataset = report.dataset;
  const bool rated = report.run.max_false_rate && !report.decisions.empty();
  std::string out = "role,name,path,east_m,north_m,lat_deg,lon_deg,part,positives,matches";
  out += rated ? ",verdict,false_rate\n" : "\n";
  const auto verdict = [&](std::size_t q) {
    if (!rated) return std::string();
    const Decision& decision = report.decisions[q];
    return fmt::format(",{},{}", name_of(decision.verdict), decision.false_rate ? fmt::format("{}", *decision.false_rate) : "");
  };
  const auto part = [&](const std::vector<int>& parts, std::size_t i) {
    return i < parts.size() ? dataset.parts[static_cast<std::size_t>(parts[i])] : std::string();
  };
  for (std::size_t i = 0; i < dataset.queries.size(); ++i) {
    out += line_of(dataset.queries[i], "query", part(dataset.query_parts, i),
                   (dataset.labelled ? ranges_of(dataset.positives[i]) : "") + "," + rows_of(report.matches[i]) + verdict(i));
  }
  for (std::size_t i = 0; i < dataset.references.size(); ++i) {
    out += line_of(dataset.references[i], "reference", part(dataset.reference_parts, i), rated ? ",,," : ",");
  }
  return out;
}

std::string tokens_json(const std::vector<PhotoPatches>& patches) {
  auto list = OrderedJson::array();
  for (const auto& one : patches) {
    auto values = OrderedJson::array();
    for (const float value : one.scores.values) {
      if (std::isfinite(value)) {
        values.push_back(rounded_score(value));
      } else {
        values.push_back(nullptr);
      }
    }
    list.push_back({{"role", one.reference ? "reference" : "query"},
                    {"row", one.row},
                    {"grid", {one.scores.grid.height, one.scores.grid.width}},
                    {"meaning", one.scores.meaning},
                    {"values", std::move(values)},
                    {"kept", one.scores.kept}});
    if (!one.scores.owner.empty()) list.back()["owner"] = one.scores.owner;
  }
  return OrderedJson{{"schema", 1}, {"photos", std::move(list)}}.dump() + "\n";
}

OrderedJson feature(const char* type, OrderedJson coordinates, const OrderedJson& properties) {
  return {
      {"type", "Feature"}, {"geometry", {{"type", type}, {"coordinates", std::move(coordinates)}}}, {"properties", properties}};
}

OrderedJson place_of(const Photo& photo) {
  const LatLon& at = *photo.position->geographic;
  return {at.lon_deg, at.lat_deg};
}

bool is_placed(const Photo& photo) { return photo.position && photo.position->geographic; }

}  // namespace
}  // namespace report

bool write_matches_geojson(const std::filesystem::path& file, const RunReport& report) {
  auto features = report::OrderedJson::array();
  bool linked = false;
  for (std::size_t q = 0; q < report.matches.size(); ++q) {
    const Photo& query = report.dataset.queries[q];
    if (!report::is_placed(query)) continue;
    report::OrderedJson properties{{"query", query.name}};
    const Photo* reference = nullptr;
    if (!report.matches[q].empty()) {
      const Match& first = report.matches[q].front();
      reference = &report.dataset.references[static_cast<std::size_t>(first.row)];
      properties["reference"] = reference->name;
      properties["similarity"] = first.similarity;
      properties["accepted"] = report.accepted(static_cast<int>(q));
      if (const auto right = report.verdict(static_cast<int>(q), first.row)) properties["right"] = *right;
      if (reference->position) properties["metres"] = distance_m(*query.position, *reference->position);
    }
    features.push_back(report::feature("Point", report::place_of(query), properties));
    if (reference == nullptr || !report::is_placed(*reference)) continue;
    linked = true;
    features.push_back(report::feature(
        "LineString", report::OrderedJson::array({report::place_of(query), report::place_of(*reference)}), properties));
  }
  if (!linked) return false;
  const report::OrderedJson collection{{"type", "FeatureCollection"}, {"features", std::move(features)}};
  report::write_text(file, collection.dump(-1, ' ', false, report::OrderedJson::error_handler_t::replace) + "\n");
  return true;
}

std::vector<std::string> write_run(const std::filesystem::path& folder, const RunReport& report) {
  report::make_folder(folder);
  std::vector<std::string> written{"report.html", report::kPredictionsFile, report::kPhotosFile};
  write_predictions(folder / report::kPredictionsFile, report);
  report::write_text(folder / report::kPhotosFile, report::photos_csv(report));
  std::error_code ignored;  // leftovers of an earlier run must not be taken for this one's
  std::filesystem::remove(folder / report::kTokensFile, ignored);
  if (!report.patches.empty()) {
    report::write_text(folder / report::kTokensFile, report::tokens_json(report.patches));
    written.emplace_back(report::kTokensFile);
  }
  std::filesystem::remove(folder / report::kLooksFile, ignored);
  if (const std::string looks = report::looks_json(report); !looks.empty()) {
    report::write_text(folder / report::kLooksFile, looks);
    written.emplace_back(report::kLooksFile);
  }
  std::filesystem::remove(folder / report::kGeoJsonFile, ignored);
  if (write_matches_geojson(folder / report::kGeoJsonFile, report)) written.emplace_back(report::kGeoJsonFile);
  write_run_record(folder / "run.json", report);
  written.emplace_back("run.json");
  write_report(folder / "report.html", report);
  return written;
}

}  // namespace revisit
