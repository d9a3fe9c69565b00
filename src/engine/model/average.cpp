// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The mean of models: tensor by tensor, in double precision, one tensor of each file at a time.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/fail.h"
#include "core/base/stop_scope.h"
#include "engine/model/model_file.h"
#include "engine/model/provenance.h"
#include "engine/model/values.h"
#include "revisit/model.h"

namespace revisit {
namespace model {
namespace {

/// What has to be equal: everything except the weights, their provenance, and what was measured with them.
std::map<std::string, std::string> settings_of(Config config) {
  config.calibration.reset();
  config.provenance.clear();
  config.fingerprint.clear();
  return to_metadata(config);
}

void check_usable(const LoadedModel& model, const std::string& name) {
  require_whole(model.config, name, "averaged");
  if (model.config.nonfinite.empty()) return;
  fail(ErrorCode::kBadModel, "'{}' holds NaN or infinity in tensor '{}', so it cannot be averaged", name, model.config.nonfinite);
}

void check_alike(const LoadedModel& first, const std::string& first_name, const LoadedModel& other, const std::string& other_name) {
  const auto ours = settings_of(first.config), theirs = settings_of(other.config);
  const auto said = [](const std::map<std::string, std::string>& settings, const std::string& key) {
    const auto found = settings.find(key);
    return found == settings.end() ? "nothing" : "'" + found->second + "'";
  };
  auto keys = ours;
  keys.insert(theirs.begin(), theirs.end());
  for (const auto& [key, value] : keys) {
    if (said(ours, key) == said(theirs, key)) continue;
    fail_with_hint(ErrorCode::kMismatch, "only models that differ in nothing but their weights can be averaged",
                   "'{}' has {} {}, but '{}' has {}", other_name, key, said(theirs, key), first_name, said(ours, key));
  }
}

/// Sums for cosines with the mean.
struct Products {
  double self = 0, with_mean = 0;
};

}  // namespace
}  // namespace model

AverageReport average_models(const std::vector<std::filesystem::path>& from, const std::filesystem::path& to,
                             const std::function<bool()>& stop) {
  const StopScope scope(stop, fmt::format("stopped before '{}' was written", to.string()));
  if (from.size() < 2) fail(ErrorCode::kUsage, "averaging takes at least two model files, not {}", from.size());
  std::vector<std::shared_ptr<const model::LoadedModel>> models;
  for (const auto& path : from) {
    models.push_back(model::load_model_file(path));
    model::check_usable(*models.back(), path.string());
    model::check_alike(*models.front(), from.front().string(), *models.back(), path.string());
  }

  auto mean = std::make_shared<model::LoadedModel>();
  mean->config = models.front()->config;
  mean->config.calibration.reset();
  mean->config.provenance = model::history(mean->config.provenance, fmt::format("the mean of {} such models", from.size()));
  std::vector<model::Products> products(from.size());
  double mean_self = 0;
  for (const auto& [name, tensor] : models.front()->weights.all()) {
    std::vector<std::vector<float>> values;
    for (const auto& one : models) values.push_back(model::to_f32(one->weights.at(name)));
    std::vector<float> means(values.front().size());
    StopTicker ticker;
    for (std::size_t i = 0; i < means.size(); ++i) {
      ticker.step();
      double sum = 0;
      for (const auto& one : values) sum += one[i];
      const double value = sum / static_cast<double>(values.size());
      means[i] = static_cast<float>(value);
      mean_self += value * value;
      for (std::size_t m = 0; m < values.size(); ++m) {
        const double own = values[m][i];
        products[m].self += own * own;
        products[m].with_mean += own * value;
      }
    }
    mean->weights.add_f32(name, tensor.shape, std::move(means));
  }
  mean->config.fingerprint = model::fingerprint_of(mean->weights);

  AverageReport report;
  report.info = Model(mean).info();  // before the file is there: it asks whether to stop
  for (const auto& one : products) report.alike.push_back(one.with_mean / std::sqrt(std::max(one.self * mean_self, 1e-300)));
  model::save_model_file(to, *mean);
  return report;
}

}  // namespace revisit
