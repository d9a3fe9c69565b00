// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Reads the calls the pickle describes by their form; none is made.
#include "lab/dataset/numpy_objects.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/base/checked.h"
#include "core/base/limits.h"
#include "core/base/stop_scope.h"
#include "core/formats/printable.h"
#include "engine/model/utf8.h"

namespace revisit::dataset {
namespace {

using model::ValueKind;

constexpr std::uint64_t kScalarCost = 64;  // of reading one integer, for StopTicker

// The interpreter speaks of models; here the pickle is part of a data file.
model::Pickle parse(std::span<const std::byte> bytes, const std::string& file) {
  try {
    return model::parse_pickle(bytes, file, model::PickleRules::kNumpy);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kBadModel) throw;
    fail_with_hint(ErrorCode::kBadFile, "save plain arrays: numpy.save(name, array) without objects other than integers", "{}",
                   error.what());
  }
}

std::uint64_t product(const std::vector<std::int64_t>& shape, const std::string& file) {
  std::uint64_t out = 1;
  for (const auto side : shape) out = checked_mul(out, static_cast<std::uint64_t>(side), file);
  return out;
}

}  // namespace

std::optional<IntegerType> integer_type(std::string_view descr) {
  if (descr.size() != 3 || (descr[0] != '<' && descr[0] != '>' && descr[0] != '|' && descr[0] != '=')) return std::nullopt;
  const char kind = descr[1];
  const auto bytes = static_cast<std::size_t>(descr[2] - '0');
  const bool size = bytes == 1 || (kind != 'b' && (bytes == 2 || bytes == 4 || bytes == 8));
  if (!size || (kind != 'i' && kind != 'u' && kind != 'b')) return std::nullopt;
  return IntegerType{bytes, kind == 'i', descr[0] == '>'};
}

void append_integers(std::vector<std::int64_t>& out, std::span<const std::byte> data, IntegerType type) {
  out.reserve(out.size() + data.size() / type.bytes);
  StopTicker ticker;
  for (std::size_t at = 0; at + type.bytes <= data.size(); at += type.bytes) {
    ticker.step();
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < type.bytes; ++i) {
      value = value << 8 | std::to_integer<std::uint64_t>(data[at + (type.big_endian ? i : type.bytes - 1 - i)]);
    }
    const auto unused = static_cast<int>(64 - 8 * type.bytes);
    const auto widened = static_cast<std::int64_t>(value << unused) >> unused;
    out.push_back(type.is_signed ? widened : static_cast<std::int64_t>(value));
  }
}

NumpyObjects::NumpyObjects(std::span<const std::byte> pickle, std::string file)
    : file_(std::move(file)), pickle_(parse(pickle, file_)) {
  if (pickle_.size != pickle.size()) bad(fmt::format("has {} bytes after its end", pickle.size() - pickle_.size));
  const Array root = array_of(pickle_.root);
  if (!root.descr.starts_with("|O")) bad("is an array of '" + printable(root.descr) + "', not of objects");
  if (!pickle_.values.is(root.content, ValueKind::kList)) bad("has an array of objects without a list of them");
  shape_ = root.shape;
  elements_ = pickle_.values.items(root.content);
  if (elements_.size() != product(shape_, file_))
    bad(fmt::format("has {} objects, which is not what its shape says", elements_.size()));
}

void NumpyObjects::bad(const std::string& what) const { fail(ErrorCode::kBadFile, "the pickle of '{}' {}", file_, what); }

// A call of the global whose last part is `name`: its package differs between versions of numpy.
bool NumpyObjects::is_call(ValueId id, std::string_view name) const {
  const auto& values = pickle_.values;
  if (!values.is(id, ValueKind::kCall)) return false;
  return values.global(values.items(values.arguments(id))[0]).name.ends_with(name);
}

