// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The pipeline of the paper on one page: pixels -> tokens -> pruned tokens -> descriptor.
#include "revisit/extractor.h"

#include <any>
#include <cmath>
#include <mutex>
#include <utility>

#include "core/base/fail.h"
#include "core/tensor/arena.h"
#include "core/tensor/kernels.h"
#include "core/tensor/parallel.h"
#include "engine/aggregate/aggregator.h"
#include "engine/extract/front_end.h"
#include "engine/extract/local_features.h"
#include "engine/extract/plan.h"
#include "engine/extract/recorder.h"
#include "engine/extract/resize_planes.h"
#include "engine/model/head_family.h"
#include "engine/reduce/reducer.h"

namespace revisit {
namespace {

constexpr const char* kImportAgain = "import another checkpoint: weights that are not finite or far too large cannot be used";

}  // namespace

struct Extractor::Impl {
  /// Memory of one forward.
  struct Scratch {
    explicit Scratch(const FrontEnd& given) : front(given) {}

    FrontEnd front;
    tensor::Arena arena;
  };

  /// What extractors made from one another share: nearly all of the memory.
  class Network {
   public:
    Network(const model::LoadedModel& model, const Plan& plan)
        : aggregator(aggregate::make_aggregator(model, plan.spec.aggregate)), front_(model, *plan.spec.size, plan.precision) {
      const model::Config& config = model.config;
      if (!config.nonfinite.empty()) {  // a ReLU could hide it from the checks below
        fail_with_hint(ErrorCode::kBadModel, kImportAgain, "the model '{}' holds NaN or infinity in tensor '{}'",
                       config.provenance, config.nonfinite);
      }
    }

    /// The one given back last, warm in the caches, or a new one when all are in use.
    std::unique_ptr<Scratch> take() {
      const std::lock_guard guard(mutex_);
      if (free_.empty()) {
        free_.reserve(++made_);  // so that giving back cannot fail
        return std::make_unique<Scratch>(front_);
      }
      auto out = std::move(free_.back());
      free_.pop_back();
      return out;
    }
    void give_back(std::unique_ptr<Scratch> scratch) {
      const std::lock_guard guard(mutex_);
      free_.push_back(std::move(scratch));
    }

    const std::unique_ptr<const aggregate::Aggregator> aggregator;

   private:
    const FrontEnd front_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<Scratch>> free_;  // guarded by it, like what follows
    std::size_t made_ = 0;
  };

  /// Scratch of the network for as long as one picture is described.
  class Borrowed {
   public:
    explicit Borrowed(Network& network) : network_(network), scratch_(network.take()) {}
    ~Borrowed() { network_.give_back(std::move(scratch_)); }
    Borrowed(const Borrowed&) = delete;
    Borrowed& operator=(const Borrowed&) = delete;
    Scratch* operator->() const { return scratch_.get(); }

   private:
    Network& network_;
    std::unique_ptr<Scratch> scratch_;
  };

  Impl(Model given, const DescriptorSpec& spec, int threads)
      : model(std::move(given)),
        plan(make_plan(model.loaded().config, spec, threads)),
        network(std::make_shared<Network>(model.loaded(), plan)),
        reducer(made_reducer()) {}

  Impl(const Impl& other, const DescriptorSpec& spec, int threads)
      : model(other.model),
        plan(make_plan(model.loaded().config, spec, threads)),
        network(other.network),
        reducer(made_reducer()) {}

  /// The plan's, with what it has to say about pictures of the plan's size.
  std::unique_ptr<reduce::TokenReducer> made_reducer() {
    auto out = reduce::make_reducer(plan.spec, model.loaded());
    const int patches = patches_of(model.loaded().config, *plan.spec.size);
    out->check(patches);
    network->aggregator->check(model.loaded().config.backbone.grid(*plan.spec.size));
    if (auto sentence = out->sentence(patches); !sentence.empty()) plan.notices.push_back(std::move(sentence));
    return out;
  }

  std::vector<float> forward(Borrowed& scratch, const float* pixels, Size size, Trace* trace, LocalFeatures* local);
  void check_finite(tensor::ConstMatrix values, const char* what) const;

