// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Whole training steps against recorded ones: every gradient of WeiAD + WeiToP, and three steps of SALAD.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "engine/model/containers.h"
#include "engine/model/model_file.h"
#include "revisit/model.h"
#include "training/train/losses.h"
#include "training/train/network.h"
#include "training/train/test_tensors.h"

namespace revisit::train {
namespace {

using revisit::testing::GoldenCase;

std::shared_ptr<const model::LoadedModel> model_of(const GoldenCase& golden) {
  ImportOptions options;
  options.heads = golden.json()["constructor"]["backbone"]["num_heads"].get<int>();
  return model::import_checkpoint(golden.checkpoint(), options, nullptr);
}

/// Compares the gradients of `network` with a recorded file, tensor by tensor.
void expect_gradients(const GoldenCase& golden, const std::string& file, const Network& network) {
  SCOPED_TRACE(file);
  const model::Weights recorded = model::read_checkpoint(golden.folder() / file).weights;
  const auto& tolerances = golden.json()["gradients"][file]["per_tensor"];
  ASSERT_EQ(tolerances.size(), recorded.all().size());
  double worst = 0;  // as a share of the tolerance
  std::size_t compared = 0;
  for (const auto& [name, tensor] : network.tensors()) {
    if (!recorded.contains(name)) {  // frozen, or out of this loss's reach
      EXPECT_TRUE(!tensor.grad().defined() || tensor.grad().abs().max().item<double>() == 0) << name;
    } else {
      ASSERT_TRUE(tensor.grad().defined()) << name;
      const double share =
          testing::distance(tensor.grad(), testing::tensor_of(recorded, name)) / tolerances.at(name)["atol"].get<double>();
      EXPECT_LE(share, 1.0) << name;
      worst = std::max(worst, share);
      ++compared;
    }
  }
  EXPECT_EQ(compared, recorded.all().size());
  ::testing::Test::RecordProperty(file + "_worst_share_of_tolerance", fmt::format("{:.2f}", worst));
}

class WeiadStep {
 public:
  WeiadStep(const GoldenCase& golden, bool teacher_gradient, bool tie_deltas = false)
      : network_(*model_of(golden), [&] {
          NetworkOptions options;
          options.trained_blocks = golden.json()["constructor"]["trainable_blocks_last"];
          options.dropout = 0;
          options.teacher_gradient = teacher_gradient;
          options.tie_deltas = tie_deltas;
          return options;
        }()) {
    pixels_ = testing::pixels_of(testing::floats(golden, "images"));
    labels_ = testing::integers(golden, "labels");
  }

  const Network& network() const { return network_; }
  Forward forward() const { return network_.forward(network_.frozen(pixels_), true); }
  torch::Tensor place_loss(const Forward& out) const { return multi_similarity(out.descriptor, labels_, {}).value; }
  torch::Tensor distilled(const Forward& out) const { return distillation(out.importance, out.scores, {}); }
  const torch::Tensor& labels() const { return labels_; }

