// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The tensors of a model by name and shape, and numbers derived from them.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace revisit::model {

using Shape = std::vector<std::int64_t>;
/// By the names of our model file.
using Shapes = std::map<std::string, Shape>;

/// Adds `<name>.weight` [out, in] and `<name>.bias` [out].
void add_linear(Shapes& shapes, const std::string& name, std::int64_t out, std::int64_t in);
/// The same as a 1x1 convolution, whose weight is [out, in, 1, 1].
void add_conv1x1(Shapes& shapes, const std::string& name, std::int64_t out, std::int64_t in);
/// Adds `<name>.weight` [width] and `<name>.bias` [width].
void add_norm(Shapes& shapes, const std::string& name, std::int64_t width);

/// Derives numbers from arbitrary shapes. `name` is the file's; both must outlive the reader.
class ShapeReader {
 public:
  ShapeReader(const Shapes& shapes, const std::string& name) : shapes_(shapes), name_(name) {}

  const std::string& file() const { return name_; }
  /// Dimension `axis` (negative: from the end) of the first of `names` that exists. Throws Error kBadModel for an absurd one.
  std::optional<int> dim(std::initializer_list<std::string> names, int axis) const;
  /// Outputs of a layer: rows of its weight, or length of its bias.
  int outputs(const std::string& layer, int otherwise) const;
  bool has(const std::string& name) const { return shapes_.contains(name); }
  bool any_starts_with(const std::string& prefix) const;
  bool any_ends_with(std::string_view suffix) const;
  /// One more than the highest i of names "<prefix><i>.", at least 1.
  int count_of(const std::string& prefix) const;

 private:
  const Shapes& shapes_;
  const std::string& name_;
};

}  // namespace revisit::model
