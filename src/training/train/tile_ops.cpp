// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Linear: dx = dy W, dW = dy^T x. Attention with shares P = softmax(S), S = s q k^T, s = 1 / sqrt(head size):
// dv = P^T do, dP = do v^T, dS = P (dP - sum P dP), dq = s dS k, dk = s dS^T q.
// With keys that count w times: P = E w, E = exp(S) / sum(exp(S) w), dw = sum over rows of E (dP - sum P dP).
#include "training/train/tile_ops.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/tensor/kernels.h"
#include "core/tensor/parallel.h"
#include "core/tensor/tiles.h"

namespace revisit::train {
namespace {

using tensor::TileOperand;
using tensor::TileScratch;
using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;

thread_local bool tile_products = false;

int narrow(std::int64_t count) { return static_cast<int>(count); }

TileOperand as_is(const torch::Tensor& x) { return {x.data_ptr<float>(), x.stride(-2), false}; }
TileOperand turned(const torch::Tensor& x) { return {x.data_ptr<float>(), x.stride(-2), true}; }

/// Rows of x as one matrix, close together.
torch::Tensor as_rows(const torch::Tensor& x) { return x.reshape({-1, x.size(-1)}).contiguous(); }

struct Linear : Function<Linear> {
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& x, const torch::Tensor& weight,
                               const torch::Tensor& bias) {
    const torch::Tensor rows = as_rows(x), matrix = weight.contiguous();
    auto shape = x.sizes().vec();
    shape.back() = matrix.size(0);
    torch::Tensor y = torch::empty({rows.size(0), matrix.size(0)}, rows.options());
    tensor::tile_product(narrow(y.size(0)), narrow(y.size(1)), narrow(rows.size(1)), as_is(rows), turned(matrix),
                         y.data_ptr<float>(), y.stride(0));
    y.add_(bias);
    context->save_for_backward({rows, matrix});
    context->saved_data["shape"] = x.sizes().vec();
    return y.reshape(shape);
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const torch::Tensor &x = saved[0], &weight = saved[1];
    const torch::Tensor dy = as_rows(gradients[0]);
    const int rows = narrow(x.size(0)), in = narrow(x.size(1)), out = narrow(weight.size(0));
    torch::Tensor dx, dw, db;
    if (context->needs_input_grad(0)) {
      dx = torch::empty_like(x);
      tensor::tile_product(rows, in, out, as_is(dy), as_is(weight), dx.data_ptr<float>(), in);
      dx = dx.reshape(context->saved_data["shape"].toIntVector());
    }
    if (context->needs_input_grad(1)) {
      dw = torch::empty_like(weight);
      tensor::tile_product(out, in, rows, turned(dy), as_is(x), dw.data_ptr<float>(), in);
    }
    if (context->needs_input_grad(2)) db = dy.sum(0);
    return {dx, dw, db};
  }
};

/// Where one head of one picture lies in a (B, T, parts * D) tensor.
struct HeadOf {
  float* data;
  std::ptrdiff_t stride;
  TileOperand as_is() const { return {data, stride, false}; }
  TileOperand turned() const { return {data, stride, true}; }
};

struct Heads {
  int pictures, tokens, heads, size;
  std::int64_t width() const { return std::int64_t{heads} * size; }
  int count() const { return pictures * heads; }
  /// `part` of `parts`: q, k or v of three, or the only one.
  HeadOf at(const torch::Tensor& x, int index, int part, int parts) const {
    const std::int64_t picture = index / heads, head = index % heads;
    float* data = x.data_ptr<float>() + picture * tokens * parts * width() + part * width() + head * size;
    return {data, static_cast<std::ptrdiff_t>(parts * width())};
  }
  float scale() const { return 1.0F / std::sqrt(static_cast<float>(size)); }
};

/// run(index, worker, scratch) for every head of every picture.
template <typename Run>
void for_heads(const Heads& heads, const Run& run) {
  std::vector<TileScratch> scratch(static_cast<std::size_t>(tensor::threads()));
  const int most = std::max(heads.tokens, heads.size);
  for (auto& one : scratch) one.reserve(most, most);
  tensor::parallel_for_worker(heads.count(),
                              [&](int i, int worker) { run(i, worker, scratch[static_cast<std::size_t>(worker)]); });
}

/// Row r of the scores becomes E, and w E where somebody wants it.
void weigh_row(float* e, float* p, int r, int tokens, const float* w, bool sees_itself, float scale) {
  tensor::exp_row(e, tokens, scale);
  double sum = 0;
  for (int j = 0; j < tokens; ++j) {
    p[j] = (sees_itself && j == r ? 1.0F : w[j]) * e[j];
    sum += static_cast<double>(p[j]);
  }
  const double slack = sees_itself ? kPolicySlack : 0;
  const auto share = static_cast<float>(1 / (sum + slack));
  const auto rest = static_cast<float>(slack / tokens / (sum + slack));
  for (int j = 0; j < tokens; ++j) {
    e[j] *= share;
    p[j] = p[j] * share + rest;
  }
}

struct Attention : Function<Attention> {
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& given, std::int64_t head_count,
                               const c10::optional<torch::Tensor>& given_weights, bool sees_itself) {
    const torch::Tensor qkv = given.contiguous();
    const torch::Tensor weights = given_weights ? given_weights->detach().contiguous() : torch::Tensor();
    const Heads heads{narrow(qkv.size(0)), narrow(qkv.size(1)), narrow(head_count), narrow(qkv.size(2) / 3 / head_count)};
    const int tokens = heads.tokens;
    torch::Tensor shares = torch::empty({heads.count(), tokens, tokens}, qkv.options());  // P, or E where keys have weights
    torch::Tensor out = torch::empty({heads.pictures, tokens, heads.width()}, qkv.options());
    const torch::Tensor room = torch::empty({weights.defined() ? tensor::threads() : 0, tokens, tokens}, qkv.options());
    float* all = shares.data_ptr<float>();
    for_heads(heads, [&](int i, int worker, TileScratch& scratch) {
      const HeadOf q = heads.at(qkv, i, 0, 3), k = heads.at(qkv, i, 1, 3), v = heads.at(qkv, i, 2, 3), o = heads.at(out, i, 0, 1);
      float* p = all + std::int64_t{i} * tokens * tokens;
      tensor::tile_product_here(tokens, tokens, heads.size, q.as_is(), k.turned(), p, tokens, scratch);
      if (weights.defined()) {
        float* weighed = room.data_ptr<float>() + std::int64_t{worker} * tokens * tokens;
        const float* w = weights.data_ptr<float>() + std::int64_t{i / heads.heads} * tokens;
        for (int r = 0; r < tokens; ++r) {
          const std::ptrdiff_t row = std::ptrdiff_t{r} * tokens;
          weigh_row(p + row, weighed + row, r, tokens, w, sees_itself, heads.scale());
        }
        p = weighed;
      } else {
        for (int r = 0; r < tokens; ++r) tensor::softmax_row(p + std::ptrdiff_t{r} * tokens, tokens, heads.scale());
      }
      tensor::tile_product_here(tokens, heads.size, tokens, {p, tokens, false}, v.as_is(), o.data, o.stride, scratch);
    });
    context->save_for_backward({qkv, shares, weights});
    context->saved_data["heads"] = head_count;
    context->saved_data["itself"] = sees_itself;
    return out;
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const torch::Tensor &qkv = saved[0], &shares = saved[1], &weights = saved[2];
    const torch::Tensor dout = gradients[0].contiguous();
    const std::int64_t head_count = context->saved_data["heads"].toInt();
    const bool sees_itself = context->saved_data["itself"].toBool();
    const Heads heads{narrow(qkv.size(0)), narrow(qkv.size(1)), narrow(head_count), narrow(qkv.size(2) / 3 / head_count)};
    const int tokens = heads.tokens, size = heads.size;
    torch::Tensor dqkv = torch::empty_like(qkv);
    const torch::Tensor room = torch::empty({tensor::threads(), tokens, tokens}, qkv.options());
    const torch::Tensor more = torch::empty({weights.defined() ? tensor::threads() : 0, tokens, tokens}, qkv.options());
    const bool weights_learn = weights.defined() && context->needs_input_grad(1);
    const torch::Tensor dweights = torch::zeros({weights_learn ? heads.count() : 0, tokens}, qkv.options());
    float* all = shares.data_ptr<float>();
    for_heads(heads, [&](int i, int worker, TileScratch& scratch) {
      const HeadOf q = heads.at(qkv, i, 0, 3), k = heads.at(qkv, i, 1, 3), v = heads.at(qkv, i, 2, 3);
      const HeadOf dq = heads.at(dqkv, i, 0, 3), dk = heads.at(dqkv, i, 1, 3), dv = heads.at(dqkv, i, 2, 3);
      const HeadOf d = heads.at(dout, i, 0, 1);
      const std::int64_t square = std::int64_t{tokens} * tokens;
      float* p = all + i * square;
      float* ds = room.data_ptr<float>() + worker * square;
      if (weights.defined()) {
        const float* e = p;
        const float* w = weights.data_ptr<float>() + std::int64_t{i / heads.heads} * tokens;
        p = more.data_ptr<float>() + worker * square;
        for (std::int64_t r = 0; r < tokens; ++r) {
          for (int j = 0; j < tokens; ++j) p[r * tokens + j] = (sees_itself && j == r ? 1.0F : w[j]) * e[r * tokens + j];
        }
      }
      tensor::tile_product_here(tokens, size, tokens, {p, tokens, true}, d.as_is(), dv.data, dv.stride, scratch);
      tensor::tile_product_here(tokens, tokens, size, d.as_is(), v.turned(), ds, tokens, scratch);
      if (weights_learn) add_weight_gradient(all + i * square, p, ds, tokens, sees_itself, dweights[i].data_ptr<float>());
      for (int r = 0; r < tokens; ++r) {
        const std::ptrdiff_t row = std::ptrdiff_t{r} * tokens;
        tensor::softmax_row_gradient(p + row, ds + row, tokens, heads.scale());
      }
      tensor::tile_product_here(tokens, size, tokens, {ds, tokens, false}, k.as_is(), dq.data, dq.stride, scratch);
      tensor::tile_product_here(tokens, size, tokens, {ds, tokens, true}, q.as_is(), dk.data, dk.stride, scratch);
    });
    torch::Tensor of_weights;
    if (weights_learn) of_weights = dweights.reshape({heads.pictures, heads.heads, tokens}).sum(1);
    return {dqkv, torch::Tensor(), of_weights, torch::Tensor()};
  }

