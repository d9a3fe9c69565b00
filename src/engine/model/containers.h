// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Readers of the files weights come in. They build named tensors and nothing else: no code, no objects.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "core/base/file.h"
#include "engine/model/weights.h"

namespace revisit::model {

/// What a container holds: tensors by their full key (nested dicts joined by '.'), and string metadata (safetensors only).
struct Checkpoint {
  Weights weights;
  std::map<std::string, std::string> metadata;
  std::string format;                      ///< "safetensors", "torch zip", "torch legacy"
  std::string root;                        ///< the key the weights were found under ("state_dict", ...), empty when flat
};

/// Tells the format from the first bytes and reads it. Throws Error kNotFound, kBadModel, kLimit.
Checkpoint read_checkpoint(const std::filesystem::path& path);

/// The same from memory that `storage` keeps alive; `name` is the name of the file in error messages.
Checkpoint parse_checkpoint(std::span<const std::byte> bytes, std::shared_ptr<const void> storage, const std::string& name);
Checkpoint parse_safetensors(std::span<const std::byte> bytes, std::shared_ptr<const void> storage, const std::string& name);
Checkpoint parse_torch_zip(std::span<const std::byte> bytes, std::shared_ptr<const void> storage, const std::string& name);
Checkpoint parse_torch_legacy(std::span<const std::byte> bytes, std::shared_ptr<const void> storage, const std::string& name);

/// Writes tensors (sorted so that the big ones come first and the data starts at a multiple of 64) and metadata, atomically.
void write_safetensors(const std::filesystem::path& path, const Weights& weights, const std::map<std::string, std::string>& metadata);

}  // namespace revisit::model
