// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Detects the container by content, never by file name, and never tries a second reader after one refused.
#include <algorithm>
#include <string_view>

#include "core/base/fail.h"
#include "engine/model/containers.h"

namespace revisit::model {

Checkpoint parse_checkpoint(std::span<const std::byte> bytes, std::shared_ptr<const void> storage, const std::string& name) {
  const std::string_view head(reinterpret_cast<const char*>(bytes.data()), std::min<std::size_t>(bytes.size(), 16));
  // A header length is small, so its upper bytes are zero; its lowest byte may well look like the start of a pickle.
  const bool safetensors = head.size() > 8 && head[8] == '{';
  if (safetensors && head.substr(4, 4) == std::string_view("\0\0\0\0", 4))
    return parse_safetensors(bytes, std::move(storage), name);
  if (head.starts_with("PK\x03\x04") || head.starts_with("PK\x05\x06")) return parse_torch_zip(bytes, std::move(storage), name);
  if (head.starts_with('\x80')) return parse_torch_legacy(bytes, std::move(storage), name);
  if (safetensors) return parse_safetensors(bytes, std::move(storage), name);
  fail_with_hint(ErrorCode::kBadModel, "use a safetensors file, or a checkpoint written by torch.save (zip or legacy)",
                 "'{}' ({} bytes) is not a checkpoint of a known format", name, bytes.size());
}

Checkpoint read_checkpoint(const std::filesystem::path& path) {
  const auto file = std::make_shared<const MappedFile>(path);
  return parse_checkpoint(file->bytes(), file, path.string());
}

}  // namespace revisit::model
