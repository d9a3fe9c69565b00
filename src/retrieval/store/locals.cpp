// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The table of local features.
#include "core/base/fail.h"
#include "core/base/limits.h"
#include "retrieval/files/layout.h"
#include "retrieval/files/local_record.h"
#include "retrieval/store/catalogue.h"

namespace revisit::retrieval {

std::optional<LocalLine> Catalogue::local(int row) {
  if (!has_locals()) return std::nullopt;
  Statement& found = cached(select_local_, "SELECT start, bytes, checksum FROM locals WHERE row = ?1");
  if (!found.bind(1, std::int64_t{row}).step()) return std::nullopt;
  const std::int64_t start = found.integer(0, "start", row), bytes = found.integer(1, "bytes", row);
  const auto checksum = static_cast<std::uint64_t>(found.integer(2, "checksum", row));
  found.reset();
  if (start < static_cast<std::int64_t>(kHeaderBytes) || start > limits::kMaxLocalFileBytes || bytes < 0 ||
      bytes > static_cast<std::int64_t>(kMostRecordBytes)) {
    fail(ErrorCode::kBadFile, "'{}': the local features of row {} are {} bytes at {} of '{}'", database_->file(), row, bytes,
         start, kLocalName);
  }
  return LocalLine{row, static_cast<std::uint64_t>(start), static_cast<std::uint64_t>(bytes), checksum};
}

int Catalogue::local_rows() {
  if (!has_locals()) return 0;
  return static_cast<int>(database_->number("SELECT count(*) FROM locals JOIN photos USING (row) WHERE live = 1"));
}

std::uint64_t Catalogue::local_end() {
  const auto header = static_cast<std::int64_t>(kHeaderBytes);
  if (!has_locals()) return kHeaderBytes;
  const std::int64_t end = database_->number("SELECT coalesce(max(start + bytes), 64) FROM locals");
  if (end < header || end > limits::kMaxLocalFileBytes) {
    fail(ErrorCode::kBadFile, "'{}': local features end at {} of '{}'", database_->file(), end, kLocalName);
  }
  return static_cast<std::uint64_t>(end);
}

void Catalogue::make_locals() {
  if (has_locals()) return database_->run("DELETE FROM locals");
  add_locals(*database_);
  take_version();
}

void Catalogue::put_local(const LocalLine& line) {
  Statement& values = cached(put_local_, "INSERT OR REPLACE INTO locals VALUES (?1, ?2, ?3, ?4)");
  values.bind(1, std::int64_t{line.row}).bind(2, static_cast<std::int64_t>(line.start));
  values.bind(3, static_cast<std::int64_t>(line.bytes)).bind(4, static_cast<std::int64_t>(line.checksum)).run();
}

}  // namespace revisit::retrieval
