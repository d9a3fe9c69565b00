// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Runs the opcodes over a stack of value numbers. Each case is an allowed opcode; everything else is refused by name.
#include "engine/model/pickle.h"

#include <bit>
#include <utility>
#include <vector>

#include "core/base/byte_reader.h"
#include "core/base/limits.h"
#include "core/base/stop_scope.h"
#include "core/formats/printable.h"

namespace revisit::model {
namespace {

constexpr ValueId kUnset = 0xFFFFFFFF;

class Interpreter {
 public:
  Interpreter(std::span<const std::byte> bytes, const std::string& file, PickleRules rules)
      : over_limit_(bytes.size() > limits::kMaxPickleBytes),
        bytes_(bytes.first(std::min<std::uint64_t>(bytes.size(), limits::kMaxPickleBytes))),
        file_(file),
        reader_(bytes_, file, ErrorCode::kBadModel),
        values_(bytes_, file, rules) {}

  Pickle run() {
    if (reader_.at_end()) fail(ErrorCode::kBadModel, "the pickle of '{}' is empty", file_);
    for (std::uint64_t opcodes = 1;; ++opcodes) {
      if (opcodes > limits::kMaxPickleOpcodes) {
        fail(ErrorCode::kLimit, "the pickle of '{}' has more than {} opcodes", file_, limits::kMaxPickleOpcodes);
      }
      at_ = reader_.position();
      if (reader_.at_end()) out_of_bytes();
      opcode_ = reader_.u8("an opcode");
      if (at_ == 0 && opcode_ != kProto) bad("does not start with PROTO");
      if (opcode_ == '.') break;
      ticker_.step();
      step();
    }
    if (stack_.size() != 1 || !marks_.empty()) bad(fmt::format("leaves {} values on the stack instead of one", stack_.size()));
    return {std::move(values_), stack_.back(), reader_.position()};
  }

 private:
  static constexpr std::uint8_t kProto = 0x80;

  [[noreturn]] void bad(const std::string& what) const {
    fail(ErrorCode::kBadModel, "the pickle of '{}' {} (opcode {} at byte {})", file_, what, opcode_name(opcode_), at_);
  }

  [[noreturn]] void out_of_bytes() const {
    if (over_limit_) fail(ErrorCode::kLimit, "the pickle of '{}' has more than {} bytes", file_, limits::kMaxPickleBytes);
    fail(ErrorCode::kBadModel, "the pickle of '{}' ends early, after {} bytes", file_, bytes_.size());
  }

  void need(std::uint64_t count) const {
    if (count <= reader_.remaining()) return;
    if (over_limit_ && count <= limits::kMaxPickleBytes) out_of_bytes();
    bad(fmt::format("needs {} bytes where {} are left", count, reader_.remaining()));
  }
  std::uint8_t u8() { return need(1), reader_.u8("a pickle"); }
  std::uint16_t u16() { return need(2), reader_.u16("a pickle"); }
  std::uint32_t u32() { return need(4), reader_.u32("a pickle"); }
  std::uint64_t u64() { return need(8), reader_.u64("a pickle"); }

  void push(ValueId id) { stack_.push_back(id); }

  // Values below the last mark belong to the container under construction there and cannot be popped.
  std::size_t floor() const { return marks_.empty() ? 0 : marks_.back(); }

  ValueId pop() {
    if (stack_.size() <= floor()) bad("takes a value from an empty stack");
    const ValueId id = stack_.back();
    stack_.pop_back();
    return id;
  }

  ValueId top() {
    const ValueId id = pop();
    push(id);
    return id;
  }

  // The position of the last `count` values.
  std::size_t first_of(std::size_t count) const {
    if (stack_.size() < floor() + count) bad("takes a value from an empty stack");
    return stack_.size() - count;
  }

  // Closes the last mark and returns where its values begin; they are still on the stack.
  std::size_t pop_mark() {
    if (marks_.empty()) bad("needs a mark");
    const std::size_t first = marks_.back();
    marks_.pop_back();
    return first;
  }

