// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The rule of "no match": asked for, the collection's, or the model's.
#include <fmt/format.h>

#include "core/base/fail.h"
#include "revisit/decision.h"

namespace revisit {
namespace {

std::string size_text(const std::optional<Size>& size) {
  return size ? fmt::format("{}x{}", size->height, size->width) : std::string("its own size");
}

std::string settings_notice(const ModelInfo& model, const DescriptorSpec& spec, const std::string& what) {
  const bool other_size = model.calibrated_size.height > 0 && spec.size && !(model.calibrated_size == *spec.size);
  const double rho = spec.rho.value_or(1);
  const bool by_mass = spec.keep_mass && rho < 1;
  if (model.calibrated_rho == rho && !by_mass && !other_size) return "";
  return fmt::format("{} was calibrated at rho {:g}, {}x{}; this run is at {} {:g}, {}", what, model.calibrated_rho,
                     model.calibrated_size.height, model.calibrated_size.width, by_mass ? "keep_mass" : "rho",
                     by_mass ? *spec.keep_mass : rho, size_text(spec.size));
}

}  // namespace

Threshold threshold_for(const ModelInfo& model, const DescriptorSpec& spec, std::optional<double> asked, bool whitened) {
  if (asked) return {asked, "asked for", ""};
  if (!model.min_similarity) return {std::nullopt, "the model has none", ""};
  if (whitened) {
    return {
        std::nullopt, "the model's does not apply to whitened descriptors",
        fmt::format("the model's threshold, similarity {:.4f}, does not apply to whitened descriptors; every match is accepted",
                    *model.min_similarity)};
  }
  return {model.min_similarity, fmt::format("calibrated for precision {:g}", model.calibrated_precision),
          settings_notice(model, spec, fmt::format("similarity {:.4f}", *model.min_similarity))};
}

DecisionRule decision_rule(const ModelInfo& model, const DescriptorSpec& spec, const DecisionWish& wish,
                           const std::optional<DecisionTable>& of_collection) {
  if (wish.max_false_rate && !(*wish.max_false_rate >= kLeastFalseRate && *wish.max_false_rate <= kMostFalseRate)) {
    fail(ErrorCode::kUsage, "`max_false_rate` is {:g}, but must be {:g} to {:g}", *wish.max_false_rate, kLeastFalseRate,
         kMostFalseRate);
  }
  DecisionRule out;
  out.max_false_rate = wish.max_false_rate.value_or(kUsualFalseRate);
  const bool by_rate = wish.max_false_rate || !wish.min_similarity;
  std::string notice;
  if (wish.whitened) {
    if (wish.max_false_rate) {
      fail_with_hint(ErrorCode::kUsage, "leave out `dim`, or give `min_similarity`",
                     "`max_false_rate` {:g} cannot be kept: no calibration holds for whitened descriptors", *wish.max_false_rate);
    }
  } else if (by_rate && of_collection) {
    out.table = of_collection;
    out.origin = fmt::format("calibrated on {} photos of the index", of_collection->photos);
  } else if (by_rate && !model.decision.empty()) {
    out.table = decision_table_from(model.decision, "the model");
    out.origin = fmt::format("the model's, calibrated on {} photos", out.table->photos);
    notice = settings_notice(model, spec, "the rate of wrong answers");
  } else if (wish.max_false_rate) {
    fail_with_hint(ErrorCode::kUsage, "`revisit calibrate DB` for an index with positions or times, or give `min_similarity`",
                   "`max_false_rate` {:g} cannot be kept: neither the collection nor the model is calibrated",
                   *wish.max_false_rate);
  }
  if (out.table && (out.table->steps.empty() || out.table->steps.back().rate > out.max_false_rate)) {
    notice = fmt::format("no photo gets an answer: a false rate of {:g} takes more photos to calibrate on ({})", out.max_false_rate,
                         out.origin);
  }
  if (out.table && !wish.min_similarity) {
    out.threshold = {std::nullopt, fmt::format("false rate at most {:g}, {}", out.max_false_rate, out.origin), notice};
  } else {
    out.threshold = threshold_for(model, spec, wish.min_similarity, wish.whitened);
    if (out.table) out.threshold.notice = notice;
  }
  return out;
}

}  // namespace revisit
