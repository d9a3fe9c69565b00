// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// `revisit eval --save-descriptors`: what each cluster of a model finds by itself.
#pragma once

#include <filesystem>

#include "cli/console.h"
#include "revisit/lab/report.h"

namespace revisit::cli {

/// For a labelled set and descriptors of full length; nothing for a model without the clusters of SALAD or WeiAD.
void write_clusters(const std::filesystem::path& file, const Model& model, const RunReport& report,
                    const DescribedPhotos& queries, const DescribedPhotos& references, Console& console);

}  // namespace revisit::cli