  void step() {
    switch (opcode_) {
      case kProto: {
        const int version = u8();
        if (at_ != 0) bad("changes its protocol midway");
        if (version < 2 || version > 5) bad(fmt::format("has protocol {}, not 2 to 5", version));
        break;
      }
      case 0x95: {  // FRAME: only a hint for buffering
        const std::uint64_t length = u64();
        need(length);
        break;
      }
      case 'N': push(PickleValues::kNoneId); break;
      case 0x88: push(PickleValues::kTrueId); break;
      case 0x89: push(PickleValues::kFalseId); break;
      case 'K': push(values_.add_integer(u8())); break;
      case 'M': push(values_.add_integer(u16())); break;
      case 'J': push(values_.add_integer(static_cast<std::int32_t>(u32()))); break;
      case 0x8A: long1(); break;
      case 'G': push(values_.add_number(std::bit_cast<double>(__builtin_bswap64(u64())))); break;
      case 'X': text(ValueKind::kText, u32()); break;
      case 0x8C: text(ValueKind::kText, u8()); break;
      case 'B': text(ValueKind::kBytes, u32()); break;
      case 'C': text(ValueKind::kBytes, u8()); break;
      case ']': push(values_.add_container(ValueKind::kList)); break;
      case '}': push(values_.add_container(ValueKind::kDict)); break;
      case 0x8F: push(values_.add_container(ValueKind::kSet)); break;
      case ')': push(PickleValues::kEmptyTupleId); break;
      case '(': mark(); break;
      case 't': tuple(pop_mark()); break;
      case 0x85: tuple(first_of(1)); break;
      case 0x86: tuple(first_of(2)); break;
      case 0x87: tuple(first_of(3)); break;
      case 'a': extend(first_of(1), ValueKind::kList); break;
      case 'e': extend(pop_mark(), ValueKind::kList); break;
      case 0x90: extend(pop_mark(), ValueKind::kSet); break;
      case 's': extend(first_of(2), ValueKind::kDict); break;
      case 'u': extend(pop_mark(), ValueKind::kDict); break;
      case 'q': memo_put(u8()); break;
      case 'r': memo_put(u32()); break;
      case 0x94: memo_put(memo_used_); break;
      case 'h': memo_get(u8()); break;
      case 'j': memo_get(u32()); break;
      case 'c': global(); break;
      case 0x93: stack_global(); break;
      case 'Q': persistent_id(); break;
      case 'R': reduce(); break;
      case 'b': build(); break;
      default:
        if (opcode_name(opcode_).empty()) {
          fail(ErrorCode::kBadModel, "the pickle of '{}' has the byte 0x{:02x}, which is not an opcode, at byte {}", file_, opcode_,
               at_);
        }
        fail(ErrorCode::kBadModel, "the pickle of '{}' uses the opcode {} at byte {}, which is not allowed", file_,
             opcode_name(opcode_), at_);
    }
  }

  void long1() {
    const std::uint8_t length = u8();
    need(length);
    const std::uint64_t offset = reader_.position();
    const auto bytes = reader_.take(length, "an integer");
    if (length > 8) {
      push(values_.add_text(ValueKind::kBigInt, offset, length));
      return;
    }
    std::uint64_t value = length > 0 && (static_cast<std::uint8_t>(bytes.back()) & 0x80U) != 0 ? ~std::uint64_t{0} : 0;
    for (std::size_t i = length; i-- > 0;) value = (value << 8) | static_cast<std::uint8_t>(bytes[i]);
    push(values_.add_integer(static_cast<std::int64_t>(value)));
  }

  void text(ValueKind kind, std::uint64_t length) {
    need(length);
    const std::uint64_t offset = reader_.position();
    reader_.take(length, "a text");
    push(values_.add_text(kind, offset, length));
  }

  void mark() {
    if (marks_.size() == static_cast<std::size_t>(limits::kMaxPickleDepth)) {
      fail(ErrorCode::kLimit, "the pickle of '{}' nests values deeper than {} (MARK at byte {})", file_, limits::kMaxPickleDepth,
           at_);
    }
    marks_.push_back(stack_.size());
  }

  // The values from stack position `first` on, as a tuple.
  void tuple(std::size_t first) {
    if (first == stack_.size()) return push(PickleValues::kEmptyTupleId);
    const ValueId out = values_.add_container(ValueKind::kTuple);
    for (std::size_t i = first; i < stack_.size(); ++i) values_.append(out, stack_[i]);
    stack_.resize(first);
    push(out);
  }

  // Puts the values from stack position `first` on into the container before them.
  void extend(std::size_t first, ValueKind kind) {
    if (first <= floor()) bad("puts items into nothing");
    const ValueId target = stack_[first - 1];
    if (!values_.is(target, ValueKind::kOpaque)) {  // contents of a placeholder are never used
      if (!values_.is(target, kind)) bad("puts items into a value of another kind");
      if (kind == ValueKind::kDict && (stack_.size() - first) % 2 != 0) bad("has a key without a value");
      for (std::size_t i = first; i < stack_.size(); ++i) values_.append(target, stack_[i]);
    }
    stack_.resize(first);
  }

