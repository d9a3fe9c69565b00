// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// From elements to the fields of one struct. Cells hold texts, so matrices nest three deep at most: struct, cell, text.
#include "lab/dataset/mat.h"

#include "core/base/checked.h"
#include "core/base/fail.h"
#include "core/base/limits.h"
#include "core/base/stop_scope.h"
#include "core/formats/printable.h"
#include "lab/dataset/mat_elements.h"

namespace revisit::dataset {
namespace {

constexpr std::size_t kHeaderBytes = 128;

enum MatClass : std::uint32_t { kCellClass = 1, kStructClass = 2, kCharClass = 4, kFirstNumberClass = 6, kLastNumberClass = 15 };

struct MatrixHead {
  std::uint32_t kind = 0;
  bool is_complex = false;
  std::vector<std::int64_t> shape;
  std::string name;
  std::uint64_t count = 0;
};

MatrixHead head_of(MatReader& reader) {
  MatrixHead out;
  const auto flags = reader.integers("array flags");
  if (flags.size() != 2) fail(ErrorCode::kBadFile, "'{}' has a matrix with {} flags instead of 2", reader.file(), flags.size());
  out.kind = static_cast<std::uint32_t>(flags[0] & 0xFF);
  out.is_complex = (flags[0] & 0x800) != 0;
  out.shape = reader.integers("dimensions");
  if (out.shape.empty() || out.shape.size() > limits::kMaxRank) {
    fail(ErrorCode::kBadFile, "'{}' has a matrix of {} dimensions, not 1 to {}", reader.file(), out.shape.size(),
         limits::kMaxRank);
  }
  out.count = 1;
  for (const auto side : out.shape) {
    if (side < 0) fail(ErrorCode::kBadFile, "'{}' has a matrix with the size {}", reader.file(), side);
    out.count = checked_mul(out.count, static_cast<std::uint64_t>(side), reader.file());
  }
  const auto name = reader.next("a name");
  out.name = name.data.empty() ? "" : mat_text(name, reader.big_endian(), reader.file());
  return out;
}

MatReader inside(const MatReader& outer, const MatElement& element) {
  if (element.type != kMatMatrix)
    fail(ErrorCode::kBadFile, "'{}' has an element of type {} where a matrix is expected", outer.file(), element.type);
  return {element.data, outer.file(), outer.big_endian()};
}

std::string text_of(MatReader& reader, const MatrixHead& head) {
  if (head.count == 0) return "";
  const auto& shape = head.shape;
  if (static_cast<std::uint64_t>(shape.size() > 1 ? shape[1] : shape[0]) != head.count) {
    fail(ErrorCode::kBadFile, "'{}' has a text of more than one row", reader.file());
  }
  return mat_text(reader.next("a text"), reader.big_endian(), reader.file());
}

std::vector<std::string> cells_of(MatReader& reader, const MatrixHead& head) {
  if (head.count > limits::kMaxMatCells) {
    fail(ErrorCode::kLimit, "'{}' has {} cells, the limit is {}", reader.file(), head.count, limits::kMaxMatCells);
  }
  std::vector<std::string> out;
  StopTicker ticker;
  for (std::uint64_t i = 0; i < head.count; ++i) {
    ticker.step(64);
    MatReader cell = inside(reader, reader.next("a cell"));
    const MatrixHead cell_head = head_of(cell);
    if (cell_head.kind != kCharClass)
      fail(ErrorCode::kBadFile, "'{}' has a cell of class {}, not a text", reader.file(), cell_head.kind);
    out.push_back(text_of(cell, cell_head));
  }
  return out;
}

// Fields of other kinds (function handles, nested structs) are skipped. `numbers` counts those of all fields: each
// takes 8 bytes here, but perhaps one in the file.
void add_field(MatStruct& out, const std::string& name, MatReader reader, std::uint64_t& numbers) {
  if (reader.at_end()) return;  // []
  const MatrixHead head = head_of(reader);
  if (head.kind == kCharClass) {
    out.texts[name] = text_of(reader, head);
  } else if (head.kind == kCellClass) {
    out.cells[name] = cells_of(reader, head);
  } else if (head.kind >= kFirstNumberClass && head.kind <= kLastNumberClass && !head.is_complex) {
    if (head.count > limits::kMaxMatNumbers - numbers) {
      fail(ErrorCode::kLimit, "'{}': the field '{}' has {} numbers, {} with the fields before it; the limit is {} in all",
           reader.file(), printable(name), head.count, checked_add(head.count, numbers, reader.file()), limits::kMaxMatNumbers);
    }
    numbers += head.count;
    const MatElement element = reader.next("numbers");
    std::vector<double> values;  // stored in 1 to 8 bytes each
    if (element.data.size() >= head.count && element.data.size() / 8 <= head.count)
      values = mat_doubles(element, reader.big_endian(), reader.file());
    if (values.size() != head.count) {
      fail(ErrorCode::kBadFile, "'{}': the field '{}' has {} bytes, which are not the {} numbers of its dimensions",
           reader.file(), printable(name), element.data.size(), head.count);
    }
    out.numbers[name] = {head.shape, std::move(values)};
  }
}

MatStruct struct_of(MatReader& reader, const MatrixHead& head) {
  if (head.count != 1)
    fail(ErrorCode::kBadFile, "'{}': the struct '{}' has {} elements, not 1", reader.file(), printable(head.name),
         head.count);
  const auto length = reader.integers("field name length");
  const auto names = reader.next("field names");
  if (length.size() != 1 || length[0] < 1 || length[0] > 64 || names.data.size() % static_cast<std::size_t>(length[0]) != 0) {
    fail(ErrorCode::kBadFile, "'{}': the names of the struct's fields have no valid length", reader.file());
  }
  MatStruct out;
  const auto step = static_cast<std::size_t>(length[0]);
  for (std::size_t at = 0; at < names.data.size(); at += step) {
    std::string name(reinterpret_cast<const char*>(names.data.data()) + at, step);
    name.resize(std::min(name.find('\0'), name.size()));
    for (const auto& before : out.order) {
      if (before == name) fail(ErrorCode::kBadFile, "'{}': the field '{}' appears twice", reader.file(), printable(name));
    }
    out.order.push_back(name);
    if (out.order.size() > 1'000) fail(ErrorCode::kLimit, "'{}': a struct of more than 1000 fields", reader.file());
  }
  std::uint64_t numbers = 0;
  for (const auto& name : out.order) add_field(out, name, inside(reader, reader.next("a field")), numbers);
  return out;
}

}  // namespace

MatStruct parse_mat_struct(std::span<const std::byte> bytes, const std::string& variable, const std::string& file) {
  if (bytes.size() > limits::kMaxMatBytes)
    fail(ErrorCode::kLimit, "'{}' has {} bytes, the limit is {}", file, bytes.size(), limits::kMaxMatBytes);
  if (bytes.size() < kHeaderBytes) fail(ErrorCode::kBadFile, "'{}' has {} bytes, too few for a .mat file", file, bytes.size());
  const std::string_view mark(reinterpret_cast<const char*>(bytes.data()) + 124, 4);
  const bool big_endian = mark == std::string_view("\x01\x00MI", 4);
  if (!big_endian && mark != std::string_view("\x00\x01IM", 4)) {
    fail_with_hint(ErrorCode::kBadFile, "in MATLAB: save(name, 'dbStruct', '-v7')",
                   "'{}' is not a .mat file of version 5 (saved with -v6 or -v7)", file);
  }
  std::uint64_t inflated = 0;
  MatReader reader(bytes.subspan(kHeaderBytes), file, big_endian);
  for (int elements = 0; !reader.at_end(); ++elements) {
    check_stop();
    if (elements == limits::kMaxMatElements)
      fail(ErrorCode::kLimit, "'{}' has no variable '{}' among its first {} elements", file, variable, limits::kMaxMatElements);
    MatElement element = reader.next("an element");
    std::vector<std::byte> buffer;
    if (element.type == kMatCompressed) {
      buffer = mat_inflate(element.data, limits::kMaxMatBytes - inflated, file);
      inflated += buffer.size();
      element = MatReader(buffer, file, big_endian).next("a compressed element");
    }
    if (element.type != kMatMatrix) continue;
    MatReader matrix(element.data, file, big_endian);
    const MatrixHead head = head_of(matrix);
    if (head.name != variable) continue;
    if (head.kind != kStructClass) fail(ErrorCode::kBadFile, "'{}': the variable '{}' is not a struct", file, variable);
    return struct_of(matrix, head);
  }
  fail(ErrorCode::kBadFile, "'{}' has no variable '{}'", file, variable);
}

}  // namespace revisit::dataset
