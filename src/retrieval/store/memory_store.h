// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// A store that ends with the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "retrieval/search/searcher.h"
#include "retrieval/store/catalogue.h"
#include "retrieval/store/store.h"

namespace revisit::retrieval {

class MemoryStore final : public Store {
 public:
  explicit MemoryStore(IndexSettings settings);

  const IndexSettings& settings() const override { return settings_; }
  int rows() const override { return static_cast<int>(entries_.size()); }
  int live_rows() const override { return rows() - replaced_; }
  bool is_live(int row) const override;
  IndexEntry entry(int row) const override;
  std::optional<int> find(const std::string& name) const override;
  std::span<const float> descriptor(int row) const override;
  std::vector<std::vector<Match>> search(std::span<const float> queries, const SearchOptions& options,
                                         SearchStats* stats) const override;
  int add(const IndexEntry& entry, std::span<const float> descriptor, bool replace) override;
  void commit() override {}
  bool has_local() const override { return !locals_.empty(); }
  std::optional<LocalFeatures> local(int row) const override;
  void keep_local(int row, const LocalFeatures& features) override;

 private:
  void require_row(int row) const;

  IndexSettings settings_;
  std::vector<float> values_;     // (rows, dim)
  std::vector<std::byte> codes_;  // as in codes.i8, without its header
  std::vector<std::byte> code_row_;
  std::vector<IndexEntry> entries_;
  std::vector<PlaceAndTime> places_;
  std::map<std::string, int> by_name_;  // the newest row of a name
  std::vector<std::uint8_t> live_;      // (rows) once a row was replaced
  int replaced_ = 0;
  std::map<int, LocalFeatures> locals_;  // by row
  mutable Searchers searchers_;
};

}  // namespace revisit::retrieval
