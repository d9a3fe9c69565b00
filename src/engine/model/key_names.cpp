// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Foreign tensor names -> names of our model file.
#include "engine/model/key_names.h"

#include <algorithm>
#include <array>

#include "engine/model/backbone_family.h"
#include "engine/model/backbone_importer.h"
#include "engine/model/config.h"
#include "engine/model/head_family.h"

namespace revisit::model {
namespace {

constexpr std::array<std::string_view, 4> kWeitop{"weitop.0.weight", "weitop.0.bias", "weitop.2.weight", "weitop.2.bias"};

/// "score_predictor.0.out_conv.2.weight", of at most ten stages.
bool is_of_predictor(std::string_view name) {
  const std::size_t root = std::string_view(kPredictorRoot).size();
  if (!name.starts_with(kPredictorRoot) || name.size() < root + 2 || name[root] < '0' || name[root] > '9' ||
      name[root + 1] != '.')
    return false;
  name.remove_prefix(root + 2);
  constexpr std::array<std::string_view, 5> kLayers{"in_conv.0", "in_conv.1", "out_conv.0", "out_conv.2", "out_conv.4"};
  return std::ranges::any_of(kLayers, [&](std::string_view layer) {
    return name.starts_with(layer) && (name.substr(layer.size()) == ".weight" || name.substr(layer.size()) == ".bias");
  });
}

constexpr std::string_view kModule = "module.";

std::string_view without_module(std::string_view name) { return name.starts_with(kModule) ? name.substr(kModule.size()) : name; }

const Rename* find_head_name(const HeadFamily& family, std::string_view theirs) {
  const auto found = std::ranges::find(family.names(), theirs, &Rename::theirs);
  return found == family.names().end() ? nullptr : &*found;
}

/// Names of the head, of WeiToP and of DynamicViT's predictors, perhaps behind "module.".
Place place_head(const HeadFamily& head, std::string_view name, std::string& wrapper) {
  const bool wrapped = name.starts_with(kModule);
  name = without_module(name);
  Place out;
  if (const Rename* found = find_head_name(head, name)) {
    out = {Place::Kind::kPlaced, std::string(found->ours), found->part};
  }
  if (std::ranges::find(kWeitop, name) != kWeitop.end() || is_of_predictor(name)) out = {Place::Kind::kPlaced, std::string(name)};
  if (out.kind == Place::Kind::kUnknown && (name.starts_with(kHeadRoot) || name.starts_with(kForeignHeadRoot) ||
                                            name.starts_with("weitop.") || name.starts_with(kPredictorRoot))) {
    out.kind = Place::Kind::kUnexpected;
  }
  if (wrapped && out.kind != Place::Kind::kUnknown) wrapper = kModule;
  return out;
}

void choose_naming(const std::vector<std::string>& names, KeyMap& map) {
  map.family = backbone_families().front();
  map.naming = map.family->importer().namings().front();
  std::ptrdiff_t best = 0;
  const auto consider = [&](const BackboneFamily& family, const Naming& naming, std::string_view prefix) {
    const auto placed = std::ranges::count_if(names, [&](const std::string& name) {
      return name.starts_with(prefix) && naming.place(std::string_view(name).substr(prefix.size())).kind == Place::Kind::kPlaced;
    });
    if (placed > best) {
      best = placed;
      map.backbone_prefix = prefix;
      map.family = &family;
      map.naming = &naming;
    }
  };
  for (const BackboneFamily* family : backbone_families()) {
    for (const Naming* naming : family->importer().namings()) {
      for (const auto prefix : naming->prefixes()) consider(*family, *naming, prefix);
    }
  }
}

/// The first of equals: SALAD's names are all among WeiAD's, for one, and what they form is told apart by their tensors.
const HeadFamily* choose_head(const std::vector<std::string>& names) {
  const auto explained = [&](const HeadFamily* family) {
    return std::ranges::count_if(names, [&](std::string_view name) { return find_head_name(*family, without_module(name)); });
  };
  return *std::ranges::max_element(head_families(), {}, explained);
}

}  // namespace

bool KeyMap::has_backbone() const {
  const auto found = placed.lower_bound(kBackboneRoot);
  return found != placed.end() && found->first.starts_with(kBackboneRoot);
}

std::vector<std::string> KeyMap::source_names(const std::string& ours) const {
  const std::string_view root = kBackboneRoot;
  if (ours.starts_with(root)) {
    std::vector<std::string> names = naming->source_names(std::string_view(ours).substr(root.size()));
    for (std::string& name : names) name = backbone_prefix + name;
    return names;
  }
  const auto found = std::ranges::find(head->names(), ours, &Rename::ours);
  if (found != head->names().end()) return {wrapper + std::string(found->theirs)};
  return {wrapper + ours};
}

KeyMap map_keys(const std::vector<std::string>& names) {
  KeyMap map;
  choose_naming(names, map);
  map.head = choose_head(names);
  for (const auto& name : names) {
    Place place = place_head(*map.head, name, map.wrapper);
    if (place.kind == Place::Kind::kUnknown && name.starts_with(map.backbone_prefix)) {
      place = map.naming->place(std::string_view(name).substr(map.backbone_prefix.size()));
    }
    if (place.kind == Place::Kind::kPlaced) {
      auto& sources = map.placed[place.ours];
      sources.resize(place.part < 0 ? 1 : 3);
      auto& slot = sources[static_cast<std::size_t>(std::max(place.part, 0))];
      if (slot.empty()) {
        slot = name;
        continue;
      }
      map.unexpected.push_back(name);  // a second tensor for the same place
    } else if (place.kind == Place::Kind::kUnexpected) {
      map.unexpected.push_back(name);
    } else {
      map.ignored.push_back(name);
    }
  }
  return map;
}

}  // namespace revisit::model
