// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Rows share the tokens of the frozen blocks and the validation set, and are measured at the end of their training, not at their
// best step: choosing that on the validation set would flatter noisy rows.
#include "training/train/ablation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <ranges>
#include <system_error>

#include "core/base/fail.h"
#include "core/base/file.h"
#include "core/tensor/parallel.h"
#include "engine/model/model_file.h"
#include "revisit/lab/evaluate.h"
#include "revisit/model.h"
#include "training/train/ablation_rows.h"
#include "training/train/ablation_table.h"
#include "training/train/checkpoint.h"
#include "training/train/clock.h"
#include "training/train/files.h"
#include "training/train/initial_model.h"
#include "training/train/learner.h"
#include "training/train/settings.h"

namespace revisit::train {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostResultBytes = 1'000'000;
constexpr int kResultSchema = 2;  // results of 1 are measured again
const std::vector<int> kAt(kAblationRecallAt.begin(), kAblationRecallAt.end());

/// A row's name as a folder's: letters, digits and dashes.
std::string slug_of(const AblationRow& row) {
  std::string out;
  for (const char c : row.group + "-" + row.label) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.';
    if (plain || (!out.empty() && out.back() != '-')) out += plain ? c : '-';
  }
  return out;
}

std::string settings_text(const TrainConfig& config) {
  std::string out;
  for (const auto& [key, value] : settings_of(config)) out += key + "=" + value + "\n";
  return out + fmt::format("steps={}\n", config.steps);
}

class Study {
 public:
  Study(const AblationRun& study, ProgressLine& progress);
  AblationOutcome run();

 private:
  struct Row {
    fs::path folder;
    std::map<double, AblationRecalls> recall;  // by rho
    double minutes = 0;
  };

  bool wanted(const std::string& group) const {
    return study_.groups.empty() || std::ranges::find(study_.groups, group) != study_.groups.end();
  }
  bool stop_wanted() const { return study_.run.stop_signal && study_.run.stop_signal() != 0; }
  struct Set {
    std::string name;
    std::unique_ptr<Validation> photos;
  };
  /// Found or rendered when the first row is measured.
  std::vector<Set>& sets();
  std::vector<std::string> set_names() const;

  TrainConfig config_of(const AblationRow& row, int number) const;
  fs::path folder_of(const AblationRow& row, int number) const;
  void check(const AblationRow& row, int number) const;
  bool is_done(const AblationRow& row, int number) const;
  void read_result(Row& row) const;
  /// Null when stopped.
  const Row* finished(const AblationRow& row, int number);
  bool train_row(const AblationRow& row, const TrainConfig& config, const Row& out);
  bool measure(const AblationRow& row, int number, Row& out);
  fs::path base_model(int number) const { return folder_of(ablation_base(base_, 1), number) / "last.safetensors"; }
  bool add_clusters(const fs::path& model);

  const AblationRun& study_;
  ProgressLine& progress_;
  TrainConfig base_;
  std::vector<Set> sets_;
  std::map<std::string, Row> done_;  // by settings, so that a configuration in two groups runs once
  std::vector<AblationLine> lines_;
  AblationOutcome outcome_;
};

