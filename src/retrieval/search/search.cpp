// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// 1 estimate every row from its codes: key = lower bound of the squared distance (exact) or its middle (fast)
// 2 compare the rows with the least keys in f32
// 3 exact: the k-th best distance so far is a limit; rows whose lower bound is beyond it cannot enter. Continue, least key
//   first, until none is left.
#include "retrieval/search/search.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>

#include "retrieval/files/layout.h"
#include "retrieval/files/quantise.h"
#include "retrieval/search/scan.h"
#include "core/tensor/parallel.h"

namespace revisit::retrieval {
namespace {

constexpr int kRowTile = 32;                        // rows of one task
constexpr int kMaxQueryBlock = 16;                  // queries scanned together
constexpr int kFastRerank = 50;                     // the fast mode's promise
constexpr int kRerankStep = 64;                     // rows compared before the limit is looked at again
constexpr std::size_t kParallelValues = 1U << 20U;  // fewer are compared before a second thread wakes
constexpr std::size_t kKeyBytes = 64U << 20U;       // memory for keys, unless one query needs more

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Results are ordered by the returned distance, then by row. Squared distances that differ by less than this factor may be
// the same number as f32, so the limit is widened by it.
constexpr double kFloatTie = 1 + 3e-7;

// More than f32 differences and sums in double can be off by, relative to the squares that go in.
constexpr double kSquaresRounding = 1e-6;

struct Compared {
  float distance;
  int row;
  double squared;
  bool operator<(const Compared& other) const { return distance != other.distance ? distance < other.distance : row < other.row; }
};

struct Candidate {
  double key;
  int row;
  bool operator<(const Candidate& other) const { return key != other.key ? key < other.key : row < other.row; }
};

/// The best top_k of the rows compared so far.
class Best {
 public:
  Best(const SearchSpace& space, const float* query, double query_squares, int top_k, bool keys_are_bounds)
      : space_(space),
        query_(query),
        query_squares_(query_squares),
        top_k_(static_cast<std::size_t>(top_k)),
        keys_are_bounds_(keys_are_bounds) {}

  void compare(std::span<const Candidate> candidates) {
    const std::size_t before = found_.size();
    found_.resize(before + candidates.size());
    std::atomic<int> damaged = -1;
    const auto compare_one = [&](int i) {
      const Candidate& candidate = candidates[static_cast<std::size_t>(i)];
      const Distance to = distance(query_, row_at(candidate.row), space_.dim);
      if (!agrees_with_codes(candidate, to)) damaged = candidate.row;
      const double squared = std::isnan(to.squared) ? kInfinity : to.squared;  // sorting needs an order
      found_[before + static_cast<std::size_t>(i)] = {static_cast<float>(std::sqrt(squared)), candidate.row, squared};
    };
    const int count = static_cast<int>(candidates.size());
    if (candidates.size() * static_cast<std::size_t>(space_.dim) >= kParallelValues) {
      tensor::parallel_for(count, compare_one);
    } else {
      for (int i = 0; i < count; ++i) compare_one(i);
    }
    if (damaged >= 0) throw CodesDisagree{damaged};
    std::sort(found_.begin(), found_.end());
    if (found_.size() > top_k_) found_.resize(top_k_);
  }

  /// Rows whose squared distance is above it cannot be among the best.
  double limit() const { return found_.size() < top_k_ ? kInfinity : found_.back().squared * kFloatTie; }

  std::vector<Match> matches() const {
    std::vector<Match> out;
    out.reserve(found_.size());
    for (const Compared& one : found_) {
      const float* row = row_at(one.row);
      const double lengths = std::sqrt(query_squares_ * distance(row, row, space_.dim).dot);
      const double cosine = lengths > 0 ? distance(query_, row, space_.dim).dot / lengths : 0;
      out.push_back({one.row, one.distance, static_cast<float>(std::clamp(cosine, -1.0, 1.0))});
    }
    return out;
  }

 private:
  // A row has the length its codes state and is no nearer than they allow. NaN never agrees.
  bool agrees_with_codes(const Candidate& candidate, const Distance& to) const {
    if (candidate.row >= space_.coded) return true;
    CodeRow row;
    std::memcpy(&row, space_.codes + static_cast<std::size_t>(candidate.row) * space_.code_stride, sizeof(row));
    const double row_squares = to.squared + 2 * to.dot - query_squares_;
    const double rounding = kSquaresRounding * (query_squares_ + row.squared_norm);
    return std::abs(row_squares - row.squared_norm) <= rounding && (!keys_are_bounds_ || candidate.key <= to.squared + rounding);
  }

