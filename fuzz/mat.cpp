// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Any bytes as a dbStruct .mat file: refused with an Error, or names with a place each.
#include "lab/dataset/dbstruct.h"
#include "revisit/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const auto found = revisit::dataset::parse_dbstruct(std::as_bytes(std::span(data, size)), "fuzz");
    if (found.references.size() != found.reference_places.size() || found.queries.size() != found.query_places.size())
      __builtin_trap();
    if (!(found.threshold_m >= 0)) __builtin_trap();
  } catch (const revisit::Error&) {
  }
  return 0;
}
