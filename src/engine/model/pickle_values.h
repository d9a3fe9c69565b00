// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// What a pickle builds: plain values in one arena, referred to by number. Shared and even cyclic values cost nothing extra, and
// nothing is ever freed or walked recursively.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/stop_scope.h"
#include "engine/model/pickle_globals.h"

namespace revisit::model {

using ValueId = std::uint32_t;

enum class ValueKind : std::uint8_t {
  kNone,
  kBool,
  kInt,
  kBigInt,  ///< more than 64 bits; only its bytes are kept
  kFloat,
  kText,
  kBytes,
  kList,
  kTuple,
  kDict,
  kSet,
  kGlobal,   ///< a name from the allow-list
  kStorage,  ///< the persistent id of a storage: a tuple of known form
  kTensor,   ///< the arguments of _rebuild_tensor_v2: a tuple of known form
  kCall,     ///< a call that was not made: a list of the global, its arguments and, after BUILD, the state
  kOpaque,   ///< placeholder for an object that was not built; knows only its global
};

class PickleValues {
 public:
  struct Global {
    std::string name;  // "torch.FloatStorage"
    GlobalRole role;
  };

  /// `bytes` (the pickle) must outlive the values: texts point into it.
  PickleValues(std::span<const std::byte> bytes, std::string file, PickleRules rules = PickleRules::kTorch);

  static constexpr ValueId kNoneId = 0, kFalseId = 1, kTrueId = 2, kEmptyTupleId = 3;

  std::size_t size() const { return nodes_.size(); }
  ValueKind kind(ValueId id) const { return nodes_[id].kind; }
  bool is(ValueId id, ValueKind kind) const { return nodes_[id].kind == kind; }
  std::int64_t integer(ValueId id) const;                           ///< of kInt and kBool
  double number(ValueId id) const;                                  ///< of kFloat
  std::string_view text(ValueId id) const;                          ///< of kText, kBytes and kBigInt
  std::size_t count(ValueId id) const { return nodes_[id].count; }  ///< items of a container; a dict counts keys and values
  std::vector<ValueId> items(ValueId id) const;                     ///< of a container; a dict alternates key and value
  const Global& global(ValueId id) const;                           ///< of kGlobal and kOpaque
  ValueId arguments(ValueId id) const;  ///< the tuple behind kStorage and kTensor, the list behind kCall

  ValueId add_integer(std::int64_t value);
  ValueId add_number(double value);
  ValueId add_text(ValueKind kind, std::uint64_t offset, std::uint64_t length);
  ValueId add_container(ValueKind kind);
  ValueId add_global(std::string_view module, std::string_view name);  ///< refuses names that are not on the list
  ValueId add_opaque(ValueId from);                                    ///< of the same global as `from`
  ValueId add_reference(ValueKind kind, ValueId tuple);
  /// Refuses nesting, expansion and item counts beyond the limits, and a container put into itself.
  void append(ValueId container, ValueId item);

 private:
  struct Node {
    std::uint64_t payload = 0;   // the number's bits, the text's offset, or head and tail of the chain of items
    std::uint32_t count = 0;     // bytes of a text, items of a container, index of a global
    std::uint32_t expanded = 1;  // values this one would have if shared ones were written out
    ValueKind kind = ValueKind::kNone;
    std::uint8_t depth = 0;  // containers on the longest way down
  };
  struct Item {
    ValueId value;
    std::uint32_t next;
  };

  ValueId add(const Node& node);

  std::span<const std::byte> bytes_;
  std::string file_;
  PickleRules rules_;
  std::deque<Node> nodes_;  // deques: growing never copies, so memory stays near what is used
  std::deque<Item> items_;
  std::vector<Global> globals_;
  std::map<std::string, std::uint32_t, std::less<>> global_index_;
  StopTicker ticker_;
};

}  // namespace revisit::model
