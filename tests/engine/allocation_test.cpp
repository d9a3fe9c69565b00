// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// After the first image our code takes no memory but the descriptor it returns.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "revisit/extractor.h"

namespace {

std::atomic<bool> counting{false};
std::atomic<int> allocations{0};

// oneDNN allocates a little for every primitive it runs; that is not ours to change.
bool from_onednn(const void* caller) {
  Dl_info info{};
  return dladdr(caller, &info) != 0 && info.dli_fname != nullptr && std::strstr(info.dli_fname, "libdnnl") != nullptr;
}

}  // namespace

// Not inlined, or the compiler takes malloc and delete for a mismatched pair.
[[gnu::noinline]] void* operator new(std::size_t size) {
  if (counting && !from_onednn(__builtin_return_address(0))) ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t /*size*/) noexcept { std::free(memory); }

namespace revisit {
namespace {

TEST(Extractor, AllocatesOnlyTheDescriptorAfterTheFirstImage) {
  for (const auto& [rho, spread] : {std::pair{1.0, 1}, std::pair{0.5, 1}, std::pair{0.5, 2}}) {
    DescriptorSpec options;
    options.rho = rho;
    options.spread = spread;
    Extractor extractor(Model::random("demo"), options, 1);
    const std::vector<float> pixels(3 * 224 * 224, 0.25F);
    extractor.describe_tensor(pixels, {224, 224});
    extractor.describe_tensor(pixels, {224, 224});  // the arena's chunks have become one
    allocations = 0;
    counting = true;
    const auto descriptor = extractor.describe_tensor(pixels, {224, 224});
    counting = false;
    EXPECT_EQ(allocations, 1) << "at rho " << rho << ", spread " << spread;
  }
}

}  // namespace
}  // namespace revisit
