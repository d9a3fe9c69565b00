// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// oneDNN inner_product: one primitive per row and thread count, created on first use.
#include "core/tensor/onednn_product.h"

#include <cstddef>
#include <map>
#include <oneapi/dnnl/dnnl.hpp>
#include <utility>
#include <vector>

#include "core/base/big_buffer.h"
#include "core/base/fail.h"
#include "core/tensor/parallel.h"

namespace revisit::tensor {
namespace {

using dnnl::memory;

dnnl::engine& engine() {
  static dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
  return cpu;
}

dnnl::stream& stream() {
  static dnnl::stream in_order(engine());
  return in_order;
}

memory::desc plain(const memory::dims& dims, memory::format_tag tag) { return {dims, memory::data_type::f32, tag}; }

dnnl::primitive_attr attributes(Linear::After after) {
  dnnl::post_ops ops;
  if (after == Linear::After::kRelu) ops.append_eltwise(1.0F, dnnl::algorithm::eltwise_relu, 0.0F, 0.0F);
  if (after == Linear::After::kGelu) ops.append_eltwise(1.0F, dnnl::algorithm::eltwise_gelu_erf, 0.0F, 0.0F);
  if (after == Linear::After::kAdd) ops.append_sum(1.0F);
  dnnl::primitive_attr attr;
  attr.set_post_ops(ops);
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attr;
}

}  // namespace

struct OnednnProduct::Impl {
  // A primitive for one row count with its arguments laid out once, so that a call allocates nothing.
  struct Plan {
    dnnl::primitive primitive;
    memory source, weights, bias, destination, scratchpad;
    std::size_t scratch_floats = 0;
    std::vector<dnnl_exec_arg_t> arguments;
  };

  int in = 0;
  int out = 0;
  Linear::After after = Linear::After::kNothing;
  const float* weight = nullptr;  // (out, in) as given, or own_weight
  BigBuffer own_weight;           // with out_scale folded in, or in another layout, or just on huge pages
  std::vector<float> bias;
  memory packed;                              // the weights in the layout the first primitive asked for
  std::map<std::pair<int, int>, Plan> plans;  // by (rows, threads): oneDNN divides the work at creation

