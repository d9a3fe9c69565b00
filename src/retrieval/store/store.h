// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Rows and their data, wherever they are stored: code above uses this interface, not the folder behind it.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "revisit/index.h"

namespace revisit::retrieval {

/// Many threads may read at once; a non-const call needs exclusive access.
class Store {
 public:
  virtual ~Store() = default;

  virtual const IndexSettings& settings() const = 0;
  virtual int rows() const = 0;  ///< row numbers are 0..rows()-1, replaced ones included
  virtual int live_rows() const = 0;
  virtual bool is_live(int row) const = 0;
  virtual IndexEntry entry(int row) const = 0;
  virtual std::optional<int> find(const std::string& name) const = 0;
  virtual std::span<const float> descriptor(int row) const = 0;  ///< valid until the store grows

  /// As Index::search.
  virtual std::vector<std::vector<Match>> search(std::span<const float> queries, const SearchOptions& options,
                                                 SearchStats* stats) const = 0;

  /// As IndexWriter::add. The row can be found after commit(), and stays however the process ends.
  virtual int add(const IndexEntry& entry, std::span<const float> descriptor, bool replace) = 0;
  virtual void commit() = 0;

  /// As Index::local and IndexWriter's, for a store that keeps some; keep_local() makes it one.
  virtual bool has_local() const = 0;
  virtual std::optional<LocalFeatures> local(int row) const = 0;
  virtual void keep_local(int row, const LocalFeatures& features) = 0;
};

/// A kind of store and the addresses it takes.
struct StoreFamily {
  const char* name;
  bool (*takes)(const std::string& address);
  /// The store at an address. It is created with `settings` if there is none yet; without them that is Error kNotFound. Settings
  /// that must agree and do not are Error kMismatch.
  std::unique_ptr<Store> (*open)(const std::string& address, const std::optional<IndexSettings>& settings);
};

/// "memory:" is a store that ends with the process; anything else is a folder.
std::unique_ptr<Store> open_store(const std::string& address, const std::optional<IndexSettings>& settings);

extern const StoreFamily memory_store;
extern const StoreFamily folder_store;

}  // namespace revisit::retrieval
