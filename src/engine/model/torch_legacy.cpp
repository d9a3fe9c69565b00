// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// torch.save before 1.6: five pickles (magic number, protocol, system, values, storage keys), then each storage as a 64-bit count
// of elements and the elements.
#include <unordered_map>
#include <vector>

#include "core/base/byte_reader.h"
#include "core/base/checked.h"
#include "core/base/salted_hash.h"
#include "core/base/stop_scope.h"
#include "core/formats/printable.h"
#include "engine/model/containers.h"
#include "engine/model/torch_tensors.h"

namespace revisit::model {
namespace {

constexpr std::string_view kMagic("\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19", 10);  // little-endian, as LONG1 stores it
constexpr std::int64_t kProtocol = 1001;

Pickle next_pickle(ByteReader& reader, std::span<const std::byte> bytes) {
  Pickle pickle = parse_pickle(bytes.subspan(reader.position()), reader.file());
  reader.take(pickle.size, "a pickle");
  return pickle;
}

void check_system(const Pickle& system, const std::string& file) {
  const PickleValues& values = system.values;
  if (!values.is(system.root, ValueKind::kDict))
    fail(ErrorCode::kBadModel, "'{}': the description of the system is not a dictionary", file);
  const auto items = values.items(system.root);
  for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
    const bool order = values.is(items[i], ValueKind::kText) && values.text(items[i]) == "little_endian";
    if (order && items[i + 1] != PickleValues::kTrueId) {
      fail(ErrorCode::kBadModel, "'{}': little_endian is not true; only little-endian data is read", file);
    }
  }
}

// Keys lie in the pickles.
using DescribedStorages = std::unordered_map<std::string_view, StorageId, SaltedHash, std::equal_to<>>;
using StorageBytes = std::unordered_map<std::string_view, std::span<const std::byte>, SaltedHash, std::equal_to<>>;

// Every storage the values refer to. Two descriptions of one storage must agree: its size in the file depends on them. One tuple
// describes it for all tensors that share it, so each tuple is checked once.
DescribedStorages described_storages(const Pickle& pickle, const std::string& file) {
  DescribedStorages out;
  std::vector<bool> seen(pickle.values.size());  // tuples
  StopTicker ticker;
  for (ValueId value = 0; value < pickle.values.size(); ++value) {
    ticker.step();
    if (!pickle.values.is(value, ValueKind::kStorage) || seen[pickle.values.arguments(value)]) continue;
    seen[pickle.values.arguments(value)] = true;
    const StorageId id = storage_of(pickle.values, value, file);
    ticker.step(id.key.size());
    const auto [known, added] = out.emplace(id.key, id);
    if (!added && (known->second.dtype != id.dtype || known->second.count != id.count)) {
      fail(ErrorCode::kBadModel, "'{}': the storage '{}' is described as {} x {} and as {} x {}", file, printable(id.key),
           known->second.count, name_of(known->second.dtype), id.count, name_of(id.dtype));
    }
  }
  return out;
}

StorageBytes read_storages(ByteReader& reader, const Pickle& keys, const DescribedStorages& described) {
  const std::string& file = reader.file();
  const PickleValues& values = keys.values;
  if (!values.is(keys.root, ValueKind::kList)) fail(ErrorCode::kBadModel, "'{}': the storage keys are not a list", file);
  StorageBytes out;
  StopTicker ticker;
  for (const ValueId item : values.items(keys.root)) {
    if (!values.is(item, ValueKind::kText)) fail(ErrorCode::kBadModel, "'{}': a storage key is not text", file);
    const std::string_view key = values.text(item);
    ticker.step(key.size());
    const auto id = described.find(key);
    if (id == described.end()) {
      fail(ErrorCode::kBadModel, "'{}': the storage '{}' is listed, but no tensor of a known type uses it", file, printable(key));
    }
    const std::uint64_t count = reader.u64("a storage's count");
    if (count != id->second.count) {
      fail(ErrorCode::kBadModel, "'{}': the storage '{}' has {} elements, its tensors expect {}", file, printable(key), count,
           id->second.count);
    }
    const std::uint64_t size =
        checked_mul(count, bytes_of(id->second.dtype), "'" + file + "': the storage '" + printable(key) + "'");
    if (size > reader.remaining()) {
      fail(ErrorCode::kBadModel, "'{}': the storage '{}' needs {} bytes, but only {} are left", file, printable(key), size,
           reader.remaining());
    }
    if (!out.emplace(id->first, reader.take(size, "a storage")).second) {
      fail(ErrorCode::kBadModel, "'{}': the storage key '{}' is listed twice", file, printable(key));
    }
  }
  if (!reader.at_end()) fail(ErrorCode::kBadModel, "'{}' has {} bytes after its last storage", file, reader.remaining());
  return out;
}

}  // namespace

Checkpoint parse_torch_legacy(std::span<const std::byte> bytes, std::shared_ptr<const void> storage, const std::string& name) {
  ByteReader reader(bytes, name, ErrorCode::kBadModel);
  const Pickle magic = next_pickle(reader, bytes);
  if (!magic.values.is(magic.root, ValueKind::kBigInt) || magic.values.text(magic.root) != kMagic) {
    fail(ErrorCode::kBadModel, "'{}' is a pickle without torch's magic number", name);
  }
  const Pickle protocol = next_pickle(reader, bytes);
  if (!protocol.values.is(protocol.root, ValueKind::kInt) || protocol.values.integer(protocol.root) != kProtocol) {
    fail(ErrorCode::kBadModel, "'{}': the protocol is not {}", name, kProtocol);
  }
  check_system(next_pickle(reader, bytes), name);
  const Pickle pickle = next_pickle(reader, bytes);
  const auto described = described_storages(pickle, name);
  const auto storages = read_storages(reader, next_pickle(reader, bytes), described);
  const auto find_storage = [&](const StorageId& id) {
    const auto found = storages.find(id.key);
    if (found == storages.end()) fail(ErrorCode::kBadModel, "'{}': the storage '{}' is missing", name, printable(id.key));
    check_storage_size(id, found->second.size(), name);
    return found->second;
  };
  Checkpoint out = build_checkpoint({pickle, bytes, std::move(storage), name, find_storage});
  out.format = "torch legacy";
  return out;
}

}  // namespace revisit::model
