// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Many photos: describing all, matching all with all, and adding them to an index.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "revisit/error.h"
#include "revisit/extractor.h"
#include "revisit/index.h"
#include "revisit/photos.h"

namespace revisit {

/// Descriptors of many photos, row i for photo i. Photos that could not be used have a zero row and are listed in `skipped`.
struct DescribedPhotos {
  int dim = 0;
  std::vector<float> rows;  ///< (n, dim)
  std::vector<Skipped> skipped;
  std::vector<int> skipped_rows;
  // Times of photos described alone, by all threads: of all photos, or of the first where the others went one per thread.
  double median_forward_ms = 0;     ///< preprocessed tensor to descriptor, without decoding (R2Former protocol)
  double median_end_to_end_ms = 0;  ///< decoding, preprocessing and forward, one after the other
  double forward_ms_p5 = 0;         ///< 5th and 95th percentile of the forward times: far apart when the machine was disturbed
  double forward_ms_p95 = 0;
  double mean_kept = 1;                ///< share of its patches a photo kept, on average
  std::vector<LocalFeatures> local{};  ///< one per photo where they were asked for, else none; empty ones of skipped photos
  std::vector<std::string> notes{};    ///< about photos of which something was left out: "'a.webp' holds an animation; ..."
};

/// Decodes ahead of inference, as the extractor's spec says. Of many photos each is described by one thread where that is faster
/// than all threads on one (tried once in each call); the results are the same bits. progress(done, total) may stop it by
/// returning false (Error kInterrupted). `local` asks for local features too, about 35 KB a photo.
DescribedPhotos describe_photos(Extractor& extractor, const std::vector<Photo>& photos,
                                const std::function<bool(int, int)>& progress = {}, bool local = false);

/// The same by several extractors at once, one result each. Every photo is decoded once and described by all of them in turn, so
/// that whatever disturbs the machine touches the times of all alike. They must decode alike (else Error kUsage).
std::vector<DescribedPhotos> describe_photos(std::span<Extractor> extractors, const std::vector<Photo>& photos,
                                             const std::function<bool(int, int)>& progress = {});

/// The k nearest references of every query, best first, ties by reference. Zero rows (skipped photos) match nothing.
/// wanted(query, reference), when given, excludes references for one query (loop closure: the recent ones).
std::vector<std::vector<Match>> match_all(const DescribedPhotos& queries, const DescribedPhotos& references, int top_k,
                                          const std::function<bool(int, int)>& wanted = {});

/// What a second look at matches said, and what it cost.
struct SecondLooks {
  std::vector<std::vector<SecondLook>> looks{};  ///< per query, of its first matches, in their order
  int candidates = 0;                            ///< that were looked at
  double ms = 0;                                 ///< of all of them together

  double ms_per_candidate() const { return candidates > 0 ? ms / candidates : 0; }
};

/// Looks again at the first `count` matches of every query and puts them in a better order: by how well patches of the two photos
/// agree, and by similarity. Both sides must have been described with local features (else Error kUsage).
SecondLooks rerank(const DescribedPhotos& queries, const DescribedPhotos& references, std::vector<std::vector<Match>>& matches,
                   int count);

/// Descriptors of both sides become PCA-whitened ones of `dim` values, learnt from the references. Zero rows stay zero.
void whiten(DescribedPhotos& queries, DescribedPhotos& references, int dim);

struct AddReport {
  int added = 0;
  int updated = 0;                      ///< changed files that were described again
  int placed = 0;                       ///< photos whose stored place or time was missing or different
  int local = 0;                        ///< of `unchanged` and `placed`: local features were missing and were added
  int unchanged = 0;                    ///< already there: how a resumed run passes finished photos
  std::vector<std::string> changed;     ///< files changed since they were added, skipped without `update`
  std::vector<std::string> duplicates;  ///< "NAME is the same photo as NAME": the same content under another name
  std::vector<Skipped> skipped;         ///< could not be used
  bool stopped = false;                 ///< before all photos: progress said no, or reading one was stopped
  std::vector<std::string> notes;       ///< about photos of which something was left out
  double median_forward_ms = 0;         ///< of the photos described: preprocessed tensor to descriptor

  int done() const;  ///< photos handled in any way
};

struct AddOptions {
  bool update = false;                             ///< describe changed files again
  bool local = false;  ///< keep local features, also of photos that are there without; always where the index keeps them
  bool strict = false;                             ///< a photo that cannot be used ends the run (what was done stays)
  double commit_seconds = 2;                       ///< at most this much work is lost in a crash
  std::function<bool(const AddReport&)> progress;  ///< after each photo; false stops the run and commits
};

/// What an index records of descriptors made by this extractor; `model` is the path or name of its model.
IndexSettings index_settings_of(const Extractor& extractor, const std::string& model);

/// Describes photos that are not in the index yet, one per thread where that is faster (as above). A photo is known by its
/// content, then by its file: names are Photo::name, with folders in front where two files share one. Position and time come from
/// the photo's EXIF data unless `photos` has them. Errors of single photos are in the report; others are thrown after finished
/// work has been committed, if possible.
AddReport add_photos(IndexWriter& writer, Extractor& extractor, const std::vector<Photo>& photos, const AddOptions& options = {});

}  // namespace revisit
