// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// A growing collection of descriptors on disk: crash-safe to write, consistent to read, exact to search.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "revisit/geo.h"
#include "revisit/local.h"
#include "revisit/spec.h"

namespace revisit {

/// How the rows of an index were made; stored in it.
struct IndexSettings {
  int dim = 0;        ///< 1..65,536
  std::string model;  ///< path or name; empty for descriptors of the caller's own
  /// What the model's identity was made of, ModelInfo::constants: compared by name when two models differ. An index of format 1
  /// knows the fingerprint of the weights alone.
  std::map<std::string, std::string> model_constants;
  DescriptorSpec spec;  ///< Extractor::spec(); without a model_identity in an index of format 1 and for the caller's own descriptors
  /// Permitted differences in how some of the rows were described: "rho 0.5, not 1".
  std::vector<std::string> also{};
};

struct IndexEntry {
  std::string name;                ///< unique, at most 4,096 bytes
  std::string path;                ///< file it came from, may be empty
  std::uint64_t content_hash = 0;  ///< of the file, 0 when there is none
  std::optional<Position> position;
  std::optional<double> time_s;
};

struct SearchOptions {
  int top_k = 10;  ///< 1..1000
  enum class Mode { kExact, kFast } mode = Mode::kExact;
  int first_row = 0;             ///< rows before it are not searched
  std::optional<int> end_row;    ///< rows from it on are not searched (loop closure: leave out the recent ones)
  std::optional<Position> near;  ///< with radius_m: only rows whose position lies within
  double radius_m = 0;
  std::optional<double> after_s;  ///< only rows whose time lies in [after_s, before_s]
  std::optional<double> before_s;
  /// Among descriptors PCA-whitened to this many values (1..min(dim, rows - 1, 2048)): exact among those, with their distances.
  /// Learnt from the rows at the first such search and kept in the folder, as is the graph below, where it can be written;
  /// both are derived: rebuilt when they do not fit the rows, and safe to delete.
  std::optional<int> dim;
  /// kHnsw: approximate, by a graph of neighbours; the best found are compared in f32 as always. A search limited by rows, place
  /// or time, or in fewer than 500 rows, is exact all the same: the graph cannot search for rows that match.
  enum class Ann { kNone, kHnsw } ann = Ann::kNone;
};

struct Match {
  int row = 0;
  float distance = 0;    ///< L2 between unit descriptors
  float similarity = 0;  ///< cosine
};

struct SearchStats {
  std::int64_t rows_scanned = 0;   ///< by the int8 pass
  std::int64_t rows_reranked = 0;  ///< compared in f32
};

/// A consistent view of an index: the rows committed when it was opened or last refreshed. Any number may be open.
class Index {
 public:
  /// Throws Error kNotFound, kBadFile (with the file, the field and the value).
  static Index open(const std::filesystem::path& folder);

  int rows() const;       ///< row numbers are 0..rows()-1, replaced ones included
  int live_rows() const;  ///< rows a search can return: those not replaced by a newer one of the same name
  bool is_live(int row) const;
  const IndexSettings& settings() const;
  IndexEntry entry(int row) const;  ///< Error kBadFile when the disk has changed it
  std::optional<int> find(const std::string& name) const;
  std::span<const float> descriptor(int row) const;  ///< valid until refresh()
  /// The same, compared with its checksum: Error kBadFile when the disk has changed it, or the row's entry.
  std::span<const float> checked_descriptor(int row) const;

  /// What was kept beside the descriptor of the row for a second look; empty when nothing was. Error kBadFile when the disk has
  /// changed it.
  std::optional<LocalFeatures> local(int row) const;
  int local_rows() const;  ///< rows in use that have some

  /// Best first, ties by row. exact equals a full f32 scan. queries are (n, dim) unit vectors; a NaN is Error kUsage. A row that
  /// the disk has changed is not answered with: Error kBadFile.
  std::vector<std::vector<Match>> search(std::span<const float> queries, const SearchOptions& options,
                                         SearchStats* stats = nullptr) const;

