// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// What a comparison has measured already, kept on disk: a run that was stopped goes on, and a new row costs only itself.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "revisit/lab/compare.h"

namespace revisit {

class CompareCells {
 public:
  /// Nothing is kept when `folder` is empty.
  explicit CompareCells(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// `settings` is everything a cell depends on, as text. Nothing when it is not there, damaged or of other settings.
  std::optional<CompareCell> load(const std::string& settings, std::size_t queries) const;
  void save(const std::string& settings, const CompareCell& cell) const;
  /// The same for what a setting costs.
  std::optional<CompareCost> load_cost(const std::string& settings) const;
  void save_cost(const std::string& settings, const CompareCost& cost) const;

 private:
  std::filesystem::path file_of(const std::string& settings) const;
  nlohmann::json found(const std::string& settings) const;  // null when there is nothing of use
  void write(const std::string& settings, const nlohmann::json& json) const;

  std::filesystem::path folder_;
};

}  // namespace revisit
