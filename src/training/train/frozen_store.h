// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The output of the frozen blocks for each fixed picture (TrainData::variants), on disk: it never changes, so they run once for
// all epochs, seeds and rows of a study. Its header knows no torch.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "engine/model/config.h"
#include "revisit/lab/train.h"
#include "training/train/token_cache.h"

namespace revisit::train {

class FrozenStore {
 public:
  /// In data.cache, else in `folder`. Runs with the same pictures and the same frozen weights share a file. Throws Error kUsage
  /// when every block learns.
  FrozenStore(const TrainConfig& config, const model::LoadedModel& start, const std::filesystem::path& folder);

  /// Values of a picture: its tokens before the first trained block, then WeiToP's input where that lies in the frozen part.
  std::size_t values() const { return values_; }
  bool has_weitop_input() const { return weitop_input_; }
  bool load(std::int64_t picture, std::vector<std::uint16_t>& values) const;
  void store(std::int64_t picture, std::vector<std::uint16_t> values);

 private:
  bool weitop_input_ = false;
  std::size_t tokens_ = 0, values_ = 0;
  std::unique_ptr<TokenCache> cache_;
  std::unique_ptr<TokenCache> weitop_cache_;  // apart from the tokens: those serve runs without WeiToP too
};

}  // namespace revisit::train
