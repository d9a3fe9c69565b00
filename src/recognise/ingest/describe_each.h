// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The loop over many photos: the next one is decoded while one is described by any describer.
#pragma once

#include <functional>

#include "revisit/ingest.h"

namespace revisit {

using DescribeOne = std::function<std::vector<float>(const Image& image, StageTimes& times)>;

/// As describe_photos; `dim` values per row, turned as `spec` says.
DescribedPhotos describe_each(const std::vector<Photo>& photos, int dim, const DescriptorSpec& spec, const DescribeOne& describe,
                              const std::function<bool(int, int)>& progress);

}  // namespace revisit
