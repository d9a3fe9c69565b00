// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// From the values of a torch pickle to named tensors; shared by both torch containers.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "engine/model/containers.h"
#include "engine/model/pickle.h"

namespace revisit::model {

/// A storage as a tensor describes it.
struct StorageId {
  std::string_view key;  // in the pickle; at most limits::kMaxStorageKey bytes
  DType dtype = DType::kF32;
  std::uint64_t count = 0;  // elements
};

/// The storage behind a kStorage value. Throws Error kBadModel (negative count).
StorageId storage_of(const PickleValues& values, ValueId storage, const std::string& file);

struct TorchSource {
  const Pickle& pickle;
  std::span<const std::byte> file_bytes;
  std::shared_ptr<const void> storage;  // keeps file_bytes alive
  std::string file;                     // for error messages
  /// The bytes of a storage, exactly count x dtype of them, or an Error.
  std::function<std::span<const std::byte>(const StorageId&)> find_storage;
};

/// Finds the weight root, flattens it and checks every view against its storage. Fills all but `format`.
Checkpoint build_checkpoint(const TorchSource& source);

/// Throws Error kBadModel unless a storage of `id` has exactly `bytes` bytes.
void check_storage_size(const StorageId& id, std::uint64_t bytes, const std::string& file);

}  // namespace revisit::model
