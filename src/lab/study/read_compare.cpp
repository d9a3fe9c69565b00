// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// TOML to CompareConfig: one function a table, then what the tables must agree on.
#include <algorithm>
#include <set>

#include "core/base/fail.h"
#include "core/base/file.h"
#include "core/base/limits.h"
#include "core/base/near_word.h"
#include "engine/spec/toml_spec.h"
#include "lab/study/compare_config.h"
#include "revisit/lab/compare.h"

namespace revisit {
namespace {

constexpr int kMostSeeds = 1000;

void read(Section& in, CompareDataset& out) {
  in.text("name", out.name);
  in.require("name", "how tables call the data set");
  in.choice("dataset", out.named, named_datasets());
  in.path("root", out.root);
  in.path("queries", out.folders.queries);
  in.path("references", out.folders.references);
  std::filesystem::path gt, positions;
  in.path("gt", gt);
  in.path("positions", positions);
  if (!gt.empty()) out.folders.gt = gt;
  if (!positions.empty()) out.folders.positions = positions;
  in.number("positive_dist_threshold", out.folders.positive_dist_threshold_m, {0, limits::kMaxPlaneMetres});
  if (out.named.empty()) {
    in.require("queries", "the folder of queries; or dataset and root name a set of the field");
    in.require("references", "the folder of references");
    in.refuse("root", "says where a named data set lies, but dataset names none");
    return;
  }
  in.require("root", "where the data set lies");
  for (const auto* key : {"queries", "references", "gt", "positions", "positive_dist_threshold"}) {
    in.refuse(key, "cannot be given: " + out.named + " has folders and a protocol of its own");
  }
}

// A name of 'revisit model list' stays a name; anything that looks like a file is one, seen from the config.
std::string settled_model(const std::string& text, const std::filesystem::path& folder) {
  return text.find_first_of("/.") == std::string::npos ? text : (folder / text).lexically_normal().string();
}

void read(Section& in, CompareRow& out, const Origin& origin) {
  in.text("name", out.name);
  in.require("name", "how tables call the row");
  in.texts("models", out.models);
  in.require("models", "a list of model files or names");
  for (auto& model : out.models) model = settled_model(model, origin.folder);
  in.numbers("rho", out.rhos, kRho);
  in.text("line", out.line);
  in.whole("seeds", out.seeds, 1, kMostSeeds);
  read_settings(in, out.spec, [](const Setting& one) {
    const std::string_view name = one.name;
    return one.placeholder != nullptr && name != "rho" && name != "seed" && name != "orientation";
  });
  if (out.spec.prune != "random") in.refuse("seeds", "repeats random pruning, but prune is not random");
}

void read(Section& in, CompareDifference& out) {
  in.text("of", out.of);
  in.text("from", out.from);
  in.require("of", "the name of a row");
  in.require("from", "the name of a row");
  double both = 1;
  in.number("rho", both, kRho);
  out.of_rho = out.from_rho = both;
  in.number("of_rho", out.of_rho, kRho);
  in.number("from_rho", out.from_rho, kRho);
}

/// A list under `key` with a number for each rho, or nothing.
void series(Section& in, const std::string& key, std::size_t rhos, std::vector<double>& out, Range range) {
  if (!in.has(key)) return;
  in.numbers(key, out, range);
  if (out.size() == rhos) return;
  in.refuse(key, fmt::format("has {} numbers, but rho has {}", out.size(), rhos));
}

void read(Section& in, CompareLiterature& out, const Origin& origin, const CompareConfig& config) {
  constexpr Range kPercent{0, 100};
  in.text("name", out.name);
  in.require("name", "how tables call these numbers");
  in.numbers("rho", out.rhos, kRho);
  const std::size_t rhos = out.rhos.size();
  series(in, "ms", rhos, out.ms_per_image, kPositive);
  series(in, "gmac", rhos, out.gmac, kPositive);
  for (const int k : config.recall_values) {
    const std::string mean = fmt::format("mean_{}", k), each = fmt::format("recall_{}", k);
    if (in.has(mean)) series(in, mean, rhos, out.mean_recall[k], kPercent);
    const TomlTable table = in.table(each);
    Section sets(table, fmt::format("[literature.{}]", each), origin);
    for (const auto& dataset : config.datasets) {
      if (sets.has(dataset.name)) series(sets, dataset.name, rhos, out.recall[k][dataset.name], kPercent);
    }
    sets.finish();
  }
}

void require_once(const std::vector<std::string>& names, const char* what, const std::string& file) {
  std::set<std::string> seen;
  for (const auto& name : names) {
    if (!seen.insert(name).second) fail(ErrorCode::kUsage, "{}: two {} are called '{}'", file, what, name);
  }
}

void check_line(const CompareConfig& config, const std::string& name, double rho, const std::string& file) {
  const auto row = std::ranges::find(config.rows, name, &CompareRow::name);
  if (row == config.rows.end()) {
    std::vector<std::string> names;
    for (const auto& one : config.rows) names.push_back(one.name);
    fail(ErrorCode::kUsage, "{}: a [[difference]] names the row '{}', which does not exist{}", file, name,
         did_you_mean(name, names));
  }
  if (std::ranges::find(row->rhos, rho) == row->rhos.end()) {
    fail(ErrorCode::kUsage, "{}: a [[difference]] asks for '{}' at rho {:g}, but that row is not measured there", file, name,
         rho);
  }
}

template <typename Part, typename... More>
void read_each(Section& top, const std::string& key, const Origin& origin, std::vector<Part>& out, const More&... more) {
  for (const auto& table : top.tables(key)) {
    Section section(table, "[[" + key + "]]", origin);
    read(section, out.emplace_back(), more...);
    section.finish();
  }
}

}  // namespace

namespace study {

void settle_compare(CompareConfig& config, const std::string& file) {
  if (config.recall_values.empty()) fail(ErrorCode::kUsage, "{}: recall_values is empty", file);
  std::ranges::sort(config.recall_values);
  config.recall_values.erase(std::unique(config.recall_values.begin(), config.recall_values.end()), config.recall_values.end());
  const int least = config.recall_values.front();
  if (least < 1) fail(ErrorCode::kUsage, "{}: recall_values holds {}, but the least is 1", file, least);
  if (config.datasets.empty()) fail(ErrorCode::kUsage, "{}: there is no [[dataset]]", file);
  if (config.rows.empty()) fail(ErrorCode::kUsage, "{}: there is no [[row]]", file);
  std::vector<std::string> names, sets;
  for (const auto& row : config.rows) {
    names.push_back(row.name);
    if (row.models.empty()) fail(ErrorCode::kUsage, "{}: the row '{}' has no models", file, row.name);
    if (row.rhos.empty()) fail(ErrorCode::kUsage, "{}: the row '{}' has no rho", file, row.name);
    if (row.seeds < 1) fail(ErrorCode::kUsage, "{}: the row '{}' has {} seeds, but the least is 1", file, row.name, row.seeds);
  }
  for (const auto& dataset : config.datasets) sets.push_back(dataset.name);
  require_once(names, "rows", file);
  require_once(sets, "data sets", file);
  for (const auto& name : config.mean_without) {
    if (std::ranges::find(sets, name) != sets.end()) continue;
    fail(ErrorCode::kUsage, "{}: mean_without names the data set '{}', which does not exist{}", file, name,
         did_you_mean(name, sets));
  }
  if (std::set<std::string>(config.mean_without.begin(), config.mean_without.end()).size() == sets.size())
    fail(ErrorCode::kUsage, "{}: mean_without leaves no data set", file);
  for (const int k : config.recall_columns) {
    if (std::ranges::find(config.recall_values, k) == config.recall_values.end())
      fail(ErrorCode::kUsage, "{}: recall_columns has {}, which is not one of recall_values", file, k);
  }
  if (config.recall_columns.empty()) config.recall_columns = {least};
  for (const auto& difference : config.differences) {
    check_line(config, difference.of, difference.of_rho, file);
    check_line(config, difference.from, difference.from_rho, file);
  }
}

}  // namespace study

CompareConfig parse_compare_config(const std::string& toml, const std::string& name, const std::filesystem::path& folder) {
  const TomlTable document = parse_toml(toml, name);
  const Origin origin{name, folder};
  CompareConfig config;
  Section top(document, "", origin);
  top.text("name", config.name);
  top.wholes("recall_values", config.recall_values, 1, limits::kMaxTopK);
  if (top.has("recall_columns")) top.wholes("recall_columns", config.recall_columns, 1, limits::kMaxTopK);
  top.texts("mean_without", config.mean_without);
  read_each(top, "dataset", origin, config.datasets);
  read_each(top, "row", origin, config.rows, origin);
  read_each(top, "difference", origin, config.differences);
  read_each(top, "literature", origin, config.literature, origin, config);
  top.finish();
  study::settle_compare(config, name);
  return config;
}

CompareConfig load_compare_config(const std::filesystem::path& path) {
  const auto bytes = read_file(path, limits::kMaxConfigBytes);
  return parse_compare_config({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path.string(), path.parent_path());
}

}  // namespace revisit
