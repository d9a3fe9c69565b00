// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Any bytes as each binary file of an index: refused with an Error, or used without harm. A second try gets its checksums put
// right, since no mutation would ever hit them, and reaches what stands behind them.
#include "revisit/index.h"

#include <stdlib.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "retrieval/files/derived.h"
#include "retrieval/search/graph.h"
#include "retrieval/search/graph_links.h"
#include "retrieval/files/row_file.h"
#include "retrieval/search/whitening_numbers.h"
#include "revisit/error.h"

namespace {

using revisit::retrieval::DerivedKind;
using revisit::retrieval::FileKind;
using Bytes = std::vector<std::byte>;

constexpr int kDim = 4;
constexpr int kRows = 3;

/// A folder with an index of three rows, for the life of the process.
class Folder {
 public:
  Folder() {
    // In memory where there is some: flushing to a disk would take most of the time.
    const std::filesystem::path memory = "/dev/shm";
    const auto place = ::access(memory.c_str(), W_OK) == 0 ? memory : std::filesystem::temp_directory_path();
    std::string name = (place / "revisit_fuzz_index_XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) __builtin_trap();
    path = name;
    revisit::IndexSettings settings;
    settings.dim = kDim;
    revisit::IndexWriter writer = revisit::IndexWriter::open(path, settings);
    for (int i = 0; i < kRows; ++i) {
      std::vector<float> row(kDim);
      row[static_cast<std::size_t>(i)] = 1;
      writer.add({std::to_string(i), "", 0, std::nullopt, std::nullopt}, row);
    }
    writer.commit();
    std::ifstream in(path / revisit::retrieval::kVectorsName, std::ios::binary);
    in.seekg(kIdentityAt);
    in.read(identity, sizeof(identity));
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  static constexpr int kIdentityAt = 24;
  std::filesystem::path path;
  char identity[8] = {};
};

const Folder& folder() {
  static const Folder made;
  return made;
}

void write(const std::filesystem::path& path, const Bytes& bytes) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

void put_hash(Bytes& bytes, std::size_t at, std::size_t begin, std::size_t end) {
  const std::uint64_t hash = XXH3_64bits(bytes.data() + begin, end - begin);
  std::memcpy(bytes.data() + at, &hash, sizeof(hash));
}

template <typename Action>
void allow_error(const Action& action) {
  try {
    action();
  } catch (const revisit::Error&) {
  }
}

void graph_from(std::span<const std::byte> payload, std::uint64_t elements) {
  const revisit::retrieval::GraphLinks links = revisit::retrieval::parse_links(payload, elements, "fuzz");
  const Bytes again = revisit::retrieval::encode_links(links);
  if (!std::equal(again.begin(), again.end(), payload.begin(), payload.end())) __builtin_trap();
  std::vector<float> rows(static_cast<std::size_t>(elements) * kDim);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<float>(i * 7 % 11);
  revisit::retrieval::Graph graph;
  graph.restore(links, rows.data(), kDim);
  if (graph.nearest(rows.data(), 5).empty()) __builtin_trap();
  if (elements < 200) graph.grow((rows.resize(rows.size() + kDim), rows.data()), static_cast<int>(elements) + 1, kDim);
}

void derived(const Bytes& bytes) {
  allow_error([&] {
    const auto file = revisit::retrieval::parse_derived(bytes, DerivedKind::kWhitening, "fuzz");
    revisit::retrieval::parse_whitening(file.payload, file.header.dim, file.header.target, "fuzz");
  });
  allow_error([&] { revisit::retrieval::parse_derived(bytes, DerivedKind::kProjected, "fuzz"); });
  allow_error([&] {
    const auto file = revisit::retrieval::parse_derived(bytes, DerivedKind::kGraph, "fuzz");
    graph_from(file.payload, file.header.rows);
  });
}

void rows(const Bytes& bytes) {
  const auto path = folder().path / "fuzzed";
  write(path, bytes);
  for (const FileKind kind : {FileKind::kVectors, FileKind::kCodes}) {
    allow_error([&] {
      const revisit::retrieval::RowFile file(path, kind, kRows);
      volatile std::byte last = file.row(kRows - 1)[file.header().row_bytes() - 1];
      static_cast<void>(last);
    });
  }
}

/// The bytes as one of the files of an index whose catalogue is sound.
void whole_index(const Bytes& bytes, const char* name) {
  const auto path = folder().path / name;
  std::ifstream in(path, std::ios::binary);
  const std::string before(std::istreambuf_iterator<char>(in), {});
  write(path, bytes);
  allow_error([&] {
    const revisit::Index index = revisit::Index::open(folder().path);
    revisit::SearchOptions options;
    const std::vector<float> query = {0.5F, 0.5F, 0.5F, 0.5F};
    if (index.search(query, options)[0].size() != kRows) __builtin_trap();
    options.dim = 2;
    index.search(query, options);
  });
  allow_error([&] { revisit::verify_index(folder().path); });
  std::filesystem::remove(folder().path / "pca2.rows");
  std::ofstream(path, std::ios::binary | std::ios::trunc) << before;
}

void everything(const Bytes& bytes) {
  derived(bytes);
  rows(bytes);
  // A database takes a thousand times as long as a header: after the first inputs, of which a replay has no more, only some.
  static unsigned runs = 0;
  if (++runs > 200 && runs % 32 != 0) return;
  const auto starts_with = [&](const char* magic) { return bytes.size() > 64 && std::memcmp(bytes.data(), magic, 8) == 0; };
  if (starts_with("rvsitvec")) whole_index(bytes, revisit::retrieval::kVectorsName);
  if (starts_with("rvsitcod")) whole_index(bytes, revisit::retrieval::kCodesName);
  if (starts_with("rvsitprj")) whole_index(bytes, "pca2.rows");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto* first = reinterpret_cast<const std::byte*>(data);
  Bytes bytes(first, first + size);
  everything(bytes);
  if (size > 1) allow_error([&] { graph_from(std::span(bytes).subspan(1), data[0]); });
  if (size >= 96) {
    Bytes sealed = bytes;
    const std::uint64_t payload = size - 96;
    std::memcpy(sealed.data() + 48, &payload, sizeof(payload));
    put_hash(sealed, 56, 96, size);
    put_hash(sealed, 88, 0, 88);
    derived(sealed);
  }
  if (size >= 64) {
    std::memcpy(bytes.data() + Folder::kIdentityAt, folder().identity, sizeof(folder().identity));
    put_hash(bytes, 56, 0, 56);
    everything(bytes);
  }
  return 0;
}
