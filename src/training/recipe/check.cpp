// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Settings that contradict each other, or ask for nothing, are refused before a model is loaded.
#include "training/recipe/check.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <set>

#include "core/base/fail.h"
#include "core/base/limits.h"
#include "core/formats/toml_tree.h"
#include "engine/spec/prune_options.h"

namespace revisit::recipe {
namespace {

constexpr std::size_t kLongestName = 100;
constexpr std::int64_t kMostImages = 65'536;  // of one batch

class Checker {
 public:
  explicit Checker(const std::string& file) : file_(file) {}

  template <typename... Args>
  void refuse_if(bool wrong, const char* hint, fmt::format_string<Args...> sentence, Args&&... args) const {
    if (wrong) fail_with_hint(ErrorCode::kUsage, hint, "{}: {}", file_, fmt::format(sentence, std::forward<Args>(args)...));
  }

 private:
  const std::string& file_;
};

// The name becomes a folder: runs/<name>.
bool is_folder_name(const std::string& name) {
  const auto fits = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.'; };
  return !name.empty() && name.size() <= kLongestName && name.front() != '.' && std::ranges::all_of(name, fits);
}

void check_run(const TrainConfig& config, const Checker& check) {
  check.refuse_if(!is_folder_name(config.name), "it names the output folder, runs/NAME",
                  "name is {}, but must be 1 to {} letters, digits, '-', '_' or '.', not starting with '.'",
                  in_quotes(config.name), kLongestName);
  check.refuse_if(config.precision != "f32" && config.precision != "bf16" && config.precision != "fp16", "precision = \"f32\"",
                  "precision is {}, but must be one of f32, bf16, fp16", in_quotes(config.precision));
  check.refuse_if(config.precision == "fp16" && config.device != "cuda", "precision = \"f32\", or device = \"cuda\"",
                  "precision is {}, which needs device cuda, but device is {}", config.precision, config.device);
  check.refuse_if(config.steps == 0 && config.distill.teachers.empty(), "steps = 4000, for example",
                  "steps is 0 and [distill] has no teacher: there is nothing to do");
  check.refuse_if(config.steps > 0 && config.data.sources.empty(), "[[data.source]] with kind = \"town\", for example",
                  "there is no [[data.source]] to learn from");
}

void check_model(const TrainModel& model, const Checker& check) {
  // 0 stands for the value of arch or the backbone, and is checked once that is known.
  check.refuse_if(model.width > 0 && model.heads > 0 && model.width % model.heads != 0, "64 values per head are usual",
                  "[model] width is {}, which is not a multiple of heads, {}", model.width, model.heads);
  check.refuse_if(model.depth > 0 && model.trained_blocks > model.depth, "trained_blocks = depth trains them all",
                  "[model] trained_blocks is {}, but depth is {}", model.trained_blocks, model.depth);
  check.refuse_if(model.depth > 0 && model.weitop && model.own.prune_layer.value_or(1) >= model.depth,
                  "weitop_layer = 1, as in the paper", "[model] weitop_layer is {}, but must be below depth, {}",
                  model.own.prune_layer.value_or(1), model.depth);
  const std::int64_t dim = static_cast<std::int64_t>(model.clusters) * model.cluster_dim + model.token_dim;
  check.refuse_if(dim > static_cast<std::int64_t>(limits::kMaxDescriptorDim), "fewer clusters, or a smaller cluster_dim",
                  "[model] clusters x cluster_dim + token_dim is {}, but a descriptor has at most {} values", dim,
                  limits::kMaxDescriptorDim);
  const TrainModel usual;
  check.refuse_if(model.aggregator != "weiad" && (model.cluster_norm != usual.cluster_norm || model.ranking != usual.ranking),
                  "leave cluster_norm and ranking out", "[model] cluster_norm and ranking are about tiers, but aggregator is {}",
                  model.aggregator);
  if (model.aggregator == "weiad") {
    const int sum = std::accumulate(model.tiers.begin(), model.tiers.end(), 0);
    check.refuse_if(sum != model.clusters, "tiers says how many clusters fall into each tier, the heaviest first",
                    "[model] tiers add up to {}, but clusters is {}", sum, model.clusters);
  }
  check.refuse_if(model.weitop && model.aggregator != "weiad", "weitop = false",
                  "[model] weitop learns from the weights of weiad, but aggregator is {}", model.aggregator);
  if (model.head_start == "vocabulary") {
    const int directions = model.width > 0 ? std::min(model.hidden / 2, model.width) : model.hidden / 2;
    check.refuse_if(model.cluster_dim > directions, "a larger hidden, or a smaller cluster_dim",
                    "[model] head_start = \"vocabulary\" has {} directions with hidden = {}, fewer than cluster_dim, {}",
                    directions, model.hidden, model.cluster_dim);
    check.refuse_if(model.weitop_only, "head_start = \"random\"",
                    "[model] weitop_only is true, so no new head is made, but head_start is vocabulary");
  }
  if (model.head_start == "own") {
    check.refuse_if(model.backbone.empty(), "backbone = \"model.safetensors\", a trained model",
                    "[model] head_start is own, but there is no backbone whose head could be trained further");
    check.refuse_if(model.weitop_only, "leave one of them out",
                    "[model] weitop_only is true, but head_start = \"own\" trains the head further");
  }
  if (!model.weitop_only) return;
  check.refuse_if(model.backbone.empty(), "backbone = \"model.safetensors\", a trained model",
                  "[model] weitop_only is true, but there is no backbone whose WeiToP could be trained");
  check.refuse_if(!model.weitop || model.trained_blocks > 0, "trained_blocks = 0 and weitop = true",
                  "[model] weitop_only is true, but weitop is {} and trained_blocks is {}", model.weitop, model.trained_blocks);
}

// A pruner other than WeiToP, which the network is trained with.
void check_pruner(const TrainConfig& config, const Checker& check) {
  const TrainModel& model = config.model;
  const bool how_much = says_how_much(model.own.prune_options);
  check.refuse_if(!model.own.prune && (model.own.rho || model.own.prune_options), "prune = \"tome\", for example",
                  "[model] has {}, but no prune", model.own.rho ? "prune_rho" : "prune_options");
  if (!model.own.prune) return;
  const std::string& name = *model.own.prune;
  check.refuse_if(model.weitop, "weitop = false", "[model] prune is {}, but weitop is true: a model has one pruner", name);
  check.refuse_if(model.own.rho && how_much, "leave one of them out",
                  "[model] prune_rho is {}, but prune_options, {}, say how much is kept", model.own.rho.value_or(1),
                  model.own.prune_options.value_or(""));
  check.refuse_if(!how_much && model.own.rho.value_or(1) == 1, "prune_rho = 0.5, for example",
                  "[model] prune is {}, but prune_rho is {}: nothing would be pruned", name, model.own.rho ? "1" : "not set");
  check.refuse_if(config.data.variants > 0, "variants = 0",
                  "[data] variants is {}, but the output of the frozen blocks cannot be kept while {} prunes in them",
                  config.data.variants, name);
}

void check_data(const TrainConfig& config, const Checker& check) {
  const auto& data = config.data;
  const std::int64_t images = static_cast<std::int64_t>(data.places_per_batch) * data.images_per_place;
  check.refuse_if(images > kMostImages, "60 places of 4 pictures are usual",
                  "[data] places_per_batch x images_per_place is {}, but a batch has at most {} pictures", images, kMostImages);
  check.refuse_if(data.variants > 0 && config.loss.random_rho_from < 1, "variants = 0, or random_rho_from = 1",
                  "[data] variants is {}, but the output of the frozen blocks cannot be kept while [loss] "
                  "random_rho_from prunes in them",
                  data.variants);
  check.refuse_if(data.variants > 0 && config.model.depth > 0 && config.model.trained_blocks >= config.model.depth,
                  "variants = 0, or fewer trained_blocks",
                  "[data] variants is {}, but all {} blocks learn: there is nothing to keep", data.variants, config.model.depth);
  int number = 0;
  for (const auto& source : data.sources) {
    ++number;
    check.refuse_if(source.path.empty() && source.kind != TrainSource::Kind::kTown, "path = \"GSV-Cities\", for example",
                    "[[data.source]] {} has an empty path", number);
    check.refuse_if(source.kind == TrainSource::Kind::kFolders && source.negative_m < source.positive_m,
                    "pictures between the two distances count as neither the same place nor different ones",
                    "[[data.source]] {} negative_m is {}, but must be at least positive_m, {}", number, source.negative_m,
                    source.positive_m);
    const std::int64_t filled = static_cast<std::int64_t>(data.places_per_batch) * source.negative_frames;
    check.refuse_if(!data.mixed && source.stretch_frames > 0 && source.stretch_frames < filled,
                    "a longer stretch_frames, or a smaller negative_frames",
                    "[[data.source]] {} stretch_frames is {}, but {} places, {} frames apart, take {}", number,
                    source.stretch_frames, data.places_per_batch, source.negative_frames, filled);
    check.refuse_if(
        source.kind == TrainSource::Kind::kTown && config.validation.on_town() && source.seed == config.validation.town_seed,
        "choose another seed for one of them", "[[data.source]] {} and [validation] use the same town, seed {}", number,
        source.seed);
  }
}

/// `what` names the table.
template <typename Set>
void check_where(const Set& set, const std::string& what, const Checker& check) {
  check.refuse_if(set.queries.empty() != set.references.empty(), "queries and references are the two folders",
                  "{} has only one of queries and references", what);
  check.refuse_if(set.dataset.empty() != set.root.empty(), "dataset = \"pitts30k_val\", root = \"Pittsburgh\"",
                  "{} has only one of dataset and root", what);
  check.refuse_if(
      !set.dataset.empty() && !(set.queries.empty() && set.gt.empty()), "either dataset and root, or queries, references and gt",
      "{} dataset is {}, which has photos and ground truth of its own, but there are queries or gt too", what, set.dataset);
}

void check_ablation(const std::vector<AblationSet>& sets, const Checker& check) {
  std::set<std::string> names;
  for (const auto& set : sets) {
    const std::string what = "[[ablation]] " + in_quotes(set.name);
    check.refuse_if(!names.insert(set.name).second, "give each a name of its own", "two {}", what);
    check_where(set, what, check);
    check.refuse_if(set.dataset.empty() && set.queries.empty(), "dataset and root, or queries, references and gt",
                    "{} says nothing about where its photos are", what);
  }
}

void check_validation(const TrainConfig& config, const Checker& check) {
  const auto& validation = config.validation;
  check_where(validation, "[validation]", check);
  check.refuse_if(validation.queries.empty() && !validation.gt.empty(), "a town has its own ground truth",
                  "[validation] has gt, but no queries and references");
  const auto least = *std::ranges::min_element(validation.rhos);
  check.refuse_if(least < 1 && !config.model.weitop && !config.model.own.prune, "rhos = [1.0]",
                  "[validation] rhos has {}, but without [model] weitop nothing is pruned", least);
  check.refuse_if(config.loss.random_rho_from < 1 && !config.model.weitop, "random_rho_from = 1",
                  "[loss] random_rho_from is {}, but without [model] weitop nothing is pruned", config.loss.random_rho_from);
}

void check_distill(const TrainDistill& distill, const Checker& check) {
  if (distill.teachers.empty()) {
    check.refuse_if(distill.steps > 0, "[[distill.teacher]] with model = \"dinov2_vits14_pretrain.pth\", for example",
                    "[distill] steps is {}, but there is no teacher", distill.steps);
    return;
  }
  check.refuse_if(distill.steps == 0, "steps = 20000, for example", "[distill] has a teacher, but steps is 0");
  check.refuse_if(std::ranges::any_of(distill.teachers, [](const auto& teacher) { return teacher.model.empty(); }),
                  "model = \"dinov2_vits14_pretrain.pth\", for example", "a [[distill.teacher]] has an empty model");
  check.refuse_if(distill.photos.empty() && distill.town_places == 0, "photos = [\"photos\"], or town_places = 2000",
                  "[distill] has neither photos nor town_places: there is nothing to learn from");
}

}  // namespace

void check(const TrainConfig& config, const std::string& name) {
  const Checker checker(name);
  check_run(config, checker);
  check_model(config.model, checker);
  check_pruner(config, checker);
  check_data(config, checker);
  check_validation(config, checker);
  check_ablation(config.ablation, checker);
  check_distill(config.distill, checker);
  const bool own = config.model.head_start == "own";
  checker.refuse_if(config.loss.context > 0 && !own, "head_start = \"own\", or context = 0",
                    "[loss] context is {}, but head_start is {}: only a whole model can be its own teacher", config.loss.context,
                    config.model.head_start);
  checker.refuse_if(config.loss.context > 0 && config.loss.random_rho_from == 1 && !config.model.own.prune, "random_rho_from = 0.4, or context = 0",
                    "[loss] context is {}, but no picture is pruned while random_rho_from is 1", config.loss.context);
  checker.refuse_if(config.loss.place == 0 && config.loss.context == 0 && !config.model.weitop_only, "place = 1",
                    "[loss] place and context are 0: the head would learn nothing");
  checker.refuse_if(own && !config.distill.teachers.empty(), "leave one of them out",
                    "[model] head_start is own, but [distill] has a teacher, after which that head would not fit");
  const bool only = config.model.weitop_only;
  checker.refuse_if(only && !config.distill.teachers.empty(), "leave one of them out",
                    "[model] weitop_only is true, but [distill] has a teacher for the backbone");
  checker.refuse_if(only && config.loss.gamma == 0, "gamma = 0.1, as in the paper",
                    "[model] weitop_only is true, but [loss] gamma is 0: nothing would be learnt");
  checker.refuse_if(only && config.loss.random_rho_from < 1, "random_rho_from = 1",
                    "[model] weitop_only is true, but random_rho_from is {}: pruned batches do not teach WeiToP",
                    config.loss.random_rho_from);
}

}  // namespace revisit::recipe
