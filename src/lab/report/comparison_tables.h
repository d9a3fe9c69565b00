// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The tables of a comparison, and what numbers of others say where they say it.
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "lab/report/table.h"
#include "revisit/lab/compare.h"

namespace revisit::report {

/// Numbers of the data sets that the second mean leaves out.
std::set<std::size_t> left_out_of(const CompareConfig& config);

/// By data set, with what a descriptor costs and means; then the means at every k, where that says more.
std::vector<Table> tables_of(const Comparison& comparison);

/// At its rho number `at`: as stated, else the mean over the data sets when all of them are.
std::optional<double> mean_of_others(const CompareLiterature& others, const CompareConfig& config, int k, std::size_t at,
                                     const std::set<std::size_t>& left_out = {});

}  // namespace revisit::report
