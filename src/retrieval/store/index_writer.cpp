// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// IndexWriter. Rows go to the files as they arrive and to an open transaction of the catalogue; commit() makes the files durable
// and then the transaction, in this order, so that a committed line always has its row. Memory does not grow with the rows.
#include <xxhash.h>

#include <cmath>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/fail.h"
#include "core/base/limits.h"
#include "retrieval/files/disk.h"
#include "retrieval/files/local_record.h"
#include "retrieval/files/row_file.h"
#include "retrieval/store/catalogue.h"
#include "revisit/index.h"

namespace revisit {
namespace {

std::uint64_t random_identity() {
  std::random_device random;
  return (std::uint64_t{random()} << 32U) | random();
}

// The two files first, then the catalogue: if a catalogue exists, everything does.
retrieval::Catalogue open_or_create(const std::filesystem::path& folder, const IndexSettings& settings) {
  if (retrieval::Catalogue::exists(folder)) return retrieval::Catalogue::open_to_write(folder);
  const auto vectors = folder / retrieval::kVectorsName;
  if (retrieval::is_regular_or_absent(vectors)) {
    const std::uint64_t bytes = retrieval::File(vectors, retrieval::File::Access::kRead).size();
    if (bytes > retrieval::kHeaderBytes) {
      fail(ErrorCode::kBadFile, "'{}' has {} bytes of rows, but '{}' does not exist to say what they are", vectors.string(),
           bytes - retrieval::kHeaderBytes, (folder / retrieval::kCatalogueName).string());
    }
  }
  const std::uint64_t identity = random_identity();
  retrieval::RowAppender::create(vectors, {retrieval::FileKind::kVectors, retrieval::kRowFileVersion, settings.dim, identity});
  retrieval::RowAppender::create(folder / retrieval::kCodesName,
                                 {retrieval::FileKind::kCodes, retrieval::kRowFileVersion, settings.dim, identity});
  return retrieval::Catalogue::create(folder, settings, identity);
}

void make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  if (std::filesystem::create_directories(folder, error)) {
    const auto parent = std::filesystem::absolute(folder).lexically_normal().parent_path();
    retrieval::flush_folder(parent);
  }
  if (error && !std::filesystem::is_directory(folder)) {
    fail(error == std::errc::no_space_on_device ? ErrorCode::kNoSpace : ErrorCode::kIo, "cannot create the folder '{}': {}",
         folder.string(), error.message());
  }
}

// Cuts a torn tail; rebuilds codes that are missing or too short.
retrieval::RowAppender open_codes_to_append(const std::filesystem::path& folder, const retrieval::Header& header, int rows) {
  if (!retrieval::open_codes(folder, header, rows)) {
    retrieval::rebuild_codes(folder, retrieval::RowFile(folder / retrieval::kVectorsName, retrieval::FileKind::kVectors, rows));
  }
  return {folder / retrieval::kCodesName, retrieval::FileKind::kCodes, rows};
}

}  // namespace

struct IndexWriter::Impl {
  std::filesystem::path folder;
  retrieval::FolderLock lock;
  retrieval::Catalogue catalogue;
  std::vector<std::string> differing;  // in what the rows that are added differ from the first ones of the index
  int committed;
  retrieval::RowAppender vectors;
  retrieval::RowAppender codes;
  int pending = 0;    // rows of the open transaction
  bool open = false;  // a transaction
  bool failed = false;
  std::vector<std::byte> code_row;
  std::optional<retrieval::RowAppender> local;  // once open_local() was called

  Impl(const std::filesystem::path& where, retrieval::FolderLock held, const IndexSettings& settings)
      : folder(where),
        lock(std::move(held)),
        catalogue(open_or_create(folder, settings)),
        committed(check(settings)),
        vectors(folder / retrieval::kVectorsName, retrieval::FileKind::kVectors, committed),
        codes(open_codes_to_append(folder, vectors.header(), committed)) {}

  // Before anything is cut: a file of another index must not lose its rows.
  int check(const IndexSettings& settings) {
    const IndexSettings& stored = catalogue.settings();
    require_compatible(folder, stored, settings);
    const retrieval::File file(folder / retrieval::kVectorsName, retrieval::File::Access::kRead);
    retrieval::require_same_index(retrieval::read_header(file, retrieval::FileKind::kVectors), stored.dim, catalogue.identity(),
                                  file.path());
    const int rows = catalogue.snapshot(0).rows;
    catalogue.upgrade(settings);
    take(settings);
    return rows;
  }

  // The caller reports permitted differences; the index records them with the first such row.
  void take(const IndexSettings& made) {
    differing = made.also;
    const DescriptorSpec& stored = catalogue.settings().spec;
    // What an earlier version did not know was then as it is by default. Without an identity next to nothing is known.
    const auto known = [](const DescriptorSpec& spec, const DescriptorSpec& other) {
      return spec.model_identity ? completed(spec) : overlaid(spec, other);
    };
    const std::string own = differences_text(differences(known(made.spec, stored), known(stored, made.spec)), Agreement::kTold);
    if (!own.empty()) differing.push_back(own);
  }

