// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The curve has one point per distinct similarity, so that the order of equal answers cannot matter.
#include "lab/eval/curve.h"

#include <algorithm>

#include "core/base/fail.h"
#include "engine/model/model_file.h"

namespace revisit {

void eval::fill_curve(std::vector<Answer> answers, int answerable, Evaluation& out) {
  std::ranges::sort(answers, [](const Answer& a, const Answer& b) { return a.similarity > b.similarity; });
  int accepted = 0, right = 0;
  double area = 0, recall_before = 0;
  for (std::size_t i = 0; i < answers.size();) {
    const double threshold = answers[i].similarity;
    for (; i < answers.size() && answers[i].similarity == threshold; ++i) {
      ++accepted;
      right += answers[i].right ? 1 : 0;
    }
    const double precision = static_cast<double>(right) / accepted;
    const double recall = answerable > 0 ? static_cast<double>(right) / answerable : 0;
    area += (recall - recall_before) * precision;
    recall_before = recall;
    if (right == accepted) out.recall_at_full_precision = 100 * recall;
    out.threshold.push_back(threshold);
    out.precision.push_back(precision);
    out.recall_curve.push_back(recall);
  }
  out.average_precision = 100 * area;
}

std::optional<double> calibrate_threshold(const Evaluation& evaluation, double precision) {
  if (!(precision > 0 && precision <= 1))
    fail(ErrorCode::kUsage, "the precision is {}, but must be a number in (0, 1]", precision);
  for (std::size_t i = evaluation.threshold.size(); i-- > 0;) {
    if (evaluation.precision[i] >= precision) return evaluation.threshold[i];
  }
  return std::nullopt;
}

void save_calibrated(const Model& model, const std::filesystem::path& out, double min_similarity, double precision,
                     const DescriptorSpec& spec) {
  model::LoadedModel copy = model.loaded();
  copy.config.calibration =
      model::Calibration{min_similarity, precision, spec.rho.value(), spec.size.value(), spec.precision.value()};
  model::save_model_file(out, copy);
}

}  // namespace revisit
