// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Options of the data set, loading it, and describing its photos.
#include "cli/photo_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <ctime>

#include "cli/binding.h"
#include "core/base/fail.h"
#include "core/base/limits.h"
#include "core/base/stop.h"
#include "core/base/stop_scope.h"
#include "core/formats/text.h"
#include "revisit/whitening.h"

namespace revisit::cli {
namespace {

constexpr const char* kTruthHint =
    "ground truth comes from --gt FILE.csv, --positions FILE.csv, @east@north@ names or EXIF GPS; --no-labels runs without";

void check_sources(const DataArgs& args) {
  const bool folders = !args.queries_folder.empty() || !args.database_folder.empty();
  const bool named = !args.dataset.empty() || !args.root.empty();
  if (folders == named) {
    fail_with_hint(ErrorCode::kUsage, "--queries-folder Q --database-folder D, or --dataset NAME --root FOLDER", "{}",
                   folders ? "give two folders or a named data set, not both" : "no photos were given");
  }
  if (folders && (args.queries_folder.empty() || args.database_folder.empty())) {
    fail(ErrorCode::kUsage, "--queries-folder and --database-folder go together, but {} is missing",
         args.queries_folder.empty() ? "--queries-folder" : "--database-folder");
  }
  if (named && (args.dataset.empty() || args.root.empty())) {
    fail(ErrorCode::kUsage, "--dataset and --root go together, but {} is missing", args.dataset.empty() ? "--dataset" : "--root");
  }
  if (named && (args.gt || args.positions)) {
    fail(ErrorCode::kUsage, "--dataset {} has its own ground truth, so {} cannot be used with it", args.dataset,
         args.gt ? "--gt" : "--positions");
  }
}

}  // namespace

void add_data_options(std::vector<Option>& options, DataArgs& args) {
  options.insert(options.end(),
                 {{"--queries-folder", "Q", "folder of queries", to_text(args.queries_folder)},
                  {"--database-folder", "D", "folder of references", to_text(args.database_folder)},
                  {"--gt", "FILE", "ground truth: query,best_ref,accepted_refs", to_text(args.gt)},
                  {"--positions", "FILE", "csv image,lat,lon or image,east,north", to_text(args.positions)},
                  {"--dataset", "NAME", "a named data set instead: nordland, msls_val, ...", to_text(args.dataset)},
                  {"--root", "FOLDER", "folder that holds the named data set", to_text(args.root)},
                  {"--positive-dist-threshold", "M", "metres within which a reference is right; default 25",
                   to_number(args.positive_dist_threshold_m, {0, limits::kMaxPlaneMetres})},
                  {"--recall-values", "K...", "k of recall@k; default 1 5 10 20",
                   to_ints(args.recall_values, 32, 1, limits::kMaxTopK), true}});
}

void add_run_options(std::vector<Option>& options, DataArgs& args, ModelArgs& model,
                     std::initializer_list<std::string_view> without) {
  model.spec.orientation = "ignore";
  add_spec_options(options, model, without);
  set_help(options, "--orientation", "EXIF orientation: apply or ignore; default ignore");
  options.insert(
      options.end(),
      {{"--reference-rho", "R", "rho for references; default: the same", to_number(args.reference_rho, kRhoRange)},
       {"--image-size", "H W", "like --size HxW; one number: shorter edge", to_ints(args.image_size, 2, 1, kMaxInputSide), true},
       {"--dim", "D", "PCA-whitened descriptors of D values, learnt from the references",
        to_int(args.dim, 1, Whitening::kMaxTargetDim)},
       {"--batch-size", "N", "ignored: results do not depend on it", to_int(args.batch_size, 1, 65536)}});
}

Dataset load_data(const DataArgs& args, Console& console) {
  check_sources(args);
  Dataset dataset;
  if (!args.dataset.empty()) {
    dataset = load_named(args.dataset, args.root);
    if (args.positive_dist_threshold_m != DataArgs().positive_dist_threshold_m) {
      console.talk(fmt::format("notice: --positive-dist-threshold {:g} is ignored, {} has its own protocol",
                               args.positive_dist_threshold_m, args.dataset));
    }
    if (args.no_labels && dataset.labelled) {
      dataset.labelled = false;
      dataset.positives.clear();
      dataset.protocol += "; ground truth not used, as requested";
    }
  } else {
    FolderPair pair{args.queries_folder, args.database_folder,           args.gt,
                    args.positions,      args.positive_dist_threshold_m, args.no_labels};
    dataset = load_folder_pair(pair);
    if (!dataset.labelled && !args.no_labels) {
      fail_with_hint(ErrorCode::kUsage, kTruthHint, "no ground truth was found for '{}' and '{}'", args.queries_folder,
                     args.database_folder);
    }
  }
  for (const auto& note : dataset.notes) console.talk("notice: " + note);
  return dataset;
}

void apply_image_size(const DataArgs& args, const Dataset& dataset, DescriptorSpec& spec, Console& console) {
  if (args.image_size.empty()) return;
  if (spec.size) fail(ErrorCode::kUsage, "--size and --image-size both give the input size: one is enough");
  if (args.image_size.size() == 2) {
    spec.size = Size{args.image_size[0], args.image_size[1]};
    return;
  }
  DecodeOptions decode;
  decode.orientation = orientation_of(spec);
  const Photo& first = dataset.references.front();
  const Image image = load_image(first.path, decode);
  const double scale = static_cast<double>(args.image_size[0]) / std::min(image.width, image.height);
  const auto side = [&](int pixels) { return std::min(kMaxInputSide, static_cast<int>(std::lround(scale * pixels))); };
  spec.size = Size{side(image.height), side(image.width)};
  console.talk(fmt::format("notice: --image-size {} is the shorter edge; by the shape of '{}', every photo is resized to {}x{}",
                           args.image_size[0], first.name, spec.size->height, spec.size->width));
}

void mention_whitening(Dataset& dataset, const std::optional<int>& dim) {
  if (dim) dataset.protocol = whitened_protocol(dataset.protocol, *dim);
}

void mention_left_out(const std::vector<std::string>& notes, Console& console) {
  constexpr std::size_t kNamed = 3;
  for (std::size_t i = 0; i < std::min(kNamed, notes.size()); ++i) console.talk_once("notice: " + notes[i]);
  if (notes.size() > kNamed) {
    console.talk_once(fmt::format("notice: something was left out of {}, too", counted(notes.size() - kNamed, "more photo")));
  }
}

RunWatch RunDisplay::watch() {
  return {[this](const std::string& what, int done, int total) { show(what, done, total); },
          [this](const std::string& sentence) { console_.talk_once("notice: " + sentence); },
          [this](const DescribedPhotos& photos) { finish(photos); }, [] { return stop_signal() != 0; }};
}

Interrupted RunDisplay::interrupted() const {
  return {stop_signal(),
          fmt::format("stopped after {} of {} {}; answers need all of them, so nothing was written", done_, total_, what_)};
}

void RunDisplay::show(const std::string& what, int done, int total) {
  finish_work_on_signal();
  if (!progress_) progress_.emplace(fmt::format("describing {}", what), static_cast<std::size_t>(total), console_.quiet);
  progress_->update(static_cast<std::size_t>(done), 0);
  what_ = what;
  done_ = done;
  total_ = total;
}

void RunDisplay::finish(const DescribedPhotos& photos) {
  progress_.reset();
  mention_left_out(photos.notes, console_);
  for (const auto& one : photos.skipped) console_.warn(fmt::format("skipped {}: {}", one.path, one.reason));
}

namespace {

template <typename Describer>
Side described(Describer& describer, const std::vector<Photo>& photos, const char* label, Console& console, bool local) {
  RunDisplay display(console);
  const RunWatch watch = display.watch();
  Side side;
  side.spec = describer.spec();
  const auto go_on = [&](int done, int total) {
    watch.progress(label, done, total);
    return !watch.stop();
  };
  const StopScope scope(watch.stop, "stopped while reading a photo");
  go_on(0, static_cast<int>(photos.size()));
  try {
    side.photos = describe_photos(describer, photos, go_on, local);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kInterrupted || stop_signal() == 0) throw;
    throw display.interrupted();
  }
  watch.described(side.photos);
  require_usable(side.photos, label);
  return side;
}

}  // namespace

