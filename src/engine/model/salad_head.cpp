// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// SALAD is what the heads of its kind share, and nothing else.
#include "engine/model/transport_family.h"

namespace revisit::model {
namespace {

class Salad final : public TransportFamily {
  const char* name() const override { return kSalad; }
  const char* title() const override { return "SALAD"; }
  std::vector<KnownModel> known() const override {
    return {{"SALAD", "", "DINOv2 ViT-B/14", "322x322", "8448", "", "GPL-3.0 (code)",
             "MSLS-val R@1 91.4, R@5 96.2 (the table of \"Faster or Stronger\")", "github.com/serizba/salad: dino_salad.ckpt"}};
  }
};

}  // namespace

const HeadFamily& salad_head() {
  static const Salad family;
  return family;
}

}  // namespace revisit::model