  const float* row_at(int row) const {
    return space_.rows + static_cast<std::size_t>(row) * static_cast<std::size_t>(space_.dim);
  }

  const SearchSpace& space_;
  const float* query_;
  double query_squares_;
  std::size_t top_k_;
  bool keys_are_bounds_;
  std::vector<Compared> found_;
};

/// A block of queries against all rows.
class Scan {
 public:
  Scan(const SearchSpace& space, const float* queries, int count)
      : space_(space),
        queries_(queries),
        count_(count),
        codes_per_query_(static_cast<int>(padded_dim(space.dim))),
        coded_end_(std::max(space.first, std::min(space.end, space.coded))),
        query_codes_(static_cast<std::size_t>(count) * static_cast<std::size_t>(codes_per_query_)),
        keys_(static_cast<std::size_t>(count) * static_cast<std::size_t>(coded_end_ - space.first), kInfinity) {
    for (int j = 0; j < count; ++j) {
      const auto codes = std::span(query_codes_)
                             .subspan(static_cast<std::size_t>(j) * static_cast<std::size_t>(codes_per_query_),
                                      static_cast<std::size_t>(codes_per_query_));
      prepared_.push_back(quantise_query({query(j), static_cast<std::size_t>(space.dim)}, codes));
    }
  }

  const float* query(int j) const { return queries_ + static_cast<std::size_t>(j) * static_cast<std::size_t>(space_.dim); }
  double squared_norm(int j) const { return prepared_[static_cast<std::size_t>(j)].squared_norm; }
  int coded_rows() const { return coded_end_ - space_.first; }

  /// The key of row first + i, infinity for rows left out.
  std::span<const double> keys(int j) const {
    const auto rows = static_cast<std::size_t>(coded_rows());
    return std::span(keys_).subspan(static_cast<std::size_t>(j) * rows, rows);
  }

  void run(SearchOptions::Mode mode) {
    const int tiles = (coded_rows() + kRowTile - 1) / kRowTile;
    const auto scan_tile = [&](int tile) {
      const int begin = space_.first + tile * kRowTile;
      const int end = std::min(coded_end_, begin + kRowTile);
      if (space_.wanted == nullptr) {
        rows(begin, end, mode);
        return;
      }
      // Runs of wanted rows: a narrow filter also reads little.
      for (int r = begin; r < end;) {
        int run_end = r;
        while (run_end < end && space_.wanted[run_end] != 0) ++run_end;
        if (run_end > r) rows(r, run_end, mode);
        r = run_end + 1;
      }
    };
    if (static_cast<std::size_t>(coded_rows()) * query_codes_.size() >= kParallelValues) {
      tensor::parallel_for(tiles, scan_tile);
    } else {
      for (int tile = 0; tile < tiles; ++tile) scan_tile(tile);
    }
  }

 private:
  void rows(int begin, int end, SearchOptions::Mode mode) {
    std::int32_t products[kRowTile * kMaxQueryBlock];
    const std::byte* first = space_.codes + static_cast<std::size_t>(begin) * space_.code_stride;
    integer_products(reinterpret_cast<const std::int8_t*>(first) + kCodeRowBytes, space_.code_stride, end - begin,
                     query_codes_.data(), count_, codes_per_query_, products);
    for (int r = begin; r < end; ++r) {
      CodeRow row;
      std::memcpy(&row, space_.codes + static_cast<std::size_t>(r) * space_.code_stride, sizeof(row));
      const double row_norm = std::sqrt(row.squared_norm);
      for (int j = 0; j < count_; ++j) {
        const QueryCodes& q = prepared_[static_cast<std::size_t>(j)];
        const Estimate guess = estimate(q, std::sqrt(q.squared_norm), row, row_norm, products[(r - begin) * count_ + j]);
        double key = mode == SearchOptions::Mode::kExact ? guess.lower : guess.middle;
        if (std::isnan(key)) key = -kInfinity;  // damaged codes: the row is compared rather than lost
        keys_[static_cast<std::size_t>(j) * static_cast<std::size_t>(coded_rows()) + static_cast<std::size_t>(r - space_.first)] =
            key;
      }
    }
  }

