// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The dbStruct of Pittsburgh and similar sets: names and metres of references and queries, and the distance that counts as right.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "revisit/geo.h"

namespace revisit::dataset {

struct DbStruct {
  std::string which_set;  ///< "test", "val", ...
  std::vector<std::string> references, queries;
  std::vector<Position> reference_places, query_places;  ///< one for each name, on the plane
  double threshold_m = 25;                               ///< posDistThr
};

/// Throws Error kBadFile for a missing field, counts that disagree or metres off the Earth; and what parse_mat_struct throws.
DbStruct parse_dbstruct(std::span<const std::byte> bytes, const std::string& file);

}  // namespace revisit::dataset
