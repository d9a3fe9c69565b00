// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Where the tensors of a foreign checkpoint go. Each family of backbones and heads knows the foreign names.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace revisit::model {

class BackboneFamily;
class HeadFamily;

/// One tensor, or layer, under its foreign name and ours.
struct Rename {
  std::string_view theirs;
  std::string_view ours;
  int part = -1;  // of a fused tensor: 0 query, 1 key, 2 value
};

/// What becomes of one foreign name.
struct Place {
  enum class Kind {
    kUnknown,  ///< not a tensor of this naming
    kPlaced,
    kIgnored,     ///< known, but not needed to describe a photo
    kUnexpected,  ///< part of the forward pass that we do not have
  };
  Kind kind = Kind::kUnknown;
  std::string ours{};
  int part = -1;
};

/// One foreign naming of the tensors of a family of backbones.
class Naming {
 public:
  virtual ~Naming() = default;

  /// Wrappers people save such networks in: "", "module.", ...
  virtual std::span<const std::string_view> prefixes() const = 0;
  /// `rest` is a name without its prefix.
  virtual Place place(std::string_view rest) const = 0;
  /// The reverse, for a name without our root: none if it is not a backbone's, three for a fused tensor; without prefix.
  virtual std::vector<std::string> source_names(std::string_view ours) const = 0;
};

/// Every source name lands in exactly one of: placed, ignored, unexpected.
struct KeyMap {
  const BackboneFamily* family = nullptr;  ///< of the backbone; never null
  const Naming* naming = nullptr;          ///< of that family; never null
  const HeadFamily* head = nullptr;        ///< whose foreign names explain most of the rest; never null
  std::string backbone_prefix;             ///< prefix of backbone names, such as "module.backbone."
  std::string wrapper;                     ///< prefix of "aggregator." and "weitop.": "" or "module."
  /// Our name -> source names; three (query, key, value, stacked in this order; "" where absent) for a fused tensor.
  std::map<std::string, std::vector<std::string>> placed;
  std::vector<std::string> ignored;     ///< classifiers, mask tokens, losses: not needed to describe a photo
  std::vector<std::string> unexpected;  ///< inside blocks, patch embedding or aggregator: leaving them out would change results

  bool has_backbone() const;
  /// How the source would name one of our tensors (three names for a fused one).
  std::vector<std::string> source_names(const std::string& ours) const;
};

/// Finds the family, naming, prefix and head that explain most of `names` and places every name.
KeyMap map_keys(const std::vector<std::string>& names);

}  // namespace revisit::model
