// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Shorter descriptors for both sides of a data set.
#include <algorithm>

#include "revisit/ingest.h"
#include "revisit/whitening.h"

namespace revisit {
namespace {

// Skipped photos have zero rows; whitening would turn them into the direction of the mean, which matches something.
void apply(const Whitening& whitening, DescribedPhotos& photos) {
  photos.rows = whitening.apply(photos.rows);
  photos.dim = whitening.target_dim();
  const auto dim = static_cast<std::ptrdiff_t>(photos.dim);
  for (const int row : photos.skipped_rows) std::fill_n(photos.rows.begin() + row * dim, dim, 0.0F);
}

}  // namespace

void whiten(DescribedPhotos& queries, DescribedPhotos& references, int dim) {
  const auto width = static_cast<std::size_t>(references.dim);
  std::vector<bool> skipped(references.rows.size() / width, false);
  for (const int row : references.skipped_rows) skipped[static_cast<std::size_t>(row)] = true;
  std::vector<float> used;  // without the zero rows of skipped photos, which must not be learnt from
  for (std::size_t row = 0; !references.skipped_rows.empty() && row < skipped.size(); ++row) {
    if (skipped[row]) continue;
    const auto from = references.rows.begin() + static_cast<std::ptrdiff_t>(row * width);
    used.insert(used.end(), from, from + static_cast<std::ptrdiff_t>(width));
  }
  const auto& learnt_from = references.skipped_rows.empty() ? references.rows : used;
  const Whitening whitening = Whitening::learn(learnt_from, references.dim, dim);
  apply(whitening, queries);
  apply(whitening, references);
}

}  // namespace revisit
