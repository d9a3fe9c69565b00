// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// SALAD is what the heads of its kind share, and nothing else.
#include "engine/model/transport_family.h"

namespace revisit::model {
namespace {

class Salad final : public TransportFamily {
  const char* name() const override { return kSalad; }
  const char* title() const override { return "SALAD"; }
};

}  // namespace

const HeadFamily& salad_head() {
  static const Salad family;
  return family;
}

}  // namespace revisit::model
