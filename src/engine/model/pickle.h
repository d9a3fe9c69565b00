// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// A pickle interpreter that only builds data: it imports nothing, calls nothing, and loads no other file.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "engine/model/pickle_values.h"

namespace revisit::model {

struct Pickle {
  PickleValues values;
  ValueId root = PickleValues::kNoneId;
  std::uint64_t size = 0;  ///< bytes up to and including STOP; more may follow
};

/// Runs the pickle at the start of `bytes`, which must outlive the result. `file` is the name of the file in error messages.
/// Refused: opcodes and globals off the allow-lists (by name), values beyond the limits. Throws Error kBadModel, kLimit.
/// Under the numpy rules calls are kept as values (kCall) for the caller to read.
Pickle parse_pickle(std::span<const std::byte> bytes, const std::string& file, PickleRules rules = PickleRules::kTorch);

}  // namespace revisit::model
