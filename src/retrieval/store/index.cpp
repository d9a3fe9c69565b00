// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Index: a view of what was committed when it was opened or refreshed.
#include "revisit/index.h"

#include <xxhash.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "core/base/fail.h"
#include "retrieval/files/disk.h"
#include "retrieval/files/local_record.h"
#include "retrieval/files/row_file.h"
#include "retrieval/search/searcher.h"
#include "retrieval/store/catalogue.h"
#include "retrieval/store/filter.h"

namespace revisit {

struct Index::Impl {
  std::filesystem::path folder;
  retrieval::Catalogue catalogue;
  retrieval::Snapshot snapshot;
  retrieval::RowFile vectors;
  std::optional<retrieval::RowFile> codes;
  std::vector<std::uint8_t> live;  // (rows), empty when no row was replaced

  std::mutex mutex;                                            // of the catalogue's statements and what follows
  std::vector<std::uint8_t> sound;                             // (rows) 1: its checksum was verified
  std::optional<std::vector<retrieval::PlaceAndTime>> places;  // read when a search first asks

  std::optional<retrieval::LocalFile> local;  // opened when first asked for

  retrieval::Searchers searchers;

  Impl(const std::filesystem::path& where, retrieval::Catalogue opened)
      : folder(where),
        catalogue(std::move(opened)),
        snapshot(catalogue.snapshot(0)),
        vectors(retrieval::open_vectors(folder, catalogue.settings().dim, catalogue.identity(), snapshot.rows)) {
    take_codes();
    take_replaced();
  }

  void take_codes() {
    codes = retrieval::open_codes(folder, vectors.header(), snapshot.rows);
    if (codes || snapshot.rows == 0) return;
    // Deleted or cut. Rebuilt if nobody is writing and the folder is writable; without codes a search is slower, not different.
    const auto lock = retrieval::FolderLock::try_take(folder);
    if (!lock) return;
    codes = retrieval::open_codes(folder, vectors.header(), snapshot.rows);
    if (codes) return;
    try {
      retrieval::rebuild_codes(folder, vectors);
    } catch (const Error&) {
      return;
    }
    codes = retrieval::open_codes(folder, vectors.header(), snapshot.rows);
  }

  void take_replaced() {
    live.clear();
    if (snapshot.replaced.empty()) return;
    live.assign(static_cast<std::size_t>(snapshot.rows), 1);
    for (const int row : snapshot.replaced) live[static_cast<std::size_t>(row)] = 0;
  }

  bool is_live(int row) const { return live.empty() || live[static_cast<std::size_t>(row)] != 0; }

  void require_row(int row) const {
    if (row < 0 || row >= snapshot.rows) {
      fail(ErrorCode::kUsage, "row {} is not in index '{}' of {} rows", row, folder.string(), snapshot.rows);
    }
  }

  // Data may change on disk, so no answer uses a row or a line whose checksum does not match.
  void require_sound(int row) {
    const std::lock_guard guard(mutex);
    sound.resize(static_cast<std::size_t>(snapshot.rows), 0);
    std::uint8_t& known = sound[static_cast<std::size_t>(row)];
    if (known != 0) return;
    if (XXH3_64bits(vectors.row(row), vectors.header().row_bytes()) != catalogue.line(row).checksum) {
      fail_with_hint(ErrorCode::kBadFile, "revisit index verify lists every damaged row",
                     "row {} of index '{}' is damaged: its checksum does not match", row, folder.string());
    }
    known = 1;
  }

  retrieval::Collection collection() const {
    retrieval::Collection out;
    out.space.dim = vectors.header().dim;
    out.space.rows = reinterpret_cast<const float*>(vectors.data());
    out.space.end = snapshot.rows;
    if (codes) {
      out.space.codes = codes->data();
      out.space.code_stride = codes->header().row_bytes();
      out.space.coded = codes->rows();
    }
    out.live = live;
    out.live_rows = snapshot.rows - static_cast<int>(snapshot.replaced.size());
    out.folder = folder;
    out.identity = vectors.header().identity;
    return out;
  }