  struct Known {
    retrieval::Line line;
    bool changed = false;  // on disk, so that nothing in it can be trusted
  };

  std::optional<Known> with_name(const std::string& name) {
    const std::optional<int> row = catalogue.newest_with_name(name, limits::kMaxIndexRows);
    if (!row) return std::nullopt;
    Known out{catalogue.line_as_it_stands(*row)};
    out.changed = !catalogue.fits_seal(out.line);
    catalogue.require_found(out.line, out.line.entry.name == name);
    return out.changed || out.line.live == 1 ? std::optional(std::move(out)) : std::nullopt;
  }

  void mark_replaced(Known old, const std::string& name) {
    old.line.live = 0;
    if (!old.changed) return catalogue.rewrite(old.line);
    // All that is certain: there was a row of this name.
    old.line.entry = {name, "", 0, std::nullopt, std::nullopt};
    if (old.line.row < committed) {
      const retrieval::RowFile rows(folder / retrieval::kVectorsName, retrieval::FileKind::kVectors, committed);
      old.line.checksum = XXH3_64bits(rows.row(old.line.row), rows.header().row_bytes());
    }
    catalogue.replace_changed(old.line);
  }

  void require_sound() const {
    if (failed) {
      fail_with_hint(ErrorCode::kIo, "open the index again: committed rows are safe",
                     "an earlier write to index '{}' failed, so this writer has ended", folder.string());
    }
  }

  /// local.i8, cut behind what is committed; made where it is not there, and then no row has local features yet.
  void open_local_file(int dim) {
    const auto path = folder / retrieval::kLocalName;
    const bool there = retrieval::is_regular_or_absent(path) && catalogue.has_locals();
    if (!there) {
      // The empty table first: lines in it must never be older than the file.
      commit();
      write([&] {
        begin();
        catalogue.make_locals();
      });
      commit();
      retrieval::RowAppender::create(path, {retrieval::FileKind::kLocal, retrieval::kRowFileVersion, dim, catalogue.identity()});
    }
    const retrieval::LocalFile checked(folder, catalogue.identity());
    if (checked.dim() != dim) {
      fail_with_hint(ErrorCode::kMismatch, "use the model of the index", "index '{}' keeps local features of dim {}, not {}",
                     folder.string(), checked.dim(), dim);
    }
    local.emplace(path, retrieval::FileKind::kLocal, catalogue.local_end());
  }

  void begin() {
    if (open) return;
    catalogue.begin();
    open = true;
  }

  void commit() {
    if (!open) return;
    write([&] {
      vectors.flush();
      codes.flush();
      if (local) local->flush();
      catalogue.commit();
      open = false;
    });
    committed += std::exchange(pending, 0);
  }

  // After a failed write the state of the disk is unknown: the transaction is rolled back and the writer ends.
  template <typename Action>
  void write(const Action& action) {
    try {
      action();
    } catch (...) {
      failed = true;
      catalogue.rollback();
      throw;
    }
  }
};

IndexWriter::IndexWriter() = default;
IndexWriter::IndexWriter(IndexWriter&&) noexcept = default;
IndexWriter& IndexWriter::operator=(IndexWriter&&) noexcept = default;

IndexWriter::~IndexWriter() {
  if (impl_ && impl_->open && !impl_->failed) impl_->catalogue.rollback();
}

namespace {

/// A folder of photos named by mistake must not become an index. The remains of an index whose creation crashed are ours to
/// reuse.
void refuse_foreign_folder(const std::filesystem::path& folder) {
  std::error_code error;
  if (std::filesystem::exists(folder / retrieval::kCatalogueName, error)) return;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    const auto ours = [&](const char* known) { return name.starts_with(known); };
    if (ours(retrieval::kCatalogueName) || ours(retrieval::kVectorsName) || ours(retrieval::kCodesName) ||
        ours(retrieval::kLocalName) || name == retrieval::kLockName)
      continue;
    fail_with_hint(ErrorCode::kUsage, "name a folder that does not exist yet: revisit index add places.rvs photos/",
                   "'{}' is not an index, but a folder with other files, such as '{}'", folder.string(), name);
  }
}

}  // namespace

IndexWriter IndexWriter::open(const std::filesystem::path& folder, const IndexSettings& settings) {
  retrieval::check_settings(settings);
  make_folder(folder);
  retrieval::require_folder(folder);
  refuse_foreign_folder(folder);
  IndexWriter out;
  out.impl_ = std::make_unique<Impl>(folder, retrieval::FolderLock::take(folder), settings);
  return out;
}

void IndexWriter::made_as(const IndexSettings& made) {
  const IndexSettings& stored = impl_->catalogue.settings();
  const bool is_old = !made.spec.model_identity;  // of format 1, which knows less
  require_compatible(impl_->folder, is_old ? made : stored, is_old ? stored : made);
  impl_->take(made);
}

