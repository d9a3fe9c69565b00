// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// `revisit query`: have I been here before? Photos against an index, with "no match" among the answers.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "cli/answers.h"
#include "cli/binding.h"
#include "cli/budget.h"
#include "cli/index_options.h"
#include "cli/output.h"
#include "cli/photo_run.h"
#include "cli/rerank.h"
#include "cli/run_folder.h"
#include "cli/verbs.h"
#include "core/base/fail.h"
#include "core/base/limits.h"
#include "core/base/shell_words.h"
#include "core/base/stop.h"
#include "core/formats/text.h"
#include "revisit/recognizer.h"
#include "revisit/sequence.h"
#include "revisit/whitening.h"

namespace revisit::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kTopK = 10;

struct QueryArgs {
  std::vector<std::string> words;  // DB SOURCE...
  ModelArgs model;
  std::optional<int> top_k;
  std::optional<std::string> positions;
  std::string output;
  std::optional<double> min_similarity, max_false_rate;
  std::optional<int> exclude_recent;
  std::optional<double> exclude_seconds;
  std::string search = "exact";
  std::optional<std::string> ann;
  std::optional<int> dim;
  std::vector<double> near;
  std::optional<double> radius_m;
  std::optional<double> after_s, before_s;
  int sequence = 0;
  std::optional<int> rerank;
};

SearchOptions search_options(const QueryArgs& args) {
  SearchOptions out;
  out.mode = args.search == "fast" ? SearchOptions::Mode::kFast : SearchOptions::Mode::kExact;
  if (args.ann) out.ann = SearchOptions::Ann::kHnsw;
  out.dim = args.dim;
  if (args.near.empty() != !args.radius_m) {
    fail(ErrorCode::kUsage, "--near and --radius go together, but {} is missing", args.near.empty() ? "--near" : "--radius");
  }
  if (!args.near.empty()) {
    if (args.near.size() != 2) fail(ErrorCode::kUsage, "--near takes two numbers, LAT,LON, not {}", args.near.size());
    if (std::abs(args.near[0]) > 90 || std::abs(args.near[1]) > 180) {
      fail(ErrorCode::kUsage, "--near {:g},{:g} is off the globe: LAT is -90 to 90, LON -180 to 180", args.near[0], args.near[1]);
    }
    out.near = position_from(LatLon{args.near[0], args.near[1]});
    out.radius_m = *args.radius_m;
  }
  if (args.after_s && args.before_s && *args.after_s > *args.before_s) {
    fail(ErrorCode::kUsage, "--after is later than --before, so no photo can match");
  }
  out.after_s = args.after_s;
  out.before_s = args.before_s;
  return out;
}

constexpr const char* kTimesHint = "times come from EXIF or the time column of --positions; --exclude-recent N needs none";

void mention_unfindable(int known, int photos, const char* what, const char* filter, Console& console) {
  if (known == 0) {
    console.talk(fmt::format("notice: no photo in the index has a {}, so {} finds nothing", what, filter));
  } else if (known < photos) {
    console.talk(fmt::format("notice: {} of {} in the index {} no {}, so {} cannot find {}", photos - known,
                             counted(photos, "photo"), photos - known == 1 ? "has" : "have", what, filter,
                             photos - known == 1 ? "it" : "them"));
  }
}

// A filter by something the index lacks leaves photos out for a reason that is hard to guess.
void check_filters(const Recognizer& places, const QueryArgs& args, Console& console) {
  const bool by_time = args.after_s || args.before_s || args.exclude_seconds;
  if (args.near.empty() && !by_time) return;
  int placed = 0, on_globe = 0, timed = 0;
  places.for_each([&](int, const IndexEntry& entry) {
    placed += entry.position ? 1 : 0;
    on_globe += entry.position && entry.position->geographic ? 1 : 0;
    timed += entry.time_s ? 1 : 0;
  });
  const std::string& folder = args.words.front();
  if (!args.near.empty() && placed > 0 && on_globe == 0) {
    fail_with_hint(ErrorCode::kUsage,
                   "give their latitude and longitude: revisit index add with --positions FILE.csv (image,lat,lon)",
                   "--near is a latitude and longitude, but the photos of index '{}' have only metres east and north", folder);
  }
  if (args.exclude_seconds && timed == 0) {
    fail_with_hint(ErrorCode::kUsage, kTimesHint, "--exclude-seconds needs times, but no photo of index '{}' has one", folder);
  }
  if (!args.near.empty()) mention_unfindable(placed, places.size(), "position", "--near", console);
  if (by_time) mention_unfindable(timed, places.size(), "time", "a search by time", console);
}

// Photos from two folders may share a name; then each is shown with its path.
void tell_apart(std::vector<Photo>& photos) {
  std::map<std::string, int> count;
  for (const auto& photo : photos) ++count[photo.name];
  for (auto& photo : photos) {
    if (count[photo.name] > 1) photo.name = photo.path.string();
  }
}

