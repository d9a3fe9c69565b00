// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// How rows are searched, wherever they are stored: one method per family, chosen by the options of a search.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "retrieval/search/projected.h"
#include "retrieval/search/search.h"

namespace revisit::retrieval {

/// Rows with everything a search may use. Owns nothing.
struct Collection {
  SearchSpace space;                   ///< of every row; its first, end and wanted are a request's
  std::span<const std::uint8_t> live;  ///< (rows) 0: replaced by a newer row; empty: all are live
  int live_rows = 0;
  std::filesystem::path folder;  ///< where files derived from the rows are kept; empty: nowhere
  std::uint64_t identity = 0;    ///< of the collection, for those files
};

struct Request {
  std::span<const float> queries;  ///< (n, dim), finite
  int top_k = 10;
  int first = 0, end = 0;                ///< rows [first, end)
  const std::uint8_t* wanted = nullptr;  ///< (rows) 0: left out; null: all are wanted
  bool limited = false;                  ///< by rows, place or time: leaves out more than replaced rows
  bool use_codes = true;                 ///< false once codes were found damaged
};

class Searcher {
 public:
  virtual ~Searcher() = default;
  /// Best first, ties by row. May be called from many threads while the collection does not change. Throws CodesDisagree.
  virtual std::vector<std::vector<Match>> search(const Collection& rows, const Request& request, SearchStats& stats) = 0;
};

/// A method, and the options that choose it. Families are asked in the order of their list; the last one takes everything.
struct SearcherFamily {
  const char* name;
  bool (*takes)(const SearchOptions& options);
  std::unique_ptr<Searcher> (*make)(const SearchOptions& options);
};

/// The searchers used on a collection so far: what a method learns from the rows is learnt once.
class Searchers {
 public:
  Searcher& chosen_by(const SearchOptions& options);

 private:
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<Searcher>> made_;
};

/// A searcher for the options.
std::unique_ptr<Searcher> make_searcher(const SearchOptions& options);

}  // namespace revisit::retrieval
