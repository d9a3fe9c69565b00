// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// A VGG network: stages of 3x3 convolutions with pooling between them, each stage a block of the Backbone. Behind the last
// convolution there is no ReLU.
#include <string>
#include <vector>

#include "core/tensor/convolution.h"
#include "engine/backbone/backbone.h"
#include "engine/backbone/conv/layers.h"
#include "engine/model/backbone_family.h"

namespace revisit::conv {
namespace {

constexpr tensor::Window kVggWindow{3, 1, 1};
constexpr tensor::Window kVggPool{2, 2, 0};

class Vgg final : public backbone::Backbone {
 public:
  // The first convolution has three inputs, which is nothing to round: it stays in f32.
  Vgg(const model::LoadedModel& model, tensor::Precision precision) {
    const model::VggConfig& vgg = model.config.backbone.vgg();
    const int count = static_cast<int>(vgg.stages.size());
    int in = 3;
    for (int s = 0; s < count; ++s) {
      const std::vector<int>& channels = vgg.stages[static_cast<std::size_t>(s)];
      auto& layers = stages_.emplace_back();
      for (int i = 0; i < static_cast<int>(channels.size()); ++i) {
        const bool is_last = s + 1 == count && i + 1 == static_cast<int>(channels.size());
        const std::string name = std::string(model::kBackboneRoot) + "features." + std::to_string(features_index(vgg, s, i));
        const int out = channels[static_cast<std::size_t>(i)];
        layers.push_back(load_convolution(model.weights, name, in, out, kVggWindow,
                                          is_last ? tensor::Linear::After::kNothing : tensor::Linear::After::kRelu,
                                          s + i == 0 ? tensor::Precision::kF32 : precision));
        in = out;
      }
    }
  }

  int blocks() const override { return static_cast<int>(stages_.size()); }

  tensor::Features embed(const float* pixels, Size size, tensor::Arena& arena) const override {
    return tensor::to_cells(pixels, 3, size.height, size.width, arena);
  }

  void run_blocks(tensor::Features& features, int first, int last, tensor::TokenHook* /*hook*/,
                  tensor::Arena& arena) const override {
    for (int s = first; s < last; ++s) {
      const std::vector<tensor::Convolution>& layers = stages_[static_cast<std::size_t>(s)];
      const int rows = s > 0 ? features.map().rows / 2 : features.map().rows;
      const int columns = s > 0 ? features.map().columns / 2 : features.map().columns;
      const tensor::FeatureMap out{arena.matrix(rows * columns, layers.back().out()), rows, columns};
      const tensor::Arena::Scope scope(arena);  // of what lies between: it is large
      tensor::FeatureMap map = s > 0 ? tensor::max_pool(features.map(), kVggPool, arena) : features.map();
      for (const tensor::Convolution& layer : layers) {
        const bool is_last = &layer == &layers.back();
        const tensor::FeatureMap next = is_last ? out : layer.made_for(map, arena);
        layer(map, next, arena);
        map = next;
      }
      features = out;
    }
  }

  void normalise(tensor::Features& /*features*/) const override {}

 private:
  std::vector<std::vector<tensor::Convolution>> stages_;
};

}  // namespace
}  // namespace revisit::conv

namespace revisit::backbone {
std::unique_ptr<Backbone> make_vgg(const model::LoadedModel& model, tensor::Precision precision) {
  return std::make_unique<conv::Vgg>(model, precision);
}
}  // namespace revisit::backbone
