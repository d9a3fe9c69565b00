// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Names need not be unique, so photos are identified by row in photos.csv; predictions.csv must name the same ones.
#include "lab/report/read_tables.h"

#include <algorithm>

#include "core/base/file.h"
#include "core/base/salted_hash.h"
#include "core/formats/csv.h"
#include "core/formats/printable.h"
#include "core/formats/text.h"
#include "lab/report/numbers.h"
#include "lab/report/run_files.h"

namespace revisit::report {
namespace {

namespace fs = std::filesystem;

constexpr const char* kAgainHint = "repeat the run: it writes run.json, predictions.csv and photos.csv";

std::string text_of(const fs::path& file) {
  std::error_code ignored;
  if (!fs::exists(file, ignored)) fail_with_hint(ErrorCode::kNotFound, kAgainHint, "'{}' does not exist", file.string());
  const auto bytes = read_file(file, limits::kMaxCsvBytes);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

class PhotoTable {
 public:
  PhotoTable(const fs::path& file, const TableLimits& most)
      : file_(file.string()),
        most_(most),
        text_(text_of(file)),
        csv_(text_, file_),
        positives_(csv_.required_column({"positives"})),
        matches_(csv_.required_column({"matches"})) {}

  /// Returns the cells of `matches`, one per query.
  std::vector<std::string> read_into(Dataset& dataset, std::vector<Decision>& decisions) {
    const auto role = csv_.required_column({"role"});
    while (csv_.next()) {
      const bool query = csv_.cell(role) == "query";
      if (!query && csv_.cell(role) != "reference") csv_.fail_here("a role that is neither query nor reference");
      if (query && !dataset.references.empty()) csv_.fail_here("a query after the references");
      if (dataset.queries.size() + dataset.references.size() == most_.photos)
        fail(ErrorCode::kLimit, "'{}' lists more than {} photos", file_, most_.photos);
      add(dataset, query);
      if (query && csv_.column({"verdict"})) decisions.push_back(decision());
    }
    if (dataset.queries.empty() || dataset.references.empty()) csv_.fail_here("the table lists no queries or no references");
    const bool all_parts =
        dataset.query_parts.size() == dataset.queries.size() && dataset.reference_parts.size() == dataset.references.size();
    if (!dataset.parts.empty() && !all_parts)
      fail(ErrorCode::kBadFile, "'{}': some photos have a part and some have none", file_);
    if (dataset.labelled) {
      for (std::size_t q = 0; q < positive_lists_.size(); ++q) dataset.positives.push_back(rows_from(q, dataset));
    }
    return std::move(match_lists_);
  }

 private:
  void add(Dataset& dataset, bool query) {
    Photo photo;
    photo.name = text("name");
    photo.path = text("path");
    const auto east = number("east_m"), north = number("north_m"), lat = number("lat_deg"), lon = number("lon_deg");
    if (east && north) {
      photo.position.emplace();
      photo.position->east_m = *east;
      photo.position->north_m = *north;
      if (lat && lon) photo.position->geographic = {*lat, *lon};
    }
    if (const auto column = csv_.column({"part"}); column && !csv_.cell(*column).empty()) {
      (query ? dataset.query_parts : dataset.reference_parts).push_back(part_of(dataset, csv_.text(*column)));
    }
    if (query) {
      positive_lists_.push_back(csv_.cell(positives_));
      match_lists_.push_back(csv_.cell(matches_));
    }
    (query ? dataset.queries : dataset.references).push_back(std::move(photo));
  }

  // A parsed path takes far more memory than its bytes.
  std::string text(const char* name) const {
    std::string cell = csv_.text(csv_.required_column({name}));
    if (cell.size() > limits::kMaxPhotoName) {
      fail(ErrorCode::kLimit, "'{}', line {}: the {} of a photo has {} bytes, the limit is {}", file_, csv_.line(), name,
           cell.size(), limits::kMaxPhotoName);
    }
    return cell;
  }

  std::optional<double> number(const char* name) const {
    const auto& cell = csv_.cell(csv_.required_column({name}));
    if (cell.empty()) return std::nullopt;
    const auto value = number_from<double>(cell);
    const double most = std::string_view(name).ends_with("_deg") ? 180 : limits::kMaxPlaneMetres;
    if (!value || std::abs(*value) > most) csv_.fail_here("'{}' is not a {}", printable(cell), name);
    return value;
  }

  Decision decision() const {
    const auto word = csv_.cell(*csv_.column({"verdict"}));
    for (const Verdict verdict : {Verdict::kNoMatch, Verdict::kLikely, Verdict::kSure}) {
      if (word != name_of(verdict)) continue;
      const auto& cell = csv_.cell(csv_.required_column({"false_rate"}));
      const auto rate = number_from<double>(cell);
      if (!cell.empty() && !(rate && *rate >= 0 && *rate <= 1)) csv_.fail_here("'{}' is not a false_rate", printable(cell));
      return {verdict != Verdict::kNoMatch, "", verdict, rate};
    }
    csv_.fail_here("'{}' is not a verdict", printable(word));
  }

  int part_of(Dataset& dataset, const std::string& name) {
    const auto [found, added] = parts_.try_emplace(name, static_cast<int>(dataset.parts.size()));
    if (added && dataset.parts.size() == most_.parts)
      fail(ErrorCode::kLimit, "'{}' names more than {} parts", file_, most_.parts);
    if (added) dataset.parts.push_back(name);
    return found->second;
  }

  /// "3|7-9" as rows of references, ascending; overlapping or falling ranges are refused, so one list cannot outgrow the table.
  std::vector<int> rows_from(std::size_t q, const Dataset& dataset) {
    std::vector<int> rows;
    std::string_view list = positive_lists_[q];
    while (!list.empty()) {
      const auto item = list.substr(0, list.find('|'));
      list.remove_prefix(std::min(list.size(), item.size() + 1));
      const auto dash = item.find('-');
      const auto first = number_from<int>(item.substr(0, dash));
      const auto last = dash == std::string_view::npos ? first : number_from<int>(item.substr(dash + 1));
      const bool fits = first && last && *first >= (rows.empty() ? 0 : rows.back() + 1) && *last >= *first &&
                        static_cast<std::size_t>(*last) < dataset.references.size();
      if (!fits) {
        fail(ErrorCode::kBadFile,
             "'{}': the positives of query {} hold '{}', which are not rows after the ones before and below {}", file_,
             printable(dataset.queries[q].name), printable(item), dataset.references.size());
      }
      num_positives_ += static_cast<std::uint64_t>(*last - *first) + 1;
      if (num_positives_ > most_.positives) {
        fail(ErrorCode::kLimit, "'{}' lists more than {} positives in all, the last of them of query {}", file_, most_.positives,
             printable(dataset.queries[q].name));
      }
      for (int row = *first; row <= *last; ++row) rows.push_back(row);
    }
    return rows;
  }

  std::string file_;
  TableLimits most_;
  std::string text_;
  CsvReader csv_;
  std::size_t positives_, matches_;
  std::vector<std::string> positive_lists_, match_lists_;
  NameMap<int> parts_;
  std::uint64_t num_positives_ = 0;
};

class PredictionTable {
 public:
  explicit PredictionTable(const fs::path& file)
      : file_(file.string()),
        text_(text_of(file)),
        csv_(text_, file_),
        query_(csv_.required_column({"query"})),
        rank_(csv_.required_column({"rank"})),
        reference_(csv_.required_column({"reference"})),
        distance_(csv_.required_column({"distance"})),
        similarity_(csv_.required_column({"similarity"})) {}

  /// `lists` are rows of references like "4|1", one list per query: how many lines belong to it, and the matches they name.
  void read_into(RunReport& report, const std::vector<std::string>& lists) {
    const Dataset& data = report.dataset;
    for (std::size_t q = 0; q < lists.size(); ++q) {
      auto& found = report.matches.emplace_back();
      if (lists[q].empty()) continue;
      for (const auto item : split(lists[q], '|')) {
        const auto row = number_from<int>(item);
        if (!row || *row < 0 || static_cast<std::size_t>(*row) >= data.references.size()) {
          fail(ErrorCode::kBadFile, "'{}': the matches of query {} hold '{}', which is not a row below {}", kPhotosFile,
               printable(data.queries[q].name), printable(item), data.references.size());
        }
        if (found.size() == static_cast<std::size_t>(limits::kMaxTopK)) {
          fail(ErrorCode::kLimit, "'{}' lists more than {} matches of query {}", kPhotosFile, limits::kMaxTopK,
               printable(data.queries[q].name));
        }
        found.push_back(next(data.queries[q].name, found.size() + 1, data.references[static_cast<std::size_t>(*row)].name));
        found.back().row = *row;
      }
    }
    if (csv_.next()) csv_.fail_here("a match of '{}' that {} does not list", printable(csv_.text(query_)), kPhotosFile);
  }

 private:
  Match next(const std::string& query, std::size_t rank, const std::string& reference) {
    if (!csv_.next()) {
      fail_with_hint(ErrorCode::kBadFile, kAgainHint, "'{}' ends before match {} of query {}, which {} lists", file_, rank,
                     printable(query), kPhotosFile);
    }
    expect(query_, "query", query);
    expect(rank_, "rank", fmt::format("{}", rank));
    expect(reference_, "reference", reference);
    const auto far = number_from<float>(csv_.cell(distance_)), near = number_from<float>(csv_.cell(similarity_));
    if (!far || !near) csv_.fail_here("distance or similarity is not a number");
    return {0, *far, *near};
  }

  void expect(std::size_t column, const char* what, const std::string& value) const {
    const std::string there = csv_.text(column);
    if (there != value)
      csv_.fail_here("{} '{}' where {} says '{}' is next", what, printable(there), kPhotosFile, printable(value));
  }

  std::string file_, text_;
  CsvReader csv_;
  std::size_t query_, rank_, reference_, distance_, similarity_;
};

}  // namespace

void read_tables(const fs::path& folder, RunReport& report, const TableLimits& most) {
  const auto lists = PhotoTable(folder / kPhotosFile, most).read_into(report.dataset, report.decisions);
  PredictionTable(folder / kPredictionsFile).read_into(report, lists);
}

}  // namespace revisit::report
