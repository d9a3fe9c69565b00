// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
#include "training/train/tile_ops.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "core/tensor/tiles.h"
#include "engine/model/model_file.h"
#include "training/train/network.h"
#include "training/train/test_networks.h"
#include "training/train/vit_twin.h"

namespace revisit::train {
namespace {

constexpr double kBfloat = 0.02;  // relative to the length of what is compared: factors have eight bits

double difference(const torch::Tensor& a, const torch::Tensor& b) {
  return ((a - b).norm() / b.norm().clamp_min(1e-12)).item<double>();
}

/// Values and gradients of `ours` equal those of `plain` up to rounding.
void expect_alike(const std::function<torch::Tensor(const std::vector<torch::Tensor>&)>& ours,
                  const std::function<torch::Tensor(const std::vector<torch::Tensor>&)>& plain,
                  const std::vector<torch::Tensor>& inputs, double tolerance) {
  const auto run = [&](const auto& function, std::vector<torch::Tensor>& gradients) {
    std::vector<torch::Tensor> leaves;
    for (const auto& input : inputs) leaves.push_back(input.detach().clone().requires_grad_(true));
    const torch::Tensor y = function(leaves);
    torch::manual_seed(3);
    (y * torch::randn_like(y)).sum().backward();
    for (const auto& leaf : leaves) gradients.push_back(leaf.grad());
    return y.detach();
  };
  std::vector<torch::Tensor> got, wanted;
  const torch::Tensor y = run(ours, got), expected = run(plain, wanted);
  EXPECT_LT(difference(y, expected), tolerance);
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_LT(difference(got[i], wanted[i]), tolerance) << "gradient " << i;
}

TEST(TileOps, LinearIsTorchsButForRounding) {
  if (!tensor::bfloat_products_usable()) GTEST_SKIP() << "this processor has no bfloat16 products (AVX-512 BF16 or AMX)";
  torch::manual_seed(1);
  expect_alike([](const auto& x) { return tile_linear(x[0], x[1], x[2]); },
               [](const auto& x) { return torch::linear(x[0], x[1], x[2]); },
               {torch::randn({3, 41, 50}), torch::randn({37, 50}), torch::randn({37})}, kBfloat);
}

/// Gradients as autograd hands them over: of a sum they are one number spread over all, of a transpose their rows lie apart.
TEST(TileOps, LinearTakesGradientsThatLieAnywhereAndGivesOnlyThoseAskedFor) {
  if (!tensor::bfloat_products_usable()) GTEST_SKIP() << "this processor has no bfloat16 products (AVX-512 BF16 or AMX)";
  torch::manual_seed(1);
  const auto weight = torch::randn({37, 50}), bias = torch::randn({37});
  for (const bool summed : {true, false}) {
    const auto run = [&](bool tiles) {
      const auto x = torch::ones({4, 50}).requires_grad_(true);
      const auto y = tiles ? tile_linear(x, weight, bias) : torch::linear(x, weight, bias);
      (summed ? y.sum() : (y.t() * torch::arange(4)).sum()).backward();
      return x.grad();
    };
    EXPECT_LT(difference(run(true), run(false)), kBfloat);
  }
  EXPECT_FALSE(weight.grad().defined());
}

TEST(TileOps, AttentionIsThePlainOneButForRounding) {
  if (!tensor::bfloat_products_usable()) GTEST_SKIP() << "this processor has no bfloat16 products (AVX-512 BF16 or AMX)";
  torch::manual_seed(1);
  const auto plain = [](const std::vector<torch::Tensor>& x) {
    const auto qkv = x[0].reshape({2, 37, 3, 3, 16}).permute({2, 0, 3, 1, 4});
    const auto shares = torch::softmax(torch::matmul(qkv[0], qkv[1].transpose(-2, -1)) / 4.0, -1);
    return torch::matmul(shares, qkv[2]).transpose(1, 2).reshape({2, 37, 48});
  };
  expect_alike([](const auto& x) { return tile_attention(x[0], 3); }, plain, {torch::randn({2, 37, 144})}, kBfloat);
}

/// Keys that count several times, or not at all, with the gradient of how often.
TEST(TileOps, AttentionWithWeightsIsThePlainOneButForRounding) {
  if (!tensor::bfloat_products_usable()) GTEST_SKIP() << "this processor has no bfloat16 products (AVX-512 BF16 or AMX)";
  torch::manual_seed(1);
  const auto often = torch::randint(0, 3, {2, 37}).to(torch::kFloat32);
  often.slice(1, 0, 1).fill_(1);
  for (const bool sees_itself : {false, true}) {
    const auto plain = [&](const std::vector<torch::Tensor>& x) { return attend(x[0], 3, x[1], sees_itself); };
    const auto ours = [&](const std::vector<torch::Tensor>& x) { return tile_attention(x[0], 3, x[1], sees_itself); };
    expect_alike(ours, plain, {torch::randn({2, 37, 144}), often}, kBfloat);
  }
}

TEST(TileOps, GeluIsTorchs) {
  torch::manual_seed(1);
  expect_alike([](const auto& x) { return fast_gelu(x[0]); }, [](const auto& x) { return torch::gelu(x[0]); },
               {4 * torch::randn({7, 2351})}, 1e-6);
}

TEST(TileOps, BatchedProductsReadTransposedViews) {
  if (!tensor::bfloat_products_usable()) GTEST_SKIP() << "this processor has no bfloat16 products (AVX-512 BF16 or AMX)";
  torch::manual_seed(1);
  const auto x = torch::randn({3, 20, 45});
  const auto expected = torch::matmul(x, x.transpose(1, 2));
  EXPECT_EQ(difference(batched_product(x, x.transpose(1, 2)), expected), 0);  // off: torch's own
  const TileProducts products(true);
  const auto got = batched_product(x, x.transpose(1, 2));
  EXPECT_GT(difference(got, expected), 0);
  EXPECT_LT(difference(got, expected), kBfloat);
}

/// The whole twin: embedding, blocks and head.
TEST(TileOps, ANetworkOnTilesGivesNearlyTheSameDescriptors) {
  if (!tensor::bfloat_products_usable()) GTEST_SKIP() << "this processor has no bfloat16 products (AVX-512 BF16 or AMX)";
  const auto model = model::make_random(testing::small_config(), 1);
  const auto pixels = testing::pictures(4, {70, 70}, 1);
  NetworkOptions options;
  options.dropout = 0;
  const auto describe = [&](bool tiles) {
    options.tiles = tiles;
    const Network network(*model, options);
    return network.forward(network.frozen(pixels), true).descriptor.detach();
  };
  const auto plain = describe(false), ours = describe(true);
  EXPECT_GT((plain * ours).sum(1).min().item<double>(), 0.999);
  EXPECT_GT(difference(ours, plain), 0);
}

TEST(TileOps, TheGuardEndsWithItsScope) {
  EXPECT_FALSE(TileProducts::on());
  {
    const TileProducts outer(true);
    EXPECT_TRUE(TileProducts::on());
    const TileProducts inner(false);
    EXPECT_FALSE(TileProducts::on());
  }
  EXPECT_FALSE(TileProducts::on());
}

}  // namespace
}  // namespace revisit::train
