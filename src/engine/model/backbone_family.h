// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Everything about a family of networks except running one: settings, tensors, cost, foreign files.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "engine/model/backbone_config.h"
#include "engine/model/shapes.h"
#include "revisit/known.h"

namespace revisit {
struct ModelInfo;
}

namespace revisit::model {

class BackboneImporter;
class Checker;
class Fields;
class Uniform;

/// Names of a backbone's tensors begin with this in our model files.
inline constexpr const char* kBackboneRoot = "backbone.model.";
/// Added to the name of a tensor in bytes: its scales.
inline constexpr const char* kScale = ".scale";

/// One object per family; see backbones.def. A config given to it is of this family.
class BackboneFamily {
 public:
  virtual ~BackboneFamily() = default;

  virtual const char* name() const = 0;

  // What BackboneConfig answers.
  virtual const std::string& arch(const BackboneConfig& config) const = 0;
  virtual int width(const BackboneConfig& config) const = 0;
  virtual int stride(const BackboneConfig& config) const = 0;
  virtual int blocks(const BackboneConfig& config) const = 0;
  virtual bool gives_tokens() const { return true; }
  virtual Size grid(const BackboneConfig& config, Size input) const = 0;
  virtual double macs(const BackboneConfig& config, Size input, std::span<const PatchesInBlock> patches) const = 0;

  /// The network up to its first `blocks` blocks.
  virtual void keep_blocks(BackboneConfig& config, int blocks) const = 0;
  /// Fills in what `model inspect` shows.
  virtual void tell(const BackboneConfig& config, ModelInfo& info) const = 0;

  // In a model file.
  virtual void write(const BackboneConfig& config, std::map<std::string, std::string>& metadata) const = 0;
  virtual BackboneConfig read(const Fields& fields) const = 0;
  virtual void check(const BackboneConfig& config, const Checker& check) const = 0;
  virtual void add_tensors(const BackboneConfig& config, Shapes& shapes) const = 0;
  /// Names of the layers whose weights a quantised model holds in bytes: the matrices of the blocks, where nearly all work is
  /// done.
  virtual std::vector<std::string> block_layers(const BackboneConfig& config) const = 0;
  /// Values for one of these tensors, like those of a trained network.
  virtual void fill_random(const BackboneConfig& config, const std::string& name, const Shape& shape, const Uniform& uniform,
                           std::vector<float>& values) const = 0;

  virtual const BackboneImporter& importer() const = 0;
  /// What was published of it; `aggregator` is left open.
  virtual std::vector<KnownModel> known() const;
};

std::span<const BackboneFamily* const> backbone_families();
/// Throws Error kBadModel with the known names.
const BackboneFamily& backbone_family(const std::string& name);

}  // namespace revisit::model
