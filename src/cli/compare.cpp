// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// `revisit compare`: models, pruners and settings against each other on several data sets, as a TOML file says.
#include "revisit/lab/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "core/base/fail.h"
#include "core/base/stop.h"
#include "cli/binding.h"
#include "cli/compare_cells.h"
#include "cli/output.h"
#include "cli/photo_run.h"
#include "cli/verbs.h"
#include "revisit/lab/bench.h"

namespace revisit::cli {
namespace {

namespace fs = std::filesystem;

struct CompareArgs {
  std::vector<std::string> config;
  std::string out;
  int threads = 0;
};

/// A row at one rho with one model and one seed: the photos of each folder are described once for all data sets.
struct Measured {
  const CompareRow* row;
  Model model;
  DescriptorSpec spec;  // complete
};

std::vector<Dataset> load_datasets(const CompareConfig& config, Console& console) {
  std::vector<Dataset> out;
  for (const auto& asked : config.datasets) {
    out.push_back(asked.named.empty() ? load_folder_pair(asked.folders) : load_named(asked.named, asked.root));
    if (!out.back().labelled) {
      fail_with_hint(ErrorCode::kUsage, "gt = \"gt.csv\" or positions = \"FILE.csv\"",
                     "data set '{}' has no ground truth, so nothing can be compared on it", asked.name);
    }
    for (const auto& note : out.back().notes) console.talk(fmt::format("notice: {}: {}", asked.name, note));
  }
  return out;
}

/// Everything a cell depends on.
std::string settings_of(const Measured& measured, const CompareDataset& asked, const Dataset& dataset, int top_k) {
  const auto where = [](const fs::path& path) { return path.empty() ? std::string() : fs::weakly_canonical(path).string(); };
  return fmt::format("{} | top_k {} queries {} {} references {} {} {} {} | {}", spec_key(measured.spec), top_k,
                     dataset.queries.size(), where(asked.folders.queries), dataset.references.size(),
                     where(asked.folders.references), asked.named, where(asked.root), dataset.protocol);
}

class Comparing {
 public:
  Comparing(const CompareArgs& args, CompareConfig config, Console& console)
      : args_(args), console_(console), datasets_(load_datasets(config, console)), cells_(fs::path(args.out) / "cells") {
    result_.config = std::move(config);
    result_.cpu = system_info().cpu;
    result_.threads = args.threads;
    for (const auto& dataset : datasets_) {
      result_.protocols.push_back(dataset.protocol);
      result_.num_queries.push_back(static_cast<int>(dataset.queries.size()));
    }
    for (const auto& row : result_.config.rows) {
      for (const double rho : row.rhos) lines_.push_back(settings_for(row, rho));
    }
  }

  /// What is done by then when a signal stops it.
  const Comparison& run() {
    finish_work_on_signal();
    for (const auto& settings : lines_) {
      CompareLine line{settings.front().row->name, *settings.front().spec.rho, {}};
      for (const auto& setting : settings) line.repetitions.push_back(cells_of(setting));
      if (stopped_by() != 0) break;
      result_.lines.push_back(std::move(line));
      console_.talk(fmt::format("{} at rho {:g}: mean R@{} {:.1f}", result_.lines.back().name, result_.lines.back().rho,
                                result_.config.recall_values.front(),
                                mean_recall_of(result_.lines.back(), result_.config.recall_values.front()).mean));
    }
    return result_;
  }

  int stopped_by() const { return result_.lines.size() < lines_.size() ? stopped_by_ : 0; }
  std::size_t lines() const { return lines_.size(); }

 private:
  // Opened before the first photo is described: what cannot work is said now.
  std::vector<Measured> settings_for(const CompareRow& row, double rho) {
    std::vector<Measured> out;
    for (const auto& name : row.models) {
      for (int seed = 0; seed < row.seeds; ++seed) {
        Measured setting{&row, opened(name), row.spec};
        setting.spec.rho = rho;
        setting.spec.seed = out.size();  // no two repetitions draw the same patches
        setting.spec.orientation = "ignore";
        setting.spec = possible_spec(setting.model, setting.spec, fmt::format("row '{}', model '{}'", row.name, model_label(name)));
        out.push_back(std::move(setting));
      }
    }
    return out;
  }

  const Model& opened(const std::string& name) {
    const auto found = models_.find(name);
    return found != models_.end() ? found->second : models_.emplace(name, open_model(name, console_)).first->second;
  }

