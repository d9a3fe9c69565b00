// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The configuration of a training run. The work itself is done by the program revisit-train (LibTorch).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "revisit/spec.h"

namespace revisit {

/// One source of places to learn from.
struct TrainSource {
  enum class Kind {
    kGsvCities,  ///< Dataframes/<City>.csv and Images/<City>/
    kFolders,    ///< one folder per place; positions.csv may give camera positions
    kPairs,      ///< query and reference folder with a gt.csv
    kTown,       ///< the procedural town, rendered while training
  } kind = Kind::kTown;
  std::filesystem::path path;
  double weight = 1;                ///< share of the batches' places, relative to the other sources
  std::vector<std::string> cities;  ///< GSV-Cities: which ones; empty: all
  std::filesystem::path queries;    ///< pairs: folders and gt.csv, relative to path
  std::filesystem::path references;
  std::filesystem::path gt = "gt.csv";
  int tolerance_frames = 2;  ///< pairs: accepted references reach this far
  int negative_frames = 0;   ///< pairs: two places of one batch lie at least this far apart; 0: twice the tolerance
  int stretch_frames = 0;    ///< pairs: a batch's places come from a stretch this long, so negatives are hard; 0: anywhere
  double positive_m = 30;    ///< folders with positions: cameras of one positive group stand closer
  double negative_m = 60;    ///< two places of one batch stand at least this far apart
  int places = 2000;         ///< town
  std::uint64_t seed = 1;    ///< town: which; the seeds of `revisit synth` are other towns
  bool aligned = false;      ///< pixel-aligned traverses: crop, zoom and perspective are always applied
};

/// Changes made to a picture before training on it. Zero turns a change off.
struct TrainAugment {
  int rand_augment = 3;    ///< operations per picture; 0: off
  int rand_magnitude = 9;  ///< of 30
  double crop = 0;         ///< probability of a random crop and zoom
  double crop_min_area = 0.5;
  double perspective = 0;  ///< probability of a random change of viewpoint
  double perspective_strength = 0.25;
  double flip = 0;   ///< probability per PLACE of mirroring all its pictures
  double light = 0;  ///< probability of a different gamma, exposure and colour cast
  double night = 0;  ///< probability of a dark, noisy picture with lamp glare
};

struct TrainData {
  Size size{224, 224};
  int places_per_batch = 60;
  int images_per_place = 4;
  std::vector<TrainSource> sources;
  bool mixed = true;            ///< a batch mixes places of every source; false: one source per batch, taking turns by weight
  int workers = 1;              ///< threads that decode and augment
  int variants = 0;             ///< 0: pictures are augmented afresh; n: a place has n fixed sets of pictures, and the
                                ///< output of the frozen blocks for them is kept on disk
  std::filesystem::path cache;  ///< folder for these; empty: the output folder
};

struct TrainModel {
  std::filesystem::path backbone;                  ///< a model file or checkpoint; empty: random weights of `arch`
  std::string arch = "demo";                       ///< named architecture for random weights
  int width = 0, depth = 0, heads = 0, patch = 0;  ///< of a custom random backbone; 0: as arch
  std::string start = "normal";                    ///< of a random backbone: normal, or local (suited to pictures)
  std::string aggregator = "weiad";                ///< weiad, salad
  std::string head_start =
      "random";                  ///< of its scores and features: random, vocabulary (words of the backbone's own
                                 ///< tokens), or own: the backbone is a whole model, whose head and WeiToP are trained further
  std::uint64_t start_seed = 0;  ///< of what begins at random; 0: the run's. Runs that start alike can be averaged
  int clusters = 64;
  int cluster_dim = 128;
  int token_dim = 256;
  int hidden = 512;
  int sinkhorn_iters = 3;
  std::vector<int> tiers{24, 20, 16, 4};
  double tier_delta = 0.1;  ///< softplus(thetaD) at the start
  bool tie_deltas = true;
  double ghost_penalty = 0.5;
  bool dustbin = true;
  bool ghost = true;
  std::string cluster_norm = "weight-after";  ///< where tier weights act: weight-after (a cluster's L2), salad (before it, so
                                              ///< that it cancels them), none (no such L2)
  std::string ranking = "photo";              ///< clusters fall into tiers by photo, or frozen: by their mean while training
  int trained_blocks = 4;                     ///< last blocks that learn; the final norm learns with them
  double dropout = 0.3;
  bool weitop = true;
  int weitop_hidden = 256;
  bool weitop_only = false;  ///< backbone is a whole WeiAD model, and only its WeiToP is trained
  DescriptorSpec own;        ///< recorded as the model's defaults: WeiToP's layer and constants. Or the network is trained with
                             ///< another pruner, `own.prune`, that keeps `own.rho` or what its `own.prune_options` say; the model
                             ///< records the pruner and its other options
  Size infer_size{0, 0};     ///< input size recorded in the model, at which it is validated; 0x0: that of TrainData
};

struct TrainLoss {
  double ms_alpha = 1;
  double ms_beta = 20;
  double ms_base = 0;
  double miner_epsilon = 0.1;
  double temperature = 0.1;  ///< of the distillation
  double gamma = 0.1;
  bool teacher_gradient = false;
  bool summed_kl = false;         ///< without the factor 1/N0
  double random_rho_from = 1;     ///< below 1: some batches run pruned at a random rho from here to 1
  int random_rho_after = 0;       ///< not before this step: pruned batches do not train WeiToP
  double random_rho_share = 0.5;  ///< share of the batches that run pruned
  double place = 1;               ///< weight of the multi-similarity loss
  double stages = 2;              ///< DynamicViT: weight of the squared distance from the share of patches wanted after each predictor
  double context = 0;             ///< weight of pulling a picture's tokens and descriptor, pruned or not, towards those the
                                  ///< model had for the whole picture when the run began
};

struct TrainOptimiser {
  double lr = 6e-5;           ///< backbone and, unless said otherwise, heads
  double head_lr = 0;         ///< 0: lr
  double tier_lr_factor = 1;  ///< on the heads' lr
  double weitop_lr = 0;       ///< 0: heads' lr
  double weitop_eps = 1e-15;
  double predictor_lr = 0;                 ///< DynamicViT's predictors; 0: heads' lr
  double weight_decay = 9.5e-9;
  int warmup_steps = 0;
  int decay_steps = 4000;  ///< lr falls linearly to end_factor over these
  double end_factor = 0.2;
  double clip_norm = 0;     ///< 0: off
  bool orthogonal = false;  ///< matrices of blocks take orthogonal steps (Muon), the rest AdamW
};

struct TrainValidation {
  int every_steps = 0;                            ///< 0: only at the end
  std::string dataset;                            ///< a data set of the field (see load_named), or
  std::filesystem::path root;                     ///< where it lies
  std::filesystem::path queries, references, gt;  ///< two folders; with neither, a town that is not trained on
  int town_places = 100;
  std::uint64_t town_seed = 900;
  std::vector<double> rhos{1.0};
  std::string keep = "best";  ///< which model.safetensors is: best by mean R@1 over the rhos, or last
  bool on_town() const { return dataset.empty() ? queries.empty() : false; }
};

/// A data set that `revisit ablate` measures every row on.
struct AblationSet {
  std::string name;                               ///< in its tables
  std::string dataset;                            ///< a data set of the field, or
  std::filesystem::path root;                     ///< where it lies
  std::filesystem::path queries, references, gt;  ///< two folders
};

/// A model whose tokens a student ViT learns.
struct TrainTeacher {
  std::filesystem::path model;  ///< model file or checkpoint
  int block = -1;               ///< tokens after this block (from 0), layer-normed; -1: the last
  Size size{224, 224};          ///< its input
};

/// A student ViT learns its teachers' tokens, before or instead of learning places.
struct TrainDistill {
  std::vector<TrainTeacher> teachers;  ///< the student learns from all, each through its own projector; empty: no distillation
  std::vector<std::filesystem::path> photos;
  int town_places = 0;  ///< pictures of the town mixed in
  double town_share = 0.3;
  int steps = 0;
  int batch = 32;
  double lr = 1e-3;
  bool orthogonal = false;  ///< as in TrainOptimiser
  int warmup_steps = 200;
  double weight_decay = 0.02;
  double renewed_share = 0.25;  ///< of a batch: crops new to the teacher; the rest come from the cache
  int cached_crops = 20000;     ///< crops with teacher tokens kept on disk, renewed in rotation
  double seen_share = 1;  ///< of the patches, drawn afresh each step: fewer are faster; the last fifth of the steps sees all
  std::filesystem::path cache;  ///< folder, which runs may share; empty: inside the output folder
};

struct TrainConfig {
  std::string name = "run";
  std::uint64_t seed = 1;
  std::string device = "cpu";     ///< cpu, cuda
  std::string precision = "f32";  ///< f32; bf16 on cuda and on processors with tiles (AMX), fp16 on cuda
  int threads = 0;                ///< 0: every core
  int steps = 4000;
  double checkpoint_minutes = 10;
  TrainModel model;
  TrainData data;
  TrainAugment augment;
  TrainLoss loss;
  TrainOptimiser optimiser;
  TrainValidation validation;
  TrainDistill distill;
  std::vector<AblationSet> ablation;  ///< empty: the study measures on the validation set
  /// Of the model it makes, and of its validation.
  Size infer_size() const { return model.infer_size.height > 0 ? model.infer_size : data.size; }
};

/// Settings of the command line, which override the file.
struct TrainOverrides {
  std::optional<std::string> device;
  std::optional<std::string> precision;
  std::optional<int> threads;
  std::optional<int> steps;
  std::optional<std::uint64_t> seed;
};

/// Reads TOML. Unknown keys, wrong types, values out of range and settings that contradict each other are refused by name (Error
/// kUsage); invalid TOML with its line and column (kBadFile). Relative paths are taken from the config's folder.
TrainConfig load_train_config(const std::filesystem::path& path, const TrainOverrides& overrides = {});
/// The same from text; `name` is the name of the file in error messages.
TrainConfig parse_train_config(const std::string& toml, const std::string& name, const std::filesystem::path& folder,
                               const TrainOverrides& overrides = {});

/// weiad-tiny, and weiad- and salad- with vits14, vitb14 and vitl14.
std::vector<std::string> train_presets();
/// The preset as commented TOML, to start from. Throws Error kUsage with the list for an unknown name.
std::string train_preset(const std::string& name);

}  // namespace revisit
