// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// A town is rendered once; photos of folders are decoded each time, since they may not fit in memory.
#include "training/train/validation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

#include "core/base/fail.h"
#include "revisit/lab/evaluate.h"
#include "revisit/lab/synth.h"

namespace revisit::train {
namespace {

constexpr int kTownViews = 3;  // 1 query and 2 references per place
const std::vector<int> kRecallAt{1, 5, 10};

/// Mean R@1, R@5 and R@10 over the rhos.
std::array<double, 3> means_of(const Recalls& recalls) {
  std::array<double, 3> sum{};
  for (const auto& one : recalls) {
    sum[0] += one.at1;
    sum[1] += one.at5;
    sum[2] += one.at10;
  }
  for (double& value : sum) value /= static_cast<double>(std::max<std::size_t>(1, recalls.size()));
  return sum;
}

TownOptions town_of(const TrainConfig& config) {
  TownOptions town;
  town.places = config.validation.town_places;
  town.views = kTownViews;
  town.seed = config.validation.town_seed;
  // As wide as photos are (4:3) and a little larger than the input, as for training towns.
  const Size input = config.infer_size();
  town.size.height = input.height + input.height / 10;
  town.size.width = std::max(input.width + input.width / 10, town.size.height * 4 / 3);
  return town;
}

/// Every picture of the town at the size the network sees, place by place.
std::vector<Image> render(const TownOptions& town, Size size, int threads) {
  std::vector<Image> images(static_cast<std::size_t>(town.places) * kTownViews);
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex mutex;
  const auto work = [&] {
    try {
      for (std::size_t i = next++; i < images.size(); i = next++) {
        const TownView view = town_view(town, static_cast<int>(i) / kTownViews, static_cast<int>(i) % kTownViews);
        const Image image = render_place(town.seed, view.place, view.camera, view.conditions, town.size);
        images[i] = resize(image, size, ResizeFilter::kBilinear);
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
      next = images.size();
    }
  };
  std::vector<std::thread> helpers;
  for (int i = 1; i < threads; ++i) helpers.emplace_back(work);
  work();
  for (auto& helper : helpers) helper.join();
  if (failure) std::rethrow_exception(failure);
  return images;
}

/// Ground truth of these pictures: the first of each place is the query for the others.
Dataset dataset_of(const TownOptions& town) {
  Dataset out;
  out.name = "validation town";
  out.labelled = true;
  out.protocol = fmt::format("procedural town, seed {}: 1 query and {} references a place", town.seed, kTownViews - 1);
  for (int place = 0; place < town.places; ++place) {
    auto& positives = out.positives.emplace_back();
    for (int view = 0; view < kTownViews; ++view) {
      const Photo photo{town_view(town, place, view).file_name, {}, {}, {}};
      if (view > 0) positives.push_back(static_cast<int>(out.references.size()));
      (view == 0 ? out.queries : out.references).push_back(photo);
    }
  }
  return out;
}

}  // namespace

bool at_least_as_good(const Recalls& a, const Recalls& b) { return means_of(a) >= means_of(b); }

std::string to_words(const Recalls& recalls) {
  std::vector<std::string> parts;
  for (const auto& [rho, at1, at5, at10] : recalls)
    parts.push_back(fmt::format("rho {:g}: R@1 {:.1f}  R@5 {:.1f}  R@10 {:.1f}", rho, at1, at5, at10));
  return fmt::format("{}", fmt::join(parts, "; "));
}

struct Validation::Impl {
  std::vector<double> rhos;
  Size size;
  int threads = 1;
  Dataset dataset;
  std::vector<Image> town;  // empty: the photos of `dataset` are decoded
  std::string notice;

