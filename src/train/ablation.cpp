// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Rows share the tokens of the frozen blocks and the validation set, and are measured at the end of their training, not at their
// best moment: choosing that on the set it is measured on would flatter rows with more noise.
#include "train/ablation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/fail.h"
#include "base/file.h"
#include "model/model_file.h"
#include "tensor/parallel.h"
#include "train/ablation_rows.h"
#include "train/ablation_table.h"
#include "train/checkpoint.h"
#include "train/clock.h"
#include "train/initial_model.h"
#include "train/learner.h"
#include "train/settings.h"

namespace revisit::train {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostResultBytes = 1'000'000;
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

AblationRecall recall_of(const Validation& validation, const DescribedPair& described) {
  AblationRecall out{};
  std::ranges::copy(validation.recall(described, kAt), out.begin());
  return out;
}

/// Columns of one cluster out of every descriptor; a cluster is spread over it (feature by feature).
DescribedPair only_cluster(const DescribedPair& all, const model::HeadConfig& head, int cluster) {
  const auto cut = [&](const DescribedPhotos& in) {
    DescribedPhotos out;
    out.dim = head.cluster_dim;
    for (std::size_t row = 0; row < in.rows.size(); row += static_cast<std::size_t>(in.dim)) {
      double square = 0;
      const std::size_t first = out.rows.size();
      for (int c = 0; c < head.cluster_dim; ++c) {
        out.rows.push_back(in.rows[row + static_cast<std::size_t>(head.token_dim + c * head.clusters + cluster)]);
        square += static_cast<double>(out.rows.back()) * static_cast<double>(out.rows.back());
      }
      const auto scale = static_cast<float>(square > 0 ? 1 / std::sqrt(square) : 0);
      for (std::size_t i = first; i < out.rows.size(); ++i) out.rows[i] *= scale;
    }
    return out;
  };
  return {cut(all.queries), cut(all.references)};
}

void write_file(const fs::path& path, const std::string& text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

class Study {
 public:
  Study(const AblationRun& study, ProgressLine& progress) : study_(study), progress_(progress) {
    TrainConfig& config = base_ = study.run.config;
    if (config.model.aggregator != "weiad") {
      fail_with_hint(ErrorCode::kUsage, "aggregator = \"weiad\"", "the study takes WeiAD apart, but [model] aggregator is {}",
                     config.model.aggregator);
    }
    if (config.model.tiers.size() < 2) {
      fail_with_hint(ErrorCode::kUsage, "tiers = [24, 20, 16, 4], for example", "the study needs [model] tiers of at least 2 sizes");
    }
    config.validation.every_steps = 0;
    config.validation.rhos = {1.0};
    if (config.data.variants > 0 && config.data.cache.empty()) config.data.cache = study.run.out / "tokens";
    config.model.dustbin = config.model.ghost = true;
  }

  AblationOutcome run();

 private:
  bool wanted(const std::string& group) const {
    return study_.groups.empty() || std::ranges::find(study_.groups, group) != study_.groups.end();
  }
  bool stop_wanted() const { return study_.run.stop_signal && study_.run.stop_signal() != 0; }
  Validation& validation() {
    if (!validation_) validation_ = std::make_unique<Validation>(base_, use_threads(base_.threads));
    return *validation_;
  }

  struct Row {
    fs::path folder;
    std::map<double, AblationRecall> recall;  // by rho
    double minutes = 0;
  };
  bool read_result(Row& row, const std::string& settings) const;
  void write_result(const Row& row, const std::string& settings) const;
  /// Null when stopped.
  const Row* finished(const AblationRow& row, std::uint64_t seed);
  bool train_row(const AblationRow& row, const TrainConfig& config, const Row& out);
  bool add_kappas(const fs::path& model);
  bool add_clusters(const fs::path& model);

  const AblationRun& study_;
  ProgressLine& progress_;
  TrainConfig base_;
  std::unique_ptr<Validation> validation_;
  std::map<std::string, Row> done_;  // by settings, so that a configuration that stands in two groups runs once
  std::vector<AblationLine> lines_;
  int rows_ = 0, number_ = 0;
};

bool Study::read_result(Row& row, const std::string& settings) const {
  const fs::path file = row.folder / "result.json";
  std::error_code error;
  if (!fs::exists(file, error)) return false;
  const auto bytes = read_file(file, kMostResultBytes);
  const auto json = nlohmann::json::parse(reinterpret_cast<const char*>(bytes.data()),
                                          reinterpret_cast<const char*>(bytes.data()) + bytes.size(), nullptr, false);
  try {
    if (json.at("settings").get<std::string>() != settings) {
      fail_with_hint(ErrorCode::kMismatch, "go on with the configuration of that study, or start another one with another --out",
                     "'{}' was made with other settings", row.folder.string());
    }
    row.minutes = json.at("minutes").get<double>();
    for (const auto& one : json.at("recall")) {
      row.recall[one.at("rho").get<double>()] = one.at("percent").get<AblationRecall>();
    }
  } catch (const nlohmann::json::exception&) {
    fail_with_hint(ErrorCode::kBadFile, "delete it, and the row is measured again", "'{}' cannot be read as a result",
                   file.string());
  }
  return true;
}

void Study::write_result(const Row& row, const std::string& settings) const {
  nlohmann::ordered_json json{{"schema", 1}, {"minutes", row.minutes}, {"settings", settings}};
  for (const auto& [rho, recall] : row.recall) json["recall"].push_back({{"rho", rho}, {"percent", recall}});
  write_file(row.folder / "result.json", json.dump(1) + "\n");
}

bool Study::train_row(const AblationRow& row, const TrainConfig& config, const Row& out) {
  progress_.say(fmt::format("row {} of {}: {} {}, seed {}", number_, rows_, row.group, row.label, config.seed));
  TrainRun run = study_.run;
  run.config = config;
  run.out = out.folder;
  run.resume = has_checkpoint(out.folder);
  const TrainOutcome outcome = train(run, progress_);
  if (outcome.stopped) return false;
  std::error_code ignored;  // what only a run that goes on would need
  for (const auto& file : {checkpoint_path(out.folder), previous_checkpoint_path(out.folder), out.folder / "model.safetensors"}) {
    fs::remove(file, ignored);
  }
  return true;
}

const Study::Row* Study::finished(const AblationRow& row, std::uint64_t seed) {
  ++number_;
  TrainConfig config = row.config;
  config.seed = seed;
  config.name = base_.name;
  const std::string settings = settings_text(config);
  auto [found, is_new] = done_.try_emplace(settings);
  Row& result = found->second;
  const auto start = Clock::now();
  if (is_new) {
    result.folder = study_.run.out / "rows" / fmt::format("{}-s{}", slug_of(row), seed);
    if (!read_result(result, settings)) {
      std::error_code ignored;
      if (!fs::exists(result.folder / "last.safetensors", ignored) && !train_row(row, config, result)) return nullptr;
    }
  }
  bool measured = false;
  for (const double rho : row.rhos) {
    if (result.recall.contains(rho)) continue;
    const auto model = model::load_model_file(result.folder / "last.safetensors");
    const auto described = validation().describe(*model, rho, [this] { return stop_wanted(); });
    if (!described) return nullptr;
    result.recall[rho] = recall_of(validation(), *described);
    measured = true;
  }
  if (measured) {
    result.minutes += seconds_since(start) / 60;
    write_result(result, settings);
    progress_.say(fmt::format("row {} of {}: {} {}, seed {}: R@1 {:.1f} in {:.1f} min", number_, rows_, row.group, row.label, seed,
                              result.recall.at(row.rhos.front())[0], result.minutes));
  }
  return &result;
}

/// How the score of a token is mixed is decided when a model is used, so one trained model serves all.
bool Study::add_kappas(const fs::path& file) {
  for (const double kappa : kAblationKappas) {
    model::LoadedModel model = *model::load_model_file(file);
    model.config.prune.kappa = kappa;
    for (const double rho : {0.7, 0.5, 0.4}) {
      const auto described = validation().describe(model, rho, [this] { return stop_wanted(); });
      if (!described) return false;
      lines_.push_back({"kappa", fmt::format("{:g}", kappa), rho, {recall_of(validation(), *described)}});
    }
  }
  return true;
}

bool Study::add_clusters(const fs::path& file) {
  const auto model = model::load_model_file(file);
  const auto described = validation().describe(*model, 1, [this] { return stop_wanted(); });
  if (!described) return false;
  const auto& head = model->config.head;
  std::vector<AblationRecall> all;
  std::string csv = "cluster,recall@1,recall@5,recall@10,recall@20\n";
  for (int cluster = 0; cluster < head.clusters; ++cluster) {
    const auto recall = recall_of(validation(), only_cluster(*described, head, cluster));
    csv += fmt::format("{},{:.4f},{:.4f},{:.4f},{:.4f}\n", cluster, recall[0], recall[1], recall[2], recall[3]);
    all.push_back(recall);
  }
  write_file(study_.run.out / "clusters.csv", csv);
  std::ranges::sort(all);  // by R@1
  lines_.push_back({"cluster", "the worst alone", 1, {all.front()}});
  lines_.push_back({"cluster", "the median alone", 1, {all[all.size() / 2]}});
  lines_.push_back({"cluster", "the best alone", 1, {all.back()}});
  return true;
}

AblationOutcome Study::run() {
  const int depth = initial_model(base_.model, base_.data.size, base_.seed).config.vit.depth;
  std::vector<AblationRow> rows = ablation_rows(base_, depth, study_.seeds);
  std::erase_if(rows, [&](const AblationRow& row) { return !wanted(row.group); });
  if (!wanted("parts")) rows.insert(rows.begin(), ablation_base(base_, 1));  // what the others are compared with
  for (const auto& row : rows) rows_ += row.seeds;
  AblationOutcome out;
  out.folder = study_.run.out;
  out.rows = rows_;
  std::vector<AblationLine> base;
  const std::string whole = settings_text(ablation_base(base_, 1).config);
  fs::path model;
  for (const auto& row : rows) {
    std::vector<AblationLine> lines;
    for (const double rho : row.rhos) lines.push_back({row.group, row.label, rho, {}});
    for (int s = 0; s < row.seeds; ++s) {
      const Row* result = finished(row, base_.seed + static_cast<std::uint64_t>(s));
      if (result == nullptr) {
        out.stopped = true;
        return out;
      }
      ++out.rows_done;
      for (auto& line : lines) line.seeds.push_back(result->recall.at(line.rho));
      if (model.empty() && settings_text(row.config) == whole) model = result->folder / "last.safetensors";
    }
    if (settings_text(row.config) == whole) base.insert(base.end(), lines.begin(), lines.end());
    std::ranges::move(lines, std::back_inserter(lines_));
  }
  const bool prunes = base_.model.weitop;
  if ((prunes && wanted("kappa") && !add_kappas(model)) || (wanted("cluster") && !add_clusters(model))) {
    out.stopped = true;
    return out;
  }
  out.table = ablation_markdown(lines_, base);
  double minutes = 0;
  for (const auto& [settings, row] : done_) minutes += row.minutes;
  write_file(study_.run.out / "ablation.md",
             fmt::format("{} training runs of {} steps, {:.0f} minutes; measured on {}.\n\n{}", done_.size(), base_.steps, minutes,
                         validation().describe(), out.table));
  write_file(study_.run.out / "ablation.csv", ablation_csv(lines_, base_.seed));
  return out;
}

}  // namespace

AblationOutcome ablate(const AblationRun& study, ProgressLine& progress) {
  for (const auto& group : study.groups) {
    if (std::ranges::find(ablation_groups(), group) != ablation_groups().end()) continue;
    fail_with_hint(ErrorCode::kUsage, fmt::format("groups: {}", fmt::join(ablation_groups(), ", ")), "there is no group '{}'", group);
  }
  const tensor::FlushDenormals flush;
  return Study(study, progress).run();
}

}  // namespace revisit::train