Study::Study(const AblationRun& study, ProgressLine& progress) : study_(study), progress_(progress), base_(study.run.config) {
  const auto refuse_if = [](bool wrong, const char* hint, const char* sentence) {
    if (wrong) fail_with_hint(ErrorCode::kUsage, hint, "{}", sentence);
  };
  const TrainModel& model = base_.model;
  refuse_if(model.aggregator != "weiad", "aggregator = \"weiad\"", "the study needs WeiAD, but [model] aggregator is not weiad");
  refuse_if(model.tiers.size() < 2, "tiers = [24, 20, 16, 4], for example", "the study needs [model] tiers of at least 2 sizes");
  refuse_if(!model.dustbin || !model.ghost, "leave dustbin and ghost out",
            "the study starts from the full model and turns [model] dustbin and ghost off itself");
  refuse_if(base_.model.weitop_only, "leave weitop_only out",
            "the study changes parts of the head, but the configuration has weitop_only, with which only WeiToP learns");
  refuse_if(base_.model.head_start == "own", "head_start = \"random\" or \"vocabulary\"",
            "the study changes parts of the head, but the configuration has head_start = \"own\", which takes them from a file");
  refuse_if(!base_.distill.teachers.empty(), "run revisit train first, and name its backbone in [model]",
            "the study trains no backbone, but the configuration has a [distill] stage");
  for (const auto* group : {"gamma", "layer", "kappa"}) {
    const bool asked = !study.groups.empty() && wanted(group);
    refuse_if(asked && !model.weitop, "weitop = true", "gamma, layer and kappa are about WeiToP, which [model] turns off");
  }
  // With data sets of its own the study does not look at what a training run says of itself: two places of a town are enough for
  // that.
  if (!base_.ablation.empty()) {
    TrainValidation town;
    town.town_places = 2;
    town.town_seed = base_.validation.town_seed;
    base_.validation = town;
  }
  base_.validation.every_steps = 0;
  base_.validation.rhos = {1.0};
  if (base_.data.variants > 0 && base_.data.cache.empty()) base_.data.cache = study.run.out / "tokens";
  outcome_.folder = study.run.out;
}

std::vector<std::string> Study::set_names() const {
  std::vector<std::string> out;
  for (const auto& set : base_.ablation) out.push_back(set.name);
  return out.empty() ? std::vector<std::string>{"validation"} : out;
}

std::vector<Study::Set>& Study::sets() {
  if (!sets_.empty()) return sets_;
  const int threads = use_threads(base_.threads);
  for (const auto& set : base_.ablation) {
    TrainConfig config = base_;
    TrainValidation& where = config.validation;
    where.dataset = set.dataset;
    where.root = set.root;
    where.queries = set.queries;
    where.references = set.references;
    where.gt = set.gt;
    sets_.push_back({set.name, std::make_unique<Validation>(config, threads)});
  }
  if (sets_.empty()) sets_.push_back({set_names().front(), std::make_unique<Validation>(base_, threads)});
  return sets_;
}

TrainConfig Study::config_of(const AblationRow& row, int number) const {
  TrainConfig out = row.config;
  out.seed = base_.seed + static_cast<std::uint64_t>(number);
  return out;
}

fs::path Study::folder_of(const AblationRow& row, int number) const {
  return study_.run.out / "rows" / fmt::format("{}-s{}", slug_of(row), config_of(row, number).seed);
}

/// Checks that the row can be trained, and that an existing one has the same settings.
void Study::check(const AblationRow& row, int number) const {
  const TrainConfig config = config_of(row, number);
  check_rhos(config, initial_model(config.model, config.data.size, config.seed).config);
  const fs::path file = folder_of(row, number) / "settings.txt";
  std::error_code error;
  if (!fs::exists(file, error)) return;
  const auto bytes = read_file(file, kMostResultBytes);
  if (std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()) == settings_text(config)) return;
  fail_with_hint(ErrorCode::kMismatch, "continue with the configuration of that study, or start a new one with another `out`",
                 "the settings in '{}' differ from the configuration", file.string());
}

bool Study::is_done(const AblationRow& row, int number) const {
  Row found;
  found.folder = folder_of(row, number);
  std::error_code error;
  if (!fs::exists(found.folder / "result.json", error)) return false;
  read_result(found);
  return std::ranges::all_of(row.rhos, [&](double rho) { return found.recall.contains(rho); });
}

void Study::read_result(Row& row) const {
  const fs::path file = row.folder / "result.json";
  std::error_code error;
  if (!fs::exists(file, error)) return;
  const auto bytes = read_file(file, kMostResultBytes);
  const auto* text = reinterpret_cast<const char*>(bytes.data());
  try {
    const auto json = nlohmann::json::parse(text, text + bytes.size());
    row.minutes = json.at("minutes").get<double>();
    if (json.at("schema").get<int>() != kResultSchema || json.at("sets").get<std::vector<std::string>>() != set_names()) return;
    for (const auto& one : json.at("recall")) {
      auto recalls = one.at("percent").get<AblationRecalls>();
      if (recalls.size() == set_names().size()) row.recall[one.at("rho").get<double>()] = std::move(recalls);
    }
  } catch (const nlohmann::json::exception&) {
    fail_with_hint(ErrorCode::kBadFile, "delete it to measure the row again", "'{}' cannot be read as a result", file.string());
  }
}