  void memo_put(std::uint64_t key) {
    if (key >= limits::kMaxPickleMemo) {
      fail(ErrorCode::kLimit, "the pickle of '{}' uses the memo entry {} at byte {}, the limit is {} entries", file_, key, at_,
           limits::kMaxPickleMemo);
    }
    const ValueId value = top();
    if (key >= memo_.size()) memo_.resize(key + 1, kUnset);
    if (memo_[key] == kUnset) ++memo_used_;
    memo_[key] = value;
  }

  void memo_get(std::uint64_t key) {
    if (key >= memo_.size() || memo_[key] == kUnset) bad(fmt::format("reads the memo entry {}, which was never written", key));
    push(memo_[key]);
  }

  std::string_view line() {
    const std::uint64_t start = reader_.position();
    for (std::uint64_t length = 0; length <= limits::kMaxPickleGlobalName; ++length) {
      if (u8() != '\n') continue;
      reader_.seek(start, "a name");
      const std::string_view out = reader_.text(length, "a name");
      reader_.u8("a name");
      return out;
    }
    fail(ErrorCode::kLimit, "the pickle of '{}' has a name of more than {} bytes at byte {}", file_, limits::kMaxPickleGlobalName,
         at_);
  }

  void global() {
    const std::string_view module = line();
    const std::string_view name = line();
    push(values_.add_global(module, name));
  }

  void stack_global() {
    const ValueId name = pop();
    const ValueId module = pop();
    if (!values_.is(name, ValueKind::kText) || !values_.is(module, ValueKind::kText))
      bad("names a global by something that is not text");
    push(values_.add_global(values_.text(module), values_.text(name)));
  }

  // ('storage', type, key, location, numel[, None or (view key, offset, numel)])
  void persistent_id() {
    const ValueId id = pop();
    const bool tuple = values_.is(id, ValueKind::kTuple) && (values_.count(id) == 5 || values_.count(id) == 6);
    if (!tuple) bad("has a persistent id that is not a storage");
    const auto part = values_.items(id);
    const bool form = values_.is(part[0], ValueKind::kText) && values_.text(part[0]) == "storage" &&
                      values_.is(part[1], ValueKind::kGlobal) && values_.is(part[2], ValueKind::kText) &&
                      values_.is(part[3], ValueKind::kText) && values_.is(part[4], ValueKind::kInt);
    if (!form) bad("has a persistent id that is not a storage");
    // The readers of the storages compare keys and keep them in maps.
    if (const std::size_t key_bytes = values_.text(part[2]).size(); key_bytes > limits::kMaxStorageKey) {
      fail(ErrorCode::kLimit, "the pickle of '{}' names a storage by {} bytes, the limit is {} (at byte {})", file_, key_bytes,
           limits::kMaxStorageKey, at_);
    }
    const auto& type = values_.global(part[1]);
    if (type.role == GlobalRole::kOpaque) return push(values_.add_opaque(part[1]));  // a storage type that weights never have
    if (type.role != GlobalRole::kStorageType) bad("has a storage of the type '" + printable(type.name) + "'");
    if (part.size() == 6 && !values_.is(part[5], ValueKind::kNone) && !is_storage_view(part[5]))
      bad("has a storage view of unknown form");
    push(values_.add_reference(ValueKind::kStorage, id));
  }

  bool is_storage_view(ValueId id) const {
    if (!values_.is(id, ValueKind::kTuple) || values_.count(id) != 3) return false;
    const auto part = values_.items(id);
    return values_.is(part[0], ValueKind::kText) && values_.is(part[1], ValueKind::kInt) && values_.is(part[2], ValueKind::kInt);
  }

  void reduce() {
    const ValueId arguments = pop();
    const ValueId callee = pop();
    if (!values_.is(callee, ValueKind::kGlobal)) bad("calls something that is not a global");
    if (!values_.is(arguments, ValueKind::kTuple)) bad("calls a global without a tuple of arguments");
    const auto& global = values_.global(callee);
    switch (global.role) {
      case GlobalRole::kOrderedDict: return ordered_dict(arguments);
      case GlobalRole::kRebuildTensor: return rebuild_tensor(arguments);
      case GlobalRole::kRebuildParameter: return rebuild_parameter(arguments);
      case GlobalRole::kOpaque: return push(values_.add_opaque(callee));
      case GlobalRole::kKept: return keep_call(callee, arguments);
      default: bad("calls '" + printable(global.name) + "'");
    }
  }

  void keep_call(ValueId callee, ValueId arguments) {
    const ValueId parts = values_.add_container(ValueKind::kList);
    values_.append(parts, callee);
    values_.append(parts, arguments);
    push(values_.add_reference(ValueKind::kCall, parts));
  }

