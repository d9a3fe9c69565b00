// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Small helpers to write binary files byte by byte in tests, and to say how a reader must refuse them.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>

#include "revisit/error.h"

namespace revisit::testing {

/// A number in little-endian order.
template <typename T>
std::string le(T value) {
  std::string out(sizeof(T), '\0');
  std::memcpy(out.data(), &value, sizeof(T));
  return out;
}

/// A number in big-endian order, as BINFLOAT stores it.
template <typename T>
std::string be(T value) {
  const std::string little = le(value);
  return {little.rbegin(), little.rend()};
}

inline std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text.data(), text.size())); }

/// Runs `action`, which must throw Error (bad model or limit) with `part` in its sentence.
template <typename Action>
void expect_refused(Action&& action, const std::string& part, const std::string& label = "") {
  try {
    action();
    ADD_FAILURE() << label << " was accepted; expected: " << part;
  } catch (const Error& error) {
    EXPECT_TRUE(error.code() == ErrorCode::kBadModel || error.code() == ErrorCode::kLimit) << label << ": " << error.what();
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << label << ": " << error.what() << "\nexpected: " << part;
  }
}

}  // namespace revisit::testing
