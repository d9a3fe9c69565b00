// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// magic (8), version u32, header bytes u32, dim u32, target u32, rows u64, origin u64, learnt u64, payload bytes u64, xxh3-64 of
// the payload, zeros, xxh3-64 of the 88 bytes before it.
#include "retrieval/files/derived.h"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <mutex>
#include <string_view>

#include "core/base/byte_reader.h"
#include "core/base/fail.h"
#include "core/base/file.h"
#include "core/base/limits.h"
#include "core/base/stop_scope.h"

namespace revisit::retrieval {
namespace {

constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kMagicBytes = 8;
constexpr std::size_t kChecksumAt = kDerivedHeaderBytes - 8;
constexpr std::uint64_t kFingerprintRows = 64;

std::string_view magic_of(DerivedKind kind) {
  switch (kind) {
    case DerivedKind::kWhitening: return "rvsitpca";
    case DerivedKind::kProjected: return "rvsitprj";
    case DerivedKind::kGraph: return "rvsithns";
  }
  return "";
}

template <typename T>
void put(std::array<std::byte, kDerivedHeaderBytes>& bytes, std::size_t& at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof(T));
  at += sizeof(T);
}

int dim_from(ByteReader& reader, const char* what) {
  const std::uint32_t value = reader.u32(what);
  if (value < 1 || value > limits::kMaxDescriptorDim) {
    fail(ErrorCode::kBadFile, "'{}' has {} {}, the limits are 1 and {}", reader.file(), what, value, limits::kMaxDescriptorDim);
  }
  return static_cast<int>(value);
}

class Hash {
 public:
  Hash() : state_(XXH3_createState(), &XXH3_freeState) {
    if (!state_) throw std::bad_alloc();
    XXH3_64bits_reset(state_.get());
  }
  void add(std::span<const std::byte> bytes) {
    constexpr std::size_t kPiece = 1U << 22U;  // between two stop checks
    for (; !bytes.empty(); bytes = bytes.subspan(std::min(kPiece, bytes.size()))) {
      check_stop();
      XXH3_64bits_update(state_.get(), bytes.data(), std::min(kPiece, bytes.size()));
    }
  }
  void add(std::uint64_t value) { add(std::as_bytes(std::span(&value, 1))); }
  std::uint64_t value() const { return XXH3_64bits_digest(state_.get()); }

 private:
  std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state_;
};

void require_checksum(std::span<const std::byte> bytes, std::uint64_t stored, const char* what, const std::string& name) {
  Hash hash;
  hash.add(bytes);
  const std::uint64_t actual = hash.value();
  if (stored != actual) {
    fail(ErrorCode::kBadFile, "'{}' has the {} checksum {:016x}, its bytes give {:016x}", name, what, stored, actual);
  }
}

}  // namespace

Derived parse_derived(std::span<const std::byte> bytes, DerivedKind kind, const std::string& name) {
  ByteReader reader(bytes, name, ErrorCode::kBadFile);
  if (reader.text(kMagicBytes, "magic") != magic_of(kind)) {
    fail(ErrorCode::kBadFile, "'{}' does not start with the magic '{}'", name, magic_of(kind));
  }
  const std::uint32_t version = reader.u32("version");
  if (version != kVersion) fail(ErrorCode::kBadFile, "'{}' has version {}, this program reads {}", name, version, kVersion);
  const std::uint32_t header_bytes = reader.u32("header bytes");
  if (header_bytes != kDerivedHeaderBytes) {
    fail(ErrorCode::kBadFile, "'{}' has a header of {} bytes, expected {}", name, header_bytes, kDerivedHeaderBytes);
  }
  Derived out;
  out.header.kind = kind;
  out.header.dim = dim_from(reader, "dim");
  out.header.target = dim_from(reader, "target");
  out.header.rows = reader.u64("rows");
  if (out.header.rows < 1 || out.header.rows > static_cast<std::uint64_t>(limits::kMaxIndexRows)) {
    fail(ErrorCode::kBadFile, "'{}' counts {} rows, the limits are 1 and {}", name, out.header.rows, limits::kMaxIndexRows);
  }
  out.header.origin = reader.u64("origin");
  out.header.learnt = reader.u64("learnt");
  const std::uint64_t payload_bytes = reader.u64("payload bytes");
  const std::uint64_t payload_checksum = reader.u64("payload checksum");
  reader.seek(kChecksumAt, "header checksum");
  require_checksum(bytes.first(kChecksumAt), reader.u64("header checksum"), "header", name);
  if (payload_bytes != reader.remaining()) {
    fail(ErrorCode::kBadFile, "'{}' says {} bytes follow its header, there are {}", name, payload_bytes, reader.remaining());
  }
  out.payload = reader.take(payload_bytes, "payload");
  require_checksum(out.payload, payload_checksum, "payload", name);
  return out;
}