  const SearchSpace& space_;
  const float* queries_;
  int count_;
  int codes_per_query_;
  int coded_end_;
  std::vector<std::int16_t> query_codes_;
  std::vector<QueryCodes> prepared_;
  std::vector<double> keys_;
};

/// The `count` least keys, ascending.
std::vector<Candidate> least(std::span<const double> keys, int first_row, std::size_t count) {
  std::vector<Candidate> heap;  // the worst one kept is on top
  heap.reserve(count + 1);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (keys[i] == kInfinity || (heap.size() == count && keys[i] >= heap.front().key)) continue;
    heap.push_back({keys[i], first_row + static_cast<int>(i)});
    std::push_heap(heap.begin(), heap.end());
    if (heap.size() > count) {
      std::pop_heap(heap.begin(), heap.end());
      heap.pop_back();
    }
  }
  std::sort_heap(heap.begin(), heap.end());
  return heap;
}

std::vector<Match> best_of(const SearchSpace& space, const Scan& scan, int j, int top_k, SearchOptions::Mode mode,
                           SearchStats& stats) {
  const bool exact = mode == SearchOptions::Mode::kExact;
  Best best(space, scan.query(j), scan.squared_norm(j), top_k, exact);
  std::vector<Candidate> uncoded;
  for (int r = space.first + scan.coded_rows(); r < space.end; ++r) {
    if (space.wanted == nullptr || space.wanted[r] != 0) uncoded.push_back({0, r});
    if (uncoded.size() == 4096 || (r + 1 == space.end && !uncoded.empty())) {
      stats.rows_reranked += static_cast<std::int64_t>(uncoded.size());
      best.compare(uncoded);
      uncoded.clear();
    }
  }
  const auto start = static_cast<std::size_t>(std::max(top_k, exact ? kRerankStep : kFastRerank));
  const std::vector<Candidate> head = least(scan.keys(j), space.first, start);
  best.compare(head);
  stats.rows_reranked += static_cast<std::int64_t>(head.size());
  if (exact && head.size() == start) {
    std::vector<Candidate> rest;
    const double limit = best.limit();
    const auto keys = scan.keys(j);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const Candidate candidate{keys[i], space.first + static_cast<int>(i)};
      if (candidate.key <= limit && head.back() < candidate && candidate.key != kInfinity) rest.push_back(candidate);
    }
    std::sort(rest.begin(), rest.end());
    for (std::size_t at = 0; at < rest.size() && rest[at].key <= best.limit();) {
      const std::size_t count = std::min<std::size_t>(kRerankStep, rest.size() - at);
      best.compare(std::span(rest).subspan(at, count));
      stats.rows_reranked += static_cast<std::int64_t>(count);
      at += count;
    }
  }
  return best.matches();
}

}  // namespace

std::vector<std::vector<Match>> search(const SearchSpace& space, std::span<const float> queries, int top_k,
                                       SearchOptions::Mode mode, SearchStats& stats) {
  const auto dim = static_cast<std::size_t>(space.dim);
  const int count = static_cast<int>(queries.size() / dim);
  std::vector<std::vector<Match>> out;
  out.reserve(static_cast<std::size_t>(count));
  const auto rows = static_cast<std::size_t>(std::max(1, space.end - space.first));
  const int block = static_cast<int>(std::clamp<std::size_t>(kKeyBytes / (rows * sizeof(double)), 1, kMaxQueryBlock));
  const int coded_end = std::max(space.first, std::min(space.end, space.coded));
  std::int64_t scanned = coded_end - space.first;  // for one query
  if (space.wanted != nullptr) {
    scanned = std::count_if(space.wanted + space.first, space.wanted + coded_end, [](std::uint8_t w) { return w != 0; });
  }
  for (int begin = 0; begin < count; begin += block) {
    const int size = std::min(block, count - begin);
    Scan scan(space, queries.data() + static_cast<std::size_t>(begin) * dim, size);
    scan.run(mode);
    stats.rows_scanned += scanned * size;
    for (int j = 0; j < size; ++j) out.push_back(best_of(space, scan, j, top_k, mode, stats));
  }
  return out;
}

std::vector<Match> rank(const SearchSpace& space, const float* query, std::span<const int> rows, int top_k) {
  std::vector<Candidate> candidates;
  candidates.reserve(rows.size());
  for (const int row : rows) candidates.push_back({0, row});
  Best best(space, query, distance(query, query, space.dim).dot, top_k, false);
  best.compare(candidates);
  return best.matches();
}

}  // namespace revisit::retrieval
