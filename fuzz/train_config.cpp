// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Any bytes as a training configuration: refused with an Error of one line, or settings that agree with each other.
#include <numeric>

#include "revisit/error.h"
#include "revisit/lab/train.h"

namespace {

void require(bool holds) {
  if (!holds) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const auto config = revisit::parse_train_config({reinterpret_cast<const char*>(data), size}, "fuzz", "folder");
    const auto& model = config.model;
    require(!config.name.empty() && config.name.find('/') == std::string::npos && config.name.front() != '.');
    require(config.steps > 0 ? !config.data.sources.empty() : config.distill.steps > 0);
    require(model.aggregator != "weiad" || std::accumulate(model.tiers.begin(), model.tiers.end(), 0) == model.clusters);
    revisit::check_spec(model.own);
    require(model.dropout >= 0 && model.dropout < 1);
    require(config.data.places_per_batch >= 2 && config.data.images_per_place >= 2);
    require(config.data.size.height > 0 && config.data.size.width > 0);
    require(config.optimiser.lr > 0 && config.optimiser.lr <= 1 && config.optimiser.decay_steps > 0);
    require(!config.validation.rhos.empty());
    for (const double rho : config.validation.rhos) require(rho > 0 && rho <= 1);
    for (const auto& source : config.data.sources) require(source.weight > 0);
  } catch (const revisit::Error& error) {
    for (const char* c = error.what(); *c != '\0'; ++c) require(static_cast<unsigned char>(*c) >= 0x20);
  }
  return 0;
}