// State: (version, shape, element type, is Fortran order, content).
NumpyObjects::Array NumpyObjects::array_of(ValueId id) const {
  const auto& values = pickle_.values;
  if (!is_call(id, "multiarray._reconstruct")) bad("has a value that is not an array where one is expected");
  const auto call = values.items(values.arguments(id));
  if (call.size() != 3 || !values.is(call[2], ValueKind::kTuple) || values.count(call[2]) != 5)
    bad("has an array without shape and content");
  const auto state = values.items(call[2]);
  const bool form = values.is(state[1], ValueKind::kTuple) && values.count(state[1]) <= limits::kMaxRank &&
                    values.is(state[3], ValueKind::kBool);
  if (!form) bad("has an array whose shape is not a tuple");
  Array out;
  for (const ValueId side : values.items(state[1])) {
    if (!values.is(side, ValueKind::kInt) || values.integer(side) < 0) bad("has an array whose sizes are not integers");
    out.shape.push_back(values.integer(side));
  }
  if (values.integer(state[3]) != 0 && out.shape.size() > 1) bad("has an array in Fortran order");
  out.descr = descr_of(state[2]);
  out.content = state[4];
  return out;
}

// dtype('i8', False, True) with the state (3, '<', ...).
std::string NumpyObjects::descr_of(ValueId id) const {
  const auto& values = pickle_.values;
  if (!is_call(id, "numpy.dtype")) bad("has an array without an element type");
  const auto call = values.items(values.arguments(id));
  // One element type may be referenced by every element, so its size is checked before it is read.
  constexpr std::size_t kMostArguments = 3, kMostState = 9;
  if (values.count(call[1]) > kMostArguments) bad("has an element type of unknown form");
  const auto arguments = values.items(call[1]);
  if (arguments.empty() || !values.is(arguments[0], ValueKind::kText)) bad("has an element type without a name");
  std::string order = "|";
  if (call.size() == 3) {
    const bool form = values.is(call[2], ValueKind::kTuple) && values.count(call[2]) >= 2 && values.count(call[2]) <= kMostState;
    const ValueId text = form ? values.items(call[2])[1] : model::PickleValues::kNoneId;
    if (!values.is(text, ValueKind::kText) || values.text(text).size() != 1) bad("has an element type without a byte order");
    order = values.text(text);
  }
  return order + std::string(values.text(arguments[0]).substr(0, 20));
}

// Bytes as they are, or, from protocol 2, _codecs.encode(text, 'latin1') and, for none, bytes(). No more than `wanted` are made:
// the caller refuses more anyway.
std::span<const std::byte> NumpyObjects::bytes_of(ValueId id, std::uint64_t wanted, std::vector<std::byte>& out) const {
  const auto& values = pickle_.values;
  if (values.is(id, ValueKind::kBytes)) {
    const auto text = values.text(id);
    return std::as_bytes(std::span(text.data(), text.size()));
  }
  out.clear();
  if (is_call(id, "builtins.bytes") || is_call(id, "__builtin__.bytes")) {
    const auto call = values.items(values.arguments(id));
    if (call.size() != 2 || values.count(call[1]) != 0) bad("makes bytes from something");
    return out;
  }
  if (!is_call(id, "_codecs.encode")) bad("has integers that are not bytes");
  const ValueId tuple = values.items(values.arguments(id))[1];
  if (values.count(tuple) != 2) bad("encodes bytes in an unknown way");
  const auto arguments = values.items(tuple);
  const bool form = values.is(arguments[0], ValueKind::kText) && values.is(arguments[1], ValueKind::kText) &&
                    values.text(arguments[1]) == "latin1";
  if (!form) bad("encodes bytes in an unknown way");
  const auto text = values.text(arguments[0]);
  StopTicker ticker;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto lead = static_cast<unsigned char>(text[i]);
    ticker.step();
    if (out.size() > wanted) break;
    if (lead < 0x80) {
      out.push_back(std::byte{lead});
      continue;
    }
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0U;
    if ((lead != 0xC2 && lead != 0xC3) || (next & 0xC0U) != 0x80) bad("encodes a character beyond latin1");
    out.push_back(static_cast<std::byte>((lead & 3U) << 6 | (next & 0x3FU)));
    ++i;
  }
  return out;
}

