// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// A hook around the reducer that measures it and, when a trace is wanted, writes down what passes by.
#pragma once

#include "core/tensor/features.h"
#include "core/tensor/tokens.h"
#include "engine/aggregate/aggregator.h"
#include "engine/reduce/reducer.h"
#include "revisit/extractor.h"

namespace revisit {

class Recorder final : public tensor::TokenHook {
 public:
  /// trace may be null.
  Recorder(reduce::TokenReducer& reducer, Trace* trace);
  ~Recorder() override;
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  Needs needs(int block) const override { return reducer_.needs(block); }
  bool weighs_by_mass(int block) const override { return reducer_.weighs_by_mass(block); }
  void after_attention(int block, tensor::Tokens& tokens, const tensor::AttentionView& attention, tensor::Arena& arena) override;
  void after_block(int blocks_done, tensor::Tokens& tokens, tensor::Arena& arena) override;

  /// Completes the trace from the final-normed features and the head.
  void finish(const tensor::Features& features, aggregate::HeadTrace& head);
  double prune_ms() const { return prune_ms_; }

 private:
  void note_tokens(const tensor::Tokens& tokens);

  reduce::TokenReducer& reducer_;
  Trace* trace_;
  reduce::ReduceTrace reduce_trace_;
  double prune_ms_ = 0;
};

}  // namespace revisit
