// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Each family tells what was published of it.
#include "engine/model/backbone_family.h"
#include "engine/model/head_family.h"
#include "revisit/known.h"

namespace revisit {

std::vector<KnownModel> known_models() {
  std::vector<KnownModel> out;
  const auto add = [&](std::vector<KnownModel> known, const char* aggregator) {
    for (KnownModel& one : known) {
      one.aggregator = aggregator;
      out.push_back(std::move(one));
    }
  };
  for (const model::HeadFamily* family : model::head_families()) add(family->known(), family->name());
  for (const model::BackboneFamily* family : model::backbone_families()) add(family->known(), model::kNoHead);
  return out;
}

namespace model {
std::vector<KnownModel> HeadFamily::known() const { return {}; }
std::vector<KnownModel> BackboneFamily::known() const { return {}; }
}  // namespace model

}  // namespace revisit
