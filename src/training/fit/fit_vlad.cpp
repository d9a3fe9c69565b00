// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Fitting a VLAD model: tokens of a sample of photos, k-means, and the model file.
#include <algorithm>
#include <numeric>

#include "core/base/fail.h"
#include "core/base/random.h"
#include "core/tensor/kernels.h"
#include "core/tensor/parallel.h"
#include "engine/aggregate/kmeans.h"
#include "engine/extract/front_end.h"
#include "engine/extract/plan.h"
#include "engine/model/backbone_family.h"
#include "engine/model/model_file.h"
#include "engine/model/vlad_head.h"
#include "recognise/ingest/decode_ahead.h"
#include "revisit/lab/vlad.h"

namespace revisit {
namespace {

constexpr int kMaxClusters = 1024;

// The first blocks of a backbone as a separate model; tensors are shared with the original.
std::shared_ptr<model::LoadedModel> cut_backbone(const Model& backbone, const FitVladOptions& options, Size size) {
  auto cut = std::make_shared<model::LoadedModel>();
  cut->config = backbone.loaded().config;
  model::BackboneConfig& network = cut->config.backbone;
  network.family().keep_blocks(network, options.layer + 1);
  cut->config.head = {};
  cut->config.own = {.precision = backbone.loaded().config.own.precision};
  cut->config.weitop_hidden = cut->config.predictors = 0;
  cut->config.calibration.reset();
  cut->config.input.size = size;
  const auto keep_alive = std::make_shared<const Model>(backbone);
  for (const auto& [name, shape] : model::required_tensors(cut->config)) {
    cut->weights.add(name, backbone.loaded().weights.at(name), keep_alive);
  }
  return cut;
}

// The patch tokens of a photo, or the cells of its feature map, after the last block: each of unit length.
tensor::Matrix unit_tokens(FrontEnd& front, const Image& image, tensor::Arena& arena) {
  const tensor::Features features = front.features_of(image, front.backbone().blocks(), arena);
  const tensor::ConstMatrix found = features.spatial();
  const tensor::Matrix tokens = arena.matrix(found.rows, found.cols);
  for (int r = 0; r < found.rows; ++r) {
    std::copy(found.row(r), found.row(r) + found.cols, tokens.row(r));
    tensor::l2_normalise(tokens.row(r), tokens.cols);
  }
  return tokens;
}

// `count` different rows, chosen by the generator.
void append_sample(tensor::ConstMatrix tokens, int count, SplitMix& random, std::vector<float>& out) {
  std::vector<int> order(static_cast<std::size_t>(tokens.rows));
  std::iota(order.begin(), order.end(), 0);
  for (int i = 0; i < std::min(count, tokens.rows); ++i) {
    const auto at = static_cast<std::size_t>(i);
    std::swap(order[at], order[at + random.below(order.size() - at)]);
    const float* row = tokens.row(order[at]);
    out.insert(out.end(), row, row + tokens.cols);
  }
}

void check_options(const Model& backbone, const FitVladOptions& options, std::size_t photos) {
  const int depth = backbone.loaded().config.backbone.blocks();
  if (options.layer < 0 || options.layer >= depth) {
    fail(ErrorCode::kUsage, "`layer` {} is out of range: the backbone has blocks 0 to {}", options.layer, depth - 1);
  }
  if (options.clusters < 2 || options.clusters > kMaxClusters) {
    fail(ErrorCode::kUsage, "`clusters` {} is out of range: 2 to {}", options.clusters, kMaxClusters);
  }
  if (photos == 0) fail(ErrorCode::kUsage, "a vocabulary needs at least one photo");
}

}  // namespace

FitVladReport fit_vlad(const Model& backbone, const std::vector<std::filesystem::path>& photos, const std::filesystem::path& out,
                       const FitVladOptions& options, const std::function<bool(int, int)>& progress) {
  check_options(backbone, options, photos.size());
  const Plan plan = make_plan(backbone.loaded().config, {.size = options.size}, options.threads);
  const tensor::Team team(plan.threads);
  const tensor::FlushDenormals flush;
  const auto model = cut_backbone(backbone, options, *plan.spec.size);

  FitVladReport report;
  std::vector<float> sample;
  {
    FrontEnd front(*model, *plan.spec.size, plan.precision);
    tensor::Arena arena;
    SplitMix random(options.seed);
    const int per_photo = std::max(1, options.max_tokens / static_cast<int>(photos.size()));
    DecodeAhead decoded(photos.size(), [&](std::size_t i) { return photos[i]; }, {.orientation = options.orientation});
    for (std::size_t i = 0; i < photos.size(); ++i) {
      const DecodedPhoto photo = decoded.next();
      if (const auto* skipped = std::get_if<Skipped>(&photo.content)) {
        report.skipped.push_back(*skipped);
      } else {
        append_sample(unit_tokens(front, std::get<Image>(photo.content), arena), per_photo, random, sample);
        ++report.photos;
      }
      if (progress && !progress(static_cast<int>(i) + 1, static_cast<int>(photos.size()))) {
        fail(ErrorCode::kInterrupted, "stopped after {} of {} photos; nothing was written", i + 1, photos.size());
      }
    }
  }
  const int width = model->config.backbone.width();
  const int rows = static_cast<int>(sample.size() / static_cast<std::size_t>(width));
  report.tokens = rows;
  if (rows < options.clusters) {
    fail_with_hint(ErrorCode::kUsage, "give more photos or fewer `clusters`",
                   "{} readable photos gave {} tokens, too few for {} clusters", report.photos, rows, options.clusters);
  }
  aggregate::KMeans words = aggregate::fit_kmeans({sample.data(), rows, width, width}, options.clusters, options.seed);
  report.rounds = words.rounds;
  report.mean_square_distance = words.mean_square_distance;

  model->config.head = {model::kVlad, model::VladHead{options.clusters, width}};
  model->weights.add_f32("aggregator.centres", {options.clusters, width}, std::move(words.centres));
  model->config.provenance =
      fmt::format("{}, VLAD of {} words after block {} on {} photos, seed {}", backbone.loaded().config.provenance,
                  options.clusters, options.layer, report.photos, options.seed);
  model->config.fingerprint = model::fingerprint_of(model->weights);
  report.info = Model(model).info();  // before the file is there: it asks whether to stop
  model::save_model_file(out, *model);
  return report;
}

}  // namespace revisit