  std::vector<CompareCell> cells_of(const Measured& setting) {
    std::map<std::string, Side> sides;  // by the first photo: folders that two data sets share are described once
    std::vector<CompareCell> out;
    const int top_k = result_.config.recall_values.back();
    for (std::size_t d = 0; d < datasets_.size() && stopped_by_ == 0; ++d) {
      const std::string settings = settings_of(setting, result_.config.datasets[d], datasets_[d], top_k);
      if (auto known = cells_.load(settings, datasets_[d].queries.size())) {
        out.push_back(std::move(*known));
        continue;
      }
      try {
        out.push_back(measured(setting, datasets_[d], top_k, sides));
      } catch (const Interrupted& stop) {
        stopped_by_ = stop.signal;
        break;
      }
      cells_.save(settings, out.back());
      if (stop_signal() != 0 && d + 1 < datasets_.size()) stopped_by_ = stop_signal();
    }
    return out;
  }

  CompareCell measured(const Measured& setting, const Dataset& dataset, int top_k, std::map<std::string, Side>& sides) {
    const Side& references = side_of(setting, dataset.references, "references", sides);
    const Side& queries = side_of(setting, dataset.queries, "queries", sides);
    const auto matches = match_all(queries.photos, references.photos, top_k, search_filter(dataset));
    return {first_right_ranks(dataset, matches), queries.photos.median_forward_ms};
  }

  const Side& side_of(const Measured& setting, const std::vector<Photo>& photos, const char* label,
                      std::map<std::string, Side>& sides) {
    const std::string key = fmt::format("{} {}", photos.size(), photos.front().path.string());
    if (const auto found = sides.find(key); found != sides.end()) return found->second;
    Side side = describe_side(setting.model, setting.spec, args_.threads, photos, label, console_);
    keep_skipped(side, result_.skipped);
    return sides.emplace(key, std::move(side)).first->second;
  }

  const CompareArgs& args_;
  Console& console_;
  std::vector<Dataset> datasets_;
  CompareCells cells_;
  std::map<std::string, Model> models_;
  std::vector<std::vector<Measured>> lines_;
  Comparison result_;
  int stopped_by_ = 0;
};

int run_compare(CompareArgs args, Console& console) {
  CompareConfig config = load_compare_config(args.config.front());
  if (args.out.empty()) args.out = (fs::path("runs") / config.name).string();
  check_output_folder(args.out);
  Comparing comparing(args, std::move(config), console);
  const Comparison& result = comparing.run();
  const int stopped_by = comparing.stopped_by();
  if (!result.lines.empty()) {
    write_comparison(args.out, result);
    console.talk(fmt::format("wrote compare.md, compare.csv, compare.json and compare.svg to {}", args.out));
  }
  const std::string out = console.json ? comparison_json(result) : comparison_text(result);
  if (stopped_by == 0) {
    console.data(out);
    return result.skipped.empty() ? 0 : 4;
  }
  const std::string sentence = fmt::format("stopped after {} of {} lines, all of them safe in '{}'; the same command goes on",
                                           result.lines.size(), comparing.lines(), args.out);
  if (result.lines.empty()) throw Interrupted(stopped_by, sentence);
  console.data_and_error(out, ErrorCode::kInterrupted, sentence, "");
  return 128 + stopped_by;
}

}  // namespace

Verb make_compare(Console& console) {
  const auto args = std::make_shared<CompareArgs>();
  Verb verb;
  verb.name = "compare";
  verb.about =
      "models, pruners and settings against each other on several data sets: tables with mean, deviation and paired intervals. "
      "What is measured is kept, so the same command goes on where one stopped.";
  verb.examples = {"revisit compare recipes/compare-embedded.toml", "revisit compare study.toml --out study --threads 2",
                   "revisit compare study.toml --json"};
  verb.positional = {"CONFIG.toml", "data sets, rows and the differences to look at (docs/comparing.md)", 1, 1, &args->config};
  verb.options = {{"--out", "DIR", "where results and measured cells go; default runs/NAME", to_text(args->out)},
                  {"--threads", "N", "cores used for each image, 1 to 1024; default: all this process may use",
                   to_int(args->threads, 1, 1024)}};
  console.add_options(verb.options);
  verb.run = [args, &console] { return run_compare(*args, console); };
  return verb;
}

}  // namespace revisit::cli
