// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// One describer per thread, made when it is first needed.
#include "recognise/ingest/crew.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/tensor/parallel.h"

namespace revisit {
namespace {

constexpr std::uint64_t kPixelBytes = 3;
constexpr std::uint64_t kTwoLargest = 2 * kPixelBytes * 100'000'000;  // as many as one that is described and the next one
constexpr std::uint64_t kUsual = kPixelBytes * 16'000'000;            // a camera's

double now_s() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace

Describer describer_of(Extractor& extractor) {
  const auto by = [](Extractor& one) {
    return [&one](const Image& image, StageTimes& times, LocalFeatures* local) {
      std::vector<float> out = one.describe(image, nullptr, local);
      times = one.last_times();
      return out;
    };
  };
  const auto alone = [&extractor, by] {
    auto twin = std::make_shared<Extractor>(extractor.twin(1));
    return Describer{twin->descriptor_dim(),
                     [twin, describe = by(*twin)](const Image& image, StageTimes& times, LocalFeatures* local) {
                       return describe(image, times, local);
                     }};
  };
  return {extractor.descriptor_dim(), by(extractor), alone,
          extractor.threads() > 0 ? extractor.threads() : tensor::usable_cores()};
}

Crew::Crew(Describer describer, std::size_t photos, int together)
    : describer_(std::move(describer)),
      room_(std::max(kTwoLargest, kUsual * static_cast<std::uint64_t>(describer_.threads))),
      pace_(describer_.alone ? describer_.threads : 1, photos, together) {}

std::unique_ptr<Describer> Crew::take() {
  {
    const std::lock_guard guard(mutex_);
    if (!free_.empty()) {
      auto out = std::move(free_.back());
      free_.pop_back();
      return out;
    }
  }
  return std::make_unique<Describer>(describer_.alone());
}

std::vector<float> Crew::describe_apart(const Image& image, StageTimes& times, LocalFeatures* local) {
  auto describer = take();
  std::vector<float> out = describer->describe(image, times, local);
  pace_.described_apart(now_s());
  const std::lock_guard guard(mutex_);
  free_.push_back(std::move(describer));
  return out;
}

void Crew::described_together() { pace_.described_together(now_s()); }

}  // namespace revisit