  /// One head: dw_j += sum over rows r of E_rj (dP_rj - sum P_r dP_r).
  static void add_weight_gradient(const float* e, const float* p, const float* dp, int tokens, bool sees_itself, float* dw) {
    for (int r = 0; r < tokens; ++r, e += tokens, p += tokens, dp += tokens) {
      float mean = 0;
      for (int j = 0; j < tokens; ++j) mean += p[j] * dp[j];
      for (int j = 0; j < tokens; ++j) {
        if (!(sees_itself && j == r)) dw[j] += e[j] * (dp[j] - mean);
      }
    }
  }
};

constexpr int kTogether = 16'384;  // values per task of a thread

/// run(first, count) over all of `count` values.
template <typename Run>
void in_pieces(std::int64_t count, const Run& run) {
  tensor::parallel_for(narrow((count + kTogether - 1) / kTogether), [&](int i) {
    const std::int64_t first = std::int64_t{i} * kTogether;
    run(first, narrow(std::min<std::int64_t>(kTogether, count - first)));
  });
}

struct Gelu : Function<Gelu> {
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& given) {
    const torch::Tensor x = given.contiguous();
    torch::Tensor y = torch::empty_like(x);
    in_pieces(x.numel(), [&, from = x.data_ptr<float>(), to = y.data_ptr<float>()](std::int64_t first, int count) {
      tensor::gelu(from + first, count, to + first);
    });
    context->save_for_backward({x});
    return y;
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const torch::Tensor x = context->get_saved_variables()[0];
    const torch::Tensor dy = gradients[0].contiguous();
    torch::Tensor dx = torch::empty_like(x);
    in_pieces(x.numel(),
              [&, of = x.data_ptr<float>(), from = dy.data_ptr<float>(), to = dx.data_ptr<float>()](
                  std::int64_t first, int count) { tensor::gelu_gradient(of + first, from + first, count, to + first); });
    return {dx};
  }
};

}  // namespace

