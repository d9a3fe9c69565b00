// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// A csv with one line per cluster, and one sentence about the worst, the median and the best.
#include "cli/cluster_recall.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/file.h"

namespace revisit::cli {

void write_clusters(const std::filesystem::path& file, const Model& model, const RunReport& report,
                    const DescribedPhotos& queries, const DescribedPhotos& references, Console& console) {
  const std::string aggregator = model.info().aggregator;
  if (aggregator != "salad" && aggregator != "weiad") return;
  std::vector<int> ks;
  for (const auto& at : report.evaluation->recall) ks.push_back(at.k);
  std::ranges::sort(ks);
  auto all = recall_of_clusters(model, report.dataset, queries, references, ks);
  std::string csv = "cluster";
  for (const int k : ks) csv += fmt::format(",recall_{}", k);
  csv += "\n";
  for (const auto& [cluster, percent] : all) csv += fmt::format("{},{:.4f}\n", cluster, fmt::join(percent, ","));
  AtomicFile out(file);
  out.write(csv);
  out.commit();
  std::ranges::sort(all, {}, [](const ClusterRecall& one) { return one.percent.front(); });
  console.talk(fmt::format("R@{} of a cluster alone: the worst {:.1f}, the median {:.1f}, the best {:.1f} of {}", ks.front(),
                           all.front().percent.front(), all[all.size() / 2].percent.front(), all.back().percent.front(),
                           all.size()));
}

}  // namespace revisit::cli
