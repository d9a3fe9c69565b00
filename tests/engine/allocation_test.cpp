// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// After the first image our code takes no memory but the descriptor it returns.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "revisit/extractor.h"

namespace {

std::atomic<bool> counting{false};
std::atomic<int> allocations{0};

}  // namespace

// Not inlined, or the compiler takes malloc and delete for a mismatched pair.
[[gnu::noinline]] void* operator new(std::size_t size) {
  if (counting) ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t /*size*/) noexcept { std::free(memory); }

namespace revisit {
namespace {

TEST(Extractor, AllocatesOnlyTheDescriptorAfterTheFirstImage) {
  struct Case {
    double rho;
    int spread, threads;
    const char* precision;
  };
  for (const auto& [rho, spread, threads, precision] :
       {Case{1.0, 1, 1, "f32"}, {0.5, 1, 1, "f32"}, {0.5, 2, 1, "f32"}, {0.5, 1, 3, "f32"}, {1.0, 1, 2, "int8"}, {0.5, 1, 1, "bf16"}}) {
    DescriptorSpec options;
    options.rho = rho;
    options.spread = spread;
    options.precision = precision;
    Extractor extractor(Model::random("demo"), options, threads);
    const std::vector<float> pixels(3 * 224 * 224, 0.25F);
    extractor.describe_tensor(pixels, {224, 224});
    extractor.describe_tensor(pixels, {224, 224});  // the arena's chunks have become one
    allocations = 0;
    counting = true;
    const auto descriptor = extractor.describe_tensor(pixels, {224, 224});
    counting = false;
    EXPECT_EQ(allocations, 1) << "at rho " << rho << ", spread " << spread << ", " << precision << " on " << threads;
  }
}

}  // namespace
}  // namespace revisit