  /// Picks up rows committed since; returns how many are new.
  int refresh();

  Index(Index&&) noexcept;
  Index& operator=(Index&&) noexcept;
  ~Index();

 private:
  Index();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// How the index in `folder` was made; empty if there is none yet (or a crash left one without its first row).
std::optional<IndexSettings> index_settings(const std::filesystem::path& folder);

/// Throws Error kMismatch naming both values when descriptors made as `given` cannot be compared with those of the index.
/// Permitted differences are in differences(given.spec, stored.spec).
void require_compatible(const std::filesystem::path& folder, const IndexSettings& stored, const IndexSettings& given);

/// The one writer of an index. Rows are durable after commit() returns; a crash loses at most the rows since the last commit.
class IndexWriter {
 public:
  /// Creates the folder if it does not exist. Throws Error kMismatch when settings disagree with the stored ones (both values
  /// named), kIo when another process holds the lock ("locked by pid N since ...").
  static IndexWriter open(const std::filesystem::path& folder, const IndexSettings& settings);

  /// How the rows added from now on were described, if not as given to open(). Throws Error kMismatch as open() does; permitted
  /// differences are remembered with the first such row (IndexSettings::also).
  void made_as(const IndexSettings& made);
  /// An existing name is replaced if `replace`, else Error kUsage. Returns the row number. Replacing also repairs an entry
  /// that changed on disk.
  int add(const IndexEntry& entry, std::span<const float> descriptor, bool replace = false);
  /// Where and when the photo of this name was taken; the row does not change. Error kUsage when there is no such name.
  void place(const std::string& name, const std::optional<Position>& position, const std::optional<double>& time_s);
  /// From now on local features can be kept; their file is made, or made anew where it was deleted, which commits what is pending.
  /// An index stays one that keeps them. Error kMismatch when it keeps some of another dim.
  void open_local(int dim);
  bool has_local() const;  ///< whether that was done, now or ever
  /// Keeps them for a row of this index, in place of those it had; needs open_local(). Safe after commit().
  void keep_local(int row, const LocalFeatures& features);
  /// The row in use by this name, when no local features are kept for it.
  std::optional<int> row_without_local(const std::string& name) const;

  void commit();     ///< append, fdatasync, then one SQLite transaction
  int rows() const;  ///< committed and pending
  int committed_rows() const;
  const IndexSettings& settings() const;  ///< the stored ones
  const std::filesystem::path& folder() const;
  /// Error kBadFile when the entry changed on disk, unless `changed` is given: then it is set and the entry returned as it is.
  std::optional<IndexEntry> find(const std::string& name, bool* changed = nullptr) const;
  std::optional<std::string> name_of_content(std::uint64_t content_hash) const;

  IndexWriter(IndexWriter&&) noexcept;
  IndexWriter& operator=(IndexWriter&&) noexcept;
  ~IndexWriter();  ///< uncommitted rows are dropped

 private:
  IndexWriter();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

struct MergeReport {
  int added = 0;
  int unchanged = 0;  ///< already there: the same name, or the same content
  int placed = 0;     ///< of `unchanged`: lacked a place or time, taken from the other index
  int renamed = 0;    ///< of `added`: their name was taken by another photo
  int local = 0;      ///< rows that received local features from the other index
};

/// Adds the live rows of `from`, which must agree in settings (Error kMismatch). A name that another photo has becomes
/// "PREFIX/NAME". May be repeated after an interruption: rows without a file are known by their name.
/// progress(done, total) comes after each thousand rows, which are safe by then, and may throw.
MergeReport merge_index(IndexWriter& into, const Index& from, const std::string& prefix,
                        const std::function<void(int, int)>& progress = {});

struct IndexProblem {
  int row = -1;  ///< -1: the index as a whole
  std::string what;
};

/// Reads everything: headers, catalogue, the checksums of every row's descriptor and entry. Empty when sound. An index of
/// format 1, written before entries had checksums, has them from its next writer on.
std::vector<IndexProblem> verify_index(const std::filesystem::path& folder);

}  // namespace revisit
