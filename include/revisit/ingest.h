// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Photos into an index: resumed by content, safe against any interruption.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "revisit/dataset.h"
#include "revisit/extractor.h"
#include "revisit/index.h"

namespace revisit {

struct AddReport {
  int added = 0;
  int updated = 0;                      ///< files that had changed and were described again
  int placed = 0;                       ///< known photos whose place or time was not, or was another
  int unchanged = 0;                    ///< already there: this is how a resumed run gets past what is done
  std::vector<std::string> changed;     ///< files that differ from what was added, left as they are without `update`
  std::vector<std::string> duplicates;  ///< "NAME is the same photo as NAME": their content is there under another name
  std::vector<Skipped> skipped;         ///< could not be used
  bool stopped = false;                 ///< progress asked for it

  int done() const;  ///< photos dealt with, in whatever way
};

struct AddOptions {
  Orientation orientation = Orientation::kApply;
  bool update = false;                             ///< describe changed files again
  bool strict = false;                             ///< a photo that cannot be used ends the run (what was done stays)
  double commit_seconds = 2;                       ///< at most so much work is lost by a crash
  std::function<bool(const AddReport&)> progress;  ///< after each photo; false stops the run and commits
};

/// Describes what is not there yet. A photo is known by its content, then by its file: names are Photo::name, made longer by
/// folders where two files have the same. Position and time come from the photo's EXIF data unless `photos` has them.
/// Errors of single photos are in the report; others are thrown after what was done before has been committed, if possible.
AddReport add_photos(IndexWriter& writer, Extractor& extractor, const std::vector<Photo>& photos, const AddOptions& options = {});

}  // namespace revisit
