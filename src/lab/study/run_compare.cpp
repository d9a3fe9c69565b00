// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// A comparison: the cells of every line, measured or known already.
#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include "core/base/fail.h"
#include "lab/study/compare_cells.h"
#include "lab/study/compare_config.h"
#include "lab/study/compare_cost.h"
#include "lab/study/watched.h"
#include "revisit/embedded.h"
#include "revisit/lab/bench.h"
#include "revisit/lab/compare.h"
#include "revisit/lab/evaluate.h"

namespace revisit {
namespace study {
namespace {

namespace fs = std::filesystem;

/// A row at one rho with one model and one seed: the photos of each folder are described once for all data sets.
struct Setting {
  Model model;
  DescriptorSpec spec;  // complete
};

struct LineSettings {
  const CompareRow* row;
  double rho;
  std::vector<Setting> repetitions;
};

/// Everything a cell depends on.
std::string settings_of(const Setting& setting, const CompareDataset& asked, const Dataset& dataset, int top_k) {
  const auto where = [](const fs::path& path) { return path.empty() ? std::string() : fs::weakly_canonical(path).string(); };
  return fmt::format("{} | top_k {} queries {} {} references {} {} {} {} | {}", spec_key(setting.spec), top_k,
                     dataset.queries.size(), where(asked.folders.queries), dataset.references.size(),
                     where(asked.folders.references), asked.named, where(asked.root), dataset.protocol);
}

class Comparing {
 public:
  Comparing(const CompareOptions& options, Comparison& result, Watched& watched)
      : options_(options), result_(result), watched_(watched), cells_(options.cells) {}

  void run() {
    for (std::size_t d = 0; d < result_.config.datasets.size(); ++d) load(d);
    std::vector<LineSettings> lines;  // all before the first photo: what cannot work is said now
    for (const auto& row : result_.config.rows) {
      for (const double rho : row.rhos) lines.push_back(settings_for(row, rho));
    }
    for (const LineSettings& settings : lines) {
      CompareLine line{settings.row->name, settings.rho, {}, {}};
      for (const auto& setting : settings.repetitions) {
        std::optional<Extractor> extractor;  // when the first number has to be measured
        line.costs.push_back(cost_of(setting, extractor));
        line.repetitions.push_back(cells_of(setting, extractor));
      }
      result_.lines.push_back(std::move(line));
      if (options_.line) options_.line(result_.lines.back());
    }
  }

 private:
  using Sides = std::map<std::string, DescribedPhotos>;  // by number and first photo: what two data sets share is described once

  void load(std::size_t d) {
    const CompareDataset& asked = result_.config.datasets[d];
    const Dataset& dataset =
        datasets_.emplace_back(asked.named.empty() ? load_folder_pair(asked.folders) : load_named(asked.named, asked.root));
    if (!dataset.labelled) {
      fail_with_hint(ErrorCode::kUsage, "gt = \"gt.csv\" or positions = \"FILE.csv\"",
                     "data set '{}' has no ground truth, so nothing can be compared on it", asked.name);
    }
    for (const auto& note : dataset.notes) watched_.notice(fmt::format("{}: {}", asked.name, note));
    result_.protocols[d] = dataset.protocol;
    result_.num_queries[d] = static_cast<int>(dataset.queries.size());
  }

  LineSettings settings_for(const CompareRow& row, double rho) {
    LineSettings out{&row, rho, {}};
    for (const auto& name : row.models) {
      const Model& model = opened(name);
      for (int seed = 0; seed < row.seeds; ++seed) {
        DescriptorSpec spec = row.spec;
        spec.rho = rho;
        spec.seed = out.repetitions.size();  // no two repetitions draw the same patches
        spec.orientation = "ignore";
        const std::string lead = fmt::format("row '{}', model '{}'", row.name, name);
        out.repetitions.push_back({model, possible(model, spec, options_.threads, lead).spec()});
      }
    }
    return out;
  }

  const Model& opened(const std::string& name) {
    if (const auto found = models_.find(name); found != models_.end()) return found->second;
    return models_.emplace(name, options_.open_model ? options_.open_model(name) : find_model(name)).first->second;
  }

  Extractor& made(const Setting& setting, std::optional<Extractor>& extractor) {
    if (!extractor) extractor.emplace(setting.model, setting.spec, options_.threads);
    return *extractor;
  }

  /// The seed of random pruning does not matter.
  CompareCost cost_of(const Setting& setting, std::optional<Extractor>& extractor) {
    DescriptorSpec spec = setting.spec;
    spec.seed = 0;
    const auto& photos = datasets_.front().queries;
    const std::string key = fmt::format("cost of {} | threads {} | {} | {}", spec_key(spec), options_.threads, result_.cpu,
                                        fs::weakly_canonical(photos.front().path).string());
    if (const auto known = costs_.find(key); known != costs_.end()) return known->second;
    auto cost = cells_.load_cost(key);
    if (!cost) {
      cost = measure_cost(made(setting, extractor), photos);
      cells_.save_cost(key, *cost);
    }
    return costs_.emplace(key, *cost).first->second;
  }

  std::vector<CompareCell> cells_of(const Setting& setting, std::optional<Extractor>& extractor) {
    Sides sides;
    std::vector<CompareCell> out;
    const int top_k = result_.config.recall_values.back();
    for (std::size_t d = 0; d < datasets_.size(); ++d) {
      const Dataset& dataset = datasets_[d];
      const std::string settings = settings_of(setting, result_.config.datasets[d], dataset, top_k);
      if (auto known = cells_.load(settings, dataset.queries.size())) {
        out.push_back(std::move(*known));
        continue;
      }
      made(setting, extractor);
      const DescribedPhotos& references = side_of(*extractor, dataset.references, "references", sides);
      const DescribedPhotos& queries = side_of(*extractor, dataset.queries, "queries", sides);
      const auto matches = match_all(queries, references, top_k, search_filter(dataset));
      out.push_back({first_right_ranks(dataset, matches)});
      cells_.save(settings, out.back());
    }
    return out;
  }

  const DescribedPhotos& side_of(Extractor& extractor, const std::vector<Photo>& photos, const char* what, Sides& sides) {
    const std::string key = fmt::format("{} {}", photos.size(), photos.front().path.string());
    if (const auto found = sides.find(key); found != sides.end()) return found->second;
    auto described = watched_.describe({&extractor, 1}, photos, what);
    keep_skipped(described.front(), result_.skipped);
    return sides.emplace(key, std::move(described.front())).first->second;
  }

  const CompareOptions& options_;
  Comparison& result_;
  Watched& watched_;
  CompareCells cells_;
  std::vector<Dataset> datasets_;
  std::map<std::string, Model> models_;
  std::map<std::string, CompareCost> costs_;
};

}  // namespace
}  // namespace study

Comparison run_compare(const CompareConfig& config, const CompareOptions& options) {
  Comparison result;
  result.config = config;
  study::settle_compare(result.config, config.name);
  result.protocols.resize(config.datasets.size());
  result.num_queries.resize(config.datasets.size());
  result.cpu = system_info().cpu;
  result.threads = options.threads;
  study::Watched watched(options.watch);
  result.stopped = !watched.finishes([&] { study::Comparing(options, result, watched).run(); });
  return result;
}

}  // namespace revisit
