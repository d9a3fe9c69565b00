// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// How a family of networks is recognised in a foreign checkpoint.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/model/backbone_config.h"
#include "engine/model/shapes.h"

namespace revisit {
struct ImportOptions;
}

namespace revisit::model {

struct Config;
struct KeyMap;
class Naming;

class BackboneImporter {
 public:
  virtual ~BackboneImporter() = default;

  /// "DINOv2 (torch hub and Hugging Face), timm ViT": what a user may have.
  virtual const char* readable() const = 0;
  /// Foreign names of its tensors. The naming that explains most names of a checkpoint is used, the first of equals.
  virtual std::span<const Naming* const> namings() const = 0;

  /// The network these tensors form. A missing one is guessed, so that the caller can list it. `heads` and `size`,
  /// which no shape tells, are the user's. Throws Error kBadModel, or kUsage for the user's part.
  virtual BackboneConfig infer(const ShapeReader& read, std::optional<int> heads, std::optional<Size> size) const = 0;
  /// Sets what no tensor tells: settings of the network and its input, from the options or the defaults of its origin.
  virtual void complete(Config& config, const KeyMap& keys, const ImportOptions& options) const = 0;
  /// "DINOv2 (Hugging Face)", "timm ViT": where such a backbone comes from.
  virtual std::string origin(const KeyMap& keys, const BackboneConfig& config) const = 0;

  // Named architectures.
  virtual std::vector<std::string> arch_names() const = 0;
  /// The named one with the details of `like` that its name leaves open; empty for an unknown name.
  virtual std::optional<BackboneConfig> known(const std::string& arch, const BackboneConfig& like) const = 0;
  /// "width 384, depth 12, patch 14"
  virtual std::string sizes(const BackboneConfig& config) const = 0;
  /// "6 heads": what two networks with the same tensors may differ in.
  virtual std::string settings_beside_shapes(const BackboneConfig& config) const = 0;
};

}  // namespace revisit::model