  Model model;
  Plan plan;
  std::shared_ptr<Network> network;
  std::unique_ptr<reduce::TokenReducer> reducer;
  StageTimes times;
};

void Extractor::Impl::check_finite(tensor::ConstMatrix values, const char* what) const {
  for (int r = 0; r < values.rows; ++r) {
    if (std::isfinite(tensor::l2_norm(values.row(r), values.cols))) continue;
    fail_with_hint(ErrorCode::kBadModel, kImportAgain, "the model '{}' gave {} that are not finite",
                   model.loaded().config.provenance, what);
  }
}

std::vector<float> Extractor::Impl::forward(Borrowed& scratch, const float* input, Size size, Trace* trace,
                                            LocalFeatures* local) {
  const tensor::Team team(plan.threads);
  const tensor::FlushDenormals flush;
  tensor::Arena& arena = scratch->arena;
  arena.reset();
  const backbone::Backbone& backbone = scratch->front.backbone();
  const aggregate::Aggregator& aggregator = *network->aggregator;
  Recorder recorder(*reducer, trace);  // the hook: reduces, and notes time and tokens on the way
  const Stopwatch watch;

  reducer->check(patches_of(model.loaded().config, size));
  aggregator.check(model.loaded().config.backbone.grid(size));
  reducer->see({input, 3 * static_cast<std::size_t>(size.height) * static_cast<std::size_t>(size.width)});
  tensor::Features features = backbone.embed(input, size, arena);  // tokens (1 + R + N0, D): CLS, registers, patches
  const int patches = features.spatial().rows;
  backbone.run_blocks(features, 0, backbone.blocks(), &recorder, arena);  // (1 + R + K, D) from the pruning layer on
  if (aggregator.wants_final_norm()) backbone.normalise(features);
  check_finite(features.values(), "tokens");  // here already: the heads' ReLU would turn NaN into 0
  times.prune_ms = recorder.prune_ms();
  times.blocks_ms = watch.ms() - times.prune_ms;
  times.kept = features.are_tokens() && patches > 0 ? static_cast<double>(features.spatial().rows) / patches : 1;

  std::vector<float> descriptor(static_cast<std::size_t>(aggregator.dim()));
  aggregate::HeadTrace head_trace;
  const bool looks_inside = trace != nullptr || local != nullptr;
  tensor::Features counted = features;
  if (features.are_tokens() && !reducer->counts_patches()) counted.tokens().mass = {};  // every token once
  aggregator.aggregate(counted, descriptor.data(), arena, looks_inside ? &head_trace : nullptr);
  times.aggregate_ms = watch.ms() - times.blocks_ms - times.prune_ms;

  check_finite({descriptor.data(), 1, aggregator.dim(), aggregator.dim()}, "descriptor values");
  const Stopwatch local_watch;
  if (local != nullptr) *local = local_features(features, head_trace, model.loaded().config.backbone.grid(size));
  times.local_ms = local != nullptr ? local_watch.ms() : 0;
  if (trace != nullptr) recorder.finish(features, head_trace);
  return descriptor;
}

Extractor::Extractor(Model model, const DescriptorSpec& spec, int threads)
    : impl_(std::make_unique<Impl>(std::move(model), spec, threads)) {}
Extractor::Extractor(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Extractor::~Extractor() = default;
Extractor::Extractor(Extractor&&) noexcept = default;
Extractor& Extractor::operator=(Extractor&&) noexcept = default;

Extractor Extractor::with_rho(double rho) const {
  DescriptorSpec spec = impl_->plan.spec;
  spec.rho = rho;
  return Extractor(std::make_unique<Impl>(*impl_, spec, impl_->plan.threads));
}

Extractor Extractor::twin(int threads) const { return Extractor(std::make_unique<Impl>(*impl_, impl_->plan.spec, threads)); }

std::vector<float> Extractor::describe(const Image& image, Trace* trace, LocalFeatures* local) {
  return describe(view_of(image), trace, local);
}

std::vector<float> Extractor::describe(const ImageView& picture, Trace* trace, LocalFeatures* local) {
  const Stopwatch watch;
  Impl::Borrowed scratch(*impl_->network);
  const float* pixels = scratch->front.pixels_of(picture);
  impl_->times.preprocess_ms = watch.ms();
  return impl_->forward(scratch, pixels, scratch->front.size(), trace, local);
}

std::vector<float> Extractor::describe_tensor(std::span<const float> pixels, Size size, Trace* trace, LocalFeatures* local) {
  const model::Config& config = impl_->model.loaded().config;
  const auto fitting = config.head.family().resized_tensor(size, config.backbone.stride());
  check_tensor_size(fitting.value_or(size), config.backbone.stride());
  const auto wanted = 3 * static_cast<std::size_t>(size.height) * static_cast<std::size_t>(size.width);
  if (pixels.size() != wanted) {
    fail(ErrorCode::kUsage, "a tensor of {} values cannot be (3, {}, {}): that takes {}", pixels.size(), size.height, size.width,
         wanted);
  }
  impl_->times.preprocess_ms = 0;
  Impl::Borrowed scratch(*impl_->network);
  if (!fitting || *fitting == size) return impl_->forward(scratch, pixels.data(), size, trace, local);
  const Stopwatch watch;
  const std::vector<float> resized = planes_resized(pixels, size, *fitting);
  impl_->times.preprocess_ms = watch.ms();
  return impl_->forward(scratch, resized.data(), *fitting, trace, local);
}

int Extractor::descriptor_dim() const { return impl_->network->aggregator->dim(); }
int Extractor::local_dim() const {
  const model::Config& config = impl_->model.loaded().config;
  const auto* transport = std::any_cast<model::TransportHead>(&config.head.own);  // these have features of their own
  return transport != nullptr ? transport->cluster_dim : config.backbone.width();
}
Size Extractor::input_size() const { return *impl_->plan.spec.size; }
const Model& Extractor::model() const { return impl_->model; }
const DescriptorSpec& Extractor::spec() const { return impl_->plan.spec; }
int Extractor::threads() const { return impl_->plan.threads; }
StageTimes Extractor::last_times() const { return impl_->times; }
const std::vector<std::string>& Extractor::notices() const { return impl_->plan.notices; }
double Extractor::gmac() const { return forward_gmac(impl_->model.loaded().config, *impl_->reducer, *impl_->plan.spec.size); }

}  // namespace revisit
