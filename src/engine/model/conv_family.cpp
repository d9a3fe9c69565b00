// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Convolutional networks take no heads and no position rule.
#include "engine/model/conv_family.h"

#include <charconv>

#include "core/base/fail.h"
#include "engine/model/config.h"
#include "revisit/model.h"

namespace revisit::model {

void ConvFamily::tell(const BackboneConfig& config, ModelInfo& info) const { info.depth = blocks(config); }

void ConvImporter::complete(Config& config, const KeyMap& /*keys*/, const ImportOptions& options) const {
  const std::string& arch = config.backbone.arch();
  if (options.heads) fail(ErrorCode::kUsage, "`heads` {} is for vision transformers: {} has none", *options.heads, arch);
  if (options.pos_rule) {
    fail(ErrorCode::kUsage, "position rule '{}' is for vision transformers: {} has no positions", *options.pos_rule, arch);
  }
  config.input.size = usual_size();
}

std::optional<int> take_number(std::string_view& rest) {
  int value = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + std::min<std::size_t>(rest.size(), 4), value);
  const auto digits = static_cast<std::size_t>(end - rest.data());
  if (error != std::errc{} || value < 0 || digits == rest.size() || rest[digits] != '.') return std::nullopt;
  rest.remove_prefix(digits);
  return value;
}

}  // namespace revisit::model
