// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The threshold of "no match": asked for, or the model's.
#include <fmt/format.h>

#include "revisit/recognizer.h"

namespace revisit {
namespace {

std::string size_text(const std::optional<Size>& size) {
  return size ? fmt::format("{}x{}", size->height, size->width) : std::string("its own size");
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
  Threshold out{model.min_similarity, fmt::format("calibrated for precision {:g}", model.calibrated_precision), ""};
  const bool other_size = model.calibrated_size.height > 0 && spec.size && !(model.calibrated_size == *spec.size);
  const double rho = spec.rho.value_or(1);
  const bool by_mass = spec.keep_mass && rho < 1;
  if (model.calibrated_rho != rho || by_mass || other_size) {
    out.notice =
        fmt::format("similarity {:.4f} was calibrated at rho {:g}, {}x{}; this run is at {} {:g}, {}", *model.min_similarity,
                    model.calibrated_rho, model.calibrated_size.height, model.calibrated_size.width,
                    by_mass ? "keep_mass" : "rho", by_mass ? *spec.keep_mass : rho, size_text(spec.size));
  }
  return out;
}

}  // namespace revisit