bool Study::train_row(const AblationRow& row, const TrainConfig& config, const Row& out) {
  progress_.say(
      fmt::format("row {} of {}: {} {}, seed {}", outcome_.rows_done + 1, outcome_.rows, row.group, row.label, config.seed));
  TrainRun run = study_.run;
  run.config = config;
  run.out = out.folder;
  run.resume = has_checkpoint(out.folder);
  const TrainOutcome trained = train(run, progress_);
  outcome_.unreadable += trained.unreadable;
  return !trained.stopped;
}

bool Study::measure(const AblationRow& row, int number, Row& out) {
  model::LoadedModel model = *model::load_model_file(row.trains ? out.folder / "last.safetensors" : base_model(number));
  model.config.own = overlaid(row.config.model.own, model.config.own);
  for (const double rho : row.rhos) {
    if (out.recall.contains(rho)) continue;
    progress_.begin(fmt::format("measuring at rho {:g}", rho));
    AblationRecalls recalls;
    for (const Set& set : sets()) {
      const auto described = set.photos->describe(model, rho, [this] { return stop_wanted(); });
      if (!described) return false;
      std::ranges::copy(set.photos->recall(*described, kAt), recalls.emplace_back().begin());
    }
    out.recall[rho] = std::move(recalls);
  }
  return true;
}

const Study::Row* Study::finished(const AblationRow& row, int number) {
  const TrainConfig config = config_of(row, number);
  Row& out = done_[settings_text(config)];
  if (out.folder.empty()) {
    out.folder = folder_of(row, number);
    make_folder(out.folder);
    write_text(out.folder / "settings.txt", settings_text(config));
    read_result(out);
  }
  if (std::ranges::all_of(row.rhos, [&](double rho) { return out.recall.contains(rho); })) return &out;
  const auto start = Clock::now();
  std::error_code ignored;
  const bool trained = !row.trains || fs::exists(out.folder / "last.safetensors", ignored);
  if ((!trained && !train_row(row, config, out)) || !measure(row, number, out)) return nullptr;
  out.minutes += seconds_since(start) / 60;
  nlohmann::ordered_json json{{"schema", kResultSchema}, {"minutes", out.minutes}, {"sets", set_names()}};
  for (const auto& [rho, recall] : out.recall) json["recall"].push_back({{"rho", rho}, {"percent", recall}});
  write_text(out.folder / "result.json", json.dump(1) + "\n");
  // Needed only to continue the run.
  for (const auto& file : {checkpoint_path(out.folder), previous_checkpoint_path(out.folder), out.folder / "model.safetensors"}) {
    fs::remove(file, ignored);
  }
  progress_.say(fmt::format("row {} of {}: {} {}, seed {}: R@1 {:.1f} at rho {:g}, {:.1f} min", outcome_.rows_done + 1,
                            outcome_.rows, row.group, row.label, config.seed, mean_over_sets(out.recall.at(row.rhos.front()))[0],
                            row.rhos.front(), out.minutes));
  return &out;
}

bool Study::add_clusters(const fs::path& file) {
  progress_.begin("measuring clusters alone");
  const Model model(model::load_model_file(file));
  std::vector<AblationRecalls> all(static_cast<std::size_t>(model.info().clusters));
  for (const Set& set : sets()) {
    const auto described = set.photos->describe(model.loaded(), 1, [this] { return stop_wanted(); });
    if (!described) return false;
    for (const auto& one : recall_of_clusters(model, set.photos->dataset(), described->queries, described->references, kAt))
      std::ranges::copy(one.percent, all[static_cast<std::size_t>(one.cluster)].emplace_back().begin());
  }
  std::string csv = "cluster,recall@1,recall@5,recall@10,recall@20\n";
  for (std::size_t cluster = 0; cluster < all.size(); ++cluster)
    csv += fmt::format("{},{:.4f}\n", cluster, fmt::join(mean_over_sets(all[cluster]), ","));
  write_text(study_.run.out / "clusters.csv", csv);
  std::ranges::sort(all, {}, [](const AblationRecalls& one) { return mean_over_sets(one)[0]; });
  lines_.push_back({"cluster", "the worst alone", 1, {all.front()}});
  lines_.push_back({"cluster", "the median alone", 1, {all[all.size() / 2]}});
  lines_.push_back({"cluster", "the best alone", 1, {all.back()}});
  return true;
}

