// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// From a photo to a descriptor, with one knob: rho, the share of patch tokens kept.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "revisit/image.h"
#include "revisit/local.h"
#include "revisit/model.h"
#include "revisit/spec.h"

namespace revisit {

/// Everything that happened inside one describe call. Fields that do not apply to the model stay empty.
struct Trace {
  struct Array {
    std::vector<std::int64_t> shape;
    std::vector<float> values;
  };
  Array tokens_block0;  ///< (1 + R + N0, D)
  Array logits;         ///< (N0) WeiToP output, when the model has a pruner
  Array scores;         ///< (N0) the scores patches are chosen by; with a spread above 1 mostly the rank within the cell
  std::vector<std::int64_t> kept;   ///< (K) ascending indices into the N0 patches
  Array mass;                       ///< (K) how many patches each token stands for; empty unless some were merged
  std::vector<std::int64_t> owner;  ///< (N0) which of `kept` stands for each patch, -1 for one dropped; empty like mass
  Array cls;                        ///< (D) after the final norm
  Array patches;                    ///< (K, D) after the final norm
  Array transport;                  ///< (K, M) real part of P
  Array ghost;                      ///< (M)
  Array alpha;                      ///< (M)
  std::vector<std::int64_t> tier;   ///< (M)
  Array tier_weight;                ///< (T)
  Array importance;                 ///< (K)
};

/// Milliseconds spent in each stage of the last describe call, and what they were spent on.
struct StageTimes {
  double preprocess_ms = 0;  ///< resize and normalise; decoding is not part of describe
  double blocks_ms = 0;      ///< embedding, transformer blocks, final norm
  double prune_ms = 0;       ///< scoring, top-K and gather
  double aggregate_ms = 0;
  double local_ms = 0;  ///< choosing and rounding local features, where they were asked for
  double kept = 1;      ///< share of the patches that stayed to the end: with `keep_mass` every picture has its own
};

/// Not thread-safe: one extractor serves one caller at a time and uses `threads` cores for each image. For several callers, or
/// one image per thread, make twins of it.
class Extractor {
 public:
  /// threads 0: every core this process may use. Throws Error kUsage for a setting out of range or beyond the model.
  explicit Extractor(Model model, const DescriptorSpec& spec = {}, int threads = 0);
  ~Extractor();
  Extractor(Extractor&&) noexcept;
  Extractor& operator=(Extractor&&) noexcept;

  /// The same settings at another rho. Extractors made from one another share the weights in memory and may describe at the same
  /// time, each in a thread of its own.
  Extractor with_rho(double rho) const;
  /// The same settings for another thread, which gives the same bits; `threads` as above.
  Extractor twin(int threads) const;

  /// Unit-length descriptor of a photo of any size. Throws Error kBadModel when the weights give a non-finite result. `local`,
  /// when given, becomes what a second look compares: of the patches that were kept, so a lower rho makes it smaller too.
  std::vector<float> describe(const Image& image, Trace* trace = nullptr, LocalFeatures* local = nullptr);
  std::vector<float> describe(const ImageView& picture, Trace* trace = nullptr, LocalFeatures* local = nullptr);

  /// The same for a preprocessed tensor (3, H, W); H and W must be multiples of the patch (else Error kUsage).
  std::vector<float> describe_tensor(std::span<const float> pixels, Size size, Trace* trace = nullptr,
                                     LocalFeatures* local = nullptr);

  int descriptor_dim() const;
  int local_dim() const;  ///< codes of a patch in its local features
  Size input_size() const;  ///< after rounding to the patch
  const Model& model() const;
  /// The complete spec of the descriptors: the size rounded to the patch, the model's own choices, its identity.
  const DescriptorSpec& spec() const;
  int threads() const;  ///< as given
  StageTimes last_times() const;
  /// One sentence about each setting that was adjusted (a size rounded to the patch).
  const std::vector<std::string>& notices() const;
  /// Multiply-adds of one forward at this input size and rho, in units of 10^9. With `keep_mass` those of the last picture, and
  /// the least before there was one.
  double gmac() const;

 private:
  struct Impl;
  explicit Extractor(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace revisit
