// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Any bytes as a JPEG file: a picture whose every pixel can be read, or an Error.
#include "image_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  revisit::fuzz::decode_both_ways(revisit::decode_jpeg, {data, size});
  return 0;
}
