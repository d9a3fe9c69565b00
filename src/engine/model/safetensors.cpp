// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// safetensors: 8 bytes of header length, a JSON header, then the tensors' bytes without gaps, overlaps or leftovers.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/byte_reader.h"
#include "core/base/checked.h"
#include "core/base/limits.h"
#include "core/base/stop_scope.h"
#include "core/formats/printable.h"
#include "engine/model/containers.h"
#include "engine/model/safetensors_header.h"
#include "engine/model/tensor_bytes.h"
#include "engine/model/utf8.h"

namespace revisit::model {
namespace {

// The product of a shape and its dtype, or Error kLimit naming the tensor.
std::uint64_t described_bytes(const SafetensorsEntry& entry, const std::string& what) {
  if (std::ranges::find(entry.shape, 0) != entry.shape.end()) return 0;
  std::uint64_t bytes = bytes_of(entry.dtype);
  for (const std::int64_t size : entry.shape) bytes = checked_mul(bytes, static_cast<std::uint64_t>(size), what);
  return bytes;
}

// The tensors, in the order of their offsets, must tile [0, data_bytes) exactly.
void check_layout(std::vector<SafetensorsEntry>& entries, std::uint64_t data_bytes, const std::string& file) {
  for (const SafetensorsEntry& entry : entries) {
    const std::string what = fmt::format("'{}': tensor '{}'", file, printable(entry.name));
    if (entry.begin > entry.end) {
      fail(ErrorCode::kBadModel, "{} has reversed offsets [{}, {}]", what, entry.begin, entry.end);
    }
    if (entry.end > data_bytes) {
      fail(ErrorCode::kBadModel, "{} ends at byte {} of only {} bytes of data", what, entry.end, data_bytes);
    }
    const std::uint64_t wanted = described_bytes(entry, what);
    if (entry.end - entry.begin != wanted) {
      const TensorView view{entry.dtype, entry.shape, nullptr};
      fail(ErrorCode::kBadModel, "{} of dtype {} and shape {} needs {} bytes, but its offsets span {}", what,
           name_of(entry.dtype), view.shape_text(), wanted, entry.end - entry.begin);
    }
  }
  std::ranges::sort(entries, [](const auto& a, const auto& b) { return std::pair(a.begin, a.end) < std::pair(b.begin, b.end); });
  std::uint64_t position = 0;
  for (const SafetensorsEntry& entry : entries) {
    if (entry.begin != position) {
      fail(ErrorCode::kBadModel, "'{}': tensor '{}' begins at byte {}, {} the {} bytes before it", file, printable(entry.name),
           entry.begin, entry.begin < position ? "overlapping" : "leaving a hole after", position);
    }
    position = entry.end;
  }
  if (position != data_bytes) {
    fail(ErrorCode::kBadModel, "'{}' has {} bytes after its last tensor '{}'", file, data_bytes - position,
         entries.empty() ? "" : printable(entries.back().name));
  }
}

void write_pieces(AtomicFile& file, std::span<const std::byte> bytes) {
  constexpr std::size_t kPiece = 1U << 22U;  // between two stop checks
  for (; !bytes.empty(); bytes = bytes.subspan(std::min(kPiece, bytes.size()))) {
    check_stop();
    file.write(bytes.first(std::min(kPiece, bytes.size())));
  }
}

std::string json_text(const std::string& text, const char* what) {
  if (!is_utf8(text)) fail(ErrorCode::kBadModel, "the {} '{}' is not valid UTF-8", what, printable(text));
  return nlohmann::json(text).dump();
}

// The header as JSON for tensors laid out in the order given.
std::string header_text(const std::vector<const std::pair<const std::string, TensorView>*>& order,
                        const std::map<std::string, std::string>& metadata) {
  std::string json = "{";
  std::uint64_t metadata_bytes = 0;
  if (!metadata.empty()) {
    json += "\"__metadata__\":{";
    for (const auto& [key, value] : metadata) {
      if (json.back() != '{') json += ',';
      json += json_text(key, "metadata key") + ':' + json_text(value, "metadata value");
      metadata_bytes += key.size() + value.size();
    }
    json += '}';
  }
  if (metadata_bytes > limits::kMaxMetadataBytes) {
    fail(ErrorCode::kLimit, "the metadata has {} bytes, the limit is {}", metadata_bytes, limits::kMaxMetadataBytes);
  }
  std::uint64_t position = 0;
  for (const auto* item : order) {
    const auto& [name, tensor] = *item;
    const std::uint64_t end = checked_add(position, tensor.size_bytes(), "size of the model file");
    if (json.size() > 1) json += ',';
    json += json_text(name, "tensor name") + fmt::format(R"(:{{"dtype":"{}","shape":)", name_of(tensor.dtype));
    json += nlohmann::json(tensor.shape).dump() + fmt::format(R"(,"data_offsets":[{},{}]}})", position, end);
    position = end;
  }
  return json + "}";
}

}  // namespace

Checkpoint parse_safetensors(std::span<const std::byte> bytes, std::shared_ptr<const void> storage, const std::string& name) {
  ByteReader reader(bytes, name, ErrorCode::kBadModel);
  const std::uint64_t length = reader.u64("the header length");
  if (length > limits::kMaxHeaderBytes) {
    fail(ErrorCode::kLimit, "'{}': the header length is {} bytes, the limit is {}", name, length, limits::kMaxHeaderBytes);
  }
  const std::string_view json = reader.text(length, "the header");
  if (json.empty() || json.front() != '{') fail(ErrorCode::kBadModel, "'{}': the header does not start with '{{'", name);
  SafetensorsHeader header = parse_safetensors_header(json, name);
  const auto data = reader.take(reader.remaining(), "the data");
  check_layout(header.entries, data.size(), name);

  Checkpoint out;
  out.format = "safetensors";
  out.metadata = std::move(header.metadata);
  TensorBudget budget(bytes.size(), name);
  for (const SafetensorsEntry& entry : header.entries) {
    add_tensor(out.weights, entry.name,
               {entry.dtype, entry.shape, contiguous_strides(entry.shape), data.subspan(entry.begin, entry.end - entry.begin)},
               storage, budget);
  }
  return out;
}

void write_safetensors(const std::filesystem::path& path, const Weights& weights,
                       const std::map<std::string, std::string>& metadata) {
  if (weights.all().size() > limits::kMaxTensors) {
    fail(ErrorCode::kLimit, "cannot write '{}': {} tensors, the limit is {}", path.string(), weights.all().size(),
         limits::kMaxTensors);
  }
  std::vector<const std::pair<const std::string, TensorView>*> order;
  for (const auto& item : weights.all()) {
    const auto& [name, tensor] = item;
    if (name == "__metadata__" || name.size() > limits::kMaxTensorName || tensor.shape.size() > limits::kMaxRank) {
      fail(ErrorCode::kBadModel,
           "cannot write '{}': tensor '{}' of rank {} has a reserved name, more than {} bytes of name or rank above {}",
           path.string(), printable(name), tensor.shape.size(), limits::kMaxTensorName, limits::kMaxRank);
    }
    order.push_back(&item);
  }
  // Widest elements first keeps every tensor aligned for its dtype without a hole; within a width the big ones come first.
  std::ranges::stable_sort(order, [](const auto* a, const auto* b) {
    const std::pair left(bytes_of(a->second.dtype), a->second.size_bytes());
    const std::pair right(bytes_of(b->second.dtype), b->second.size_bytes());
    return left > right;
  });
  std::string header = header_text(order, metadata);
  constexpr std::size_t kAlignment = 64;
  header.append((kAlignment - (header.size() + sizeof(std::uint64_t)) % kAlignment) % kAlignment, ' ');
  if (header.size() > limits::kMaxHeaderBytes) {
    fail(ErrorCode::kLimit, "cannot write '{}': the header has {} bytes, the limit is {}", path.string(), header.size(),
         limits::kMaxHeaderBytes);
  }
  AtomicFile file(path);
  const std::uint64_t length = header.size();
  file.write(std::as_bytes(std::span(&length, 1)));
  file.write(header);
  for (const auto* item : order) write_pieces(file, std::span(item->second.data, item->second.size_bytes()));
  check_stop();
  file.commit();
}

}  // namespace revisit::model