  // OrderedDict() or, from older Pythons, OrderedDict([[key, value], ...])
  void ordered_dict(ValueId arguments) {
    const ValueId dict = values_.add_container(ValueKind::kDict);
    if (values_.count(arguments) > 1) bad("makes an OrderedDict from more than one value");
    for (const ValueId list : values_.items(arguments)) {
      if (!values_.is(list, ValueKind::kList)) bad("makes an OrderedDict from something that is not a list");
      for (const ValueId pair : values_.items(list)) {
        const bool two = (values_.is(pair, ValueKind::kList) || values_.is(pair, ValueKind::kTuple)) && values_.count(pair) == 2;
        if (!two) bad("makes an OrderedDict from something that is not a pair");
        for (const ValueId item : values_.items(pair)) values_.append(dict, item);
      }
    }
    push(dict);
  }

  bool is_integer_tuple(ValueId id) const {
    if (!values_.is(id, ValueKind::kTuple)) return false;
    if (values_.count(id) > limits::kMaxRank) {
      fail(ErrorCode::kLimit, "the pickle of '{}' has a tensor of {} dimensions at byte {}, the limit is {}", file_,
           values_.count(id), at_, limits::kMaxRank);
    }
    for (const ValueId item : values_.items(id)) {
      if (!values_.is(item, ValueKind::kInt)) return false;
    }
    return true;
  }

  // (storage, offset, sizes, strides, requires_grad, hooks[, metadata])
  void rebuild_tensor(ValueId arguments) {
    if (values_.count(arguments) != 6 && values_.count(arguments) != 7) bad("describes a tensor by an unknown number of values");
    const auto part = values_.items(arguments);
    const bool opaque = values_.is(part[0], ValueKind::kOpaque);
    if (!opaque && !values_.is(part[0], ValueKind::kStorage)) bad("describes a tensor without a storage");
    if (!values_.is(part[1], ValueKind::kInt)) bad("describes a tensor whose offset is not an integer");
    if (!is_integer_tuple(part[2]) || !is_integer_tuple(part[3]))
      bad("describes a tensor whose sizes or strides are not integers");
    if (values_.count(part[2]) != values_.count(part[3])) bad("describes a tensor with different numbers of sizes and strides");
    if (!values_.is(part[4], ValueKind::kBool)) bad("describes a tensor whose requires_grad is not a boolean");
    if (!values_.is(part[5], ValueKind::kDict) && !values_.is(part[5], ValueKind::kNone))
      bad("describes a tensor whose hooks are not a dictionary");
    // Metadata marks values that are stored conjugated or negated: reading them plainly would be wrong.
    const bool plain = part.size() == 6 || values_.is(part[6], ValueKind::kNone) ||
                       (values_.is(part[6], ValueKind::kDict) && values_.count(part[6]) == 0);
    if (!plain) bad("describes a tensor with metadata");
    push(opaque ? values_.add_opaque(part[0]) : values_.add_reference(ValueKind::kTensor, arguments));
  }

  // (tensor, requires_grad, hooks): the parameter is its tensor
  void rebuild_parameter(ValueId arguments) {
    if (values_.count(arguments) != 3) bad("describes a parameter by an unknown number of values");
    const ValueId tensor = values_.items(arguments)[0];
    if (!values_.is(tensor, ValueKind::kTensor) && !values_.is(tensor, ValueKind::kOpaque))
      bad("describes a parameter without a tensor");
    push(tensor);
  }

  // Attributes of a dict ('_metadata' of a state dict) and of placeholders are dropped.
  void build() {
    const ValueId state = pop();
    const ValueId target = top();
    if (values_.is(target, ValueKind::kCall)) {
      const ValueId parts = values_.arguments(target);
      if (values_.count(parts) != 2) bad("sets the state of a value twice");
      return values_.append(parts, state);
    }
    if (!values_.is(target, ValueKind::kDict) && !values_.is(target, ValueKind::kOpaque)) bad("sets attributes of a plain value");
  }

  bool over_limit_;
  std::span<const std::byte> bytes_;
  std::string file_;
  ByteReader reader_;
  PickleValues values_;
  StopTicker ticker_;
  std::vector<ValueId> stack_;
  std::vector<std::size_t> marks_;
  std::vector<ValueId> memo_;
  std::uint64_t memo_used_ = 0;
  std::uint64_t at_ = 0;
  std::uint8_t opcode_ = 0;
};

}  // namespace

Pickle parse_pickle(std::span<const std::byte> bytes, const std::string& file, PickleRules rules) {
  return Interpreter(bytes, file, rules).run();
}

}  // namespace revisit::model