using Answers = std::vector<std::optional<Answer>>;

// Photos that were not described get no answer. With times each query has its own options: the recent past is not a revisit.
Answers ask_each(const Recognizer& places, const DescribedPhotos& queries, const std::vector<Photo>& photos, AskOptions options) {
  const auto dim = static_cast<std::size_t>(queries.dim);
  Answers out(photos.size());
  std::vector<float> rows;
  std::vector<LocalFeatures> local;  // of the same; none without --rerank
  std::vector<std::size_t> which;
  for (std::size_t q = 0; q < photos.size(); ++q) {
    if (std::ranges::find(queries.skipped_rows, static_cast<int>(q)) != queries.skipped_rows.end()) continue;
    const auto row = std::span(queries.rows).subspan(q * dim, dim);
    const auto patches = std::span(queries.local).subspan(queries.local.empty() ? 0 : q, queries.local.empty() ? 0 : 1);
    if (options.exclude_seconds) {
      options.time_s = photos[q].time_s;
      out[q] = std::move(places.ask_descriptors(row, patches, options).front());
    } else {
      rows.insert(rows.end(), row.begin(), row.end());
      local.insert(local.end(), patches.begin(), patches.end());
      which.push_back(q);
    }
  }
  auto answers = places.ask_descriptors(rows, local, options);
  for (std::size_t i = 0; i < which.size(); ++i) out[which[i]] = std::move(answers[i]);
  return out;
}

// Into a report, whose references are the photos found, or all that can be found when the map is to show them; matches are
// renumbered to them.
void add_answers(RunReport& report, const Answers& answers, const Recognizer& places, bool all) {
  std::map<int, int> place;  // of a row among the references
  const auto add = [&](int row, const auto& photo) {
    const auto [at, is_new] = place.try_emplace(row, static_cast<int>(report.dataset.references.size()));
    if (is_new) report.dataset.references.push_back({photo.name, photo.path, photo.position, photo.time_s});
    return at->second;
  };
  if (all) places.for_each(add);
  for (const auto& answer : answers) {
    auto& matches = report.matches.emplace_back();
    Decision& decision = report.decisions.emplace_back();
    auto& support = report.support.emplace_back();
    auto& looks = report.second_looks.looks.emplace_back();
    if (!answer) continue;
    report.second_looks.candidates += answer->reranked;
    report.second_looks.ms += answer->rerank_ms;
    for (const Found& found : answer->matches) {
      matches.push_back({add(found.row, found), found.distance, found.similarity});
      if (found.support) support.push_back(*found.support);
      if (found.look) looks.push_back(*found.look);
    }
    decision = {answer->recognised, answer->reason, answer->verdict, answer->false_rate};
  }
}

std::vector<Photo> query_photos(const QueryArgs& args, Console& console) {
  std::vector<std::string> notes;
  auto photos = photos_from({args.words.begin() + 1, args.words.end()}, args.positions, notes);
  for (const auto& note : notes) console.talk("notice: " + note);
  place_by_exif(photos);
  tell_apart(photos);
  const auto timed = [](const Photo& photo) { return photo.time_s.has_value(); };
  if (args.sequence > 1 && std::ranges::all_of(photos, timed)) std::ranges::stable_sort(photos, {}, &Photo::time_s);
  if (args.exclude_seconds) {
    for (const auto& photo : photos) {
      if (photo.time_s) continue;
      fail_with_hint(ErrorCode::kUsage, kTimesHint, "--exclude-seconds needs the time of every query, but '{}' has none",
                     photo.name);
    }
  }
  return photos;
}

// The index comes first; photos followed by an index are a mix-up worth a hint.
void require_index(const std::vector<std::string>& words) {
  std::error_code ignored;
  const std::string& first = words.front();
  const bool folder = fs::is_directory(first, ignored);
  const auto index = std::find_if(words.begin() + 1, words.end(), [](const std::string& word) { return is_index(word); });
  if (folder ? is_index(first) || index == words.end() : !fs::exists(first, ignored)) return;
  const std::string name = index == words.end() ? "INDEX" : shell_quoted(*index);
  fail_with_hint(ErrorCode::kUsage, fmt::format("revisit query {} {}", name, shell_quoted(first)),
                 "the index comes first and the photos after it, but '{}' is {}", first,
                 folder ? "a folder without an index" : "a file");
}

