// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Batch normalisations are folded into their convolutions; a bottleneck's stride is in its 3x3.
#include "engine/backbone/conv/resnet.h"

#include <string>

#include "engine/backbone/conv/layers.h"
#include "engine/model/backbone_family.h"

namespace revisit::conv {
namespace {

using After = tensor::Linear::After;
using tensor::Window;

constexpr Window kStem{7, 2, 3};
constexpr Window kStemPool{3, 2, 1};

Window square(int side, int stride) { return {side, stride, side / 2}; }

}  // namespace

// The stem has three inputs, which is nothing to round: it stays in f32.
Resnet::Resnet(const model::LoadedModel& model, tensor::Precision precision)
    : stem_(load_normalised(model.weights, std::string(model::kBackboneRoot) + "conv1", std::string(model::kBackboneRoot) + "bn1",
                            3, model.config.backbone.resnet().stem, kStem, After::kRelu, tensor::Precision::kF32)) {
  const model::ResnetConfig& resnet = model.config.backbone.resnet();
  for (int s = 0; s < static_cast<int>(resnet.stages.size()); ++s) {
    const auto [count, inner, outer] = resnet.stages[static_cast<std::size_t>(s)];
    std::vector<Block>& blocks = stages_.emplace_back();
    for (int b = 0; b < count; ++b) {
      const std::string root = model::kBackboneRoot + ("layer" + std::to_string(s + 1)) + "." + std::to_string(b) + ".";
      const int in = inputs_of(resnet, s, b), stride = s > 0 && b == 0 ? 2 : 1;
      const auto layer = [&](const char* number, int from, int to, const Window& window, After after) {
        return load_normalised(model.weights, root + "conv" + number, root + "bn" + number, from, to, window, after, precision);
      };
      Block& block = blocks.emplace_back();
      if (resnet.bottleneck) {
        block.path.push_back(layer("1", in, inner, square(1, 1), After::kRelu));
        block.path.push_back(layer("2", inner, inner, square(3, stride), After::kRelu));
        block.path.push_back(layer("3", inner, outer, square(1, 1), After::kAddRelu));
      } else {
        block.path.push_back(layer("1", in, inner, square(3, stride), After::kRelu));
        block.path.push_back(layer("2", inner, outer, square(3, 1), After::kAddRelu));
      }
      if (has_shortcut(resnet, s, b)) {
        block.shortcut = load_normalised(model.weights, root + "downsample.0", root + "downsample.1", in, outer,
                                         square(1, stride), After::kNothing, precision);
      }
    }
  }
}

tensor::Features Resnet::embed(const float* pixels, Size size, tensor::Arena& arena) const {
  const tensor::FeatureMap picture = tensor::to_cells(pixels, 3, size.height, size.width, arena);
  const tensor::FeatureMap stem = stem_.made_for(picture, arena);
  stem_(picture, stem, arena);
  return tensor::max_pool(stem, kStemPool, arena);
}

/// Without a shortcut the result takes the place of x.
tensor::FeatureMap Resnet::run(const Block& block, const tensor::FeatureMap& x, tensor::Arena& arena) {
  tensor::FeatureMap y = x;
  if (block.shortcut) {
    y = block.shortcut->made_for(x, arena);
    (*block.shortcut)(x, y, arena);
  }
  const tensor::Arena::Scope scope(arena);
  tensor::FeatureMap between = x;
  for (std::size_t i = 0; i + 1 < block.path.size(); ++i) {
    const tensor::FeatureMap next = block.path[i].made_for(between, arena);
    block.path[i](between, next, arena);
    between = next;
  }
  block.path.back()(between, y, arena);
  return y;
}

void Resnet::run_blocks(tensor::Features& features, int first, int last, tensor::TokenHook* /*hook*/,
                        tensor::Arena& arena) const {
  for (int s = first; s < last; ++s) {
    for (const Block& block : stages_[static_cast<std::size_t>(s)]) features = run(block, features.map(), arena);
  }
}

}  // namespace revisit::conv

namespace revisit::backbone {
std::unique_ptr<Backbone> make_resnet(const model::LoadedModel& model, tensor::Precision precision) {
  return std::make_unique<conv::Resnet>(model, precision);
}
}  // namespace revisit::backbone