TileProducts::TileProducts(bool on) : before_(tile_products) { tile_products = on; }
TileProducts::~TileProducts() { tile_products = before_; }
bool TileProducts::on() { return tile_products; }

torch::Tensor tile_linear(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias) {
  return Linear::apply(x, weight, bias);
}

torch::Tensor tile_attention(const torch::Tensor& qkv, std::int64_t heads, const torch::Tensor& weights, bool sees_itself) {
  // To autograd an undefined tensor is no tensor at all.
  const c10::optional<torch::Tensor> given = weights.defined() ? c10::make_optional(weights) : c10::nullopt;
  return Attention::apply(qkv, heads, given, sees_itself);
}

torch::Tensor fast_gelu(const torch::Tensor& x) { return Gelu::apply(x); }

torch::Tensor batched_product(const torch::Tensor& a, const torch::Tensor& b) {
  if (!tile_products) return torch::matmul(a, b);
  // A transposed view is kept: the kernel reads both.
  const auto operand = [](const torch::Tensor& x) { return x.stride(-1) == 1 ? as_is(x) : turned(x.transpose(-2, -1)); };
  torch::Tensor out = torch::empty({a.size(0), a.size(1), b.size(2)}, a.options());
  for (std::int64_t i = 0; i < a.size(0); ++i) {
    const auto dense = [](const torch::Tensor& x) { return x.stride(-1) == 1 || x.stride(-2) == 1 ? x : x.contiguous(); };
    const torch::Tensor left = dense(a[i]), right = dense(b[i]), to = out[i];
    tensor::tile_product(narrow(to.size(0)), narrow(to.size(1)), narrow(left.size(1)), operand(left), operand(right),
                         to.data_ptr<float>(), to.stride(0));
  }
  return out;
}

}  // namespace revisit::train