  std::optional<DescribedPair> describe(const model::LoadedModel& model, double rho, const Stop& stop);
  std::vector<double> recall(const DescribedPair& described, const std::vector<int>& at) const;
  bool describe_town(Extractor& extractor, DescribedPhotos& queries, DescribedPhotos& references, const Stop& stop) const;
  bool describe_folders(Extractor& extractor, DescribedPhotos& queries, DescribedPhotos& references, const Stop& stop);
};

bool Validation::Impl::describe_town(Extractor& extractor, DescribedPhotos& queries, DescribedPhotos& references,
                                     const Stop& stop) const {
  queries.dim = references.dim = extractor.descriptor_dim();
  for (std::size_t i = 0; i < town.size(); ++i) {
    if (stop && stop()) return false;
    const auto row = extractor.describe(town[i]);
    auto& rows = i % kTownViews == 0 ? queries.rows : references.rows;
    rows.insert(rows.end(), row.begin(), row.end());
  }
  return true;
}

bool Validation::Impl::describe_folders(Extractor& extractor, DescribedPhotos& queries, DescribedPhotos& references,
                                        const Stop& stop) {
  bool stopped = false;
  const auto go_on = [&](int, int) { return !(stopped = stop && stop()); };
  try {
    queries = describe_photos(extractor, dataset.queries, go_on);
    references = describe_photos(extractor, dataset.references, go_on);
  } catch (const Error& error) {
    if (!stopped || error.code() != ErrorCode::kInterrupted) throw;
  }
  const auto skipped = queries.skipped.size() + references.skipped.size();
  if (skipped > 0) {
    const auto& first = queries.skipped.empty() ? references.skipped.front() : queries.skipped.front();
    notice = fmt::format("validation photos that cannot be used: {}, the first is '{}': {}", skipped, first.path, first.reason);
  }
  return !stopped;
}

std::optional<DescribedPair> Validation::Impl::describe(const model::LoadedModel& model, double rho, const Stop& stop) {
  const DescriptorSpec spec{.rho = rho, .size = size, .orientation = "ignore"};
  Extractor extractor(Model(std::make_shared<const model::LoadedModel>(model)), spec, threads);
  DescribedPair out;
  const bool done = town.empty() ? describe_folders(extractor, out.queries, out.references, stop)
                                 : describe_town(extractor, out.queries, out.references, stop);
  return done ? std::optional(std::move(out)) : std::nullopt;
}

std::vector<double> Validation::Impl::recall(const DescribedPair& described, const std::vector<int>& at) const {
  const int most = std::min(at.back(), static_cast<int>(dataset.references.size()));
  const auto matches = match_all(described.queries, described.references, most, search_filter(dataset));
  std::vector<double> out;
  for (const auto& one : evaluate(dataset, matches, at).recall) out.push_back(one.percent);
  return out;
}

Validation::Validation(const TrainConfig& config, int threads) : impl_(std::make_unique<Impl>()) {
  impl_->rhos = config.validation.rhos;
  impl_->size = config.infer_size();
  impl_->threads = threads;
  if (config.validation.on_town()) {
    const TownOptions town = town_of(config);
    impl_->dataset = dataset_of(town);
    impl_->town = render(town, impl_->size, threads);
    return;
  }
  const TrainValidation& asked = config.validation;
  if (asked.dataset.empty()) {
    FolderPair pair{asked.queries, asked.references, {}, {}};
    if (!asked.gt.empty()) pair.gt = asked.gt;
    impl_->dataset = load_folder_pair(pair);
  } else {
    impl_->dataset = load_named(asked.dataset, asked.root);
  }
  if (!impl_->dataset.labelled) {
    fail_with_hint(ErrorCode::kUsage, "ground truth comes from validation.gt, @east@north@ names or EXIF GPS",
                   "cannot validate on '{}': it has no ground truth",
                   asked.dataset.empty() ? asked.queries.string() : asked.dataset);
  }
}

Validation::~Validation() = default;

std::int64_t Validation::pictures() const {
  return static_cast<std::int64_t>(impl_->rhos.size() * (impl_->dataset.queries.size() + impl_->dataset.references.size()));
}

std::string Validation::describe() const {
  return fmt::format("{} queries and {} references of {}", impl_->dataset.queries.size(), impl_->dataset.references.size(),
                     impl_->town.empty() ? fmt::format("'{}'", impl_->dataset.name) : "a town that is not trained on");
}

std::optional<Recalls> Validation::measure(const model::LoadedModel& model, const Stop& stop) {
  Recalls out;
  for (const double rho : impl_->rhos) {
    const auto described = impl_->describe(model, rho, stop);
    if (!described) return std::nullopt;
    const auto recall = impl_->recall(*described, kRecallAt);
    out.push_back({rho, recall[0], recall[1], recall[2]});
  }
  return out;
}

std::optional<DescribedPair> Validation::describe(const model::LoadedModel& model, double rho, const Stop& stop) {
  return impl_->describe(model, rho, stop);
}

std::vector<double> Validation::recall(const DescribedPair& described, const std::vector<int>& at) const {
  return impl_->recall(described, at);
}

const Dataset& Validation::dataset() const { return impl_->dataset; }

const std::string& Validation::notice() const { return impl_->notice; }

}  // namespace revisit::train
