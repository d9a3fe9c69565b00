// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// `revisit index add`: adds photos to an index; the same command continues where one stopped.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/binding.h"
#include "cli/budget.h"
#include "cli/index_options.h"
#include "cli/photo_run.h"
#include "cli/progress.h"
#include "cli/verbs.h"
#include "cli/words.h"
#include "core/base/fail.h"
#include "core/base/shell_words.h"
#include "core/base/stop.h"
#include "core/base/stop_scope.h"
#include "core/formats/text.h"
#include "revisit/ingest.h"

namespace revisit::cli {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

struct AddArgs {
  std::vector<std::string> words;  // DB SOURCE...
  ModelArgs model;
  std::optional<std::string> positions;
  bool update = false;
  bool local = false;
  bool strict = false;
};

std::string same_command(const Console& console) {
  std::string out = "revisit index add";
  for (const auto& word : console.arguments) out += " " + shell_quoted(word);
  return out;
}

AddReport add(const AddArgs& args, IndexWriter& writer, IndexSetup& setup, const std::vector<Photo>& photos, Console& console) {
  Progress progress("adding", photos.size(), console.quiet);
  AddOptions options;
  options.update = args.update;
  options.local = args.local;
  options.strict = args.strict;
  options.progress = [&](const AddReport& report) {
    progress.update(static_cast<std::size_t>(report.done()), report.skipped.size());
    return stop_signal() == 0;
  };
  const StopScope scope([] { return stop_signal() != 0; }, "stopped while reading a photo");
  try {
    return add_photos(writer, setup.extractor, photos, options);
  } catch (const Error& error) {
    const int rows = writer.committed_rows();
    throw Error(
        error.code(),
        fmt::format("{}; {} {} safe in '{}'", error.what(), counted(rows, "row"), rows == 1 ? "is" : "are", args.words[0]),
        fmt::format("{}{}to continue: {}", error.hint(), error.hint().empty() ? "" : "; ", same_command(console)));
  }
}

void print(const AddReport& report, int rows, double seconds, const std::string& folder, Console& console) {
  const int described = report.added + report.updated + report.local;
  if (console.json) {
    console.data_json({{"schema", 1},
                       {"added", report.added},
                       {"updated", report.updated},
                       {"placed", report.placed},
                       {"local", report.local},
                       {"unchanged", report.unchanged},
                       {"changed", report.changed},
                       {"duplicates", report.duplicates},
                       {"rows", rows},
                       {"seconds", seconds},
                       {"notes", report.notes},
                       {"skipped", to_json(report.skipped)}});
    return;
  }
  for (const auto& one : report.duplicates) console.detail("duplicate: " + one);
  std::string line = fmt::format("added {}", report.added);
  const auto also = [&](std::size_t count, const char* what) {
    if (count > 0) line += fmt::format(", {} {}", count, what);
  };
  also(static_cast<std::size_t>(report.updated), "updated");
  also(static_cast<std::size_t>(report.placed), "given a new place or time");
  also(static_cast<std::size_t>(report.unchanged), "unchanged");
  also(static_cast<std::size_t>(report.local), "of them given local features");
  also(report.duplicates.size(), "the same as a photo already in the index");
  also(report.changed.size(), "changed on disk");
  also(report.skipped.size(), "skipped");
  console.data(fmt::format("{}; '{}' has {}\n", line, folder, counted(rows, "row")));
  if (!report.changed.empty()) {
    console.talk(fmt::format("notice: changed since they were added: '{}'{}; --update describes changed photos again",
                             report.changed.front(),
                             report.changed.size() == 1 ? "" : fmt::format(" and {} more", report.changed.size() - 1)));
  }
  if (described > 0) console.talk(fmt::format("{:.1f} photos/s", described / std::max(seconds, 1e-3)));
}

int run_add(const AddArgs& args, Console& console) {
  const fs::path folder = args.words.front();
  const std::vector<std::string> sources(args.words.begin() + 1, args.words.end());
  std::vector<std::string> notes;
  const std::vector<Photo> photos = photos_from(sources, args.positions, notes);
  for (const auto& note : notes) console.talk("notice: " + note);

  const auto stored = index_settings(folder);
  IndexSetup setup = set_up(folder, stored, args.model, console);
  IndexWriter writer = IndexWriter::open(folder, setup.settings);
  finish_work_on_signal();
  const auto start = Clock::now();
  const AddReport report = add(args, writer, setup, photos, console);
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  mention_left_out(report.notes, console);
  for (const auto& one : report.skipped) console.warn(fmt::format("skipped {}: {}", one.path, one.reason));
  if (report.stopped && report.done() < static_cast<int>(photos.size())) {
    throw Interrupted(stop_signal(), fmt::format("stopped after {} of {} photos, all of them safe in '{}'; to continue: {}",
                                                 report.done(), photos.size(), folder.string(), same_command(console)));
  }
  check_pace(args.model, setup.choice, report.median_forward_ms, static_cast<std::size_t>(report.added + report.updated),
             console);
  print(report, Index::open(folder).live_rows(), seconds, folder.string(), console);
  return report.skipped.empty() ? 0 : 4;
}

}  // namespace

Verb make_index_add(Console& console) {
  const auto args = std::make_shared<AddArgs>();
  Verb verb;
  verb.name = "index add";
  verb.about =
      "describes photos and adds them to an index. Photos already in it are passed over, so the same command resumes after a "
      "stop; nothing that was added is ever lost.";
  verb.examples = {"revisit index add places.rvs photos/ --model vlad.safetensors",
                   "revisit index add places.rvs 'drive/*/left_*.jpg' --positions gps.csv",
                   "revisit index add places.rvs table.geojson more.txt --update"};
  verb.positional = {"DB SOURCE...",
                     "the index (a folder, created if missing); photo folders, photos, globs, lists, csv or GeoJSON tables", 2,
                     1'000'000, &args->words};
  auto& options = verb.options;
  options = {
      {"--positions", "FILE", "csv or GeoJSON with the places of the photos; default: their EXIF data or @east@north@ names",
       to_text(args->positions)},
      {"--update", "", "describe again photos whose file has changed or whose entry in the index is damaged",
       to_switch(args->update)},
      {"--local", "", "keep local features for --rerank, of earlier photos too; later additions then keep them as well",
       to_switch(args->local)},
      {"--strict", "", "stop at the first photo that cannot be read; what was added before stays", to_switch(args->strict)}};
  add_index_options(options, args->model);
  console.add_options(options);
  verb.run = [args, &console] { return run_add(*args, console); };
  return verb;
}

}  // namespace revisit::cli
