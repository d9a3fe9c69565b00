// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The methods and their order: whitening first, which passes shorter rows to one of the others.
#include "retrieval/search/searcher.h"

#include <algorithm>

#include "core/base/fail.h"
#include "retrieval/search/graph.h"

namespace revisit::retrieval {
namespace {

constexpr int kLeastRowsOfGraph = 500;  // fewer are scanned as fast, and exactly
constexpr int kLeastNearest = 200;      // least number of rows a graph search considers

SearchSpace limited(const Collection& rows, const Request& request) {
  SearchSpace space = rows.space;
  space.first = request.first;
  space.end = request.end;
  space.wanted = request.wanted;
  if (!request.use_codes) space.coded = 0;
  return space;
}

/// The scan of every row: exact, or with the fast mode's bounded re-ranking.
class Scanner final : public Searcher {
 public:
  explicit Scanner(SearchOptions::Mode mode) : mode_(mode) {}

  std::vector<std::vector<Match>> search(const Collection& rows, const Request& request, SearchStats& stats) override {
    return retrieval::search(limited(rows, request), request.queries, request.top_k, mode_, stats);
  }

 private:
  SearchOptions::Mode mode_;
};

/// Neighbours of neighbours; a limited search and a small collection are scanned.
class GraphSearcher final : public Searcher {
 public:
  GraphSearcher(int target, SearchOptions::Mode mode) : target_(target), mode_(mode) {}

  std::vector<std::vector<Match>> search(const Collection& rows, const Request& request, SearchStats& stats) override {
    const SearchSpace space = limited(rows, request);
    if (request.limited || rows.space.end < kLeastRowsOfGraph) {
      return retrieval::search(space, request.queries, request.top_k, mode_, stats);
    }
    const Graph& graph = graph_of(rows);
    const auto dim = static_cast<std::size_t>(space.dim);
    const int nearest = std::max(kLeastNearest, 2 * request.top_k);
    const auto enough = static_cast<std::size_t>(std::min(request.top_k, rows.live_rows));
    std::vector<std::vector<Match>> out;
    for (std::size_t at = 0; at < request.queries.size(); at += dim) {
      const std::vector<int> found = graph.nearest(request.queries.data() + at, nearest);
      stats.rows_reranked += static_cast<std::int64_t>(found.size());
      out.push_back(rank(space, request.queries.data() + at, found, request.top_k));
      // Copies of one photo can form an island that has no links out.
      if (out.back().size() < enough) {
        out.back() = retrieval::search(space, request.queries.subspan(at, dim), request.top_k, mode_, stats).front();
      }
    }
    return out;
  }

 private:
  const Graph& graph_of(const Collection& rows) {
    const std::lock_guard guard(mutex_);
    graph_.update({rows.folder, rows.space.rows, rows.space.end, rows.space.dim, rows.identity}, graph_name(target_));
    graph_.set_live(rows.live);
    return graph_;
  }

  int target_;  // values the rows were whitened to; 0: not whitened
  SearchOptions::Mode mode_;
  std::mutex mutex_;
  Graph graph_;
};

/// Shortens queries and rows, then lets another method search.
class Whitened final : public Searcher {
 public:
  Whitened(int target, std::unique_ptr<Searcher> inner) : projected_(target), inner_(std::move(inner)) {}

  std::vector<std::vector<Match>> search(const Collection& rows, const Request& request, SearchStats& stats) override {
    Collection shorter = rows;
    {
      const std::lock_guard guard(mutex_);
      projected_.update({rows.folder, rows.space.rows, rows.space.end, rows.space.dim, rows.identity});
      shorter.space = projected_.space();
    }
    const std::vector<float> queries = projected_.whitening().apply(request.queries);
    Request asked = request;
    asked.queries = queries;
    return inner_->search(shorter, asked, stats);
  }

 private:
  std::mutex mutex_;
  Projected projected_;
  std::unique_ptr<Searcher> inner_;
};

using Options = SearchOptions;

const SearcherFamily kFamilies[] = {
    {"whitened", [](const Options& o) { return o.dim.has_value(); },
     [](const Options& o) -> std::unique_ptr<Searcher> {
       // The graph of whitened rows has a file of its own.
       if (o.ann == Options::Ann::kHnsw) return std::make_unique<Whitened>(*o.dim, std::make_unique<GraphSearcher>(*o.dim, o.mode));
       return std::make_unique<Whitened>(*o.dim, std::make_unique<Scanner>(o.mode));
     }},
    {"graph", [](const Options& o) { return o.ann == Options::Ann::kHnsw; },
     [](const Options& o) -> std::unique_ptr<Searcher> { return std::make_unique<GraphSearcher>(0, o.mode); }},
    {"fast", [](const Options& o) { return o.mode == Options::Mode::kFast; },
     [](const Options&) -> std::unique_ptr<Searcher> { return std::make_unique<Scanner>(Options::Mode::kFast); }},
    {"exact", [](const Options&) { return true; },
     [](const Options&) -> std::unique_ptr<Searcher> { return std::make_unique<Scanner>(Options::Mode::kExact); }},
};

const SearcherFamily& family_of(const SearchOptions& options) {
  return *std::ranges::find_if(kFamilies, [&](const SearcherFamily& family) { return family.takes(options); });
}

}  // namespace

std::unique_ptr<Searcher> make_searcher(const SearchOptions& options) { return family_of(options).make(options); }

Searcher& Searchers::chosen_by(const SearchOptions& options) {
  const std::string key = fmt::format("{} {} {} {}", family_of(options).name, options.dim.value_or(0),
                                      static_cast<int>(options.ann), static_cast<int>(options.mode));
  const std::lock_guard guard(mutex_);
  auto& slot = made_[key];
  if (!slot) slot = make_searcher(options);
  return *slot;
}

}  // namespace revisit::retrieval
