// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// For tests only: a tiny network, a folder that cleans up after itself, and state dicts under foreign names.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <functional>
#include <string>

#include "engine/model/containers.h"
#include "engine/model/model_file.h"

namespace revisit::model::testing {

/// Width 16, depth 2, patch 14, grid 3x3, WeiAD 8 x 4 + 6 with two tiers, WeiToP.
inline Config tiny_config() {
  Config config = named_config("demo");
  config.vit().width = 16;
  config.vit().depth = 2;
  config.vit().heads = 1;
  config.vit().ffn_hidden = 32;
  config.vit().pos_rows = config.vit().pos_cols = 3;
  config.input.size = {42, 42};
  config.head.transport().clusters = 8;
  config.head.transport().cluster_dim = 4;
  config.head.transport().token_dim = 6;
  config.head.transport().hidden = 12;
  config.head.transport().tiers = default_tiers(8, 4);
  config.weitop_hidden = 5;
  return config;
}

inline Config tiny_backbone() {
  Config config = tiny_config();
  config.head = {};
  config.own = {};
  config.weitop_hidden = 0;
  return config;
}

class TempFolder {
 public:
  TempFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "revisit_test_XXXXXX").string();
    path_ = ::mkdtemp(pattern.data()) != nullptr ? pattern : std::string();
  }
  ~TempFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

/// The weights of `config` (seed 1) with each name passed through `rename`; an empty new name leaves the tensor out.
inline Weights renamed(const Config& config, const std::function<std::string(const std::string&)>& rename) {
  Weights out;
  const auto model = make_random(config, 1);
  for (const auto& [name, tensor] : model->weights.all()) {
    const std::string to = rename(name);
    if (!to.empty()) out.add_f32(to, tensor.shape, to_f32(tensor));
  }
  return out;
}

/// Strips our "backbone.model." and puts `prefix` there: torch-hub and timm names.
inline std::function<std::string(const std::string&)> hub_names(const std::string& prefix) {
  return [prefix](const std::string& name) {
    const std::string ours = "backbone.model.";
    return name.starts_with(ours) ? prefix + name.substr(ours.size()) : name;
  };
}

}  // namespace revisit::model::testing
