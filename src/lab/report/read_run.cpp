// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Reads a run back from its files. They may have been edited, so names and ranges are checked before anything is drawn.
#include <algorithm>
#include <limits>

#include "core/base/limits.h"
#include "core/formats/printable.h"
#include "lab/report/json_fields.h"
#include "lab/report/numbers.h"
#include "lab/report/patch_map.h"
#include "lab/report/read_tables.h"
#include "lab/report/run_files.h"

namespace revisit {
namespace report {
namespace {

namespace fs = std::filesystem;
using Json = Fields::Json;

constexpr double kMaxMs = 1e9;

// The settings in a run.json; an older one calls prune "pruner" and leaves out the model's own choices.
DescriptorSpec spec_of(const Fields& json) {
  DescriptorSpec out;
  for (const Setting& one : settings()) {
    const char* key = !json.has(one.name) && std::string_view(one.name) == "prune" ? "pruner" : one.name;
    if (!json.has(key)) continue;
    const Json& value = json.at(key);
    std::optional<SettingValue> typed;
    if (value.is_string()) typed = one.parse(value.get<std::string>());
    if (value.is_number_integer()) typed = value.get<std::int64_t>();
    if (value.is_number_float()) typed = value.get<double>();
    if (value.is_array() && value.size() == 2 && value[0].is_number_unsigned() && value[1].is_number_unsigned()) {
      typed = one.parse(fmt::format("{}x{}", value[0].get<std::uint64_t>(), value[1].get<std::uint64_t>()));
    }
    try {
      if (typed) {
        one.set(out, *typed);
        continue;
      }
    } catch (const Error&) {
      // The error below says the same and names the file.
    }
    json.bad("'{}' must be {}", key, one.wanted);
  }
  return out;
}

RunRecord record_of(const Fields& json) {
  RunRecord run;
  run.version = json.text("version", "");
  run.commit = json.text("commit", "");
  run.command = json.text("command", "");
  run.arguments = json.texts("arguments");
  run.started = json.text("started", "");
  run.model = json.text("model", "");
  run.fingerprint = json.text("fingerprint", "");
  run.aggregator = json.text("aggregator", "");
  run.cpu = json.text("cpu", "");
  run.threads = json.has("threads") ? json.whole("threads", 0, limits::kMaxThreads) : 0;
  run.dim = json.has("dim") ? json.whole("dim", 0, std::numeric_limits<int>::max()) : 0;
  run.spec = spec_of(json);
  return run;
}

ErrorCode code_of(const Fields& json) {
  const auto word = json.text("code", name_of(ErrorCode::kBadFile));
  for (int i = 0; i <= static_cast<int>(ErrorCode::kInternal); ++i) {
    if (word == name_of(static_cast<ErrorCode>(i))) return static_cast<ErrorCode>(i);
  }
  json.bad("'code' is '{}', which is not a kind of error", printable(word));
}

std::vector<Skipped> skipped_of(const Fields& json, const std::string& where) {
  std::vector<Skipped> out;
  if (!json.has("skipped")) return out;
  for (const auto& one : json.list("skipped")) {
    const Fields fields(one, where + ", skipped");
    out.push_back({fields.text("path", ""), code_of(fields), fields.text("reason", "")});
  }
  return out;
}

/// The k of {"1": 50.0, "5": 75.0}, ascending.
std::vector<int> recall_values_of(const Fields& json) {
  std::vector<int> out;
  const Json& recall = json.at("recall");
  for (const auto& [key, value] : recall.items()) {
    const auto k = number_from<int>(key);
    if (!recall.is_object() || !k || *k < 1 || *k > limits::kMaxTopK)
      json.bad("'recall' has '{}', which is not a k of recall@k", printable(key));
    out.push_back(*k);
  }
  if (out.empty()) json.bad("'recall' is empty");
  std::ranges::sort(out);
  return out;
}

PhotoPatches patches_of(const Fields& json, const Dataset& dataset) {
  PhotoPatches out;
  const auto role = json.text("role", "");
  if (role != "query" && role != "reference") json.bad("'role' is neither query nor reference");
  out.reference = role == "reference";
  const auto rows = (out.reference ? dataset.references : dataset.queries).size();
  out.row = json.whole("row", 0, static_cast<int>(rows) - 1);
  const Json& grid = json.list("grid");
  const auto side = [&](std::size_t i) {
    const bool fits = grid.size() == 2 && grid[i].is_number_unsigned() && grid[i].get<std::uint64_t>() >= 1 &&
                      grid[i].get<std::uint64_t>() <= limits::kMaxInputSide;
    if (!fits) json.bad("'grid' is not a number of patches down and across");
    return grid[i].get<int>();
  };
  out.scores.grid = {side(0), side(1)};
  const auto patches = static_cast<std::size_t>(out.scores.grid.height) * static_cast<std::size_t>(out.scores.grid.width);
  out.scores.meaning = json.text("meaning", "");
  const Json& values = json.list("values");
  if (!values.empty() && values.size() != patches) json.bad("{} values for {} patches", values.size(), patches);
  for (const auto& value : values) {
    if (!value.is_number() && !value.is_null()) json.bad("'values' holds something that is not a number");
    out.scores.values.push_back(value.is_null() ? std::numeric_limits<float>::quiet_NaN() : value.get<float>());
  }
  std::int64_t next = 0;
  for (const auto& patch : json.list("kept")) {
    const bool fits = patch.is_number_unsigned() && patch.get<std::uint64_t>() < patches && patch.get<std::int64_t>() >= next;
    if (!fits) json.bad("'kept' are not ascending numbers of patches below {}", patches);
    next = patch.get<std::int64_t>() + 1;
    out.scores.kept.push_back(next - 1);
  }
  if (json.has("owner")) {
    for (const auto& patch : json.list("owner")) {
      const bool one = patch.is_number_unsigned() && patch.get<std::uint64_t>() < patches;
      const bool none = patch.is_number_integer() && !patch.is_number_unsigned() && patch.get<std::int64_t>() == -1;
      if (!one && !none) json.bad("'owner' holds something that is neither a patch below {} nor -1", patches);
      out.scores.owner.push_back(patch.get<std::int64_t>());
    }
    if (!owners_fit(out.scores.owner, out.scores.kept, out.scores.grid)) {
      json.bad("'owner' is not one of 'kept', or -1, for each of {} patches", patches);
    }
  }
  return out;
}

void read_tokens(const fs::path& file, RunReport& report) {
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return;  // not every model has patches
  const Json json = read_json_file(file);
  const auto where = "'" + file.string() + "'";
  for (const auto& one : Fields(json, where).list("photos")) {
    report.patches.push_back(
        patches_of(Fields(one, fmt::format("{}, photo {}", where, report.patches.size() + 1)), report.dataset));
  }
}

RunReport run_from(const fs::path& file, const Fields& json, const std::string& where) {
  RunReport report;
  report.run = record_of(json);
  if (!report.run.spec.rho) json.bad("it has no 'rho'");
  report.run.reference_spec = report.run.spec;
  report.run.reference_spec.rho = json.number("reference_rho", 0, 1);
  report.run.ms_per_image = json.number("ms_per_image", 0, kMaxMs);
  report.run.end_to_end_ms = json.number("end_to_end_ms", 0, kMaxMs);
  if (json.has("mean_kept")) report.run.mean_kept = json.number("mean_kept", 0, 1);
  if (json.has("min_similarity")) report.run.min_similarity = json.number("min_similarity", -1, 1);
  if (json.has("max_false_rate")) report.run.max_false_rate = json.number("max_false_rate", 0, 1);
  report.run.calibration = json.has("calibration") ? json.text("calibration", "") : "";
  report.dataset.name = json.text("dataset", file.parent_path().filename().string());
  report.dataset.protocol = json.text("protocol", "");
  report.dataset.notes = json.texts("notes");
  report.dataset.labelled = json.has("recall");
  report.truth_from_positions = json.has("truth_from_positions") && json.at("truth_from_positions") == true;
  report.skipped = skipped_of(json, where);
  const auto folder = file.parent_path();
  read_tables(folder, report);
  read_tokens(folder / kTokensFile, report);
  read_looks(folder / kLooksFile, report);
  if (report.dataset.labelled) report.evaluation = evaluate(report.dataset, report.matches, recall_values_of(json));
  return report;
}

Evaluation point_evaluation(const Fields& json, const Fields& whole) {
  Evaluation out;
  constexpr int kMost = std::numeric_limits<int>::max();
  out.num_queries = whole.whole("num_queries", 0, kMost);
  out.num_references = whole.whole("num_references", 0, kMost);
  out.num_without_positive = whole.whole("num_without_positive", 0, kMost);
  out.protocol = whole.text("protocol", "");
  out.average_precision = json.number("average_precision", 0, 100);
  out.recall_at_full_precision = json.number("recall_at_full_precision", 0, 100);
  for (const int k : recall_values_of(json)) {
    const auto key = fmt::format("{}", k);
    const Fields recall(json.at("recall"), "a recall"), intervals(json.at("recall_interval95"), "an interval of recall");
    const Json& interval = intervals.list(key.c_str());
    if (interval.size() != 2 || !interval[0].is_number() || !interval[1].is_number())
      json.bad("the interval of recall@{} is not a pair of numbers", k);
    out.recall.push_back({k, recall.number(key.c_str(), 0, 100), interval[0].get<double>(), interval[1].get<double>()});
  }
  return out;
}

Sweep sweep_from(const Fields& json, const std::string& where) {
  Sweep sweep;
  sweep.run = record_of(json);
  sweep.skipped = skipped_of(json, where);
  for (const auto& one : json.list("runs")) {
    const Fields point(one, fmt::format("{}, run {}", where, sweep.points.size() + 1));
    sweep.points.push_back({point.text("model", ""), point.number("rho", 0, 1), point.number("reference_rho", 0, 1),
                            point.whole("dim", 0, std::numeric_limits<int>::max()), point.number("ms_per_image", 0, kMaxMs),
                            point.number("end_to_end_ms", 0, kMaxMs), point_evaluation(point, json)});
    sweep.points.back().precision = point.text("precision", sweep.run.spec.precision.value_or("f32"));  // older runs have one
    if (point.has("ms_per_image_p95")) {  // older runs have no spread
      sweep.points.back().ms_high = point.number("ms_per_image_p95", 0, kMaxMs);
      sweep.points.back().ms_low = point.number("ms_per_image_p5", 0, sweep.points.back().ms_high);
    }
    const auto& recall = sweep.points.back().evaluation.recall;
    if (!std::ranges::equal(recall, sweep.points.front().evaluation.recall, {}, &RecallAt::k, &RecallAt::k)) {
      point.bad("its recall is not for the same k as that of run 1");
    }
  }
  if (sweep.points.empty()) json.bad("'runs' is empty");
  if (json.has("budget_ms")) sweep.budget_ms = json.number("budget_ms", 0, kMaxMs);
  return sweep;
}

}  // namespace
}  // namespace report

std::variant<RunReport, Sweep> read_run(const std::filesystem::path& file) {
  const auto json = report::read_json_file(file);
  const auto where = "'" + file.string() + "'";
  const report::Fields fields(json, where);
  if (fields.has("runs")) return report::sweep_from(fields, where);
  return report::run_from(file, fields, where);
}

}  // namespace revisit