void NumpyObjects::check_total(std::uint64_t integers) const {
  if (integers > limits::kMaxPositives)
    fail(ErrorCode::kLimit, "the pickle of '{}' lists more than {} integers", file_, limits::kMaxPositives);
}

// `before` integers are in other lists: one array may be referenced many times, so the file's size does not bound the sum.
void NumpyObjects::append_array(std::vector<std::int64_t>& out, ValueId id, std::uint64_t before) const {
  const Array array = array_of(id);
  const auto type = integer_type(array.descr);
  if (!type) bad("has an array of '" + printable(array.descr) + "', not of integers");
  const std::uint64_t count = product(array.shape, file_);
  check_total(checked_add(before, count, file_));
  const std::uint64_t wanted = checked_mul(count, type->bytes, file_);
  std::vector<std::byte> buffer;
  const auto data = bytes_of(array.content, wanted, buffer);
  if (data.size() != wanted) bad("has an array whose bytes do not fit its shape");
  append_integers(out, data, *type);
}

// One integer, of Python or of numpy: scalar(dtype, bytes).
void NumpyObjects::append(std::vector<std::int64_t>& out, ValueId id) const {
  const auto& values = pickle_.values;
  if (values.is(id, ValueKind::kInt)) return out.push_back(values.integer(id));
  if (!is_call(id, "multiarray.scalar")) bad("has a value that is not an integer where one is expected");
  const ValueId tuple = values.items(values.arguments(id))[1];
  if (values.count(tuple) != 2) bad("has a scalar without a value");
  const auto arguments = values.items(tuple);
  const auto type = integer_type(descr_of(arguments[0]));
  std::vector<std::byte> buffer;
  const auto data = type ? bytes_of(arguments[1], type->bytes, buffer) : std::span<const std::byte>();
  if (!type || data.size() != type->bytes) bad("has a scalar that is no integer");
  append_integers(out, data, *type);
}

std::vector<std::string> NumpyObjects::texts() const {
  std::vector<std::string> out;
  std::uint64_t total = 0;
  StopTicker ticker;
  for (const ValueId id : elements_) {
    if (!pickle_.values.is(id, ValueKind::kText)) bad("has a value that is not text where one is expected");
    const auto text = pickle_.values.text(id);
    total += text.size();
    if (total > limits::kMaxPhotoListBytes)
      fail(ErrorCode::kLimit, "the pickle of '{}' has more than {} bytes of text", file_, limits::kMaxPhotoListBytes);
    ticker.step(text.size() + 1);
    if (!model::is_utf8(text)) bad("has a text that is not UTF-8");
    out.emplace_back(text);
  }
  return out;
}

std::vector<std::vector<std::int64_t>> NumpyObjects::lists() const {
  const auto& values = pickle_.values;
  if (shape_.empty() || shape_.size() > 2) bad(fmt::format("has {} dimensions, not 1 or 2", shape_.size()));
  std::vector<std::vector<std::int64_t>> out;
  std::uint64_t total = 0;
  StopTicker ticker;
  if (shape_.size() == 2) {
    if (elements_.empty()) return out;
    const auto columns = static_cast<std::size_t>(shape_[1]);
    out.resize(elements_.size() / columns);
    for (std::size_t i = 0; i < elements_.size(); ++i) {
      ticker.step(kScalarCost);
      append(out[i / columns], elements_[i]);
    }
    return out;
  }
  for (const ValueId id : elements_) {
    auto& list = out.emplace_back();
    if (values.is(id, ValueKind::kList) || values.is(id, ValueKind::kTuple)) {
      check_total(total + values.count(id));
      for (const ValueId item : values.items(id)) {
        ticker.step(kScalarCost);
        append(list, item);
      }
    } else if (is_call(id, "multiarray._reconstruct")) {
      append_array(list, id, total);
    } else {
      check_total(total + 1);
      append(list, id);
    }
    total += list.size();
    ticker.step(kScalarCost + list.size());
  }
  return out;
}

}  // namespace revisit::dataset
