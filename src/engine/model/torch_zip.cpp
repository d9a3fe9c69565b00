// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// torch.save since 1.6: a zip of stored entries, <folder>/data.pkl with the values and <folder>/data/<key> for each storage.
#include <string_view>

#include "core/base/fail.h"
#include "core/base/limits.h"
#include "engine/model/containers.h"
#include "core/formats/printable.h"
#include "engine/model/torch_tensors.h"
#include "engine/model/zip.h"

namespace revisit::model {
namespace {

constexpr std::string_view kPickleName = "data.pkl";

std::string_view text_of(std::span<const std::byte> bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

// "<folder>/", or nothing when data.pkl lies at the top.
std::string find_folder(const ZipEntries& entries, const std::string& file) {
  const std::string* found = nullptr;
  for (const auto& [name, bytes] : entries) {
    const std::size_t slash = name.find('/');
    const std::string_view inner = slash == std::string::npos ? std::string_view(name) : std::string_view(name).substr(slash + 1);
    if (inner != kPickleName) continue;
    if (found != nullptr)
      fail(ErrorCode::kBadModel, "'{}' has two pickles, '{}' and '{}'", file, printable(*found), printable(name));
    found = &name;
  }
  if (found == nullptr)
    fail(ErrorCode::kBadModel, "'{}' is a zip file without 'data.pkl', so it is not a torch checkpoint", file);
  return found->substr(0, found->size() - kPickleName.size());
}

}  // namespace

Checkpoint parse_torch_zip(std::span<const std::byte> bytes, std::shared_ptr<const void> storage, const std::string& name) {
  const ZipEntries entries = parse_zip(bytes, name);
  const std::string folder = find_folder(entries, name);
  if (entries.contains(folder + "constants.pkl")) {
    fail_with_hint(ErrorCode::kBadModel, "save its state dict instead", "'{}' is a TorchScript program, not a checkpoint", name);
  }
  const auto order = entries.find(folder + "byteorder");
  if (order != entries.end() && text_of(order->second) != "little") {
    fail(ErrorCode::kBadModel, "'{}': the zip entry 'byteorder' says '{}'; only little-endian data is read", name,
         printable(text_of(order->second)));
  }
  const auto data = entries.at(folder + std::string(kPickleName));
  if (data.size() > limits::kMaxPickleBytes) {
    fail(ErrorCode::kLimit, "'{}': the zip entry 'data.pkl' has {} bytes, the limit is {}", name, data.size(),
         limits::kMaxPickleBytes);
  }
  const Pickle pickle = parse_pickle(data, name);
  if (pickle.size != data.size()) {
    fail(ErrorCode::kBadModel, "'{}': the zip entry 'data.pkl' has {} bytes after its STOP", name, data.size() - pickle.size);
  }
  const auto find_storage = [&](const StorageId& id) {
    const auto found = entries.find(fmt::format("{}data/{}", folder, id.key));
    if (found == entries.end()) fail(ErrorCode::kBadModel, "'{}': the storage '{}' is missing", name, printable(id.key));
    check_storage_size(id, found->second.size(), name);
    return found->second;
  };
  Checkpoint out = build_checkpoint({pickle, bytes, std::move(storage), name, find_storage});
  out.format = "torch zip";
  return out;
}

}  // namespace revisit::model
