// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Writes MATLAB v5 files for tests, element by element, valid or not.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace revisit::testing {

class MatWriter {
 public:
  explicit MatWriter(bool big_endian = false) : big_endian_(big_endian) {}

  template <typename T>
  std::string number(T value) const {
    std::string out(sizeof(T), '\0');
    std::memcpy(out.data(), &value, sizeof(T));
    return big_endian_ ? std::string(out.rbegin(), out.rend()) : out;
  }
  std::string element(std::uint32_t type, const std::string& data) const {
    return number(type) + number(static_cast<std::uint32_t>(data.size())) + data + std::string((8 - data.size() % 8) % 8, '\0');
  }
  std::string small(std::uint32_t type, const std::string& data) const {
    return number(static_cast<std::uint32_t>(data.size() << 16 | type)) + data + std::string(4 - data.size(), '\0');
  }
  std::string matrix(std::uint32_t kind, const std::vector<std::int32_t>& shape, const std::string& name,
                     const std::string& content) const {
    std::string sizes;
    for (const auto side : shape) sizes += number(side);
    return element(14, element(6, number(kind) + number(std::uint32_t{0})) + element(5, sizes) + element(1, name) + content);
  }
  std::string text(const std::string& value) const {
    std::string units;
    for (const char c : value) units += number(static_cast<std::uint16_t>(static_cast<unsigned char>(c)));
    return matrix(4, {1, static_cast<std::int32_t>(value.size())}, "", element(4, units));
  }
  std::string cells(const std::vector<std::string>& texts) const {
    std::string content;
    for (const auto& value : texts) content += text(value);
    return matrix(1, {static_cast<std::int32_t>(texts.size()), 1}, "", content);
  }
  std::string doubles(const std::vector<std::int32_t>& shape, const std::vector<double>& values) const {
    std::string data;
    for (const double value : values) data += number(value);
    return matrix(6, shape, "", element(9, data));
  }
  using Fields = std::vector<std::pair<std::string, std::string>>;
  std::string structure(const std::string& name, const Fields& fields) const {
    std::string names, content;
    for (const auto& [field, value] : fields) {
      names += field + std::string(32 - field.size(), '\0');
      content += value;
    }
    return matrix(2, {1, 1}, name, small(5, number(std::int32_t{32})) + element(1, names) + content);
  }
  std::string compressed(const std::string& element_bytes) const {
    uLongf size = compressBound(element_bytes.size());
    std::string out(size, '\0');
    compress(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(element_bytes.data()),
             element_bytes.size());
    out.resize(size);
    return number(std::uint32_t{15}) + number(static_cast<std::uint32_t>(size)) + out;
  }
  std::string file(const std::string& elements) const {
    return std::string(124, ' ') + (big_endian_ ? std::string("\1\0MI", 4) : std::string("\0\1IM", 4)) + elements;
  }

  /// Two references and one query in the layout of Pittsburgh.
  Fields fields(double threshold = 25) const {
    return {{"whichSet", text("test")},
            {"dbImage", cells({"000/a.jpg", "000/b.jpg"})},
            {"utmDb", doubles({2, 2}, {0, 0, 0, 30})},
            {"qImage", cells({"000/q.jpg"})},
            {"utmQ", doubles({2, 1}, {0, 5})},
            {"numImages", doubles({1, 1}, {2})},
            {"numQueries", doubles({1, 1}, {1})},
            {"posDistThr", doubles({1, 1}, {threshold})}};
  }

 private:
  bool big_endian_;
};

}  // namespace revisit::testing
