// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The arena. A container's items form a chain in one shared pool, so that no value owns memory of its own.
#include "engine/model/pickle_values.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "core/base/fail.h"
#include "core/base/limits.h"
#include "core/formats/printable.h"

namespace revisit::model {
namespace {

constexpr std::uint32_t kNoItem = 0xFFFFFFFF;

std::uint64_t chain(std::uint32_t head, std::uint32_t tail) { return (std::uint64_t{head} << 32) | tail; }

}  // namespace

PickleValues::PickleValues(std::span<const std::byte> bytes, std::string file, PickleRules rules)
    : bytes_(bytes), file_(std::move(file)), rules_(rules) {
  nodes_.push_back({});
  nodes_.push_back({.payload = 0, .kind = ValueKind::kBool});
  nodes_.push_back({.payload = 1, .kind = ValueKind::kBool});
  nodes_.push_back({.payload = chain(kNoItem, kNoItem), .kind = ValueKind::kTuple, .depth = 1});
}

std::int64_t PickleValues::integer(ValueId id) const { return static_cast<std::int64_t>(nodes_[id].payload); }
double PickleValues::number(ValueId id) const { return std::bit_cast<double>(nodes_[id].payload); }

std::string_view PickleValues::text(ValueId id) const {
  const auto part = bytes_.subspan(nodes_[id].payload, nodes_[id].count);
  return {reinterpret_cast<const char*>(part.data()), part.size()};
}

std::vector<ValueId> PickleValues::items(ValueId id) const {
  std::vector<ValueId> out;
  out.reserve(nodes_[id].count);
  for (auto at = static_cast<std::uint32_t>(nodes_[id].payload >> 32); at != kNoItem; at = items_[at].next)
    out.push_back(items_[at].value);
  return out;
}

const PickleValues::Global& PickleValues::global(ValueId id) const { return globals_[nodes_[id].count]; }
ValueId PickleValues::arguments(ValueId id) const { return static_cast<ValueId>(nodes_[id].payload); }

ValueId PickleValues::add(const Node& node) {
  if (nodes_.size() >= limits::kMaxPickleValues) {
    fail(ErrorCode::kLimit, "the pickle of '{}' builds more than {} values", file_, limits::kMaxPickleValues);
  }
  nodes_.push_back(node);
  return static_cast<ValueId>(nodes_.size() - 1);
}

ValueId PickleValues::add_integer(std::int64_t value) {
  return add({.payload = static_cast<std::uint64_t>(value), .kind = ValueKind::kInt});
}

ValueId PickleValues::add_number(double value) {
  return add({.payload = std::bit_cast<std::uint64_t>(value), .kind = ValueKind::kFloat});
}

ValueId PickleValues::add_text(ValueKind kind, std::uint64_t offset, std::uint64_t length) {
  return add({.payload = offset, .count = static_cast<std::uint32_t>(length), .kind = kind});
}

ValueId PickleValues::add_container(ValueKind kind) {
  return add({.payload = chain(kNoItem, kNoItem), .kind = kind, .depth = 1});
}

ValueId PickleValues::add_global(std::string_view module, std::string_view name) {
  std::string full = std::string(module) + "." + std::string(name);
  if (full.size() > limits::kMaxPickleGlobalName) {
    fail(ErrorCode::kLimit, "the pickle of '{}' uses '{}', a name of {} bytes above the limit of {}", file_, printable(full),
         full.size(), limits::kMaxPickleGlobalName);
  }
  // Keyed by both parts: "a" "b.c" and "a.b" "c" read the same but mean different things.
  const std::string key = std::string(module) + '\n' + std::string(name);
  auto found = global_index_.find(key);
  if (found == global_index_.end()) {
    const GlobalRole role = role_of_global(module, name, rules_);
    if (role == GlobalRole::kForbidden) {
      fail_with_hint(ErrorCode::kBadModel, "save the weights alone: a state dict, or a safetensors file",
                     "the pickle of '{}' uses '{}', which is not allowed", file_, printable(full));
    }
    if (globals_.size() == limits::kMaxPickleGlobals) {
      fail(ErrorCode::kLimit, "the pickle of '{}' uses more than {} different names", file_, limits::kMaxPickleGlobals);
    }
    found = global_index_.emplace(key, static_cast<std::uint32_t>(globals_.size())).first;
    globals_.push_back({std::move(full), role});
  }
  return add({.count = found->second, .kind = ValueKind::kGlobal});
}

ValueId PickleValues::add_opaque(ValueId from) { return add({.count = nodes_[from].count, .kind = ValueKind::kOpaque}); }

ValueId PickleValues::add_reference(ValueKind kind, ValueId tuple) { return add({.payload = tuple, .kind = kind}); }

void PickleValues::append(ValueId container, ValueId item) {
  ticker_.step();
  if (container == item) fail(ErrorCode::kBadModel, "the pickle of '{}' puts a value into itself", file_);
  if (items_.size() >= limits::kMaxPickleExpansion) {
    fail(ErrorCode::kLimit, "the pickle of '{}' has containers of more than {} items in all", file_, limits::kMaxPickleExpansion);
  }
  Node& node = nodes_[container];
  const int depth = std::max<int>(node.depth, nodes_[item].depth + 1);
  if (depth > limits::kMaxPickleDepth) {
    fail(ErrorCode::kLimit, "the pickle of '{}' nests values deeper than {}", file_, limits::kMaxPickleDepth);
  }
  const std::uint64_t expanded = std::uint64_t{node.expanded} + nodes_[item].expanded;
  if (expanded > limits::kMaxPickleExpansion) {
    fail(ErrorCode::kLimit, "the pickle of '{}' holds a value that expands to more than {} values", file_,
         limits::kMaxPickleExpansion);
  }
  node.depth = static_cast<std::uint8_t>(depth);
  node.expanded = static_cast<std::uint32_t>(expanded);
  const auto at = static_cast<std::uint32_t>(items_.size());
  items_.push_back({item, kNoItem});
  const auto head = static_cast<std::uint32_t>(node.payload >> 32);
  if (head != kNoItem) items_[static_cast<std::uint32_t>(node.payload)].next = at;
  node.payload = chain(head == kNoItem ? at : head, at);
  ++node.count;
}

}  // namespace revisit::model
