// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Attention in Highway. Keys and values are packed once into panels of two vectors (NR columns); then every tile of
// kTileRows queries of one head computes its scores, its softmax and its output from a 6 x NR register kernel.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/tensor/attention.cpp"
#include <hwy/foreach_target.h>  // must stand before highway.h
#include <hwy/highway.h>
//
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "core/tensor/attention.h"
#include "core/tensor/kernels.h"
#include "core/tensor/narrow_attention.h"
#include "core/tensor/parallel.h"
#include "core/tensor/register_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace revisit::tensor::HWY_NAMESPACE {

int PanelWidth() { return static_cast<int>(register_columns()); }

// c (rows x panels * NR) = a (rows x depth) * packed (panels x depth x NR). a_stride and c_stride in floats; c rows are
// aligned to a vector. The depth is cut so that a piece of a panel stays in the first-level cache for all rows.
void TileProduct(const float* a, int rows, std::ptrdiff_t a_stride, const float* packed, int panels, int depth, float* c,
                 std::ptrdiff_t c_stride) {
  constexpr int kDepthBlock = 256;
  const std::ptrdiff_t width = register_columns();
  for (int p = 0; p < panels; ++p) {
    for (int first = 0; first < depth; first += kDepthBlock) {
      const int count = HWY_MIN(kDepthBlock, depth - first);
      const float* panel = packed + (static_cast<std::ptrdiff_t>(p) * depth + first) * width;
      panel_product(a + first, rows, a_stride, panel, count, first > 0, c + p * width, c_stride, NoEnding());
    }
  }
}

// x *= weight; returns the sum.
float WeighRow(float* HWY_RESTRICT x, const float* HWY_RESTRICT weight, int count) {
  const D d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  V sums = hn::Zero(d);
  int i = 0;
  for (; i + lanes <= count; i += lanes) {
    const V product = hn::Mul(hn::LoadU(d, x + i), hn::LoadU(d, weight + i));
    hn::StoreU(product, d, x + i);
    sums = hn::Add(sums, product);
  }
  float sum = hn::GetLane(hn::SumOfLanes(d, sums));
  for (; i < count; ++i) sum += x[i] *= weight[i];
  return sum;
}

}  // namespace revisit::tensor::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace revisit::tensor {
namespace {

HWY_EXPORT(PanelWidth);
HWY_EXPORT(TileProduct);
HWY_EXPORT(WeighRow);

constexpr int kTileRows = 24;

// Sizes shared by packing and tiles.
struct Shape {
  int tokens, heads, head_dim, width;  // width: columns of a panel
  int key_panels, value_panels;

  std::ptrdiff_t packed_keys() const { return static_cast<std::ptrdiff_t>(key_panels) * width * head_dim; }    // per head
  std::ptrdiff_t packed_values() const { return static_cast<std::ptrdiff_t>(value_panels) * width * tokens; }  // per head
  int score_cols() const { return key_panels * width; }
  int value_cols() const { return value_panels * width; }
};

// keys: (panel, head_dim, width) with keys as columns; values: (panel, tokens, width) with channels as columns.
// Columns past the end are zero.
void pack_head(ConstMatrix qkv, const Shape& shape, int head, float* keys, float* values) {
  const int dim = shape.heads * shape.head_dim;
  const int w = shape.width;
  for (int p = 0; p < shape.key_panels; ++p) {
    float* panel = keys + static_cast<std::ptrdiff_t>(p) * w * shape.head_dim;
    for (int j = 0; j < w; ++j) {
      const int token = p * w + j;
      const float* key = token < shape.tokens ? qkv.row(token) + dim + head * shape.head_dim : nullptr;
      for (int c = 0; c < shape.head_dim; ++c) panel[c * w + j] = key != nullptr ? key[c] : 0.0F;
    }
  }
  for (int p = 0; p < shape.value_panels; ++p) {
    float* panel = values + static_cast<std::ptrdiff_t>(p) * w * shape.tokens;
    const int cols = std::min(w, shape.head_dim - p * w);
    for (int t = 0; t < shape.tokens; ++t) {
      const float* value = qkv.row(t) + 2 * dim + head * shape.head_dim + p * w;
      std::copy(value, value + cols, panel + static_cast<std::ptrdiff_t>(t) * w);
      std::fill(panel + static_cast<std::ptrdiff_t>(t) * w + cols, panel + static_cast<std::ptrdiff_t>(t + 1) * w, 0.0F);
    }
  }
}

}  // namespace

