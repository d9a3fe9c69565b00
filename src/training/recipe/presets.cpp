// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Named configurations to start from. Their text is in presets/; the sizes of DINOv2 share one for each head, which differs by
// name and backbone.
#include <algorithm>

#include "core/base/fail.h"
#include "core/base/near_word.h"
#include "revisit/lab/train.h"
#include "training/recipe/preset_texts.h"

namespace revisit {
namespace {

struct Preset {
  std::string name;
  const char* text;
  std::string size;      // for a reader; empty when the text has no gaps to fill
  std::string backbone;  // DINOv2's own file name
};

std::vector<Preset> presets() {
  return {{"weiad-tiny", recipe::k_weiad_tiny, "", ""},
          {"weiad-vits14", recipe::k_weiad_vit14, "ViT-S/14", "dinov2_vits14_pretrain.pth"},
          {"weiad-vitb14", recipe::k_weiad_vit14, "ViT-B/14", "dinov2_vitb14_pretrain.pth"},
          {"weiad-vitl14", recipe::k_weiad_vit14, "ViT-L/14", "dinov2_vitl14_pretrain.pth"},
          {"salad-vits14", recipe::k_salad_vit14, "ViT-S/14", "dinov2_vits14_pretrain.pth"},
          {"salad-vitb14", recipe::k_salad_vit14, "ViT-B/14", "dinov2_vitb14_pretrain.pth"},
          {"salad-vitl14", recipe::k_salad_vit14, "ViT-L/14", "dinov2_vitl14_pretrain.pth"}};
}

std::string filled(std::string text, const std::string& gap, const std::string& value) {
  for (auto at = text.find(gap); at != std::string::npos; at = text.find(gap, at + value.size()))
    text.replace(at, gap.size(), value);
  return text;
}

}  // namespace

std::vector<std::string> train_presets() {
  std::vector<std::string> names;
  for (const auto& preset : presets()) names.push_back(preset.name);
  return names;
}

std::string train_preset(const std::string& name) {
  const auto all = presets();
  const auto found = std::ranges::find(all, name, &Preset::name);
  if (found == all.end()) {
    fail_with_hint(ErrorCode::kUsage, fmt::format("presets: {}", fmt::join(train_presets(), ", ")), "there is no preset '{}'{}",
                   name, did_you_mean(name, train_presets()));
  }
  return filled(filled(filled(found->text, "{{name}}", found->name), "{{size}}", found->size), "{{backbone}}", found->backbone);
}

}  // namespace revisit
