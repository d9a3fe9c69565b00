// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// `revisit index info|verify|merge|export`: show an index, check it, merge others into it, export it.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/binding.h"
#include "cli/index_options.h"
#include "cli/progress.h"
#include "cli/verbs.h"
#include "core/base/fail.h"
#include "core/base/stop.h"
#include "core/formats/text.h"
#include "revisit/decision.h"
#include "revisit/export.h"
#include "revisit/index.h"

namespace revisit::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct Contents {
  int placed = 0;  // photos whose place is known
  int timed = 0;
  int missing = 0;  // photos whose file is no longer where it was
};

Contents contents_of(const Index& index) {
  Contents out;
  for (int row = 0; row < index.rows(); ++row) {
    if (!index.is_live(row)) continue;
    const IndexEntry entry = index.entry(row);
    if (entry.position) ++out.placed;
    if (entry.time_s) ++out.timed;
    std::error_code ignored;  // an unreadable path counts as missing
    if (!entry.path.empty() && !fs::exists(entry.path, ignored)) ++out.missing;
  }
  return out;
}

std::uintmax_t bytes_in(const fs::path& folder) {
  std::uintmax_t total = 0;
  std::error_code ignored;  // a file deleted meanwhile has no size
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const auto size = entry.file_size(ignored);
    if (!ignored) total += size;
  }
  return total;
}

std::uintmax_t bytes_per_photo(const fs::path& folder, const Index& index) {
  return bytes_in(folder) / static_cast<std::uintmax_t>(std::max(1, index.live_rows()));
}

int run_info(const std::string& folder, Console& console) {
  const Index index = Index::open(folder);
  const IndexSettings& settings = index.settings();
  const DescriptorSpec spec = completed(settings.spec);
  const auto fingerprint = settings.model_constants.find("fingerprint");
  const Contents contents = contents_of(index);
  if (console.json) {
    Json object{{"schema", 1},
                {"rows", index.live_rows()},
                {"dim", settings.dim},
                {"dtype", "f32"},
                {"model", settings.model},
                {"aggregate", ""},
                {"pruner", *spec.prune},
                {"fingerprint", fingerprint == settings.model_constants.end() ? "" : fingerprint->second},
                {"replaced_rows", index.rows() - index.live_rows()},
                {"with_position", contents.placed},
                {"with_time", contents.timed},
                {"missing_files", contents.missing},
                {"with_local", index.local_rows()},
                {"bytes_per_photo", bytes_per_photo(folder, index)},
                {"bytes", bytes_in(folder)}};
    object.update(Json::parse(spec_json(spec)));
    if (!settings.also.empty()) object["also"] = settings.also;
    if (const auto table = load_decision_table(folder)) object["calibrated_photos"] = table->photos;
    console.data_json(object);
    return 0;
  }
  std::string out = fmt::format("{}, {} numbers each (f32), {:.1f} MB\n", counted(index.live_rows(), "photo"), settings.dim,
                                static_cast<double>(bytes_in(folder)) / 1e6);
  out += fmt::format("model        {}{}\n", settings.model.empty() ? "none recorded" : settings.model,
                     spec.model_identity ? " (identity " + *spec.model_identity + ")" : "");
  if (!spec.model_identity && fingerprint != settings.model_constants.end())
    out += "format       1: knows its model by the weights alone; adding photos upgrades it\n";
  out += fmt::format("made with    {}\n", spec_text(spec));
  if (const auto table = load_decision_table(folder))
    out += fmt::format("decides      calibrated on {} of its photos\n", table->photos);
  for (const auto& difference : settings.also) out += fmt::format("some rows    {}\n", difference);
  out += fmt::format("per photo    {:.1f} KB, local features of {}\n", static_cast<double>(bytes_per_photo(folder, index)) / 1e3,
                     index.local_rows());
  out += fmt::format("known        position of {}, time of {}\n", contents.placed, contents.timed);
  if (index.rows() > index.live_rows()) out += fmt::format("replaced     {}\n", counted(index.rows() - index.live_rows(), "row"));
  if (contents.missing > 0)
    out += fmt::format("files gone   {} no longer at the recorded path\n", counted(contents.missing, "photo"));
  console.data(out);
  return 0;
}

