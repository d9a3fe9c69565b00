// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// A model: backbone, pruner and aggregator weights with everything needed to run them.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "revisit/image.h"
#include "revisit/spec.h"

namespace revisit {

namespace model {
struct LoadedModel;
}

/// What `revisit model inspect` shows.
struct ModelInfo {
  std::string arch;  ///< "dinov2_vitb14", "vit_tiny_patch16", or "vit" when no known name fits
  int width = 0;     ///< token dimension
  int depth = 0;
  int heads = 0;
  int patch = 0;
  int registers = 0;
  Size size;               ///< input the model was made for
  std::string aggregator;  ///< "weiad", "salad" or "none" (backbone only)
  int clusters = 0;
  int descriptor_dim = 0;  ///< 0 for backbone-only models until an aggregate is chosen
  DescriptorSpec own;      ///< the model's defaults where a spec leaves them open: its pruner and the pruner's constants
  std::int64_t parameters = 0;
  std::string quantised;  ///< how the matrices of its blocks are stored in 8 bits: "rotated-int8/1"; empty: they are not
  std::string licence;
  std::string provenance;   ///< the file it was imported from, or how it was made
  std::string source;       ///< how to open it again: its file, or its name if built in; empty: neither
  std::string fingerprint;  ///< hash of the f32 source weights
  /// Every constant that changes what a descriptor is, as the model file has them: heads, mean, position rule, the head's, ...
  std::map<std::string, std::string> constants;
  std::string identity;  ///< hash of these: two models of one identity are the same model
  std::array<float, 3> mean{};
  std::array<float, 3> std{};
  std::string resize;                    ///< "bilinear" or "bicubic"
  std::string pos_rule;                  ///< "hub", "hub-antialias", "hf" or "timm"
  std::optional<double> min_similarity;  ///< calibrated "no match" threshold
  double calibrated_precision = 0;       ///< the precision it promises; only with min_similarity
  std::string decision;                  ///< text of a DecisionTable: calibrated rates of wrong answers; empty: none
  double calibrated_rho = 1;             ///< of both
  Size calibrated_size;                  ///< 0x0 when not recorded
};

inline constexpr const char* kDemoModel = "demo";  ///< random weights, for timing and as a baseline

/// Cheap to copy; the weights are shared and never change.
class Model {
 public:
  /// Maps a model file (see `import_model`). Throws Error kNotFound, kBadModel.
  static Model load(const std::filesystem::path& path);

  /// Seeded random weights in a named architecture: "demo", "vits14", "vitb14", "vitl14", all with WeiAD and WeiToP.
  static Model random(const std::string& arch, std::uint64_t seed = 0);

  explicit Model(std::shared_ptr<const model::LoadedModel> loaded);

  ModelInfo info() const;
  const model::LoadedModel& loaded() const { return *loaded_; }

 private:
  std::shared_ptr<const model::LoadedModel> loaded_;
};

struct ImportOptions {
  std::optional<int> heads;                  ///< default max(1, width / 64)
  std::optional<std::string> arch;           ///< fail unless the inferred architecture is this one
  std::optional<std::array<float, 3>> mean;  ///< defaults by family, see docs
  std::optional<std::array<float, 3>> std;
  std::optional<ResizeFilter> resize;
  std::optional<Size> size;             ///< also for a model file
  DescriptorSpec own;                   ///< settings to record as the model's defaults; also for a model file
  std::optional<std::string> pos_rule;  ///< "hub", "hf" or "timm"
  bool allow_nonfinite = false;
  bool half = false;                   ///< matrices in f16; the source may be a model file then
  std::optional<std::string> licence;  ///< of the weights, in the owner's words; the source may be a model file then
  std::function<bool()> stop;          ///< polled; true ends the import with Error kInterrupted, and nothing is written
};

/// The account of an import: every tensor of the source is in `used` or `ignored`.
struct ImportReport {
  ModelInfo info;
  std::string family;                ///< "DINOv2 (torch hub)", "SALAD", ...
  std::vector<std::string> used;     ///< names as in the source
  std::vector<std::string> missing;  ///< needed but absent: import throws, naming them
  std::vector<std::string> ignored;
};

/// Reads .pth/.ckpt/.pt (torch zip and legacy) or .safetensors and writes our model file.
ImportReport import_model(const std::filesystem::path& from, const std::filesystem::path& to, const ImportOptions& options = {});

struct QuantiseOptions {
  std::string precision = "int8";  ///< recorded as the model's own choice
  std::function<bool()> stop{};    ///< polled; true ends with Error kInterrupted, and nothing is written
};

struct QuantiseReport {
  ModelInfo info;
  int matrices = 0;         ///< that are in 8 bits now
  std::uint64_t bytes = 0;  ///< of the file
  std::uint64_t source_bytes = 0;
};

/// Writes a model file with the matrices of its blocks in 8 bits, about a quarter of the size: the same model (identity), and in
/// int8 the same descriptors, to the last bit where the CPU's kernel takes any bytes (all but that of AVX2 without VNNI). It runs
/// in the other precisions too, from rounded weights. Throws Error kUsage for a model that is quantised already or has no such
/// matrix, kBadModel for weights that are not finite, and what Model::load throws.
QuantiseReport quantise_model(const std::filesystem::path& from, const std::filesystem::path& to,
                              const QuantiseOptions& options = {});

struct AverageReport {
  ModelInfo info;
  std::vector<double> alike;  ///< cosine of each file's weights with the mean's, in the order given
};

/// Writes the mean of the weights of model files that differ in nothing else, in 32 bits: of trainings that started alike
/// ([model] start_seed) and saw different pictures. The mean of models that did not start alike is useless; `alike` tells. A
/// calibrated threshold is dropped. Throws Error kUsage for fewer than two files, kMismatch when settings or licences differ, and
/// what Model::load throws. `stop` is polled; when it returns true Error kInterrupted is thrown and nothing is written.
AverageReport average_models(const std::vector<std::filesystem::path>& from, const std::filesystem::path& to,
                             const std::function<bool()>& stop = {});

}  // namespace revisit
