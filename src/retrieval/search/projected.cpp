// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// pcaD.rows: mean and projection, then (rows, D) f32, then CodeRow and codes of each row as in codes.i8.
#include "retrieval/search/projected.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "core/base/fail.h"
#include "retrieval/files/layout.h"
#include "retrieval/files/row_file.h"
#include "retrieval/search/whitening_numbers.h"

namespace revisit::retrieval {
namespace {

constexpr int kProjectedAtATime = 1024;

std::size_t code_stride(int target) { return kCodeRowBytes + padded_dim(target); }

std::size_t row_bytes(int target) { return static_cast<std::size_t>(target) * sizeof(float); }

}  // namespace

int learnt_rows(int count, int target) {
  int learnt = std::min(count, 16);
  while (learnt >= 16 && learnt + learnt / 8 <= count) learnt += learnt / 8;
  return std::max(learnt, std::min(count, target + 1));
}

std::string projected_name(int target) { return fmt::format("pca{}.rows", target); }

std::string graph_name(int target) { return target == 0 ? "hnsw.graph" : fmt::format("pca{}.graph", target); }

void Projected::update(const Source& source) {
  if (whitening_ && count_ == source.count) return;
  if (whitening_ && learnt_rows(count_, target_) == learnt_rows(source.count, target_)) {
    if (file_) into_memory();
  } else {
    whitening_.reset();
    file_.reset();
    rows_.clear();
    codes_.clear();
    count_ = 0;
    if (!source.folder.empty() && take_file(source) && count_ == source.count) return;
    if (file_) into_memory();
  }
  if (!whitening_) {
    const auto learnt = static_cast<std::size_t>(learnt_rows(source.count, target_));
    whitening_ = Whitening::learn({source.rows, learnt * static_cast<std::size_t>(source.dim)}, source.dim, target_);
  }
  add_rows(source);
  if (!source.folder.empty()) keep(source);
}

// True when the file holds these rows, or the first of them. A file from a view of more rows is useless: its whitening
// may have been learnt from rows this view lacks.
bool Projected::take_file(const Source& source) {
  const std::filesystem::path path = source.folder / projected_name(target_);
  auto file = DerivedFile::open(path, DerivedKind::kProjected);
  if (!file) return false;
  const DerivedHeader& header = file->header();
  const std::uint64_t size =
      whitening_bytes(header.dim, header.target) + header.rows * (row_bytes(header.target) + code_stride(header.target));
  if (header.dim != source.dim || header.target != target_ || header.rows > static_cast<std::uint64_t>(source.count) ||
      header.learnt != static_cast<std::uint64_t>(learnt_rows(source.count, target_)) || file->payload().size() != size ||
      header.origin != fingerprint_of(source.rows, header.rows, source.dim, source.identity)) {
    return false;
  }
  try {
    whitening_ = WhiteningAccess::make(
        parse_whitening(file->payload().first(whitening_bytes(header.dim, target_)), header.dim, target_, path.string()));
  } catch (const Error& error) {
    if (error.code() == ErrorCode::kInterrupted) throw;
    return false;  // sound checksums over invalid numbers: not made by us
  }
  count_ = static_cast<int>(header.rows);
  file_ = std::move(file);
  return true;
}

void Projected::into_memory() {
  const SearchSpace from = space();
  const auto count = static_cast<std::size_t>(count_);
  rows_.assign(from.rows, from.rows + count * static_cast<std::size_t>(target_));
  codes_.assign(from.codes, from.codes + count * from.code_stride);
  file_.reset();
}

void Projected::keep(const Source& source) const {
  DerivedHeader header;
  header.kind = DerivedKind::kProjected;
  header.dim = source.dim;
  header.target = target_;
  header.rows = static_cast<std::uint64_t>(count_);
  header.origin = fingerprint_of(source.rows, header.rows, source.dim, source.identity);
  header.learnt = static_cast<std::uint64_t>(learnt_rows(count_, target_));
  const WhiteningNumbers& numbers = WhiteningAccess::numbers(*whitening_);
  const std::array parts = {std::as_bytes(std::span(numbers.mean)), std::as_bytes(std::span(numbers.projection)),
                            std::as_bytes(std::span(rows_)), std::span<const std::byte>(codes_)};
  keep_derived(source.folder, projected_name(target_), header, parts);
}

void Projected::add_rows(const Source& source) {
  const auto dim = static_cast<std::size_t>(source.dim);
  const auto target = static_cast<std::size_t>(target_);
  rows_.reserve(static_cast<std::size_t>(source.count) * target);
  codes_.reserve(static_cast<std::size_t>(source.count) * code_stride(target_));
  std::vector<std::byte> code;
  while (count_ < source.count) {
    const int some = std::min(kProjectedAtATime, source.count - count_);
    const std::vector<float> projected =
        whitening_->apply({source.rows + static_cast<std::size_t>(count_) * dim, static_cast<std::size_t>(some) * dim});
    rows_.insert(rows_.end(), projected.begin(), projected.end());
    for (std::size_t i = 0; i < projected.size(); i += target) {
      encode_codes(std::span(projected).subspan(i, target), code);
      codes_.insert(codes_.end(), code.begin(), code.end());
    }
    count_ += some;
  }
}

SearchSpace Projected::space() const {
  SearchSpace out;
  out.dim = target_;
  out.code_stride = code_stride(target_);
  out.coded = count_;
  out.end = count_;
  if (file_) {
    const std::uint64_t whitening_size = whitening_bytes(file_->header().dim, target_);
    const auto rows_size = static_cast<std::uint64_t>(count_) * row_bytes(target_);
    out.rows = reinterpret_cast<const float*>(file_->payload().data() + whitening_size);
    out.codes = file_->payload().data() + whitening_size + rows_size;
  } else {
    out.rows = rows_.data();
    out.codes = codes_.data();
  }
  return out;
}

}  // namespace revisit::retrieval
