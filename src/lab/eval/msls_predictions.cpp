// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Prediction files of the Mapillary SLS challenge, task im2im: "querykey dbkey dbkey ..." per line, '#' starts a comment.
#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "core/base/fail.h"
#include "core/base/file.h"
#include "core/base/limits.h"
#include "core/base/salted_hash.h"
#include "core/base/stop_scope.h"
#include "core/formats/printable.h"
#include "core/formats/text.h"
#include "lab/dataset/msls_tables.h"
#include "lab/dataset/named.h"
#include "lab/eval/challenge.h"
#include "recognise/photos/photos.h"

namespace revisit {
namespace eval {
namespace {

namespace fs = std::filesystem;

std::string shown(std::string_view key) { return printable(key.substr(0, 64)); }

constexpr std::uint64_t kMaxKeys = 10'000'000;  // the challenge has 27,092 queries with 25 predictions each

struct Line {
  std::uint64_t number = 0;
  std::vector<std::string_view> keys;  // of the query, then of references
};

std::vector<Line> read_lines(std::string_view text, const std::string& file) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  std::vector<Line> out;
  std::uint64_t number = 0, keys = 0;
  StopTicker ticker;
  while (!text.empty()) {
    auto row = take_line(text);
    ++number;
    ticker.step(row.size() + 1);
    row = row.substr(0, row.find('#'));
    Line line{number, {}};
    for (std::size_t at = 0; (at = row.find_first_not_of(" \t", at)) != std::string_view::npos;) {
      const auto end = std::min(row.size(), row.find_first_of(" \t", at));
      line.keys.push_back(row.substr(at, end - at));
      at = end;
      if (++keys > kMaxKeys) fail(ErrorCode::kBadFile, "'{}', line {}: more than {} keys in all", file, number, kMaxKeys);
    }
    if (line.keys.empty()) continue;
    const auto bad = [&](const std::string& what) { fail(ErrorCode::kBadFile, "'{}', line {}: {}", file, number, what); };
    if (const auto found = std::ranges::find_if(line.keys, [](auto key) { return key.find(',') != std::string_view::npos; });
        found != line.keys.end()) {
      bad(fmt::format(
          "'{}' has a comma, so it is a sequence or a csv file; only image to image is scored, with spaces between keys",
          shown(*found)));
    }
    if (line.keys.size() < 2) bad(fmt::format("the query '{}' has no predictions", shown(line.keys[0])));
    if (!out.empty() && line.keys.size() != out.front().keys.size()) {
      bad(fmt::format("the query '{}' has {} predictions, but that of line {} has {}: all must have the same number",
                      shown(line.keys[0]), line.keys.size() - 1, out.front().number, out.front().keys.size() - 1));
    }
    out.push_back(std::move(line));
  }
  if (out.empty()) fail(ErrorCode::kBadFile, "'{}' holds no predictions", file);
  return out;
}

/// What scoring needs from the tables of all cities.
class Tables {
 public:
  Tables(const fs::path& root, const std::string& name) : split_(dataset::msls_split(name)) {
    const auto& folders = dataset::msls_folders();
    const fs::path first = fs::path(split_.folder) / split_.cities.front();
    const auto folder = std::ranges::find_if(
        folders, [&](const auto& one) { return dataset::has_msls_tables(dataset::below(root, one) / first); });
    if (folder == folders.end()) {
      fail_with_hint(ErrorCode::kNotFound,
                     fmt::format("`root` is the folder with {}/CITY/{{query,database}}/postprocessed.csv", split_.folder),
                     "'{}' does not exist", (root / first / "query" / "postprocessed.csv").string());
    }
    for (const auto& city : split_.cities) add_city(dataset::below(root, *folder) / split_.folder / city);
  }

  struct Query {
    int city = 0;
    int index = -1;          // among the queries of the city that are scored; -1: not scored
    std::uint64_t line = 0;  // where it is predicted; 0: nowhere yet
  };
  struct City {
    int references = 0;
    std::vector<std::string> queries;  // keys of those that are scored
    std::vector<std::vector<int>> positives;
    bool task = false;
  };

  NameMap<Query> queries;
  NameMap<std::pair<int, int>> references;  // city, index or -1 when it is not searched
  std::vector<City> cities;
  const dataset::MslsSplit& split() const { return split_; }