int run_verify(const std::string& folder, Console& console) {
  const auto problems = verify_index(folder);
  if (console.json) {
    auto list = Json::array();
    for (const auto& problem : problems) {
      Json one{{"what", problem.what}};
      if (problem.row >= 0) one["row"] = problem.row;
      list.push_back(std::move(one));
    }
    console.data_json({{"schema", 1}, {"sound", problems.empty()}, {"problems", std::move(list)}});
  } else if (problems.empty()) {
    console.data(fmt::format("'{}' is sound: {}\n", folder, counted(Index::open(folder).live_rows(), "row")));
  } else {
    std::string out;
    for (const auto& problem : problems) out += problem.what + "\n";
    console.data(out);
  }
  return problems.empty() ? 0 : exit_code_of(ErrorCode::kBadFile);
}

int run_merge(const std::vector<std::string>& folders, Console& console) {
  const fs::path into = folders.front();
  std::vector<Index> sources;
  for (std::size_t i = 1; i < folders.size(); ++i) {
    std::error_code ignored;
    if (fs::equivalent(folders[i], into, ignored)) fail(ErrorCode::kUsage, "'{}' cannot be merged into itself", folders[i]);
    sources.push_back(Index::open(folders[i]));
  }
  const IndexSettings target = index_settings(into).value_or(sources.front().settings());
  for (std::size_t i = 0; i < sources.size(); ++i) {  // before anything is added
    require_compatible(folders[i + 1], sources[i].settings(), target);
    mention_differences(sources[i].settings(), target, fmt::format("'{}' was made with", folders[i + 1]), console);
  }
  IndexWriter writer = IndexWriter::open(into, target);
  finish_work_on_signal();
  MergeReport total;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const std::string& name = folders[i + 1];
    Progress progress("merging " + name, static_cast<std::size_t>(sources[i].rows()), console.quiet);
    const auto prefix = (fs::path(name) / "").parent_path().filename().string();
    const MergeReport one = merge_index(writer, sources[i], prefix, [&](int done, int) {
      progress.update(static_cast<std::size_t>(done), 0);
      if (const int signal = stop_signal(); signal != 0)
        throw Interrupted(signal, "stopped; run the same command again to continue");
    });
    total.added += one.added;
    total.unchanged += one.unchanged;
    total.renamed += one.renamed;
    total.placed += one.placed;
    total.local += one.local;
  }
  const int rows = Index::open(into).live_rows();
  if (console.json) {
    console.data_json({{"schema", 1},
                       {"added", total.added},
                       {"unchanged", total.unchanged},
                       {"placed", total.placed},
                       {"renamed", total.renamed},
                       {"local", total.local},
                       {"rows", rows}});
  } else {
    console.data(
        fmt::format("added {}, unchanged {}; '{}' has {}\n", total.added, total.unchanged, into.string(), counted(rows, "row")));
    if (total.placed > 0)
      console.talk(fmt::format("notice: {} already there received a place or time", counted(total.placed, "photo")));
    if (total.renamed > 0)
      console.talk(fmt::format("notice: {} had a name already in use and {} renamed INDEX/NAME", counted(total.renamed, "photo"),
                               total.renamed == 1 ? "was" : "were"));
  }
  return 0;
}

struct ExportArgs {
  std::vector<std::string> folder;
  std::string format;  // empty: from the file's extension
  std::string output;
  int top_k = 20;
};

std::string format_of(const ExportArgs& args) {
  if (!args.format.empty()) return args.format;
  const std::string extension = lower(fs::path(args.output).extension().string());
  if (extension == ".npy" || extension == ".csv" || extension == ".geojson" || extension == ".kml") return extension.substr(1);
  if (extension == ".json") return "geojson";
  if (extension == ".txt") return "pairs";
  fail_with_hint(ErrorCode::kUsage, "--format npy|pairs|csv|geojson|kml writes any of them under any name",
                 "the name '{}' does not tell the format: .npy, .txt (pairs), .csv, .geojson, .json (GeoJSON) and .kml are known",
                 args.output);
}

