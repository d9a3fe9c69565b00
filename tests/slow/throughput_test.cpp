// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Two extractors with one thread each beside each other against one alone, each thread on a core of its own. Needs two cores that
// do nothing else.
#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <thread>
#include <vector>

#include "core/tensor/parallel.h"
#include "revisit/extractor.h"

namespace revisit {
namespace {

constexpr int kImages = 6;
constexpr int kRounds = 5;

const std::vector<Image>& images() {
  static const std::vector<Image> all = [] {
    std::mt19937 random(1);
    std::vector<Image> out;
    for (int i = 0; i < kImages; ++i) {
      Image& image = out.emplace_back(Image{400, 300, std::vector<std::uint8_t>(360'000)});
      for (auto& value : image.rgb) value = static_cast<std::uint8_t>(random() >> 24);
    }
    return out;
  }();
  return all;
}

std::vector<std::vector<float>> described(Extractor& extractor) {
  std::vector<std::vector<float>> out;
  for (const Image& image : images()) out.push_back(extractor.describe(image));
  return out;
}

/// The calling thread on the n-th core that the process may use: a scheduler may leave two busy threads on one.
void pin(const cpu_set_t& usable, int n) {
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (!CPU_ISSET(core, &usable) || n-- > 0) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    ::pthread_setaffinity_np(::pthread_self(), sizeof(one), &one);
    return;
  }
}

/// How many times the images per second of `first` alone both give together; the best of several rounds each.
double gain(Extractor& first, Extractor& second) {
  using Clock = std::chrono::steady_clock;
  cpu_set_t usable;
  ::sched_getaffinity(0, sizeof(usable), &usable);
  pin(usable, 0);
  const auto want = described(first);
  EXPECT_EQ(described(second), want);
  double alone_s = 1e9, together_s = 1e9;
  for (int round = 0; round < kRounds; ++round) {
    auto start = Clock::now();
    EXPECT_EQ(described(first), want);
    alone_s = std::min(alone_s, std::chrono::duration<double>(Clock::now() - start).count());
    start = Clock::now();
    std::thread other([&] {
      pin(usable, 1);
      EXPECT_EQ(described(second), want);
    });
    EXPECT_EQ(described(first), want);
    other.join();
    together_s = std::min(together_s, std::chrono::duration<double>(Clock::now() - start).count());
  }
  ::pthread_setaffinity_np(::pthread_self(), sizeof(usable), &usable);
  const double out = 2 * alone_s / together_s;
  std::printf("alone %.1f ms per image, two together %.1f ms per image and thread: %.2f times the images per second\n",
              1e3 * alone_s / kImages, 1e3 * together_s / kImages, out);
  return out;
}

class Throughput : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (tensor::usable_cores() < 2) GTEST_SKIP() << "needs two cores";
    spec_.precision = GetParam();
  }

  const Model model_ = Model::random("vits14");
  DescriptorSpec spec_;
};

TEST_P(Throughput, OfTwinsInTwoThreadsIsAtLeast1Point6) {
  Extractor first(model_, spec_, 1);
  Extractor second = first.twin(1);
  EXPECT_GE(gain(first, second), 1.6);
}

TEST_P(Throughput, OfTwoExtractorsThatShareNothingIsAtLeast1Point6) {
  Extractor first(model_, spec_, 1);
  Extractor second(Model::random("vits14"), spec_, 1);
  EXPECT_GE(gain(first, second), 1.6);
}

INSTANTIATE_TEST_SUITE_P(InEachPrecision, Throughput, ::testing::Values("f32", "bf16", "int8"),
                         [](const auto& one) { return std::string(one.param); });

}  // namespace
}  // namespace revisit
