// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Which aggregator a model has, and its settings.
#pragma once

#include <any>
#include <string>
#include <utility>
#include <vector>

#include "engine/model/transport_head.h"

namespace revisit::model {

class HeadFamily;

// Names used in other rooms; those of further aggregators are in heads.def only.
inline constexpr const char* kNoHead = "none";
inline constexpr const char* kWeiad = "weiad";
inline constexpr const char* kSalad = "salad";
inline constexpr const char* kMegaloc = "megaloc";

/// An open set: each aggregator has its own type of settings.
struct HeadConfig {
  std::string kind = kNoHead;  ///< name of its family
  std::any own{};              ///< its settings, as HeadFamily::read makes them

  bool is_none() const { return kind == kNoHead; }
  const HeadFamily& family() const;  ///< Throws Error kBadModel with the known names

  int descriptor_dim() const;                  ///< 0 without a head
  int clusters() const;                        ///< 0 if there are none
  double macs(int width, int features) const;  ///< multiply-adds for so many patches, or cells of a feature map

  /// The settings as the type this aggregator has. Throws Error kInternal for another.
  template <typename Own>
  const Own& as() const {
    const auto* found = std::any_cast<Own>(&own);
    if (found == nullptr) wrong_settings();
    return *found;
  }
  /// Those of WeiAD, SALAD and MegaLoc; created if there are none yet.
  TransportHead& transport();
  const TransportHead& transport() const { return as<TransportHead>(); }

 private:
  [[noreturn]] void wrong_settings() const;
};

}  // namespace revisit::model
