// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// What a sweep and a comparison have in common.
#include "lab/study/watched.h"

#include <fmt/format.h>

#include <algorithm>

#include "revisit/lab/bench.h"
#include "revisit/lab/evaluate.h"

namespace revisit {
namespace study {

void Watched::notice(const std::string& sentence) {
  if (said_.insert(sentence).second && watch_.notice) watch_.notice(sentence);
}

std::vector<DescribedPhotos> Watched::describe(std::span<Extractor> extractors, const std::vector<Photo>& photos,
                                               const char* what) {
  for (const auto& extractor : extractors) {
    for (const auto& sentence : extractor.notices()) notice(sentence);
  }
  const auto tell = [&](int done, int total) {
    if (watch_.progress) watch_.progress(what, done, total);
    return !stop();
  };
  tell(0, static_cast<int>(photos.size()));
  check_stop();
  std::vector<DescribedPhotos> out = describe_photos(extractors, photos, tell);
  if (watch_.described) watch_.described(out.front());
  require_usable(out.front(), what);
  return out;
}

void keep_skipped(const DescribedPhotos& photos, std::vector<Skipped>& all) {
  for (const auto& one : photos.skipped) {
    if (std::ranges::find(all, one.path, &Skipped::path) == all.end()) all.push_back(one);
  }
}

Extractor possible(const Model& model, const DescriptorSpec& spec, int threads, const std::string& lead) {
  check_stop();
  try {
    return Extractor(model, spec, threads);
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}: {}", lead, error.what()), error.hint());
  }
}

}  // namespace study

RunRecord run_record(const std::string& model_name, const Model& model, const DescriptorSpec& queries,
                     const DescriptorSpec& references, int dim, int threads) {
  const ModelInfo info = model.info();
  RunRecord run;
  run.model = model_name;
  run.fingerprint = info.fingerprint;
  run.aggregator = queries.aggregate.value_or(info.aggregator);
  run.spec = queries;
  run.reference_spec = references;
  run.dim = dim;
  run.threads = threads;
  run.cpu = system_info().cpu;
  return run;
}

}  // namespace revisit