int IndexWriter::add(const IndexEntry& entry, std::span<const float> descriptor, bool replace) {
  impl_->require_sound();
  retrieval::check_entry(entry);
  retrieval::check_descriptor(descriptor, impl_->catalogue.settings().dim, entry.name);
  const auto old = impl_->with_name(entry.name);
  if (old && !replace) {
    fail(ErrorCode::kUsage, "'{}' is already in index '{}' as row {}", entry.name, impl_->folder.string(), old->line.row);
  }
  const int row = rows();
  if (row >= limits::kMaxIndexRows) {
    fail(ErrorCode::kLimit, "index '{}' is full: {} rows are the limit", impl_->folder.string(), limits::kMaxIndexRows);
  }
  impl_->write([&] {
    impl_->begin();
    ++impl_->pending;
    for (const std::string& difference : impl_->differing) impl_->catalogue.also_holds(difference);
    const auto bytes = std::as_bytes(descriptor);
    impl_->vectors.append(bytes);
    retrieval::encode_codes(descriptor, impl_->code_row);
    impl_->codes.append(impl_->code_row);
    if (old) impl_->mark_replaced(*old, entry.name);
    impl_->catalogue.insert({row, entry, XXH3_64bits(bytes.data(), bytes.size())});
  });
  return row;
}

void IndexWriter::place(const std::string& name, const std::optional<Position>& position, const std::optional<double>& time_s) {
  impl_->require_sound();
  const auto known = impl_->with_name(name);
  if (!known) fail(ErrorCode::kUsage, "'{}' is not in index '{}'", name, impl_->folder.string());
  impl_->catalogue.require_seal(known->line);
  retrieval::Line line = known->line;
  line.entry.position = position;
  line.entry.time_s = time_s;
  retrieval::check_entry(line.entry);
  impl_->write([&] {
    impl_->begin();
    impl_->catalogue.rewrite(line);
  });
}

void IndexWriter::open_local(int dim) {
  impl_->require_sound();
  if (!impl_->local) impl_->open_local_file(dim);
}

bool IndexWriter::has_local() const { return impl_->catalogue.has_locals(); }

void IndexWriter::keep_local(int row, const LocalFeatures& features) {
  impl_->require_sound();
  if (row < 0 || row >= rows()) fail(ErrorCode::kUsage, "row {} is not in an index of {} rows", row, rows());
  if (!impl_->local) fail(ErrorCode::kUsage, "index '{}' was not opened to keep local features", impl_->folder.string());
  if (features.dim != impl_->local->header().dim) {
    fail(ErrorCode::kUsage, "local features of dim {} cannot be kept beside those of dim {} in index '{}'", features.dim,
         impl_->local->header().dim, impl_->folder.string());
  }
  const std::vector<std::byte> record = retrieval::encode_local(features);
  impl_->write([&] {
    impl_->begin();
    const std::uint64_t start = impl_->local->end();
    impl_->local->append(record);
    impl_->catalogue.put_local({row, start, record.size(), retrieval::local_checksum(record, row, impl_->catalogue.identity())});
  });
}

std::optional<int> IndexWriter::row_without_local(const std::string& name) const {
  const auto known = impl_->with_name(name);
  if (!known || known->changed || impl_->catalogue.local(known->line.row)) return std::nullopt;
  return known->line.row;
}

void IndexWriter::commit() {
  impl_->require_sound();
  impl_->commit();
}

int IndexWriter::rows() const { return impl_->committed + impl_->pending; }

int IndexWriter::committed_rows() const { return impl_->committed; }

const IndexSettings& IndexWriter::settings() const { return impl_->catalogue.settings(); }
const std::filesystem::path& IndexWriter::folder() const { return impl_->folder; }

std::optional<IndexSettings> index_settings(const std::filesystem::path& folder) {
  std::error_code ignored;
  if (!std::filesystem::exists(folder, ignored)) return std::nullopt;
  retrieval::require_folder(folder);
  if (!retrieval::Catalogue::exists(folder)) return std::nullopt;
  return retrieval::Catalogue::open(folder).settings();
}

std::optional<IndexEntry> IndexWriter::find(const std::string& name, bool* changed) const {
  auto known = impl_->with_name(name);
  if (changed != nullptr) *changed = known && known->changed;
  if (!known) return std::nullopt;
  if (changed == nullptr) impl_->catalogue.require_seal(known->line);
  return std::move(known->line.entry);
}

std::optional<std::string> IndexWriter::name_of_content(std::uint64_t content_hash) const {
  const std::optional<int> row = content_hash == 0 ? std::nullopt : impl_->catalogue.live_with_content(content_hash);
  if (!row) return std::nullopt;
  retrieval::Line line = impl_->catalogue.line(*row);
  impl_->catalogue.require_found(line, line.entry.content_hash == content_hash);
  return std::move(line.entry.name);
}

}  // namespace revisit
