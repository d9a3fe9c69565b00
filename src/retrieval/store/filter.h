// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Which rows a search may return: not replaced ones, and only those whose place and time fit.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "retrieval/search/searcher.h"
#include "retrieval/store/catalogue.h"
#include "revisit/index.h"

namespace revisit::retrieval {

/// Throws Error kUsage naming the option, or the query and the position of a value that is not finite.
void check_search(std::span<const float> queries, int dim, const SearchOptions& options);

bool filters_by_place_or_time(const SearchOptions& options);

/// (rows) 1 where a row is live and fits; empty: every row is wanted. `known` is called only for filters by place or time.
std::vector<std::uint8_t> wanted_rows(const SearchOptions& options, std::span<const PlaceAndTime> known, int rows,
                                      std::span<const std::uint8_t> live);

/// The request that checked options make of a collection of that many rows; `queries` and `wanted` must outlive it.
Request request_for(const SearchOptions& options, std::span<const float> queries, const std::vector<std::uint8_t>& wanted, int rows);

/// (rows) 1 where the row's place and time fit; rows without one do not.
std::vector<std::uint8_t> matching_rows(std::span<const PlaceAndTime> known, int rows, const SearchOptions& options);

}  // namespace revisit::retrieval
