// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Words of enums, one table each: as in model files and on the command line.
#include "engine/model/config.h"

#include "engine/model/words.h"

namespace revisit::model {
namespace {

constexpr Words<ResizeFilter, 2> kResizeFilters{{{ResizeFilter::kBilinear, "bilinear"}, {ResizeFilter::kBicubic, "bicubic"}}};

}  // namespace

DescriptorSpec weitop_settings() {
  DescriptorSpec own;
  own.prune = "weitop";
  for (const Setting& one : settings()) {
    if (one.kept_with_pruner() && !one.of_pruner && std::holds_alternative<std::monostate>(one.get(own))) one.set(own, one.usual);
  }
  return own;
}

const char* name_of(ResizeFilter filter) { return word_of(kResizeFilters, filter); }

ResizeFilter resize_filter_from(const std::string& word) { return value_of(kResizeFilters, word, "resize filter"); }

}  // namespace revisit::model