 private:
  Network network_;
  torch::Tensor pixels_;
  torch::Tensor labels_;
};

TEST(WeiadGradGolden, DescriptorsImportanceScoresPairsAndLossesAgree) {
  REVISIT_REQUIRE_SHARED("golden/weiad_grad");
  const GoldenCase golden("weiad_grad");
  const WeiadStep step(golden, false);
  const Forward out = step.forward();
  golden.expect_close("descriptors", testing::values_of(out.descriptor));
  golden.expect_close("importance", testing::values_of(out.importance));
  golden.expect_close("student_logits", testing::values_of(out.scores));
  const MinedPairs mined = mine_pairs(torch::matmul(out.descriptor, out.descriptor.t()), step.labels(), 0.1);
  EXPECT_TRUE(torch::equal(testing::pairs_of(mined.positives), testing::integers(golden, "mined_pos")));
  EXPECT_TRUE(torch::equal(testing::pairs_of(mined.negatives), testing::integers(golden, "mined_neg")));
  const torch::Tensor place = step.place_loss(out);
  const torch::Tensor distilled = step.distilled(out);
  golden.expect_close("losses", testing::values_of(torch::stack({place, distilled, place + 0.1 * distilled})));
}

TEST(WeiadGradGolden, EveryGradientAgreesForEachLossAndBothTeachers) {
  REVISIT_REQUIRE_SHARED("golden/weiad_grad");
  const GoldenCase golden("weiad_grad");
  const auto check = [&](const char* file, bool teacher_gradient, double place, double distilled) {
    const WeiadStep step(golden, teacher_gradient);
    const Forward out = step.forward();
    (place * step.place_loss(out) + distilled * step.distilled(out)).backward();
    expect_gradients(golden, file, step.network());
  };
  check("grads_ms.safetensors", false, 1, 0);
  check("grads_distill.safetensors", false, 0, 1);
  check("grads_total.safetensors", false, 1, 0.1);
  check("grads_distill_teachergrad.safetensors", true, 0, 1);
}

TEST(WeiadGradGolden, TiedStepsEachGetTheSumOfTheRecordedGradients) {
  REVISIT_REQUIRE_SHARED("golden/weiad_grad");
  const GoldenCase golden("weiad_grad");
  const WeiadStep step(golden, false, true);
  step.place_loss(step.forward()).backward();
  const model::Weights recorded = model::read_checkpoint(golden.folder() / "grads_ms.safetensors").weights;
  const double sum = testing::tensor_of(recorded, "aggregator.thetaD").sum().item<double>();
  const torch::Tensor gradient = step.network().tensors().at("aggregator.thetaD").grad();
  EXPECT_LE(testing::distance(gradient, torch::full_like(gradient, sum)), 1e-6);
}

TEST(SaladTrainGolden, ThreeStepsOfTheReferenceAreFollowed) {
  REVISIT_REQUIRE_SHARED("golden/salad_train");
  const GoldenCase golden("salad_train");
  const auto& constructor = golden.json()["constructor"];
  NetworkOptions options;
  options.trained_blocks = constructor["num_trainable_blocks"];
  options.dropout = 0;
  const auto start = model_of(golden);
  const Network network(*start, options);
  TrainLoss settings;
  settings.ms_beta = 50;
  const torch::Tensor images = testing::floats(golden, "images");  // (3 steps, 12, 3, H, W)
  const torch::Tensor labels = testing::integers(golden, "labels");
  std::vector<torch::Tensor> learning;
  for (const auto& [name, tensor] : network.tensors()) {
    if (tensor.requires_grad()) learning.push_back(tensor);
  }
  torch::optim::AdamW optimiser(learning, torch::optim::AdamWOptions(constructor["optimizer"]["lr"].get<double>())
                                              .weight_decay(constructor["optimizer"]["weight_decay"].get<double>()));
  std::vector<torch::Tensor> losses;
  for (int step = 0; step < 3; ++step) {
    const Forward out = network.forward(network.frozen(testing::pixels_of(images[step])), true);
    const PlaceLoss loss = multi_similarity(out.descriptor, labels, settings);
    losses.push_back(loss.value.detach());
    optimiser.zero_grad();
    loss.value.backward();
    if (step == 0) {
      golden.expect_close("descriptors_step0", testing::values_of(out.descriptor));
      expect_gradients(golden, "grads_step0.safetensors", network);
    }
    const double lr = golden.json()["values"]["lr_used"][static_cast<std::size_t>(step)];
    static_cast<torch::optim::AdamWOptions&>(optimiser.param_groups()[0].options()).lr(lr);
    optimiser.step();
  }
  golden.expect_close("losses", testing::values_of(torch::stack(losses)));

  // Adam divides by the size of a gradient, so entries whose gradient is rounding noise move at random: compare the whole move.
  const std::set<std::string> without_gradient{"aggregator.dust_bin", "aggregator.score.3.bias"};
  const model::Weights after = model::read_checkpoint(golden.folder() / "after3.safetensors").weights;
  for (const auto& [name, tensor] : network.tensors()) {
    const torch::Tensor before = testing::tensor_of(start->weights, name);
    if (!tensor.requires_grad()) {
      EXPECT_TRUE(torch::equal(tensor.flatten(), before.flatten())) << name;
      continue;
    }
    if (without_gradient.contains(name)) continue;
    const torch::Tensor want = testing::tensor_of(after, name).flatten() - before.flatten();
    const torch::Tensor got = tensor.detach().flatten() - before.flatten();
    EXPECT_LT((got - want).norm().item<double>(), 0.02 * want.norm().item<double>()) << name;
  }
}

}  // namespace
}  // namespace revisit::train
