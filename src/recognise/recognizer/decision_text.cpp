// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// A decision table as one line, "1 photos=1203 floor=0.31 ceiling=0.55 rates=0.5:0.0301,0.4:0.035 unseen=0.5", in a model file's
// metadata or in the file calibration.txt of an index folder. The first word is the version; without `unseen` it is the ceiling.
#include <fmt/format.h>

#include <string_view>

#include "core/base/fail.h"
#include "core/base/file.h"
#include "core/base/limits.h"
#include "core/formats/printable.h"
#include "core/formats/text.h"
#include "engine/model/model_file.h"
#include "revisit/decision.h"

namespace revisit {
namespace {

constexpr const char* kTableFile = "calibration.txt";
constexpr std::size_t kMostSteps = 100;

class Words {
 public:
  Words(std::string_view text, std::string source) : words_(split(trimmed(text), ' ')), source_(std::move(source)) {}

  std::size_t size() const { return words_.size(); }
  std::string_view at(std::size_t i) const { return words_[i]; }

  /// The rest of word `i`, which begins with `key` and "=".
  std::string_view value(std::size_t i, std::string_view key) const {
    if (i >= words_.size() || !words_[i].starts_with(key) || words_[i].substr(key.size(), 1) != "=") {
      fail(ErrorCode::kBadFile, "the calibration of {} has no '{}' as its word {}", source_, key, i + 1);
    }
    return words_[i].substr(key.size() + 1);
  }

  double number(std::string_view text, std::string_view what, double least, double most) const {
    const auto out = parse_number(text);
    if (!out || *out < least || *out > most) {
      fail(ErrorCode::kBadFile, "the calibration of {} has '{}' as its {}, the limits are {:g} and {:g}", source_,
           printable(std::string(text)), what, least, most);
    }
    return *out;
  }

 private:
  std::vector<std::string_view> words_;
  std::string source_;
};

RateStep step_from(std::string_view text, const Words& words) {
  const auto colon = text.find(':');
  const auto score = colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
  return {words.number(text.substr(0, colon), "rate", 0, 1), words.number(score, "score", -2, 3)};
}

}  // namespace

std::string text_of(const DecisionTable& table) {
  std::string out = fmt::format("1 photos={} floor={} ceiling={} rates=", table.photos, table.floor, table.ceiling);
  for (const RateStep& step : table.steps)
    out += fmt::format("{}{}:{}", &step == table.steps.data() ? "" : ",", step.rate, step.score);
  return out + fmt::format(" unseen={}", table.unseen);
}

DecisionTable decision_table_from(const std::string& text, const std::string& source) {
  const Words words(text, source);
  if (words.at(0) != "1") {
    fail_with_hint(ErrorCode::kBadFile, "calibrate again with this version of revisit",
                   "the calibration of {} has version '{}', this program reads 1", source, printable(std::string(words.at(0))));
  }
  DecisionTable out;
  out.photos = static_cast<int>(words.number(words.value(1, "photos"), "photos", 1, 1e9));
  out.floor = words.number(words.value(2, "floor"), "floor", -1, 1.001);
  out.ceiling = words.number(words.value(3, "ceiling"), "ceiling", out.floor, 1.001);
  out.unseen = words.size() > 5 ? words.number(words.value(5, "unseen"), "unseen", -1, out.ceiling) : out.ceiling;
  const auto rates = words.value(4, "rates");
  if (rates.empty()) return out;
  for (const auto one : split(rates, ',')) {
    const RateStep step = step_from(one, words);
    const bool ordered = out.steps.empty() || (step.rate < out.steps.back().rate && step.score >= out.steps.back().score);
    if (!ordered || out.steps.size() == kMostSteps)
      fail(ErrorCode::kBadFile, "the calibration of {} has more than {} rates, or rates that do not fall as scores rise", source,
           kMostSteps);
    out.steps.push_back(step);
  }
  return out;
}

std::optional<DecisionTable> load_decision_table(const std::filesystem::path& folder) {
  const auto file = folder / kTableFile;
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return std::nullopt;
  const auto bytes = read_file(file, limits::kMaxCalibrationBytes);
  std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return decision_table_from(std::string(take_line(text)), "'" + file.string() + "'");
}

void save_decision_table(const std::filesystem::path& folder, const DecisionTable& table) {
  AtomicFile file(folder / kTableFile);
  file.write(text_of(table) + "\n");
  file.commit();
}

void save_decision_table(const Model& model, const std::filesystem::path& out, const DecisionTable& table,
                         const DescriptorSpec& spec) {
  model::LoadedModel copy = model.loaded();
  if (!copy.config.calibration) copy.config.calibration.emplace();
  model::Calibration& calibration = *copy.config.calibration;
  calibration.decision = text_of(table);
  calibration.rho = spec.rho.value();
  calibration.size = spec.size.value();
  calibration.arithmetic = spec.precision.value();
  model::save_model_file(out, copy);
}

}  // namespace revisit