 private:
  void add_city(const fs::path& folder) {
    const int number = static_cast<int>(cities.size());
    const auto query = dataset::read_msls_side(folder / "query", split_.challenge);
    const auto database = dataset::read_msls_side(folder / "database", split_.challenge);
    for (const auto* side : {&query, &database}) {
      if (side->placed) continue;
      fail_with_hint(ErrorCode::kNotFound, "the places of the test cities are published with the data set since April 2026",
                     "'{}' does not say where the photos were taken, nor is a postprocessed.csv or raw.csv beside it",
                     side->table);
    }
    City city;
    city.task = query.task_table && database.task_table;
    std::vector<Photo> query_photos, reference_photos;
    for (const auto& frame : query.frames) {
      const int index = frame.used ? static_cast<int>(city.queries.size()) : -1;
      if (!queries.try_emplace(frame.key, Query{number, index, 0}).second) twice(frame.key, query.table);
      if (!frame.used) continue;
      city.queries.push_back(frame.key);
      query_photos.push_back(frame.photo);
    }
    for (const auto& frame : database.frames) {
      const int index = frame.used ? city.references++ : -1;
      if (!references.try_emplace(frame.key, number, index).second) twice(frame.key, database.table);
      if (frame.used) reference_photos.push_back(frame.photo);
    }
    city.positives = dataset::msls_positives(query_photos, reference_photos, query.metres && database.metres);
    cities.push_back(std::move(city));
  }

  [[noreturn]] static void twice(const std::string& key, const std::string& table) {
    fail(ErrorCode::kBadFile, "'{}': the key '{}' also belongs to another city", table, shown(key));
  }

  dataset::MslsSplit split_;
};

/// Checks lines against the tables.
class Scorer {
 public:
  Scorer(Tables& tables, std::string file, std::vector<int> ks)
      : tables_(tables), file_(std::move(file)), counter_(tables.split().cities, std::move(ks)) {
    for (std::size_t i = 0; i < tables.cities.size(); ++i)
      counter_.count_references(static_cast<int>(i), tables.cities[i].references);
  }

  void take(const Line& line) {
    const auto found = tables_.queries.find(std::string(line.keys[0]));
    if (found == tables_.queries.end()) bad(line, fmt::format("'{}' is not a query of {}", shown(line.keys[0]), cities()));
    Tables::Query& query = found->second;
    if (query.line != 0)
      bad(line, fmt::format("the query '{}' already has predictions in line {}", shown(line.keys[0]), query.line));
    query.line = line.number;
    std::vector<int> ranked;
    std::unordered_map<std::string_view, int, SaltedHash, std::equal_to<>> seen;
    for (std::size_t i = 1; i < line.keys.size(); ++i) {
      const auto reference = tables_.references.find(std::string(line.keys[i]));
      if (reference == tables_.references.end())
        bad(line, fmt::format("prediction {}, '{}', is not a database photo of {}", i, shown(line.keys[i]), cities()));
      if (const auto before = seen.try_emplace(line.keys[i], static_cast<int>(i)); !before.second)
        bad(line, fmt::format("'{}' is predicted twice, at {} and {}", shown(line.keys[i]), before.first->second, i));
      const auto [city, index] = reference->second;
      if (city != query.city)
        ++elsewhere_;
      else if (index < 0)
        ++unsearched_;
      ranked.push_back(city == query.city ? index : -1);
    }
    if (query.index < 0) {
      ++unscored_;
      return;
    }
    const auto& positives = tables_.cities[static_cast<std::size_t>(query.city)].positives[static_cast<std::size_t>(query.index)];
    counter_.add(query.city, positives, ranked);
  }

  ChallengeScore finish() {
    check_missing();
    ChallengeScore out = counter_.score();
    const auto& split = tables_.split();
    const bool task = std::ranges::all_of(tables_.cities, &Tables::City::task);
    out.protocol +=
        fmt::format("; {} of {} except panoramas, a reference of the same city within {:g} m is right",
                    task ? "photos of the task \"all\" (subtask_index.csv)" : "all photos", cities(), dataset::kMslsThresholdM);
    if (split.challenge && !task) out.notes.push_back("subtask_index.csv does not exist for every city, so all photos are scored");
    const auto note = [&](int count, const char* noun, const char* why) {
      if (count > 0) out.notes.push_back(fmt::format("{}: {}", counted(static_cast<std::size_t>(count), noun), why));
    };
    note(unscored_, "query", "skipped, a panorama or not part of the task");
    note(elsewhere_, "prediction", "wrong, from a city other than the query's");
    note(unsearched_, "prediction", "wrong, a panorama or not part of the task");
    return out;
  }

