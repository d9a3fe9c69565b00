// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// An index folder as a store: read through Index, written through IndexWriter, which is opened for the first row.
#include "core/base/fail.h"
#include "retrieval/store/store.h"

namespace revisit::retrieval {
namespace {

class FolderStore final : public Store {
 public:
  FolderStore(const std::filesystem::path& folder, const std::optional<IndexSettings>& given) : folder_(folder), given_(given) {
    if (!index_settings(folder)) {
      if (!given) fail_with_hint(ErrorCode::kNotFound, "add photos to it first", "index '{}' does not exist", folder.string());
      writer_.emplace(IndexWriter::open(folder, *given));  // makes it
    }
    index_.emplace(Index::open(folder));
    if (given) require_compatible(folder, index_->settings(), *given);
  }

  const IndexSettings& settings() const override { return index_->settings(); }
  int rows() const override { return index_->rows(); }
  int live_rows() const override { return index_->live_rows(); }
  bool is_live(int row) const override { return index_->is_live(row); }
  IndexEntry entry(int row) const override { return index_->entry(row); }
  std::optional<int> find(const std::string& name) const override { return index_->find(name); }
  std::span<const float> descriptor(int row) const override { return index_->checked_descriptor(row); }

  std::vector<std::vector<Match>> search(std::span<const float> queries, const SearchOptions& options,
                                         SearchStats* stats) const override {
    return index_->search(queries, options, stats);
  }

  int add(const IndexEntry& entry, std::span<const float> descriptor, bool replace) override {
    if (!writer_) writer_.emplace(IndexWriter::open(folder_, given_.value_or(index_->settings())));
    return writer_->add(entry, descriptor, replace);
  }

  void commit() override {
    if (!writer_) return;
    writer_->commit();
    index_->refresh();
  }

  bool has_local() const override { return writer_ ? writer_->has_local() : index_->local_rows() > 0; }
  std::optional<LocalFeatures> local(int row) const override { return index_->local(row); }
  void keep_local(int row, const LocalFeatures& features) override {
    if (!writer_) writer_.emplace(IndexWriter::open(folder_, given_.value_or(index_->settings())));
    writer_->open_local(features.dim);
    writer_->keep_local(row, features);
  }

 private:
  std::filesystem::path folder_;
  std::optional<IndexSettings> given_;
  std::optional<IndexWriter> writer_;
  std::optional<Index> index_;
};

}  // namespace

const StoreFamily folder_store{
    "folder", [](const std::string&) { return true; },
    [](const std::string& address, const std::optional<IndexSettings>& settings) -> std::unique_ptr<Store> {
      return std::make_unique<FolderStore>(address, settings);
    }};

}  // namespace revisit::retrieval