void write_derived(const std::filesystem::path& path, const DerivedHeader& header,
                   std::span<const std::span<const std::byte>> parts) {
  Hash payload;
  std::uint64_t payload_bytes = 0;
  for (const auto part : parts) {
    payload.add(part);
    payload_bytes += part.size();
  }
  std::array<std::byte, kDerivedHeaderBytes> bytes{};
  std::memcpy(bytes.data(), magic_of(header.kind).data(), kMagicBytes);
  std::size_t at = kMagicBytes;
  put(bytes, at, kVersion);
  put(bytes, at, static_cast<std::uint32_t>(kDerivedHeaderBytes));
  put(bytes, at, static_cast<std::uint32_t>(header.dim));
  put(bytes, at, static_cast<std::uint32_t>(header.target));
  put(bytes, at, header.rows);
  put(bytes, at, header.origin);
  put(bytes, at, header.learnt);
  put(bytes, at, payload_bytes);
  put(bytes, at, payload.value());
  at = kChecksumAt;
  put(bytes, at, static_cast<std::uint64_t>(XXH3_64bits(bytes.data(), kChecksumAt)));

  AtomicFile out(path);
  out.write(bytes);
  for (const auto part : parts) out.write(part);
  out.commit();
}

void keep_derived(const std::filesystem::path& folder, const std::string& name, const DerivedHeader& header,
                  std::span<const std::span<const std::byte>> parts) {
  // Not under the writer's lock: a reader must not block a writer. Whoever opens the file checks that it fits the
  // rows; two processes have two temporary files, and threads of one take turns.
  static std::mutex one_at_a_time;
  const std::lock_guard guard(one_at_a_time);
  try {
    is_regular_or_absent(folder / name);
    write_derived(folder / name, header, parts);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::kInterrupted) throw;
    return;  // no space, or not writable: it is rebuilt next time
  }
}

std::optional<DerivedFile> DerivedFile::open(const std::filesystem::path& path, DerivedKind kind) {
  try {
    const File file(path, File::Access::kRead);
    DerivedFile out;
    out.mapping_ = Mapping(file, file.size());
    out.derived_ = parse_derived({out.mapping_.data(), out.mapping_.size()}, kind, path.string());
    return out;
  } catch (const Error& error) {
    if (error.code() == ErrorCode::kBadFile || error.code() == ErrorCode::kNotFound) return std::nullopt;
    throw;
  }
}

std::uint64_t fingerprint_of(const float* rows, std::uint64_t count, int dim, std::uint64_t identity) {
  Hash hash;
  hash.add(identity);
  hash.add(count);
  hash.add(static_cast<std::uint64_t>(dim));
  const std::uint64_t looked_at = std::min(count, kFingerprintRows);
  for (std::uint64_t i = 1; i <= looked_at; ++i) {
    const std::uint64_t row = count * i / looked_at - 1;
    hash.add(std::as_bytes(std::span(rows + row * static_cast<std::uint64_t>(dim), static_cast<std::size_t>(dim))));
  }
  return hash.value();
}

}  // namespace revisit::retrieval
