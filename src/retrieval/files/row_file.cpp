// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Rows on disk behind row_file.h.
#include "retrieval/files/row_file.h"

#include <cstring>

#include "core/base/checked.h"
#include "core/base/fail.h"
#include "core/base/file.h"
#include "retrieval/files/quantise.h"

namespace revisit::retrieval {
namespace {

constexpr std::size_t kBufferBytes = 1U << 20U;

std::uint64_t require_bytes(const File& file, const Header& header, int rows) {
  const std::uint64_t needed = header.bytes_of(rows);  // below 2^31 x 2^18 bytes: cannot overflow
  const std::uint64_t size = file.size();
  if (size < needed) {
    fail(ErrorCode::kBadFile, "'{}' has {} bytes, but the catalogue counts {} rows, which need {}", file.path().string(), size,
         rows, needed);
  }
  return size;
}

}  // namespace

RowFile::RowFile(const std::filesystem::path& path, FileKind kind, int rows)
    : file_(path, File::Access::kRead), header_(read_header(file_, kind)) {
  grow(rows);
}

void RowFile::grow(int rows) {
  require_bytes(file_, header_, rows);
  mapping_ = Mapping(file_, header_.bytes_of(rows));
  rows_ = rows;
}

void RowAppender::create(const std::filesystem::path& path, const Header& header) {
  AtomicFile out(path);
  out.write(encode(header));
  out.commit();
}

RowAppender::RowAppender(const std::filesystem::path& path, FileKind kind, int rows)
    : file_(path, File::Access::kReadWrite), header_(read_header(file_, kind)), end_(header_.bytes_of(rows)) {
  if (require_bytes(file_, header_, rows) > end_) file_.truncate(end_);
}

RowAppender::RowAppender(const std::filesystem::path& path, FileKind kind, std::uint64_t end)
    : file_(path, File::Access::kReadWrite), header_(read_header(file_, kind)), end_(end) {
  const std::uint64_t size = file_.size();
  if (size < end) {
    fail_with_hint(ErrorCode::kBadFile, "delete it and add the photos again, and it is made anew",
                   "'{}' has {} bytes, but the catalogue counts {}", path.string(), size, end);
  }
  if (size > end) file_.truncate(end);
}

void RowAppender::append(std::span<const std::byte> row) {
  buffer_.insert(buffer_.end(), row.begin(), row.end());
  if (buffer_.size() >= kBufferBytes) write_buffer();
}

void RowAppender::write_buffer() {
  file_.write_at(end_, buffer_);
  end_ += buffer_.size();
  buffer_.clear();
}

void RowAppender::flush() {
  if (!buffer_.empty()) write_buffer();
  file_.flush();
}

void require_same_index(const Header& header, int dim, std::uint64_t identity, const std::filesystem::path& path) {
  if (header.dim != dim) {
    fail(ErrorCode::kBadFile, "'{}' has dim {}, the catalogue says {}", path.string(), header.dim, dim);
  }
  if (header.identity != identity) {
    fail(ErrorCode::kBadFile, "'{}' belongs to another index: identity {:016x}, the catalogue says {:016x}", path.string(),
         header.identity, identity);
  }
}

RowFile open_vectors(const std::filesystem::path& folder, int dim, std::uint64_t identity, int rows) {
  const auto path = folder / kVectorsName;
  RowFile out(path, FileKind::kVectors, 0);
  require_same_index(out.header(), dim, identity, path);
  out.grow(rows);
  return out;
}

void encode_codes(std::span<const float> descriptor, std::vector<std::byte>& out) {
  out.resize(kCodeRowBytes + padded_dim(static_cast<int>(descriptor.size())));
  auto* codes = reinterpret_cast<std::int8_t*>(out.data() + kCodeRowBytes);
  const CodeRow row = quantise_row(descriptor, {codes, out.size() - kCodeRowBytes});
  std::memcpy(out.data(), &row, sizeof(row));
}

void rebuild_codes(const std::filesystem::path& folder, const RowFile& vectors) {
  Header header = vectors.header();
  header.kind = FileKind::kCodes;
  header.version = kRowFileVersion;
  is_regular_or_absent(folder / kCodesName);
  AtomicFile out(folder / kCodesName);
  out.write(encode(header));
  std::vector<std::byte> codes;
  const auto dim = static_cast<std::size_t>(header.dim);
  for (int r = 0; r < vectors.rows(); ++r) {
    encode_codes({reinterpret_cast<const float*>(vectors.row(r)), dim}, codes);
    out.write(codes);
  }
  out.commit();
}

std::optional<RowFile> open_codes(const std::filesystem::path& folder, const Header& vectors, int rows) {
  try {
    RowFile codes(folder / kCodesName, FileKind::kCodes, rows);
    require_same_index(codes.header(), vectors.dim, vectors.identity, folder / kCodesName);
    return codes;
  } catch (const Error& error) {
    if (error.code() == ErrorCode::kBadFile || error.code() == ErrorCode::kNotFound) return std::nullopt;
    throw;
  }
}

}  // namespace revisit::retrieval
