// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Any bytes as a safetensors file: refused with an Error, or read to the last element of every tensor.
#include "engine/model/containers.h"
#include "revisit/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const auto bytes = std::as_bytes(std::span(data, size));
    const revisit::model::Checkpoint checkpoint = revisit::model::parse_safetensors(bytes, nullptr, "fuzz");
    for (const auto& [name, tensor] : checkpoint.weights.all()) {
      const auto values = revisit::model::to_f32(tensor);
      if (static_cast<std::int64_t>(values.size()) != tensor.count()) __builtin_trap();
    }
  } catch (const revisit::Error&) {
    // refused, as it should be; any other exception ends the run
  }
  return 0;
}