Side describe_side(const Model& model, const DescriptorSpec& spec, int threads, const std::vector<Photo>& photos,
                   const char* label, Console& console, bool local) {
  Extractor extractor(model, spec, threads);
  for (const auto& notice : extractor.notices()) console.talk_once("notice: " + notice);
  return describe_side(extractor, photos, label, console, local);
}

Side describe_side(Extractor& extractor, const std::vector<Photo>& photos, const char* label, Console& console, bool local) {
  return described(extractor, photos, label, console, local);
}

Side describe_side(const Recognizer& places, const std::vector<Photo>& photos, const char* label, Console& console, bool local) {
  return described(places, photos, label, console, local);
}

RunRecord record_of(const char* command, const std::string& model_name, const Model& model, const Side& queries,
                    const DescriptorSpec& references, int threads, const Console& console) {
  RunRecord run = run_record(model_label(model_name), model, queries.spec, references, queries.photos.dim, threads);
  sign(run, command, utc_now(), console);
  return run;
}

void sign(RunRecord& run, const char* command, const std::string& started, const Console& console) {
  run.version = REVISIT_VERSION;
  run.commit = REVISIT_COMMIT;
  run.command = command;
  run.arguments = console.arguments;
  run.started = started;
}

void add_sides(RunReport& report, const Side& queries, const Side& references) {
  report.run.ms_per_image = queries.photos.median_forward_ms;
  report.run.end_to_end_ms = queries.photos.median_end_to_end_ms;
  report.run.mean_kept = queries.photos.mean_kept;
  report.run.reference_ms_per_image = references.photos.median_forward_ms;
  for (const Side* side : {&queries, &references}) {
    for (const auto& note : side->photos.notes) {
      if (std::ranges::find(report.dataset.notes, note) == report.dataset.notes.end()) report.dataset.notes.push_back(note);
    }
  }
  report.skipped = queries.photos.skipped;
  report.skipped.insert(report.skipped.end(), references.photos.skipped.begin(), references.photos.skipped.end());
}

std::string utc_now(bool for_folder) {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof(text), for_folder ? "%Y-%m-%d_%H-%M-%S" : "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

}  // namespace revisit::cli
