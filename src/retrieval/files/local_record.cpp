// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Records of local.i8.
#include "retrieval/files/local_record.h"

#include <xxhash.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "core/base/fail.h"
#include "retrieval/files/row_file.h"

namespace revisit::retrieval {
namespace {

static_assert(sizeof(LocalPatch) == kPatchBytes);

constexpr const char* kMadeAgain =
    "revisit index verify lists every damaged row; delete 'local.i8' and add the photos again with --local to have it made anew";

bool is_code(std::int8_t code) { return std::abs(int{code}) <= LocalFeatures::kMostCode; }

}  // namespace

std::vector<std::byte> encode_local(const LocalFeatures& features) {
  const bool sized = features.dim >= 1 && features.dim <= LocalFeatures::kMostDim &&
                     features.count() <= LocalFeatures::kMostPatches &&
                     features.codes.size() == features.patches.size() * static_cast<std::size_t>(features.dim);
  if (!sized || !std::ranges::all_of(features.codes, is_code)) {
    fail(ErrorCode::kUsage,
         "local features of {} patches with {} codes of dim {} cannot be kept: the limits are {} patches, dim {}, codes of {}",
         features.patches.size(), features.codes.size(), features.dim, int{LocalFeatures::kMostPatches},
         int{LocalFeatures::kMostDim}, int{LocalFeatures::kMostCode});
  }
  std::vector<std::byte> out(features.bytes());
  const std::size_t places = features.patches.size() * kPatchBytes;
  if (out.empty()) return out;
  std::memcpy(out.data(), features.patches.data(), places);
  std::memcpy(out.data() + places, features.codes.data(), features.codes.size());
  return out;
}

LocalFeatures decode_local(std::span<const std::byte> bytes, int dim, const std::string& what) {
  const std::uint64_t each = kPatchBytes + static_cast<std::uint64_t>(dim);
  const std::uint64_t count = bytes.size() / each;
  if (bytes.size() % each != 0 || count > LocalFeatures::kMostPatches) {
    fail(ErrorCode::kBadFile, "{} have {} bytes, which is not that of up to {} patches of {}", what, bytes.size(),
         int{LocalFeatures::kMostPatches}, each);
  }
  LocalFeatures out;
  out.dim = dim;
  out.patches.resize(count);
  out.codes.resize(count * static_cast<std::uint64_t>(dim));
  if (count == 0) return out;
  std::memcpy(out.patches.data(), bytes.data(), count * kPatchBytes);
  std::memcpy(out.codes.data(), bytes.data() + count * kPatchBytes, out.codes.size());
  const auto bad = std::ranges::find_if_not(out.codes, is_code);
  if (bad != out.codes.end()) {
    fail(ErrorCode::kBadFile, "{} hold the code {}, the limit is {}", what, int{*bad}, int{LocalFeatures::kMostCode});
  }
  return out;
}

std::uint64_t local_checksum(std::span<const std::byte> record, int row, std::uint64_t identity) {
  return XXH3_64bits_withSeed(record.data(), record.size(), identity + static_cast<std::uint64_t>(row));
}

LocalFile::LocalFile(const std::filesystem::path& folder, std::uint64_t identity)
    : file_(folder / kLocalName, File::Access::kRead), identity_(identity) {
  const Header header = read_header(file_, FileKind::kLocal);
  dim_ = header.dim;
  require_same_index(header, dim_, identity, file_.path());
  if (dim_ > LocalFeatures::kMostDim) {
    fail(ErrorCode::kBadFile, "'{}' has dim {}, the limit is {}", file_.path().string(), dim_, int{LocalFeatures::kMostDim});
  }
}

LocalFeatures LocalFile::read(int row, std::uint64_t start, std::uint64_t bytes, std::uint64_t checksum) const {
  std::vector<std::byte> record(bytes);
  if (file_.read_at(start, record) < bytes) {
    fail_with_hint(ErrorCode::kBadFile, kMadeAgain, "'{}' has {} bytes, but the local features of row {} end at {}",
                   file_.path().string(), file_.size(), row, start + bytes);
  }
  if (local_checksum(record, row, identity_) != checksum) {
    fail_with_hint(ErrorCode::kBadFile, kMadeAgain,
                   "the local features of row {} in '{}' are damaged: their checksum does not match", row, file_.path().string());
  }
  return decode_local(record, dim_, fmt::format("the local features of row {} in '{}'", row, file_.path().string()));
}

}  // namespace revisit::retrieval
