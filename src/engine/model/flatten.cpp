// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// One name grows and shrinks along the way; a key is measured before it is copied, and copied only if a name is needed.
#include "engine/model/flatten.h"

#include <charconv>
#include <optional>
#include <unordered_set>
#include <utility>

#include "core/base/fail.h"
#include "core/base/limits.h"
#include "core/base/salted_hash.h"
#include "core/formats/printable.h"
#include "engine/model/utf8.h"

namespace revisit::model {
namespace {

// The number a text denotes if written like an integer key: "12", not "012".
std::optional<std::int64_t> integer_in(std::string_view text) {
  std::int64_t out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  const bool whole = !text.empty() && error == std::errc() && end == text.data() + text.size();
  return whole && std::to_string(out) == text ? std::optional(out) : std::nullopt;
}

}  // namespace

// The keys of one dictionary. 1 and "1" make the same name.
struct Flattener::Keys {
  std::unordered_set<std::int64_t, SaltedHash, std::equal_to<>> integers;
  std::unordered_set<std::string_view, SaltedHash, std::equal_to<>> texts;

  bool add(std::string_view key) {
    if (const auto integer = integer_in(key)) return integers.insert(*integer).second;
    return texts.insert(key).second;
  }
};

std::vector<NamedTensor> Flattener::run(ValueId dict) {
  found_.clear();
  name_.clear();
  walk(dict, 1);
  return std::move(found_);
}

void Flattener::walk(ValueId dict, int depth) {
  if (depth > limits::kMaxPickleDepth) {
    fail(ErrorCode::kLimit, "'{}' nests dictionaries deeper than {} below '{}'", file_, limits::kMaxPickleDepth,
         printable(name_));
  }
  entries_ += values_.count(dict);
  if (entries_ > limits::kMaxPickleExpansion) {
    fail(ErrorCode::kLimit, "'{}' has dictionaries of more than {} entries in all", file_, limits::kMaxPickleExpansion);
  }
  Keys seen;
  const auto items = values_.items(dict);
  const std::size_t outer = name_.size();
  for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
    enter(items[i], items[i + 1], seen, depth);
    name_.resize(outer);
  }
}

void Flattener::enter(ValueId key, ValueId value, Keys& seen, int depth) {
  const bool is_text = values_.is(key, ValueKind::kText);
  const bool named = is_text || values_.is(key, ValueKind::kInt);
  const std::string_view text = text_of(key);
  check_key(text);
  count_name(name_.size() + 1 + text.size());
  if (!name_.empty()) name_ += '.';
  name_ += text;
  const ValueKind kind = values_.kind(value);
  if (kind == ValueKind::kDict || kind == ValueKind::kTensor) check_name(named);
  if (named && !(is_text ? seen.add(text) : seen.integers.insert(values_.integer(key)).second)) {
    fail(ErrorCode::kBadModel, "'{}': the key '{}' occurs twice", file_, printable(name_));
  }
  if (kind == ValueKind::kDict) {
    walk(value, depth + 1);
  } else if (kind == ValueKind::kTensor) {
    if (found_.size() == limits::kMaxTensors) {
      fail(ErrorCode::kLimit, "'{}' has more than {} tensors (at '{}')", file_, limits::kMaxTensors, printable(name_));
    }
    found_.push_back({name_, value});
  } else if (kind == ValueKind::kOpaque || kind == ValueKind::kGlobal || kind == ValueKind::kStorage) {
    check_skipped(value);
  }
}

// Empty for a key that is neither text nor number.
std::string_view Flattener::text_of(ValueId key) {
  if (values_.is(key, ValueKind::kText)) return values_.text(key);
  if (!values_.is(key, ValueKind::kInt)) return {};
  number_ = std::to_string(values_.integer(key));
  return number_;
}

void Flattener::count_name(std::size_t bytes) {
  ticker_.step(bytes);
  name_bytes_ += bytes;
  if (name_bytes_ > limits::kMaxEntryNameBytes) {
    fail(ErrorCode::kLimit, "'{}' has dictionaries whose entries have names of more than {} bytes in all", file_,
         limits::kMaxEntryNameBytes);
  }
}

void Flattener::check_key(std::string_view key) const {
  if (key.size() <= limits::kMaxTensorName) return;
  fail(ErrorCode::kLimit, "'{}': the key '{}' in a dictionary of weights has {} bytes, the limit is {}", file_, printable(key),
       key.size(), limits::kMaxTensorName);
}

void Flattener::check_name(bool named) const {
  if (!named) fail(ErrorCode::kBadModel, "'{}' has a weight below '{}' whose key is not text", file_, printable(name_));
  if (name_.size() > limits::kMaxTensorName) {
    fail(ErrorCode::kLimit, "'{}': the tensor name '{}' has {} bytes, the limit is {}", file_, printable(name_), name_.size(),
         limits::kMaxTensorName);
  }
  if (!is_utf8(name_)) fail(ErrorCode::kBadModel, "'{}': the tensor name '{}' is not UTF-8", file_, printable(name_));
}

// A recorded score may stand beside the weights; any other object there could be a weight that would silently go missing.
void Flattener::check_skipped(ValueId value) const {
  if (values_.is(value, ValueKind::kStorage)) {
    fail(ErrorCode::kBadModel, "'{}': the entry '{}' is a bare storage, not a tensor", file_, printable(name_));
  }
  const std::string& global = values_.global(value).name;
  if (global == "numpy.core.multiarray.scalar" || global == "numpy._core.multiarray.scalar") return;
  fail_with_hint(ErrorCode::kBadModel, "save the weights alone, as a dictionary of tensors",
                 "'{}': the weight entry '{}' uses '{}', which is not allowed", file_, printable(name_), printable(global));
}

}  // namespace revisit::model
