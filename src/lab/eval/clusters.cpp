// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// One cluster at a time. A descriptor is the part of CLS, then channel by channel the value of every cluster.
#include <cmath>

#include "core/base/fail.h"
#include "core/base/stop_scope.h"
#include "engine/model/config.h"
#include "revisit/lab/evaluate.h"

namespace revisit {
namespace {

/// Rows of the cluster's values, brought to unit length: a tier's weight does not matter.
DescribedPhotos only_cluster(const DescribedPhotos& in, const model::TransportHead& head, int cluster) {
  DescribedPhotos out;
  out.dim = head.cluster_dim;
  for (std::size_t row = 0; row < in.rows.size(); row += static_cast<std::size_t>(in.dim)) {
    double square = 0;
    const std::size_t first = out.rows.size();
    for (int c = 0; c < head.cluster_dim; ++c) {
      out.rows.push_back(in.rows[row + static_cast<std::size_t>(head.token_dim + c * head.clusters + cluster)]);
      square += static_cast<double>(out.rows.back()) * static_cast<double>(out.rows.back());
    }
    const auto scale = static_cast<float>(square > 0 ? 1 / std::sqrt(square) : 0);
    for (std::size_t i = first; i < out.rows.size(); ++i) out.rows[i] *= scale;
  }
  return out;
}

}  // namespace

std::vector<ClusterRecall> recall_of_clusters(const Model& model, const Dataset& dataset, const DescribedPhotos& queries,
                                              const DescribedPhotos& references, const std::vector<int>& recall_values) {
  const model::HeadConfig& head = model.loaded().config.head;
  if (head.kind != model::kSalad && head.kind != model::kWeiad) {
    fail(ErrorCode::kUsage, "clusters can be measured alone in models with SALAD or WeiAD, but the head of this one is '{}'",
         head.kind);
  }
  const model::TransportHead& transport = head.transport();
  if (queries.dim != transport.descriptor_dim() || references.dim != queries.dim) {
    fail(ErrorCode::kMismatch, "descriptors of {} and {} values are not those of this model, which have {}", queries.dim,
         references.dim, transport.descriptor_dim());
  }
  const int most = std::min(recall_values.back(), static_cast<int>(dataset.references.size()));
  std::vector<ClusterRecall> out;
  for (int cluster = 0; cluster < transport.clusters; ++cluster) {
    check_stop();
    const auto matches = match_all(only_cluster(queries, transport, cluster), only_cluster(references, transport, cluster), most,
                                   search_filter(dataset));
    ClusterRecall one{cluster, {}};
    for (const auto& at : evaluate(dataset, matches, recall_values).recall) one.percent.push_back(at.percent);
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace revisit
