// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The baseline by chance. The draw is new for each picture: the same cells of every picture would be no chance but a coarser grid.
#include <bit>

#include "core/base/random.h"
#include "engine/reduce/one_cut.h"

namespace revisit::reduce {
namespace {

/// A number in [0, 1) that depends on nothing but seed, picture and index.
float hashed_uniform(std::uint64_t seed, std::uint64_t picture, std::uint64_t index) {
  return static_cast<float>(scatter(scatter(seed ^ picture) ^ index) >> 40U) * 0x1p-24F;
}

class Random final : public OneCut {
 public:
  explicit Random(const DescriptorSpec& spec) : OneCut(spec), seed_(*spec.seed) {}

  void see(std::span<const float> pixels) override {
    picture_ = pixels.size();
    for (const float pixel : pixels) picture_ = (picture_ ^ std::bit_cast<std::uint32_t>(pixel)) * 0x9e3779b97f4a7c15ULL;
    picture_ = scatter(picture_);
  }

 private:
  void score(tensor::ConstMatrix patches, std::vector<float>& /*logits*/, std::vector<float>& scores,
             tensor::Arena& /*arena*/) override {
    scores.resize(static_cast<std::size_t>(patches.rows));
    for (std::size_t i = 0; i < scores.size(); ++i) scores[i] = hashed_uniform(seed_, picture_, i);
  }

  std::uint64_t seed_;
  std::uint64_t picture_ = 0;  // a hash of its pixels
};

}  // namespace

const ReducerFamily random_family{
    [](const DescriptorSpec& spec, const model::LoadedModel& /*model*/) -> std::unique_ptr<TokenReducer> {
      return std::make_unique<Random>(spec);
    }};

}  // namespace revisit::reduce
