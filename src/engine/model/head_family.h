// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Everything about an aggregator except running one: settings, tensors, cost, foreign names.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/model/fields.h"
#include "engine/model/head_config.h"
#include "engine/model/shapes.h"
#include "revisit/known.h"

namespace revisit::model {

class BackboneConfig;
class Checker;
class Uniform;
struct InputConfig;
struct Rename;

/// Names of a head's tensors begin with this in our model files.
inline constexpr const char* kHeadRoot = "aggregator.";
/// In some foreign checkpoints with this.
inline constexpr const char* kForeignHeadRoot = "aggregation.";

/// One object per family; see heads.def. A config given to it is of this family; `width` is that of the backbone's features.
class HeadFamily {
 public:
  virtual ~HeadFamily() = default;

  virtual const char* name() const = 0;   ///< "weiad": in model files and options
  virtual const char* title() const = 0;  ///< "WeiAD": in sentences

  virtual int descriptor_dim(const HeadConfig& head) const = 0;
  virtual int clusters(const HeadConfig& /*head*/) const { return 0; }
  /// Multiply-adds for so many patches, or cells of a feature map.
  virtual double macs(const HeadConfig& head, int width, int features) const = 0;

  /// What the method's own code resizes a tensor of this size to before the network: nothing where it has to fit already.
  virtual std::optional<Size> resized_tensor(Size /*size*/, int /*stride*/) const { return std::nullopt; }

  // In a model file; keys begin with "aggregator.".
  virtual void write(const HeadConfig& head, Metadata& metadata) const = 0;
  virtual HeadConfig read(const Fields& fields, int width) const = 0;
  virtual void check(const HeadConfig& head, const Checker& check) const = 0;
  virtual void add_tensors(const HeadConfig& head, int width, Shapes& shapes) const = 0;
  /// Values for one of these tensors, like those of a trained head; by default as for any layer.
  virtual void fill_random(const std::string& name, const Shape& shape, const Uniform& uniform, std::vector<float>& values) const;

  /// What was published of it; `aggregator` is left open.
  virtual std::vector<KnownModel> known() const;

  // In a foreign checkpoint. By default it never appears in one.
  /// Foreign names of its tensors, whole names without "module.".
  virtual std::span<const Rename> names() const;
  /// The head these tensors form, if any, behind a backbone of this width; a missing one is guessed.
  virtual std::optional<HeadConfig> infer(const ShapeReader& /*read*/, int /*width*/) const { return std::nullopt; }
  /// Sets what its published checkpoints were made for, where that differs from the backbone's own.
  virtual void set_input(const HeadConfig& /*head*/, const BackboneConfig& /*backbone*/, InputConfig& /*input*/) const {}
};

/// Those of heads.def, after the one that stands for a model without a head.
std::span<const HeadFamily* const> head_families();
/// Throws Error kBadModel with the known names.
const HeadFamily& head_family(const std::string& name);

}  // namespace revisit::model