int run_query(const QueryArgs& args, Console& console) {
  const fs::path folder = args.words.front();
  require_index(args.words);
  check_order(args.sequence, args.rerank);
  check_output_folder(args.output);
  const IndexSettings stored = Index::open(folder).settings();  // the recognizer would make an index that is not there
  AskOptions options{.top_k = args.top_k.value_or(kTopK),
                     .exclude_recent = args.exclude_recent,
                     .exclude_seconds = args.exclude_seconds,
                     .min_similarity = args.min_similarity,
                     .max_false_rate = args.max_false_rate,
                     .rerank = args.rerank.value_or(0),
                     .search = search_options(args)};
  RunReport report;
  report.dataset.queries = query_photos(args, console);
  const Recognizer places = open_places(folder, stored, args.model, console, args.sequence);
  check_filters(places, args, console);
  const Side queries = describe_side(places, report.dataset.queries, "queries", console, args.rerank.has_value());
  check_pace(args.model, places.budget(), queries.photos.median_forward_ms, report.dataset.queries.size(), console);

  const std::string model_name = args.model.model.empty() ? stored.model : args.model.model;
  report.run =
      record_of("query", model_name, places.model(), queries, overlaid(stored.spec, queries.spec), args.model.threads, console);
  add_sides(report, queries, {});
  report.run.dim = args.dim.value_or(report.run.dim);
  stop_at_once_on_signal();  // building a graph or a projection takes a while
  const Answers answers = ask_each(places, queries.photos, report.dataset.queries, options);
  add_answers(report, answers, places, !args.output.empty());
  const DecisionRule rule = places.rule(options);
  record_rule(rule, report.run, console);
  report.dataset.name = folder.filename().string();
  report.dataset.protocol =
      fmt::format("{} photos against the {} of index '{}'", report.dataset.queries.size(), places.size(), folder.string());
  mention_whitening(report.dataset, args.dim);
  mention_sequence(report.dataset, args.sequence);
  mention_rerank(report.dataset, args.rerank);
  if (args.rerank) tell(report.second_looks, console);
  if (!args.output.empty()) write_run_folder(args.output, report, places.model(), console);
  print_answers(report, args.top_k.value_or(1), console);
  tell_caution(report, rule, console);
  return report.skipped.empty() ? 0 : 4;
}

Binding to_time(std::optional<double>& out) {
  return [&out](const std::string& text) {
    out = time_from(text);
    return out ? std::string() : std::string("a time like 2024-05-01T12:30:15Z or seconds since 1970");
  };
}

}  // namespace

Verb make_query(Console& console) {
  const auto args = std::make_shared<QueryArgs>();
  Verb verb;
  verb.name = "query";
  verb.about = "have I been here before? Finds the photos of an index that show the same place, or says \"no match\".";
  verb.examples = {"revisit query places.rvs photo.jpg", "revisit query places.rvs queries/ -k 5 --max-false-rate 0.01 --json",
                   "revisit query places.rvs photo.jpg --near 59.437,24.745 --radius 500"};
  verb.positional = {"DB IMAGE|DIR...", "the index; photos, folders, globs, lists or tables", 2, 1'000'000, &args->words};
  auto& options = verb.options;
  options = {
      {"-k,--top-k", "K", "matches per query, 1 to 1000, printed one per line; by default 10 are found and the best is printed",
       to_int(args->top_k, 1, limits::kMaxTopK)},
      {"--min-similarity", "S", kMinSimilarityHelp, to_number(args->min_similarity, {-1, 1})},
      {"--max-false-rate", "R", kMaxFalseRateHelp, to_number(args->max_false_rate, {kLeastFalseRate, kMostFalseRate})},
      {"--search", "HOW", "exact, or fast: re-ranks only the best 50 of a coarse scan; default exact",
       to_choice(args->search, {"exact", "fast"})},
      {"--ann", "HOW", "hnsw: approximate search by a graph, built once and kept in the index", to_choice(args->ann, {"hnsw"})},
      {"--dim", "D", "search descriptors PCA-whitened to D values, learnt from the index",
       to_int(args->dim, 1, Whitening::kMaxTargetDim)},
      {"--near", "LAT,LON", "only photos within --radius of this place", to_numbers(args->near, {-540, 540})},
      {"--radius", "M", "metres around --near", to_number(args->radius_m, {0, limits::kMaxPlaneMetres})},
      {"--after", "TIME", "only photos taken then or later, 2024-05-01T12:30:15Z", to_time(args->after_s)},
      {"--before", "TIME", "only photos taken then or earlier", to_time(args->before_s)},
      {"--exclude-recent", "N", "loop closure: leave out the last N photos of the index",
       to_int(args->exclude_recent, 1, 1'000'000'000)},
      {"--exclude-seconds", "T", "leave out photos less than T seconds older than the query",
       to_number(args->exclude_seconds, {0})},
      {"--sequence", "N", kSequenceHelp, to_int(args->sequence, 0, kMaxSequence)},
      {"--positions", "FILE", "csv or GeoJSON with place and time of the queries; default: their EXIF data",
       to_text(args->positions)},
      {"-o,--output", "DIR", "write report.html, predictions.csv and run.json there", to_text(args->output)}};
  add_rerank_option(options, args->rerank);
  add_index_options(options, args->model);
  console.add_options(options);
  verb.run = [args, &console] { return run_query(*args, console); };
  return verb;
}

}  // namespace revisit::cli
