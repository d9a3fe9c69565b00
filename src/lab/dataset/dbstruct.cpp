// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Checks of a dbStruct.
#include "lab/dataset/dbstruct.h"

#include <cmath>

#include "core/base/fail.h"
#include "core/base/limits.h"
#include "lab/dataset/mat.h"

namespace revisit::dataset {
namespace {

template <typename Fields>
const auto& field(const Fields& fields, const std::string& name, const char* what, const std::string& file) {
  const auto found = fields.find(name);
  if (found == fields.end()) fail(ErrorCode::kBadFile, "'{}': dbStruct has no field '{}' with {}", file, name, what);
  return found->second;
}

// (2, n): column i is east and north of name i.
std::vector<Position> places_of(const MatNumbers& numbers, std::size_t names, const std::string& name, const std::string& file) {
  const auto& shape = numbers.shape;
  if (shape.size() != 2 || shape[0] != 2 || static_cast<std::uint64_t>(shape[1]) != names) {
    fail(ErrorCode::kBadFile, "'{}': dbStruct.{} is {} x {}, not 2 x {}", file, name, shape[0], shape.size() > 1 ? shape[1] : 1,
         names);
  }
  std::vector<Position> out(names);
  for (std::size_t i = 0; i < names; ++i) {
    out[i].east_m = numbers.values[2 * i];
    out[i].north_m = numbers.values[2 * i + 1];
    const bool ok = std::abs(out[i].east_m) <= limits::kMaxPlaneMetres && std::abs(out[i].north_m) <= limits::kMaxPlaneMetres;
    if (!ok) fail(ErrorCode::kBadFile, "'{}': dbStruct.{} has the place ({}, {})", file, name, out[i].east_m, out[i].north_m);
  }
  return out;
}

void check_count(const MatStruct& data, const std::string& name, std::size_t names, const std::string& file) {
  const auto found = data.numbers.find(name);
  if (found == data.numbers.end()) return;
  if (found->second.values.size() != 1 || found->second.values[0] != static_cast<double>(names)) {
    fail(ErrorCode::kBadFile, "'{}': dbStruct.{} is not {}, the number of names", file, name, names);
  }
}

}  // namespace

DbStruct parse_dbstruct(std::span<const std::byte> bytes, const std::string& file) {
  const MatStruct data = parse_mat_struct(bytes, "dbStruct", file);
  DbStruct out;
  if (const auto found = data.texts.find("whichSet"); found != data.texts.end()) out.which_set = found->second;
  out.references = field(data.cells, "dbImage", "names", file);
  out.queries = field(data.cells, "qImage", "names", file);
  out.reference_places = places_of(field(data.numbers, "utmDb", "metres", file), out.references.size(), "utmDb", file);
  out.query_places = places_of(field(data.numbers, "utmQ", "metres", file), out.queries.size(), "utmQ", file);
  check_count(data, "numImages", out.references.size(), file);
  check_count(data, "numQueries", out.queries.size(), file);
  if (const auto found = data.numbers.find("posDistThr"); found != data.numbers.end()) {
    const auto& values = found->second.values;
    if (values.size() != 1 || !(values[0] >= 0) || values[0] > limits::kMaxPlaneMetres)
      fail(ErrorCode::kBadFile, "'{}': dbStruct.posDistThr is not a distance", file);
    out.threshold_m = values[0];
  }
  return out;
}

}  // namespace revisit::dataset
