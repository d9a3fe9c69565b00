// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// How a descriptor is made: the complete list of what changes its numbers. Flags, environment names, help, JSON, what an
// index stores and compares, cache keys and reports are all derived from settings() below.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "revisit/image.h"

namespace revisit {

/// Everything that changes the numbers of a descriptor, and nothing else. An empty field is the model's own choice or the
/// default; Extractor::spec() has them all filled in.
struct DescriptorSpec {
  std::optional<double> rho{};
  std::optional<double> keep_mass{};
  std::optional<Size> size{};
  std::optional<std::string> aggregate{};
  std::optional<std::string> prune{};
  std::optional<std::string> prune_options{};
  std::optional<int> prune_layer{};
  std::optional<double> kappa{};
  std::optional<std::string> norm_scale{};
  std::optional<int> spread{};
  std::optional<std::uint64_t> seed{};
  std::optional<std::string> precision{};
  std::optional<std::string> orientation{};
  std::optional<std::string> decode{};
  std::optional<std::string> model_identity{};
  bool operator==(const DescriptorSpec&) const = default;
};

/// The least share kept when `keep_mass` decides and `rho` is open.
inline constexpr double kLeastRho = 0.25;

/// The value of one setting; empty when the spec leaves it open.
using SettingValue = std::variant<std::monostate, std::int64_t, double, std::string, Size>;

/// Whether two descriptors may be compared when they differ in a setting.
enum class Agreement {
  kMust,  ///< no: refused, naming both values
  kTold,  ///< yes, and the user is told
};

struct Setting {
  const char* name;         ///< "prune_layer": in JSON, indexes and configurations; --prune-layer, REVISIT_PRUNE_LAYER
  const char* placeholder;  ///< of the value in help: "L"; null if users cannot set it
  const char* help;         ///< what it does
  std::string range;        ///< appended to help: ", in (0, 1]" or ": cls, mean or gem"
  std::string wanted;       ///< a valid value, to end a sentence: "a number in (0, 1]"
  Agreement agreement;
  bool advanced;            ///< listed after the common ones in help
  const char* model_key;    ///< where a model file keeps the model's own choice; null: models have none
  SettingValue usual;       ///< the default when neither user nor model choose
  SettingValue (*get)(const DescriptorSpec&);
  /// Throws Error kUsage naming the setting, the value and the range. An empty value opens the setting again.
  void (*set)(DescriptorSpec&, const SettingValue&);
  /// From text as a user types it; nothing when it is not a value of this setting.
  std::optional<SettingValue> (*parse)(std::string_view);
  /// Whether the setting has any effect on what this complete spec makes: none of the pruner's has at rho 1.
  bool (*matters)(const DescriptorSpec&);
  bool of_pruner;  ///< belongs to one pruner and is not passed on to another
  /// Whether a model file keeps it with the model's pruner: a model without one has none of these settings.
  bool kept_with_pruner() const { return model_key != nullptr && std::string_view(model_key).substr(0, 6) == "pruner"; }
};

/// All settings in the order in which they are shown.
std::span<const Setting> settings();
/// Throws Error kUsage for an unknown name.
const Setting& setting(std::string_view name);

/// "0.5", "322x322", "weitop"; empty for an open value.
std::string text_of(const SettingValue& value);

/// `first` where it is set, else `second`; settings that are of_pruner only if both have the same pruner. How much is kept,
/// `rho`, `keep_mass` and what `prune_options` say of it, comes from one of them: from `first` if it says any.
DescriptorSpec overlaid(const DescriptorSpec& first, const DescriptorSpec& second);
/// Sets open settings to their defaults; the default of `rho` is kLeastRho with a `keep_mass`. The keys of `prune_options`
/// ascend.
DescriptorSpec completed(const DescriptorSpec& spec);

/// The EXIF orientation setting of the spec.
Orientation orientation_of(const DescriptorSpec& spec);
/// How photos are to be decoded for this complete spec: upright or not, and with `decode` fast no larger than they need to be.
DecodeOptions decoding_of(const DescriptorSpec& spec);

/// Throws Error kUsage for a value out of range.
void check_spec(const DescriptorSpec& spec);

/// One setting in which two specs differ.
struct Difference {
  const Setting* setting;
  SettingValue first, second;
};

/// Differences between two complete specs that matter to either.
std::vector<Difference> differences(const DescriptorSpec& first, const DescriptorSpec& second);
/// "rho 0.5, not 1; size 98x98, not 112x112": those with that agreement; empty if there are none.
std::string differences_text(const std::vector<Difference>& differences, Agreement agreement);

/// "rho 0.5, size 322x322, prune weitop, ...": the settings that matter in a complete spec, for people.
std::string spec_text(const DescriptorSpec& spec);
/// For cache keys: two complete specs have one key when they make the same descriptors.
std::string spec_key(const DescriptorSpec& spec);
/// {"rho":0.5,"size":[322,322],...}: every setting that is not open, as a JSON object.
std::string spec_json(const DescriptorSpec& spec);

}  // namespace revisit
