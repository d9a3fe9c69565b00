// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The kinds of stores, in the order in which they are tried for an address.
#include "core/base/fail.h"
#include "retrieval/store/store.h"

namespace revisit::retrieval {
namespace {
constexpr const StoreFamily* kFamilies[] = {&memory_store, &folder_store};
}  // namespace

std::unique_ptr<Store> open_store(const std::string& address, const std::optional<IndexSettings>& settings) {
  for (const StoreFamily* family : kFamilies) {
    if (family->takes(address)) return family->open(address, settings);
  }
  fail(ErrorCode::kUsage, "'{}' is not the address of a collection", address);
}

}  // namespace revisit::retrieval
