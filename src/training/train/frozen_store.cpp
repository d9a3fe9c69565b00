// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// A file's name holds a hash of all that its values depend on: so a file of another study is never used by mistake.
#include "training/train/frozen_store.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "core/base/fail.h"
#include "engine/model/model_file.h"
#include "training/train/files.h"
#include "training/train/settings.h"

namespace revisit::train {
namespace {

constexpr std::string_view kPictures = "pictures 2";      // raised whenever sources or augmentation make different pictures
constexpr std::int64_t kPlenty = std::int64_t{1} << 32U;  // slots; only filled ones take space

/// Weights of the frozen part, and the settings of the pictures. Not the seed: fixed pictures do not depend on it.
std::uint64_t key_of(const TrainConfig& config, const model::LoadedModel& start, int frozen_blocks) {
  std::uint64_t key = XXH3_64bits_withSeed(kPictures.data(), kPictures.size(), static_cast<std::uint64_t>(frozen_blocks));
  for (const auto& [name, shape] : model::required_tensors(start.config)) {
    const std::string prefix = "backbone.model.blocks.";
    if (!name.starts_with("backbone.") || name.starts_with("backbone.model.norm.")) continue;
    if (name.starts_with(prefix) && std::stoi(name.substr(prefix.size())) >= frozen_blocks) continue;
    std::int64_t count = 1;
    for (const auto size : shape) count *= size;
    key = XXH3_64bits_withSeed(start.weights.f32_data(name, count), static_cast<std::size_t>(count) * sizeof(float), key);
  }
  const auto add = [&](const std::string& name, const std::string& value) {
    const std::string line = name + "=" + value;
    key = XXH3_64bits_withSeed(line.data(), line.size(), key);
  };
  for (const auto& [name, value] : settings_of(config)) {
    const bool of_batches = name == "data.places_per_batch" || name == "data.mixed" || name.ends_with(".stretch_frames");
    const bool of_pictures = (name.starts_with("data.") && !of_batches) || name.starts_with("augment.");
    if (of_pictures) add(name, value);
  }
  if (config.precision != "f32") add("precision", config.precision);
  for (const auto& [name, value] : model::to_metadata(start.config)) {  // heads and the like are in no weight
    constexpr std::array kOthers{"aggregator", "calibration", "fingerprint", "licence", "provenance", "pruner"};
    const bool other = std::ranges::any_of(kOthers, [&](const char* prefix) { return name.starts_with(prefix); });
    if (!other) add(name, value);
  }
  return key;
}

}  // namespace

FrozenStore::FrozenStore(const TrainConfig& config, const model::LoadedModel& start, const std::filesystem::path& folder) {
  const auto& vit = start.config.vit();
  const int frozen_blocks = vit.depth - config.model.trained_blocks;
  if (frozen_blocks <= 0) {
    fail_with_hint(ErrorCode::kUsage, "variants = 0, or fewer trained_blocks",
                   "[data] variants is {}, but all {} blocks learn: there is nothing to keep", config.data.variants, vit.depth);
  }
  const auto patches = static_cast<std::size_t>(config.data.size.height / vit.patch) *
                       static_cast<std::size_t>(config.data.size.width / vit.patch);
  weitop_input_ = start.config.has_weitop() && *start.config.own.prune_layer <= frozen_blocks;
  tokens_ = (1 + static_cast<std::size_t>(vit.registers) + patches) * static_cast<std::size_t>(vit.width);
  const std::size_t inputs = weitop_input_ ? patches * static_cast<std::size_t>(vit.width) : 0;
  values_ = tokens_ + inputs;
  const std::filesystem::path where = config.data.cache.empty() ? folder : config.data.cache;
  make_folder(where);
  const std::uint64_t key = key_of(config, start, frozen_blocks);
  const auto open = [&](const std::string& name, std::size_t values) {
    return std::make_unique<TokenCache>(where / name, kPlenty, 0, values, key,
                                        "lower [data] variants, or give [data] cache a folder with room");
  };
  cache_ = open(fmt::format("frozen-{:016x}.tokens", key), tokens_);
  if (weitop_input_) weitop_cache_ = open(fmt::format("block{}-{:016x}.tokens", *start.config.own.prune_layer, key), inputs);
}

bool FrozenStore::load(std::int64_t picture, std::vector<std::uint16_t>& values) const {
  CachedCrop found;
  if (!cache_->load(picture, found)) return false;
  values = std::move(found.tokens);
  if (!weitop_input_) return true;
  if (!weitop_cache_->load(picture, found)) return false;
  values.insert(values.end(), found.tokens.begin(), found.tokens.end());
  return true;
}

void FrozenStore::store(std::int64_t picture, std::vector<std::uint16_t> values) {
  if (weitop_input_) {
    const auto inputs = values.begin() + static_cast<std::ptrdiff_t>(tokens_);
    weitop_cache_->store(picture, {{}, {inputs, values.end()}});
    values.erase(inputs, values.end());
  }
  cache_->store(picture, {{}, std::move(values)});
}

}  // namespace revisit::train
