// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Any bytes as a pickle: refused with an Error, or built into values that can all be looked at.
#include "engine/model/pickle.h"

#include "revisit/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using revisit::model::ValueKind;
  try {
    const auto pickle = revisit::model::parse_pickle(std::as_bytes(std::span(data, size)), "fuzz");
    const auto& values = pickle.values;
    if (pickle.size > size || pickle.root >= values.size()) __builtin_trap();
    for (revisit::model::ValueId id = 0; id < values.size(); ++id) {
      switch (values.kind(id)) {
        case ValueKind::kText:
        case ValueKind::kBytes:
        case ValueKind::kBigInt:
          if (values.text(id).size() > size) __builtin_trap();
          break;
        case ValueKind::kList:
        case ValueKind::kTuple:
        case ValueKind::kDict:
        case ValueKind::kSet:
          for (const auto item : values.items(id)) {
            if (item >= values.size()) __builtin_trap();
          }
          break;
        case ValueKind::kGlobal:
        case ValueKind::kOpaque:
          if (values.global(id).role == revisit::model::GlobalRole::kForbidden) __builtin_trap();
          break;
        case ValueKind::kStorage:
        case ValueKind::kTensor:
          if (!values.is(values.arguments(id), ValueKind::kTuple)) __builtin_trap();
          break;
        default: break;
      }
    }
  } catch (const revisit::Error&) {
    // refused, as it should be; any other exception ends the run
  }
  return 0;
}