 private:
  [[noreturn]] void bad(const Line& line, const std::string& what) const {
    fail(ErrorCode::kBadFile, "'{}', line {}: {}", file_, line.number, what);
  }

  std::string cities() const { return fmt::format("{} cities of {}", tables_.cities.size(), tables_.split().folder); }

  /// A query that cannot be answered need not be predicted.
  void check_missing() const {
    std::size_t missing = 0, wanted = 0;
    std::string first;
    for (std::size_t c = 0; c < tables_.cities.size(); ++c) {
      const auto& city = tables_.cities[c];
      for (std::size_t q = 0; q < city.queries.size(); ++q) {
        if (city.positives[q].empty()) continue;
        ++wanted;
        if (tables_.queries.at(city.queries[q]).line != 0) continue;
        if (missing++ == 0) first = fmt::format("'{}' of {}", shown(city.queries[q]), tables_.split().cities[c]);
      }
    }
    if (missing == 0) return;
    fail_with_hint(ErrorCode::kMismatch, "every query that has a right reference needs a line",
                   "'{}' has no predictions for {} of {} queries; the first is {}", file_, missing, wanted, first);
  }

  Tables& tables_;
  std::string file_;
  ChallengeCounter counter_;
  int unscored_ = 0, elsewhere_ = 0, unsearched_ = 0;
};

std::string_view key_of(const Photo& photo) {
  const std::string_view name = photo.name;
  const auto start = name.rfind('/') + 1;  // npos + 1 is 0
  return name.substr(start, name.rfind('.') - start);
}

}  // namespace
}  // namespace eval

int write_msls_predictions(const std::filesystem::path& file, const Dataset& dataset,
                           const std::vector<std::vector<Match>>& matches, int count) {
  if (dataset.parts.empty()) {
    fail_with_hint(ErrorCode::kUsage, "`dataset` msls_test with its `root`", "'{}' is not the test set of the MSLS challenge",
                   dataset.name);
  }
  if (matches.size() != dataset.queries.size())
    fail(ErrorCode::kMismatch, "there are {} queries, but matches for {}", dataset.queries.size(), matches.size());
  std::size_t length = static_cast<std::size_t>(std::max(1, count));
  for (const auto& list : matches) length = list.empty() ? length : std::min(length, list.size());
  AtomicFile out(file);
  int lines = 0;
  std::string text;
  for (std::size_t q = 0; q < matches.size(); ++q) {
    if (matches[q].empty()) continue;
    text = eval::key_of(dataset.queries[q]);
    for (std::size_t i = 0; i < length; ++i) {
      text += ' ';
      text += eval::key_of(dataset.references[static_cast<std::size_t>(matches[q][i].row)]);
    }
    out.write(text + "\n");
    ++lines;
  }
  out.commit();
  return lines;
}

ChallengeScore score_msls_predictions(const std::filesystem::path& file, const std::filesystem::path& root,
                                      const std::string& dataset, const std::vector<int>& recall_values) {
  if (recall_values.empty()) fail(ErrorCode::kUsage, "`recall_values` is empty");
  std::vector<int> ks = recall_values;
  std::ranges::sort(ks);
  ks.erase(std::unique(ks.begin(), ks.end()), ks.end());
  if (ks.front() < 1) fail(ErrorCode::kUsage, "`recall_values` holds {}, but the least is 1", ks.front());
  const std::string text = revisit::read_text(file, limits::kMaxCsvBytes);
  const auto lines = eval::read_lines(text, file.string());
  const auto predictions = lines.front().keys.size() - 1;
  if (predictions < static_cast<std::size_t>(ks.back())) {
    fail_with_hint(ErrorCode::kMismatch, fmt::format("use `recall_values` of at most {}", predictions),
                   "'{}' has {} predictions per query, too few for recall@{}", file.string(), predictions, ks.back());
  }
  eval::Tables tables(root, dataset);
  eval::Scorer scorer(tables, file.string(), ks);
  for (const auto& line : lines) scorer.take(line);
  return scorer.finish();
}

}  // namespace revisit
