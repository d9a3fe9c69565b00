// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Writes pickles opcode by opcode, honest ones and others.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hostile/bytes.h"

namespace revisit::testing {

class PickleBuilder {
 public:
  explicit PickleBuilder(int protocol = 2) { raw(std::string("\x80", 1) + static_cast<char>(protocol)); }

  PickleBuilder& raw(std::string_view bytes) {
    bytes_ += bytes;
    return *this;
  }
  PickleBuilder& none() { return raw("N"); }
  PickleBuilder& boolean(bool value) { return raw(value ? "\x88" : "\x89"); }
  PickleBuilder& number(double value) { return raw("G" + be(value)); }
  PickleBuilder& text(std::string_view value) { return raw("X" + le(static_cast<std::uint32_t>(value.size()))).raw(value); }
  PickleBuilder& bytes(std::string_view value) { return raw("B" + le(static_cast<std::uint32_t>(value.size()))).raw(value); }
  PickleBuilder& integer(std::int64_t value) {  // BININT1, BININT or LONG1, as it fits
    if (value >= 0 && value < 256) return raw("K" + le(static_cast<std::uint8_t>(value)));
    if (value == static_cast<std::int32_t>(value)) return raw("J" + le(static_cast<std::int32_t>(value)));
    return raw("\x8A\x08" + le(value));
  }
  PickleBuilder& list() { return raw("]"); }
  PickleBuilder& dict() { return raw("}"); }
  PickleBuilder& empty_tuple() { return raw(")"); }
  PickleBuilder& mark() { return raw("("); }
  PickleBuilder& tuple() { return raw("t"); }
  PickleBuilder& append() { return raw("a"); }
  PickleBuilder& appends() { return raw("e"); }
  PickleBuilder& set_item() { return raw("s"); }
  PickleBuilder& set_items() { return raw("u"); }
  PickleBuilder& reduce() { return raw("R"); }
  PickleBuilder& build() { return raw("b"); }
  PickleBuilder& persistent_id() { return raw("Q"); }
  PickleBuilder& put(std::uint32_t key) { return raw("r" + le(key)); }
  PickleBuilder& get(std::uint32_t key) { return raw("j" + le(key)); }
  PickleBuilder& global(std::string_view module, std::string_view name) {
    return raw("c").raw(module).raw("\n").raw(name).raw("\n");
  }
  PickleBuilder& stack_global(std::string_view module, std::string_view name) { return text(module).text(name).raw("\x93"); }
  PickleBuilder& call(std::string_view module, std::string_view name) {  // without arguments
    return global(module, name).empty_tuple().reduce();
  }
  PickleBuilder& integers(const std::vector<std::int64_t>& values) {
    mark();
    for (const std::int64_t value : values) integer(value);
    return tuple();
  }
  PickleBuilder& storage(std::string_view type, std::string_view key, std::int64_t count) {
    return mark().text("storage").global("torch", type).text(key).text("cpu").integer(count).tuple().persistent_id();
  }
  PickleBuilder& tensor(std::string_view type, std::string_view key, std::int64_t count, std::int64_t offset,
                        const std::vector<std::int64_t>& sizes, const std::vector<std::int64_t>& strides) {
    global("torch._utils", "_rebuild_tensor_v2")
        .mark()
        .storage(type, key, count)
        .integer(offset)
        .integers(sizes)
        .integers(strides);
    return boolean(false).call("collections", "OrderedDict").tuple().reduce();
  }
  std::string stop() const { return bytes_ + "."; }
  std::size_t size() const { return bytes_.size(); }

 private:
  std::string bytes_;
};

}  // namespace revisit::testing
