// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// One index into another, row by row: neither memory nor the work lost in a crash grows with them.
#include "core/base/fail.h"
#include "revisit/index.h"

namespace revisit {
namespace {

constexpr int kRowsPerCommit = 1000;

bool is_same(const IndexEntry& there, const IndexEntry& entry) { return there.content_hash == entry.content_hash; }

/// What only the other index knows about a photo both have.
bool complete(IndexWriter& into, const IndexEntry& there, const IndexEntry& entry) {
  const bool learns = (!there.position && entry.position) || (!there.time_s && entry.time_s);
  if (learns)
    into.place(there.name, there.position ? there.position : entry.position, there.time_s ? there.time_s : entry.time_s);
  return learns;
}

/// The other index's local features of a row, where this one has none.
bool take_local(IndexWriter& into, const std::string& name, const Index& from, int row) {
  if (!into.has_local() || !into.row_without_local(name)) return false;
  const auto features = from.local(row);
  if (features) into.keep_local(*into.row_without_local(name), *features);
  return features.has_value();
}

/// An index that keeps local features makes the other one keep them.
void open_local_as(IndexWriter& into, const Index& from) {
  for (int row = 0; row < from.rows(); ++row) {
    if (!from.is_live(row)) continue;
    if (const auto features = from.local(row)) return into.open_local(features->dim);
  }
}

}  // namespace

MergeReport merge_index(IndexWriter& into, const Index& from, const std::string& prefix,
                        const std::function<void(int, int)>& progress) {
  require_compatible(prefix, from.settings(), into.settings());
  into.made_as(from.settings());
  MergeReport report;
  if (from.local_rows() > 0) open_local_as(into, from);
  for (int row = 0; row < from.rows(); ++row) {
    if (row % kRowsPerCommit == kRowsPerCommit - 1) {
      into.commit();
      if (progress) progress(row, from.rows());
    }
    if (!from.is_live(row)) continue;
    IndexEntry entry = from.entry(row);
    auto there = into.find(entry.name);
    const bool name_taken = there && !is_same(*there, entry);
    if (name_taken) {
      entry.name = prefix + "/" + entry.name;
      there = into.find(entry.name);
      if (there && !is_same(*there, entry)) {
        into.commit();
        fail(ErrorCode::kUsage, "'{}' is already in the index as a different photo; the rows before it were added", entry.name);
      }
    }
    if (!there) {
      if (const auto name = into.name_of_content(entry.content_hash)) there = into.find(*name);
    }
    if (there) {
      ++report.unchanged;
      if (complete(into, *there, entry)) ++report.placed;
      if (take_local(into, there->name, from, row)) ++report.local;
      continue;
    }
    into.add(entry, from.checked_descriptor(row));
    if (take_local(into, entry.name, from, row)) ++report.local;
    ++report.added;
    if (name_taken) ++report.renamed;
  }
  into.commit();
  return report;
}

}  // namespace revisit