AblationOutcome Study::run() {
  progress_.begin(fmt::format("checking every row of the study of '{}'", base_.name));
  const int depth = initial_model(base_.model, base_.data.size, base_.seed).config.vit().depth;
  const AblationRow base_row = ablation_base(base_, study_.seeds);
  const std::string whole = settings_text(base_row.config);
  std::vector<AblationRow> rows = ablation_rows(base_, depth, study_.seeds);
  std::erase_if(rows, [&](AblationRow& row) {
    if (wanted(row.group)) return false;
    row.seeds = static_cast<int>(std::ranges::count_if(std::views::iota(0, row.seeds), [&](int s) { return is_done(row, s); }));
    return row.seeds == 0;
  });
  // The row the others are compared with comes first.
  if (!wanted("parts")) {
    std::erase_if(rows, [&](const AblationRow& row) { return row.group == base_row.group && row.label == base_row.label; });
    rows.insert(rows.begin(), base_row);
  }
  for (const auto& row : rows) {
    for (int s = 0; s < row.seeds; ++s) check(row, s);
    outcome_.rows += row.seeds;
  }
  if (!base_.ablation.empty()) sets();  // what is missing is said now
  if (study_.run.work_can_be_lost) study_.run.work_can_be_lost();

  std::vector<AblationLine> base;
  for (const auto& row : rows) {
    std::vector<AblationLine> lines;
    for (const double rho : row.rhos) lines.push_back({row.group, row.label, rho, {}});
    for (int s = 0; s < row.seeds; ++s) {
      const Row* result = finished(row, s);
      if (result == nullptr) {
        outcome_.stopped = true;
        return outcome_;
      }
      ++outcome_.rows_done;
      for (auto& line : lines) line.seeds.push_back(result->recall.at(line.rho));
    }
    if (settings_text(row.config) == whole && row.trains) base.insert(base.end(), lines.begin(), lines.end());
    std::ranges::move(lines, std::back_inserter(lines_));
  }
  if (wanted("cluster") && !add_clusters(base_model(0))) {
    outcome_.stopped = true;
    return outcome_;
  }
  outcome_.table = ablation_markdown(lines_, base);
  double minutes = 0;
  for (const auto& [settings, row] : done_) minutes += row.minutes;
  std::vector<std::string> measured_on;
  for (const Set& set : sets()) measured_on.push_back(set.photos->describe());
  write_text(study_.run.out / "ablation.md",
             fmt::format("{} runs of {} steps, {:.0f} minutes; measured on {} at {}x{}{}.\n\n{}", done_.size(), base_.steps,
                         minutes, fmt::join(measured_on, "; "), base_.infer_size().height, base_.infer_size().width,
                         measured_on.size() > 1 ? "; means over these" : "", outcome_.table));
  write_text(study_.run.out / "ablation.csv", ablation_csv(lines_, base_.seed, set_names()));
  return outcome_;
}

}  // namespace

AblationOutcome ablate(const AblationRun& study, ProgressLine& progress) {
  for (const auto& group : study.groups) {
    if (std::ranges::find(ablation_groups(), group) != ablation_groups().end()) continue;
    fail_with_hint(ErrorCode::kUsage, fmt::format("groups: {}", fmt::join(ablation_groups(), ", ")), "there is no group '{}'",
                   group);
  }
  const tensor::FlushDenormals flush;
  return Study(study, progress).run();
}

}  // namespace revisit::train
