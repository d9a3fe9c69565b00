// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Looking at features as one kind or the other.
#include "core/tensor/features.h"

#include "core/base/fail.h"

namespace revisit::tensor {
namespace {

template <typename Kind, typename Any>
auto& as(Any& any, const char* problem) {
  auto* found = std::get_if<Kind>(&any);
  if (found == nullptr) fail(ErrorCode::kBadModel, "the parts of the model do not fit together: {}", problem);
  return *found;
}

constexpr const char* kNoTokens = "tokens are wanted, but the backbone gives a feature map";
constexpr const char* kNoMap = "a feature map is wanted, but the backbone gives tokens";

}  // namespace

Tokens& Features::tokens() { return as<Tokens>(any_, kNoTokens); }
const Tokens& Features::tokens() const { return as<Tokens>(any_, kNoTokens); }
FeatureMap& Features::map() { return as<FeatureMap>(any_, kNoMap); }
const FeatureMap& Features::map() const { return as<FeatureMap>(any_, kNoMap); }

ConstMatrix Features::values() const { return are_tokens() ? tokens().values : map().cells; }
ConstMatrix Features::spatial() const { return are_tokens() ? tokens().patch_values() : map().cells; }

std::span<const float> Features::mass() const {
  return are_tokens() ? std::span<const float>(tokens().mass) : std::span<const float>();
}

}  // namespace revisit::tensor
