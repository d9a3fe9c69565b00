// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The baseline by length: the patches with the largest norm stay.
#include "engine/reduce/one_cut.h"

namespace revisit::reduce {
namespace {

class Norm final : public OneCut {
 public:
  explicit Norm(const DescriptorSpec& spec) : OneCut(spec), raw_(*spec.norm_scale == "raw") {}

 private:
  void score(tensor::ConstMatrix patches, std::vector<float>& /*logits*/, std::vector<float>& scores,
             tensor::Arena& /*arena*/) override {
    norm_scores(patches, raw_, scores);
  }

  bool raw_;
};

}  // namespace

const ReducerFamily norm_family{
    [](const DescriptorSpec& spec, const model::LoadedModel& /*model*/) -> std::unique_ptr<TokenReducer> {
      return std::make_unique<Norm>(spec);
    }};

}  // namespace revisit::reduce
