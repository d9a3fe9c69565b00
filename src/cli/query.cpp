// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// `revisit query`: have I been here before? Photos against an index, with "no match" among the answers.
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <memory>

#include "core/base/fail.h"
#include "core/base/limits.h"
#include "core/base/stop.h"
#include "cli/answers.h"
#include "cli/binding.h"
#include "cli/index_options.h"
#include "cli/output.h"
#include "cli/photo_run.h"
#include "cli/run_folder.h"
#include "cli/verbs.h"
#include "revisit/whitening.h"

namespace revisit::cli {
namespace {

namespace fs = std::filesystem;

struct QueryArgs {
  std::vector<std::string> words;  // DB SOURCE...
  IndexArgs index;
  int top_k = 10;
  std::optional<std::string> positions;
  std::string output;
  std::optional<double> min_similarity;
  std::optional<int> exclude_recent;
  std::optional<double> exclude_seconds;
  std::string search = "exact";
  std::optional<std::string> ann;
  std::optional<int> dim;
  std::vector<double> near;
  std::optional<double> radius_m;
  std::optional<double> after_s, before_s;
};

SearchOptions search_options(const QueryArgs& args, int rows) {
  SearchOptions out;
  out.top_k = args.top_k;
  out.mode = args.search == "fast" ? SearchOptions::Mode::kFast : SearchOptions::Mode::kExact;
  if (args.ann) out.ann = SearchOptions::Ann::kHnsw;
  out.dim = args.dim;
  if (args.exclude_recent) out.end_row = std::max(0, rows - *args.exclude_recent);
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
    fail(ErrorCode::kUsage, "no photo can be taken both --after and --before: the first is later than the second");
  }
  out.after_s = args.after_s;
  out.before_s = args.before_s;
  return out;
}

constexpr const char* kTimesHint = "EXIF or the time column of --positions gives times; --exclude-recent N does without";

void mention_unfindable(int known, int photos, const char* what, const char* filter, Console& console) {
  if (known == 0) {
    console.talk(fmt::format("notice: no photo of the index has a {}, so {} finds none", what, filter));
  } else if (known < photos) {
    console.talk(fmt::format("notice: {} of {} photos of the index have no {}: {} cannot find them", photos - known, photos, what,
                             filter));
  }
}

// A filter by something the index does not know leaves photos out, and the reason is hard to guess.
void check_filters(const Index& index, const QueryArgs& args, Console& console) {
  const bool by_time = args.after_s || args.before_s || args.exclude_seconds;
  if (args.near.empty() && !by_time) return;
  int placed = 0, on_globe = 0, timed = 0;
  for (int row = 0; row < index.rows(); ++row) {
    if (!index.is_live(row)) continue;
    const IndexEntry entry = index.entry(row);
    placed += entry.position ? 1 : 0;
    on_globe += entry.position && entry.position->geographic ? 1 : 0;
    timed += entry.time_s ? 1 : 0;
  }
  const std::string& folder = args.words.front();
  if (!args.near.empty() && placed > 0 && on_globe == 0) {
    fail_with_hint(ErrorCode::kUsage,
                   "revisit index add with --positions FILE.csv (image,lat,lon) says where on the globe they are",
                   "--near is a latitude and longitude, but index '{}' knows its photos in metres east and north only", folder);
  }
  if (args.exclude_seconds && timed == 0) {
    fail_with_hint(ErrorCode::kUsage, kTimesHint,
                   "--exclude-seconds needs times, but when the photos of index '{}' were taken is not known", folder);
  }
  if (!args.near.empty()) mention_unfindable(placed, index.live_rows(), "position", "--near", console);
  if (by_time) mention_unfindable(timed, index.live_rows(), "time", "a search by time", console);
}

// Photos of two folders may have the same name; then each is shown with its path.
void tell_apart(std::vector<Photo>& photos) {
  std::map<std::string, int> count;
  for (const auto& photo : photos) ++count[photo.name];
  for (auto& photo : photos) {
    if (count[photo.name] > 1) photo.name = photo.path.string();
  }
}

// The recent past looks like the present and is no revisit: with times each query has its own.
std::vector<std::vector<Match>> search_each(const Index& index, const DescribedPhotos& queries, const std::vector<Photo>& photos,
                                            const SearchOptions& common, const QueryArgs& args) {
  const auto dim = static_cast<std::size_t>(queries.dim);
  std::vector<bool> skipped(photos.size(), false);
  for (const int row : queries.skipped_rows) skipped[static_cast<std::size_t>(row)] = true;
  std::vector<std::vector<Match>> out(photos.size());
  std::vector<float> together;
  std::vector<std::size_t> which;
  for (std::size_t q = 0; q < photos.size(); ++q) {
    if (skipped[q]) continue;
    const auto row = std::span(queries.rows).subspan(q * dim, dim);
    if (!args.exclude_seconds) {
      together.insert(together.end(), row.begin(), row.end());
      which.push_back(q);
      continue;
    }
    SearchOptions own = common;
    const double latest = *photos[q].time_s - *args.exclude_seconds;
    own.before_s = own.before_s ? std::min(*own.before_s, latest) : latest;
    out[q] = std::move(index.search(row, own).front());
  }
  auto found = index.search(together, common);
  for (std::size_t i = 0; i < which.size(); ++i) out[which[i]] = std::move(found[i]);
  return out;
}

// The photos a report needs: those found, or all that can be found when the map is to show them. Matches are renumbered to them.
void add_references(RunReport& report, const Index& index, bool all) {
  std::vector<int> place(static_cast<std::size_t>(index.rows()), -1);
  const auto add = [&](int row) {
    int& at = place[static_cast<std::size_t>(row)];
    if (at >= 0) return;
    at = static_cast<int>(report.dataset.references.size());
    IndexEntry entry = index.entry(row);
    report.dataset.references.push_back({std::move(entry.name), entry.path, entry.position, entry.time_s});
  };
  for (int row = 0; all && row < index.rows(); ++row) {
    if (index.is_live(row)) add(row);
  }
  for (auto& list : report.matches) {
    for (auto& match : list) {
      add(match.row);
      match.row = place[static_cast<std::size_t>(match.row)];
    }
  }
}

std::vector<Photo> query_photos(const QueryArgs& args, Console& console) {
  std::vector<std::string> notes;
  auto photos = photos_from({args.words.begin() + 1, args.words.end()}, args.positions, notes);
  for (const auto& note : notes) console.talk("notice: " + note);
  place_by_exif(photos);
  tell_apart(photos);
  if (args.exclude_seconds) {
    for (const auto& photo : photos) {
      if (photo.time_s) continue;
      fail_with_hint(ErrorCode::kUsage, kTimesHint,
                     "--exclude-seconds needs the time of every query, but that of '{}' is not known", photo.name);
    }
  }
  return photos;
}

int run_query(const QueryArgs& args, Console& console) {
  const fs::path folder = args.words.front();
  check_output_folder(args.output);
  const Index index = Index::open(folder);
  const SearchOptions options = search_options(args, index.rows());
  check_filters(index, args, console);
  RunReport report;
  report.dataset.queries = query_photos(args, console);
  IndexSetup setup = set_up(folder, index.settings(), args.index, console);
  finish_work_on_signal();
  const Orientation orientation = orientation_from(setup.settings.orientation);
  const Side queries = describe_side(setup.extractor, report.dataset.queries, orientation, "queries", console);

  report.run = record_of("query", setup.model_name, setup.extractor.model(), setup.options, index.settings().rho, queries,
                         orientation, console);
  report.run.min_similarity = threshold_of(args.min_similarity, setup.extractor.model().info(), setup.options.rho, queries.size,
                                           args.dim.has_value(), console);
  add_sides(report, queries, {});
  report.run.dim = args.dim.value_or(report.run.dim);
  stop_at_once_on_signal();  // making a graph or a projection takes its time
  report.matches = search_each(index, queries.photos, report.dataset.queries, options, args);
  add_references(report, index, !args.output.empty());
  report.dataset.name = folder.filename().string();
  report.dataset.protocol =
      fmt::format("{} photos against the {} of index '{}'", report.dataset.queries.size(), index.live_rows(), folder.string());
  mention_whitening(report.dataset, args.dim);
  if (!args.output.empty()) {
    ExtractorOptions for_references = setup.options;
    for_references.rho = index.settings().rho;
    write_run_folder(args.output, report, setup.extractor.model(), setup.options, for_references, console);
  }
  print_answers(report, console);
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
  verb.examples = {"revisit query places.rvs photo.jpg", "revisit query places.rvs queries/ -k 5 --min-similarity 0.4 --json",
                   "revisit query places.rvs photo.jpg --near 59.437,24.745 --radius 500"};
  verb.positional = {"DB IMAGE|DIR...", "the index; photos, folders, globs, lists or tables", 2, 1'000'000, &args->words};
  auto& options = verb.options;
  options = {
      {"-k,--top-k", "K", "matches a query, 1 to 1000; default 10", to_int(args->top_k, 1, limits::kMaxTopK)},
      {"--min-similarity", "S", "below it the answer is \"no match\"; default: the model's, if calibrated",
       to_number(args->min_similarity, {-1, 1})},
      {"--search", "HOW", "exact, or fast: re-ranks only the best 50 of a coarse scan; default exact",
       to_choice(args->search, {"exact", "fast"})},
      {"--ann", "HOW", "hnsw: approximate search by a graph, made once and kept in the index", to_choice(args->ann, {"hnsw"})},
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
      {"--positions", "FILE", "csv or GeoJSON with place and time of the queries; default: their EXIF data",
       to_text(args->positions)},
      {"-o,--output", "DIR", "write report.html, predictions.csv and run.json there", to_text(args->output)}};
  add_index_options(options, args->index);
  console.add_options(options);
  verb.run = [args, &console] { return run_query(*args, console); };
  return verb;
}

}  // namespace revisit::cli
