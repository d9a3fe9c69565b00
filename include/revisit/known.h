// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Published models whose files revisit reads.
#pragma once

#include <string>
#include <vector>

namespace revisit {

/// What is known of a published model. Text for a reader; empty where nothing certain is known.
struct KnownModel {
  std::string name;        ///< "MixVPR"
  std::string aggregator;  ///< of its model file: "mixvpr"; "none" for a backbone
  std::string backbone;    ///< "ResNet-50 up to layer3"
  std::string size;        ///< of the input: "320x320"
  std::string dims;        ///< of the descriptor: "4096, 512 or 128"
  std::string paper;       ///< its title
  std::string licence;     ///< "MIT (code)": what it is of stands in brackets
  std::string recall;      ///< published figures and who published them
  std::string source;      ///< where its authors offer the file
};

/// Heads first, then backbones, each in the order of their families.
std::vector<KnownModel> known_models();

}  // namespace revisit