void attention(ConstMatrix qkv, int heads, Matrix out, Arena& arena, float* cls_row, Precision precision, const float* key_mass) {
  if (precision != Precision::kF32 && is_fast(Precision::kBf16))
    return narrow_attention(*bfloat_kernels().front(), qkv, heads, out, arena, cls_row, key_mass);
  const Arena::Scope scope(arena);
  Shape shape{};
  shape.tokens = qkv.rows;
  shape.heads = heads;
  shape.head_dim = out.cols / heads;
  shape.width = HWY_DYNAMIC_DISPATCH(PanelWidth)();
  shape.key_panels = (shape.tokens + shape.width - 1) / shape.width;
  shape.value_panels = (shape.head_dim + shape.width - 1) / shape.width;

  float* keys = arena.floats(static_cast<std::size_t>(shape.packed_keys() * heads));
  float* values = arena.floats(static_cast<std::size_t>(shape.packed_values() * heads));
  parallel_for(heads, [&](int head) {
    pack_head(qkv, shape, head, keys + head * shape.packed_keys(), values + head * shape.packed_values());
  });

  const int tiles = (shape.tokens + kTileRows - 1) / kTileRows;
  const int workers = threads();
  const std::size_t scores_size = static_cast<std::size_t>(kTileRows) * static_cast<std::size_t>(shape.score_cols());
  const std::size_t output_size = static_cast<std::size_t>(kTileRows) * static_cast<std::size_t>(shape.value_cols());
  const std::size_t worker_size = scores_size + 2 * output_size;
  float* scratch = arena.floats(static_cast<std::size_t>(workers) * worker_size);
  float* cls_rows =
      cls_row != nullptr ? arena.floats(static_cast<std::size_t>(heads) * static_cast<std::size_t>(shape.tokens)) : nullptr;
  const float scale = 1.0F / std::sqrt(static_cast<float>(shape.head_dim));

  parallel_for_worker(heads * tiles, [&](int item, int worker) {
    const int head = item / tiles;
    const int first = item % tiles * kTileRows;
    const int rows = std::min(kTileRows, shape.tokens - first);
    float* scores = scratch + static_cast<std::size_t>(worker) * worker_size;
    float* output = scores + scores_size;
    float* queries = output + output_size;
    float sums[kTileRows];

    for (int r = 0; r < rows; ++r) {  // rows of qkv lie a power of two or so apart and would evict each other from the cache
      const float* query = qkv.row(first + r) + head * shape.head_dim;
      std::copy(query, query + shape.head_dim, queries + static_cast<std::ptrdiff_t>(r) * shape.value_cols());
    }
    HWY_DYNAMIC_DISPATCH(TileProduct)
    (queries, rows, shape.value_cols(), keys + head * shape.packed_keys(), shape.key_panels, shape.head_dim, scores,
     shape.score_cols());
    for (int r = 0; r < rows; ++r) {
      float* row = scores + static_cast<std::ptrdiff_t>(r) * shape.score_cols();
      sums[r] = exp_row(row, shape.tokens, scale);
      if (key_mass != nullptr) sums[r] = HWY_DYNAMIC_DISPATCH(WeighRow)(row, key_mass, shape.tokens);
    }
    if (cls_rows != nullptr && first == 0) {
      for (int t = 0; t < shape.tokens; ++t) cls_rows[static_cast<std::ptrdiff_t>(head) * shape.tokens + t] = scores[t] / sums[0];
    }
    HWY_DYNAMIC_DISPATCH(TileProduct)
    (scores, rows, shape.score_cols(), values + head * shape.packed_values(), shape.value_panels, shape.tokens, output,
     shape.value_cols());
    for (int r = 0; r < rows; ++r) {
      const float* from = output + static_cast<std::ptrdiff_t>(r) * shape.value_cols();
      float* to = out.row(first + r) + head * shape.head_dim;
      const float inverse = 1.0F / sums[r];
      for (int c = 0; c < shape.head_dim; ++c) to[c] = from[c] * inverse;
    }
  });

  if (cls_row != nullptr) {
    for (int t = 0; t < shape.tokens; ++t) {
      float sum = 0;
      for (int head = 0; head < heads; ++head) sum += cls_rows[static_cast<std::ptrdiff_t>(head) * shape.tokens + t];
      cls_row[t] = sum / static_cast<float>(heads);
    }
  }
}

namespace reference {

void attention(ConstMatrix qkv, int heads, Matrix out, float* cls_row, const float* key_mass) {
  const int head_dim = out.cols / heads;
  const int dim = out.cols;
  if (cls_row != nullptr) std::fill(cls_row, cls_row + qkv.rows, 0.0F);
  std::vector<double> weights(static_cast<std::size_t>(qkv.rows));
  for (int head = 0; head < heads; ++head) {
    for (int i = 0; i < qkv.rows; ++i) {
      const float* query = qkv.row(i) + head * head_dim;
      double highest = -INFINITY;
      for (int j = 0; j < qkv.rows; ++j) {
        const float* key = qkv.row(j) + dim + head * head_dim;
        double dot = 0;
        for (int c = 0; c < head_dim; ++c) dot += static_cast<double>(query[c]) * static_cast<double>(key[c]);
        weights[static_cast<std::size_t>(j)] = dot / std::sqrt(static_cast<double>(head_dim));
        if (key_mass != nullptr) weights[static_cast<std::size_t>(j)] += std::log(static_cast<double>(key_mass[j]));
        highest = std::max(highest, weights[static_cast<std::size_t>(j)]);
      }
      double sum = 0;
      for (double& w : weights) sum += w = std::exp(w - highest);
      for (int c = 0; c < head_dim; ++c) {
        double mixed = 0;
        for (int j = 0; j < qkv.rows; ++j) {
          mixed += weights[static_cast<std::size_t>(j)] / sum * static_cast<double>(qkv.row(j)[2 * dim + head * head_dim + c]);
        }
        out.row(i)[head * head_dim + c] = static_cast<float>(mixed);
      }
      if (cls_row != nullptr && i == 0) {
        for (int j = 0; j < qkv.rows; ++j) cls_row[j] += static_cast<float>(weights[static_cast<std::size_t>(j)] / sum / heads);
      }
    }
  }
}

}  // namespace reference
}  // namespace revisit::tensor
#endif  // HWY_ONCE
