// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The pruner of a recipe's [model] prune, prune_rho and prune_options.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>

#include "engine/spec/prune_options.h"
#include "revisit/lab/train.h"

namespace revisit::train {

/// Complete; nothing for a model that is trained whole or with WeiToP.
inline std::optional<DescriptorSpec> trained_pruner(const TrainModel& settings) {
  if (!settings.own.prune || *settings.own.prune == "weitop") return std::nullopt;
  DescriptorSpec spec;
  spec.prune = settings.own.prune;
  spec.rho = settings.own.rho;
  spec.prune_options = settings.own.prune_options;
  return completed(spec);
}

/// " with tome at rho 0.5", " with evit keep=0.7"; empty for none.
inline std::string pruner_words(const TrainModel& settings) {
  const auto spec = trained_pruner(settings);
  if (!spec) return {};
  std::string out = " with " + *spec->prune;
  if (*spec->rho < 1) out += fmt::format(" at rho {}", *spec->rho);
  return spec->prune_options ? out + " " + *spec->prune_options : out;
}

}  // namespace revisit::train
