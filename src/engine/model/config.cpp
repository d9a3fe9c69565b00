// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Words of enums, one table each: what a model file says and what the command line takes.
#include "engine/model/config.h"

#include "engine/model/words.h"

namespace revisit::model {
namespace {

constexpr Words<PruneKind, 4> kPruneKinds{
    {{PruneKind::kNone, "none"}, {PruneKind::kWeitop, "weitop"}, {PruneKind::kRandom, "random"}, {PruneKind::kNorm, "norm"}}};
constexpr Words<NormScale, 2> kNormScales{{{NormScale::kMinMax, "minmax"}, {NormScale::kRaw, "raw"}}};
constexpr Words<ResizeFilter, 2> kResizeFilters{{{ResizeFilter::kBilinear, "bilinear"}, {ResizeFilter::kBicubic, "bicubic"}}};

}  // namespace

const char* name_of(PruneKind kind) { return word_of(kPruneKinds, kind); }
const char* name_of(NormScale scale) { return word_of(kNormScales, scale); }
const char* name_of(ResizeFilter filter) { return word_of(kResizeFilters, filter); }

PruneKind prune_kind_from(const std::string& word) { return value_of(kPruneKinds, word, "pruner"); }
NormScale norm_scale_from(const std::string& word) { return value_of(kNormScales, word, "norm scale"); }
ResizeFilter resize_filter_from(const std::string& word) { return value_of(kResizeFilters, word, "resize filter"); }

}  // namespace revisit::model
