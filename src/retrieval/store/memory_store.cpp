// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Rows in memory: for collections that are not saved, and for folders matched without an index.
#include "retrieval/store/memory_store.h"

#include <cstring>
#include <utility>

#include "core/base/fail.h"
#include "retrieval/files/local_record.h"
#include "retrieval/files/row_file.h"
#include "retrieval/store/catalogue.h"
#include "retrieval/store/filter.h"

namespace revisit::retrieval {

MemoryStore::MemoryStore(IndexSettings settings) : settings_(std::move(settings)) { check_settings(settings_); }

std::optional<int> MemoryStore::find(const std::string& name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() || found->second >= rows() ? std::nullopt : std::optional(found->second);
}

IndexEntry MemoryStore::entry(int row) const {
  require_row(row);
  return entries_[static_cast<std::size_t>(row)];
}

bool MemoryStore::is_live(int row) const {
  require_row(row);
  return live_.empty() || live_[static_cast<std::size_t>(row)] != 0;
}

std::span<const float> MemoryStore::descriptor(int row) const {
  require_row(row);
  const auto dim = static_cast<std::size_t>(settings_.dim);
  return std::span(values_).subspan(static_cast<std::size_t>(row) * dim, dim);
}

void MemoryStore::require_row(int row) const {
  if (row < 0 || row >= rows()) fail(ErrorCode::kUsage, "row {} is not in a collection of {} rows", row, rows());
}

int MemoryStore::add(const IndexEntry& entry, std::span<const float> descriptor, bool replace) {
  check_entry(entry);
  check_descriptor(descriptor, settings_.dim, entry.name);
  const auto there = by_name_.find(entry.name);
  if (there != by_name_.end() && !replace) {
    fail(ErrorCode::kUsage, "'{}' is already in the collection, as row {}", entry.name, there->second);
  }
  const int row = static_cast<int>(entries_.size());
  if (there != by_name_.end()) {
    live_.resize(entries_.size(), 1);
    live_[static_cast<std::size_t>(there->second)] = 0;
    ++replaced_;
  }
  if (!live_.empty()) live_.push_back(1);
  values_.insert(values_.end(), descriptor.begin(), descriptor.end());
  encode_codes(descriptor, code_row_);
  codes_.insert(codes_.end(), code_row_.begin(), code_row_.end());
  by_name_[entry.name] = row;
  if (entry.position || entry.time_s) places_.push_back({row, entry.position, entry.time_s});
  entries_.push_back(entry);
  return row;
}

std::optional<LocalFeatures> MemoryStore::local(int row) const {
  require_row(row);
  const auto found = locals_.find(row);
  return found == locals_.end() ? std::nullopt : std::optional(found->second);
}

void MemoryStore::keep_local(int row, const LocalFeatures& features) {
  require_row(row);
  encode_local(features);  // the same limits as in a folder
  locals_[row] = features;
}

std::vector<std::vector<Match>> MemoryStore::search(std::span<const float> queries, const SearchOptions& options,
                                                    SearchStats* stats) const {
  check_search(queries, settings_.dim, options);
  Collection all;
  all.space.dim = settings_.dim;
  all.space.rows = values_.data();
  all.space.codes = codes_.data();
  all.space.code_stride = kCodeRowBytes + padded_dim(settings_.dim);
  all.space.coded = all.space.end = rows();
  all.live = live_;
  all.live_rows = live_rows();
  SearchStats counted;
  const std::vector<std::uint8_t> wanted = wanted_rows(options, places_, rows(), live_);
  auto out = searchers_.chosen_by(options).search(all, request_for(options, queries, wanted, rows()), counted);
  if (stats != nullptr) *stats = counted;
  return out;
}

const StoreFamily memory_store{
    "memory", [](const std::string& address) { return address == "memory:"; },
    [](const std::string&, const std::optional<IndexSettings>& settings) -> std::unique_ptr<Store> {
      if (!settings) fail(ErrorCode::kUsage, "a collection in memory needs to know how its descriptors are made");
      return std::make_unique<MemoryStore>(*settings);
    }};

}  // namespace revisit::retrieval
