// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Copies of tokens and scores into a Trace.
#include "engine/extract/recorder.h"

#include <utility>

#include "engine/extract/plan.h"

namespace revisit {
namespace {

Trace::Array array(std::vector<float> values, std::vector<std::int64_t> shape) {
  if (values.empty()) return {};
  return {std::move(shape), std::move(values)};
}

Trace::Array vector_array(std::vector<float> values) {
  const auto size = static_cast<std::int64_t>(values.size());
  return array(std::move(values), {size});
}

Trace::Array matrix_array(tensor::ConstMatrix m) {
  std::vector<float> values;
  values.reserve(static_cast<std::size_t>(m.rows) * static_cast<std::size_t>(m.cols));
  for (int r = 0; r < m.rows; ++r) values.insert(values.end(), m.row(r), m.row(r) + m.cols);
  return array(std::move(values), {m.rows, m.cols});
}

}  // namespace

Recorder::Recorder(reduce::TokenReducer& reducer, Trace* trace) : reducer_(reducer), trace_(trace) {
  reducer_.set_trace(trace != nullptr ? &reduce_trace_ : nullptr);
}

Recorder::~Recorder() { reducer_.set_trace(nullptr); }

void Recorder::after_attention(int block, tensor::Tokens& tokens, const tensor::AttentionView& attention, tensor::Arena& arena) {
  const Stopwatch watch;
  reducer_.after_attention(block, tokens, attention, arena);
  prune_ms_ += watch.ms();
}

void Recorder::after_block(int blocks_done, tensor::Tokens& tokens, tensor::Arena& arena) {
  if (trace_ != nullptr && blocks_done == 1) trace_->tokens_block0 = matrix_array(tokens.values);
  const Stopwatch watch;
  reducer_.after_block(blocks_done, tokens, arena);
  prune_ms_ += watch.ms();
}

void Recorder::note_tokens(const tensor::Tokens& tokens) {
  Trace& out = *trace_;
  out.kept.assign(tokens.kept.begin(), tokens.kept.end());
  out.mass = {};
  out.owner.clear();
  if (tensor::any_merged(tokens)) {
    out.mass = vector_array({tokens.mass.begin(), tokens.mass.end()});
    out.owner.assign(tokens.owner.begin(), tokens.owner.end());
  }
  const float* cls = tokens.cls().data;
  out.cls = vector_array({cls, cls + tokens.values.cols});
}

void Recorder::finish(const tensor::Features& features, aggregate::HeadTrace& head) {
  Trace& out = *trace_;
  out.logits = vector_array(std::move(reduce_trace_.logits));
  out.scores = vector_array(std::move(reduce_trace_.scores));
  if (features.are_tokens()) note_tokens(features.tokens());
  out.patches = matrix_array(features.spatial());
  const auto patches = static_cast<std::int64_t>(features.spatial().rows);
  const auto clusters = static_cast<std::int64_t>(head.transport.size()) / patches;
  out.transport = array(std::move(head.transport), {patches, clusters});
  out.ghost = vector_array(std::move(head.ghost));
  out.alpha = vector_array(std::move(head.alpha));
  out.tier = std::move(head.tier);
  out.tier_weight = vector_array(std::move(head.tier_weight));
  out.importance = vector_array(std::move(head.importance));
}

}  // namespace revisit
