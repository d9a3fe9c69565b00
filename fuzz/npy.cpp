// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Any bytes as the .npy lists of a data set: refused with an Error, or texts and integers that the bytes can hold.
#include "lab/dataset/npy_lists.h"
#include "revisit/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  try {
    revisit::dataset::parse_npy_lists(bytes, "fuzz");
  } catch (const revisit::Error&) {
  }
  try {
    if (revisit::dataset::parse_npy_integers(bytes, "fuzz").size() > size) __builtin_trap();
  } catch (const revisit::Error&) {
  }
  try {
    for (const auto& text : revisit::dataset::parse_npy_texts(bytes, "fuzz")) {
      if (text.size() > size) __builtin_trap();
    }
  } catch (const revisit::Error&) {
  }
  return 0;
}