int run_export(const ExportArgs& args, Console& console) {
  if (args.output.empty()) fail(ErrorCode::kUsage, "-o FILE is missing: the file to write");
  const std::string format = format_of(args);
  const Index index = Index::open(args.folder.front());
  std::error_code ignored;
  if (fs::equivalent(fs::absolute(args.output).parent_path(), args.folder.front(), ignored)) {
    fail_with_hint(ErrorCode::kUsage, "-o with a path outside the index",
                   "'{}' is inside the index, where nothing is overwritten", args.output);
  }
  int written = index.live_rows();
  if (format == "npy") {
    export_npy(index, args.output);
  } else if (format == "csv") {
    export_csv(index, args.output);
  } else if (format == "geojson") {
    written = export_geojson(index, args.output);
  } else if (format == "kml") {
    written = export_kml(index, args.output);
  } else {
    finish_work_on_signal();
    Progress progress("pairing", static_cast<std::size_t>(written), console.quiet);
    export_pairs(index, args.output, args.top_k, [&](int done, int) {
      progress.update(static_cast<std::size_t>(done), 0);
      if (const int signal = stop_signal(); signal != 0) throw Interrupted(signal, "stopped; nothing was written");
      return true;
    });
  }
  if (console.json) {
    console.data_json({{"schema", 1},
                       {"format", format},
                       {"file", args.output},
                       {"photos", written},
                       {"left_out", index.live_rows() - written}});
  } else {
    console.talk(fmt::format("wrote {} of '{}' to {}", counted(written, "photo"), args.folder.front(), args.output));
  }
  if (written < index.live_rows()) {
    const int left_out = index.live_rows() - written;
    console.warn(
        fmt::format("notice: left out {} of {} without latitude and longitude", left_out, counted(index.live_rows(), "photo")));
  }
  return 0;
}

}  // namespace

Verb make_index_info(Console& console) {
  const auto folder = std::make_shared<std::vector<std::string>>();
  Verb verb;
  verb.name = "index info";
  verb.about = "shows what an index holds and how it was made.";
  verb.examples = {"revisit index info places.rvs", "revisit index info places.rvs --json", "revisit index info -q places.rvs"};
  verb.positional = {"DB", "the index, a folder", 1, 1, folder.get()};
  console.add_options(verb.options);
  verb.run = [folder, &console] { return run_info(folder->front(), console); };
  return verb;
}

Verb make_index_verify(Console& console) {
  const auto folder = std::make_shared<std::vector<std::string>>();
  Verb verb;
  verb.name = "index verify";
  verb.about =
      "reads the catalogue and the descriptors and checks the checksums of both; search files that do not fit are rebuilt. "
      "Exits with 0 if the index is sound, with 3 if it is not.";
  verb.examples = {"revisit index verify places.rvs", "revisit index verify places.rvs --json",
                   "revisit index verify backup/places.rvs -q"};
  verb.positional = {"DB", "the index, a folder", 1, 1, folder.get()};
  console.add_options(verb.options);
  verb.run = [folder, &console] { return run_verify(folder->front(), console); };
  return verb;
}

Verb make_index_merge(Console& console) {
  const auto folders = std::make_shared<std::vector<std::string>>();
  Verb verb;
  verb.name = "index merge";
  verb.about = "adds the photos of other indexes made with the same model to one index. The others stay as they are.";
  verb.examples = {"revisit index merge all.rvs monday.rvs tuesday.rvs", "revisit index merge all.rvs wednesday.rvs",
                   "revisit index merge copy.rvs places.rvs --json"};
  verb.positional = {"DB OTHER...", "the index to add to, created if missing; the indexes to add", 2, 1'000'000, folders.get()};
  console.add_options(verb.options);
  verb.run = [folders, &console] { return run_merge(*folders, console); };
  return verb;
}

Verb make_index_export(Console& console) {
  const auto args = std::make_shared<ExportArgs>();
  Verb verb;
  verb.name = "index export";
  verb.about = "writes an index for other programs: descriptors for NumPy, pairs for hloc, a table, or points for a map.";
  verb.examples = {"revisit index export places.rvs -o places.npy", "revisit index export places.rvs -k 20 -o pairs.txt",
                   "revisit index export places.rvs -o places.geojson"};
  verb.positional = {"DB", "the index, a folder", 1, 1, &args->folder};
  verb.options = {
      {"-o,--output", "FILE", "file to write", to_text(args->output)},
      {"--format", "KIND", "npy (with FILE.names.txt), pairs, csv, geojson or kml; default: by the extension of FILE",
       to_choice(args->format, {"npy", "pairs", "csv", "geojson", "kml"})},
      {"-k,--top-k", "K", "pairs: most similar photos of each photo, 1 to 999; default 20", to_int(args->top_k, 1, 999)}};
  console.add_options(verb.options);
  verb.run = [args, &console] { return run_export(*args, console); };
  return verb;
}

}  // namespace revisit::cli
