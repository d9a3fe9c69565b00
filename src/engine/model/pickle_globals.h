// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Which opcodes and which names a pickle may use. Both are allow-lists.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/model/weights.h"

namespace revisit::model {

/// "BINUNICODE8" for 0x8D, ...; empty for a byte that is not an opcode of pickle protocols 0 to 5.
std::string_view opcode_name(std::uint8_t opcode);

/// Which names are allowed: those of torch checkpoints, or the few that numpy's object arrays need.
enum class PickleRules { kTorch, kNumpy };

enum class GlobalRole {
  kForbidden,  ///< refused wherever it appears
  kOpaque,     ///< becomes a placeholder nothing can be read from; refused as a weight
  kOrderedDict,
  kRebuildTensor,
  kRebuildParameter,
  kStorageType,
  kKept,  ///< a call of it is kept as it is: the name, the arguments, the state
};

/// What `module`.`name` means in a pickle.
GlobalRole role_of_global(std::string_view module, std::string_view name, PickleRules rules = PickleRules::kTorch);

/// The element type of "torch.FloatStorage" and its kin.
std::optional<DType> storage_dtype(std::string_view full_name);

}  // namespace revisit::model