  // Empty: every row is wanted.
  std::vector<std::uint8_t> wanted(const SearchOptions& options) {
    if (!retrieval::filters_by_place_or_time(options)) return live;
    const std::lock_guard guard(mutex);
    if (!places) places = catalogue.places_and_times(snapshot.rows, live);
    return retrieval::wanted_rows(options, *places, snapshot.rows, live);
  }
};

Index::Index() = default;
Index::Index(Index&&) noexcept = default;
Index& Index::operator=(Index&&) noexcept = default;
Index::~Index() = default;

Index Index::open(const std::filesystem::path& folder) {
  retrieval::require_folder(folder);
  Index out;
  out.impl_ = std::make_unique<Impl>(folder, retrieval::Catalogue::open(folder));
  return out;
}

int Index::rows() const { return impl_->snapshot.rows; }

int Index::live_rows() const { return impl_->snapshot.rows - static_cast<int>(impl_->snapshot.replaced.size()); }

bool Index::is_live(int row) const {
  impl_->require_row(row);
  return impl_->is_live(row);
}

const IndexSettings& Index::settings() const { return impl_->catalogue.settings(); }

IndexEntry Index::entry(int row) const {
  impl_->require_row(row);
  const std::lock_guard guard(impl_->mutex);
  return impl_->catalogue.line(row).entry;
}

std::optional<int> Index::find(const std::string& name) const {
  const std::lock_guard guard(impl_->mutex);
  // Of the rows with one name the newest is in use; a later commit cannot change that for this view.
  const std::optional<int> row = impl_->catalogue.newest_with_name(name, impl_->snapshot.rows);
  if (!row || !impl_->is_live(*row)) return std::nullopt;
  const retrieval::Line line = impl_->catalogue.line(*row);
  impl_->catalogue.require_found(line, line.entry.name == name);
  return row;
}

std::span<const float> Index::descriptor(int row) const {
  impl_->require_row(row);
  return {reinterpret_cast<const float*>(impl_->vectors.row(row)), static_cast<std::size_t>(impl_->vectors.header().dim)};
}

std::span<const float> Index::checked_descriptor(int row) const {
  const std::span<const float> values = descriptor(row);
  impl_->require_sound(row);
  return values;
}

std::optional<LocalFeatures> Index::local(int row) const {
  impl_->require_row(row);
  const std::lock_guard guard(impl_->mutex);
  const auto line = impl_->catalogue.local(row);
  if (!line) return std::nullopt;
  if (!impl_->local) impl_->local.emplace(impl_->folder, impl_->catalogue.identity());
  return impl_->local->read(row, line->start, line->bytes, line->checksum);
}

int Index::local_rows() const {
  const std::lock_guard guard(impl_->mutex);
  return impl_->catalogue.local_rows();
}

std::vector<std::vector<Match>> Index::search(std::span<const float> queries, const SearchOptions& options,
                                              SearchStats* stats) const {
  retrieval::check_search(queries, impl_->vectors.header().dim, options);
  const retrieval::Collection collection = impl_->collection();
  const std::vector<std::uint8_t> wanted = impl_->wanted(options);
  retrieval::Request request = retrieval::request_for(options, queries, wanted, rows());
  retrieval::Searcher& searcher = impl_->searchers.chosen_by(options);
  SearchStats counted;
  std::vector<std::vector<Match>> out;
  try {
    out = searcher.search(collection, request, counted);
  } catch (const retrieval::CodesDisagree& damage) {
    impl_->require_sound(damage.row);
    request.use_codes = false;  // the row is as it was written, so its codes are not: slower without them, not different
    out = searcher.search(collection, request, counted);
  }
  for (const auto& list : out) {
    for (const Match& match : list) impl_->require_sound(match.row);
  }
  if (stats != nullptr) *stats = counted;
  return out;
}

int Index::refresh() {
  const std::lock_guard guard(impl_->mutex);
  const int before = impl_->snapshot.rows;
  retrieval::Snapshot now = impl_->catalogue.snapshot(before);
  if (now.rows < before) {
    fail(ErrorCode::kBadFile, "index '{}' shrank from {} to {} rows", impl_->folder.string(), before, now.rows);
  }
  if (now.rows > before) impl_->vectors.grow(now.rows);
  impl_->snapshot = std::move(now);
  if (impl_->snapshot.rows > before) impl_->take_codes();
  impl_->take_replaced();
  impl_->places.reset();
  impl_->local.reset();
  return impl_->snapshot.rows - before;
}

}  // namespace revisit
