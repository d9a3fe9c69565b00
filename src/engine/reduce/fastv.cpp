// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// FastV for vision transformers: after a block the patches stay to which CLS paid most attention in it.
//   score_i = mean over heads of softmax(q_CLS k^T / sqrt d)_i
// The method was made for language models and asks the last token; a ViT's descriptor hangs on CLS.
#include <algorithm>

#include "engine/reduce/one_cut.h"
#include "engine/spec/prune_options.h"

namespace revisit::reduce {
namespace {

constexpr int kSecondBlock = 1;  // "after layer 2"

class Fastv final : public OneCut {
 public:
  Fastv(const DescriptorSpec& spec, double rho, int block) : OneCut(spec, rho, block + 1), block_(block) {}

  Needs needs(int block) const override { return block == block_ && is_asked() ? Needs::kClsRow : Needs::kNothing; }
  void after_attention(int block, tensor::Tokens& tokens, const tensor::AttentionView& attention,
                       tensor::Arena& /*arena*/) override {
    if (block != block_ || attention.cls_row == nullptr) return;
    row_.assign(attention.cls_row + tokens.prefix, attention.cls_row + tokens.prefix + tokens.patches());
  }

 private:
  void score(tensor::ConstMatrix /*patches*/, std::vector<float>& /*logits*/, std::vector<float>& scores,
             tensor::Arena& /*arena*/) override {
    scores = row_;
  }

  int block_;
  std::vector<float> row_;  // (N0) of that block
};

}  // namespace

const ReducerFamily fastv_family{
    .make = [](const DescriptorSpec& spec, const model::LoadedModel& model) -> std::unique_ptr<TokenReducer> {
      PruneOptions options(spec);
      const int depth = model.config.backbone.blocks();
      const double rho = options.number("keep", 0, 1, true).value_or(*spec.rho);
      const int block = options.whole_number("at", 0, depth - 1).value_or(std::min(kSecondBlock, depth - 1));
      options.finish();
      return std::make_unique<Fastv>(spec, rho, block);
    },
    .has_options = true};

}  // namespace revisit::reduce
