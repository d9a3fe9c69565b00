// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Multi-head self-attention in tiles: the scores of a tile of queries never leave the cache.
#pragma once

#include "core/tensor/arena.h"
#include "core/tensor/linear.h"
#include "core/tensor/matrix.h"

namespace revisit::tensor {

/// qkv is (tokens, 3 * D) = [q | k | v], each D = heads * head size with the heads side by side; out is (tokens, D).
/// out = softmax(q k^T / sqrt(head size)) v per head. cls_row, when not null, receives (tokens): the attention of
/// token 0, averaged over heads. In narrow precisions the products are of bfloat16 numbers where the processor has instructions
/// for them, otherwise f32. key_mass, when not null, is (tokens): a key counts that often, as if log key_mass were added to its
/// scores.
void attention(ConstMatrix qkv, int heads, Matrix out, Arena& arena, float* cls_row = nullptr,
               Precision precision = Precision::kF32, const float* key_mass = nullptr);

namespace reference {
void attention(ConstMatrix qkv, int heads, Matrix out, float* cls_row = nullptr, const float* key_mass = nullptr);
}  // namespace reference

}  // namespace revisit::tensor
