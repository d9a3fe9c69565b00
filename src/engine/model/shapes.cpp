// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Looking up shapes.
#include "engine/model/shapes.h"

#include <algorithm>
#include <charconv>

#include "core/base/fail.h"

namespace revisit::model {

void add_linear(Shapes& shapes, const std::string& name, std::int64_t out, std::int64_t in) {
  shapes[name + ".weight"] = {out, in};
  shapes[name + ".bias"] = {out};
}

void add_conv1x1(Shapes& shapes, const std::string& name, std::int64_t out, std::int64_t in) {
  shapes[name + ".weight"] = {out, in, 1, 1};
  shapes[name + ".bias"] = {out};
}

void add_norm(Shapes& shapes, const std::string& name, std::int64_t width) {
  shapes[name + ".weight"] = {width};
  shapes[name + ".bias"] = {width};
}

std::optional<int> ShapeReader::dim(std::initializer_list<std::string> names, int axis) const {
  for (const auto& name : names) {
    const auto found = shapes_.find(name);
    if (found == shapes_.end()) continue;
    const auto& shape = found->second;
    const int rank = static_cast<int>(shape.size());
    const int index = axis < 0 ? rank + axis : axis;
    if (index < 0 || index >= rank) continue;
    const std::int64_t value = shape[static_cast<std::size_t>(index)];
    if (value < 0 || value > 1'000'000) {
      fail(ErrorCode::kBadModel, "'{}': a dimension of {} in tensor '{}' is out of range", name_, value, name);
    }
    return static_cast<int>(value);
  }
  return std::nullopt;
}

int ShapeReader::outputs(const std::string& layer, int otherwise) const {
  return dim({layer + ".weight", layer + ".bias"}, 0).value_or(otherwise);
}

bool ShapeReader::any_starts_with(const std::string& prefix) const {
  const auto found = shapes_.lower_bound(prefix);
  return found != shapes_.end() && found->first.starts_with(prefix);
}

bool ShapeReader::any_ends_with(std::string_view suffix) const {
  return std::ranges::any_of(shapes_, [&](const auto& entry) { return entry.first.ends_with(suffix); });
}

int ShapeReader::count_of(const std::string& prefix) const {
  int count = 0;
  for (auto it = shapes_.lower_bound(prefix); it != shapes_.end() && it->first.starts_with(prefix); ++it) {
    int index = 0;
    std::from_chars(it->first.data() + prefix.size(), it->first.data() + it->first.size(), index);
    count = std::max(count, index + 1);
  }
  return std::max(count, 1);
}

}  // namespace revisit::model