  Plan make_plan(int rows);
  void pack(const memory::desc& wanted);
};

// Weights go once into the wanted layout and onto huge pages; only small ones that fit as they are stay where they are.
void OnednnProduct::Impl::pack(const memory::desc& wanted) {
  memory given(plain({out, in}, memory::format_tag::oi), engine(), const_cast<float*>(weight));
  const bool stays = own_weight != nullptr || wanted.get_size() < kHugePageBytes;
  if (wanted == given.get_desc() && stays) {
    packed = given;
    return;
  }
  BigBuffer pages = big_buffer((wanted.get_size() + sizeof(float) - 1) / sizeof(float));
  packed = memory(wanted, engine(), pages.get());
  dnnl::reorder(given, packed).execute(stream(), given, packed);
  stream().wait();
  own_weight = std::move(pages);
  weight = own_weight.get();
}

OnednnProduct::Impl::Plan OnednnProduct::Impl::make_plan(int rows) {
  // The first primitive chooses the weights' layout (plain on AVX2, blocked on AVX-512); later row counts keep it.
  const memory::desc weights_wanted = packed ? packed.get_desc() : plain({out, in}, memory::format_tag::any);
  const dnnl::inner_product_forward::desc description(
      dnnl::prop_kind::forward_inference, plain({rows, in}, memory::format_tag::nc), weights_wanted,
      plain({out}, memory::format_tag::x), plain({rows, out}, memory::format_tag::nc));
  const dnnl::inner_product_forward::primitive_desc chosen(description, attributes(after), engine());

  if (!packed) pack(chosen.weights_desc());

  Plan plan;
  plan.primitive = dnnl::inner_product_forward(chosen);
  plan.source = memory(chosen.src_desc(), engine(), nullptr);
  plan.weights = packed;
  plan.bias = memory(chosen.bias_desc(), engine(), bias.data());
  plan.destination = memory(chosen.dst_desc(), engine(), nullptr);
  plan.scratchpad = memory(chosen.scratchpad_desc(), engine(), nullptr);
  plan.scratch_floats = (chosen.scratchpad_desc().get_size() + sizeof(float) - 1) / sizeof(float);
  plan.arguments = {{DNNL_ARG_SRC, plan.source.get()},
                    {DNNL_ARG_WEIGHTS, plan.weights.get()},
                    {DNNL_ARG_BIAS, plan.bias.get()},
                    {DNNL_ARG_DST, plan.destination.get()},
                    {DNNL_ARG_SCRATCHPAD, plan.scratchpad.get()}};
  return plan;
}

bool onednn_keeps_packed_weights() {
  static const bool keeps = [] {
    constexpr int kRows = 512, kIn = 768, kOut = 768;  // a layer of a ViT-B
    const dnnl::inner_product_forward::desc description(
        dnnl::prop_kind::forward_inference, plain({kRows, kIn}, memory::format_tag::nc),
        plain({kOut, kIn}, memory::format_tag::any), plain({kOut}, memory::format_tag::x),
        plain({kRows, kOut}, memory::format_tag::nc));
    const dnnl::inner_product_forward::primitive_desc chosen(description, attributes(Linear::After::kNothing), engine());
    const memory::desc wanted = chosen.weights_desc();
    return wanted != plain({kOut, kIn}, memory::format_tag::oi) && wanted != plain({kOut, kIn}, memory::format_tag::io);
  }();
  return keeps;
}

OnednnProduct::OnednnProduct(const float* weight, const float* bias, int in, int out, Linear::After after, const float* out_scale)
    : impl_(std::make_unique<Impl>()) {
  impl_->in = in;
  impl_->out = out;
  impl_->after = after;
  impl_->weight = weight;
  impl_->bias.assign(static_cast<std::size_t>(out), 0.0F);
  if (bias != nullptr) impl_->bias.assign(bias, bias + out);
  if (out_scale != nullptr) {
    const auto columns = static_cast<std::size_t>(in);
    impl_->own_weight = big_buffer(columns * static_cast<std::size_t>(out));
    float* scaled = impl_->own_weight.get();
    for (std::size_t o = 0; o < static_cast<std::size_t>(out); ++o) {
      for (std::size_t i = 0; i < columns; ++i) scaled[o * columns + i] = weight[o * columns + i] * out_scale[o];
      impl_->bias[o] *= out_scale[o];
    }
    impl_->weight = scaled;
  }
}

OnednnProduct::~OnednnProduct() = default;
OnednnProduct::OnednnProduct(OnednnProduct&&) noexcept = default;
OnednnProduct& OnednnProduct::operator=(OnednnProduct&&) noexcept = default;

int OnednnProduct::in() const { return impl_->in; }
int OnednnProduct::out() const { return impl_->out; }

void OnednnProduct::operator()(ConstMatrix x, Matrix y, Arena& arena) const {
  const std::pair key(x.rows, threads());
  auto found = impl_->plans.find(key);
  if (found == impl_->plans.end()) found = impl_->plans.emplace(key, impl_->make_plan(x.rows)).first;
  Impl::Plan& plan = found->second;

  const Arena::Scope scope(arena);
  plan.source.set_data_handle(const_cast<float*>(x.data));
  plan.destination.set_data_handle(y.data);
  if (plan.scratch_floats > 0) plan.scratchpad.set_data_handle(arena.floats(plan.scratch_floats));
  const auto status = dnnl_primitive_execute(plan.primitive.get(), stream().get(), static_cast<int>(plan.arguments.size()),
                                             plan.arguments.data());
  if (status != dnnl_success) fail(ErrorCode::kInternal, "oneDNN failed with status {}", static_cast<int>(status));
}

}  // namespace revisit::tensor
