// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Attention whose products are of bfloat16 numbers; the softmax between them is f32.
#pragma once

#include "core/tensor/arena.h"
#include "core/tensor/matrix.h"
#include "core/tensor/narrow_kernels.h"

namespace revisit::tensor {

/// As attention(), on one of bfloat_kernels().
void narrow_attention(const NarrowKernel& kernel, ConstMatrix qkv, int heads, Matrix out, Arena& arena, float* cls_row,
                      const float* key_mass = nullptr);

}  // namespace revisit::tensor
