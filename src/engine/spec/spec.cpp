// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The list of settings. A new one is a member of DescriptorSpec and a line of make_settings().
#include "revisit/spec.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <type_traits>

#include "core/base/fail.h"
#include "core/base/limits.h"
#include "engine/spec/families.h"
#include "engine/spec/prune_options.h"

namespace revisit {
namespace {

// Ranges of values: holds() checks, text() is Setting::wanted, range() Setting::range.
struct Between {
  double low, high;
  bool above_low = false;
  bool holds(double x) const { return (above_low ? x > low : x >= low) && x <= high; }  // false for NaN
  std::string interval() const { return fmt::format("in {}{:g}, {:g}]", above_low ? '(' : '[', low, high); }
  std::string range() const { return ", " + interval(); }
  std::string text() const { return "a number " + interval(); }
};
struct From {
  std::int64_t low, high;
  bool holds(std::int64_t x) const { return x >= low && x <= high; }
  std::string range() const {
    return high == std::numeric_limits<std::int64_t>::max() ? fmt::format(", {} or more", low) : fmt::format(", {} to {}", low, high);
  }
  std::string text() const {
    return high == std::numeric_limits<std::int64_t>::max() ? fmt::format("a whole number, {} or more", low)
                                                            : fmt::format("a whole number from {} to {}", low, high);
  }
};
struct OneOf {
  std::vector<std::string> words;
  bool holds(const std::string& word) const { return std::ranges::find(words, word) != words.end(); }
  std::string range() const {
    return fmt::format(": {}{}{}", fmt::join(words.begin(), words.end() - 1, ", "), words.size() > 1 ? " or " : "", words.back());
  }
  std::string text() const { return fmt::format("one of {}", fmt::join(words, ", ")); }
};
struct Sides {
  bool holds(Size size) const {
    return std::min(size.height, size.width) >= 1 && std::max(size.height, size.width) <= limits::kMaxInputSide;
  }
  std::string range() const { return ""; }
  std::string text() const {
    return fmt::format("HEIGHTxWIDTH such as 322x322, each side from 1 to {}", limits::kMaxInputSide);
  }
};
struct Digits {
  bool holds(const std::string& text) const { return text.size() <= 64 && text.find('\0') == std::string::npos; }
  std::string range() const { return ""; }
  std::string text() const { return "the identity of a model"; }
};

struct Pairs {
  bool holds(const std::string& text) const { return parse_prune_options(text).has_value(); }
  std::string range() const { return ""; }
  std::string text() const { return "KEY=VALUE,KEY=VALUE, each key once"; }
};

template <typename Number>
std::optional<Number> whole_text(std::string_view text) {
  Number out{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return out;
}

std::optional<SettingValue> parsed(std::string_view text, const double*) {
  const auto number = whole_text<double>(text);
  return number && std::isfinite(*number) ? std::optional<SettingValue>(*number) : std::nullopt;
}
template <typename Whole>
  requires std::is_integral_v<Whole>
std::optional<SettingValue> parsed(std::string_view text, const Whole*) {
  const auto number = whole_text<Whole>(text);
  return number ? std::optional<SettingValue>(static_cast<std::int64_t>(*number)) : std::nullopt;
}
std::optional<SettingValue> parsed(std::string_view text, const std::string*) { return SettingValue(std::string(text)); }
std::optional<SettingValue> parsed(std::string_view text, const Size*) {
  const auto cross = text.find('x');
  if (cross == std::string_view::npos) return std::nullopt;
  const auto height = whole_text<int>(text.substr(0, cross));
  const auto width = whole_text<int>(text.substr(cross + 1));
  return height && width ? std::optional<SettingValue>(Size{*height, *width}) : std::nullopt;
}

// How a member's type stands in a SettingValue.
template <typename T>
using Held = std::conditional_t<std::is_integral_v<T>, std::int64_t, T>;

template <auto Member>
struct Typed {
  using T = typename std::remove_cvref_t<decltype(DescriptorSpec{}.*Member)>::value_type;

  static SettingValue get(const DescriptorSpec& spec) {
    const auto& value = spec.*Member;
    return value ? SettingValue(static_cast<Held<T>>(*value)) : SettingValue();
  }
  static std::optional<SettingValue> parse(std::string_view text) { return parsed(text, static_cast<const T*>(nullptr)); }
};

const Setting& of_member(SettingValue (*get)(const DescriptorSpec&));

// Sets a member after checking its range; `Range()` gives it.
template <auto Member, auto Range>
void set_checked(DescriptorSpec& spec, const SettingValue& value) {
  using T = typename Typed<Member>::T;
  if (std::holds_alternative<std::monostate>(value)) {
    (spec.*Member).reset();
    return;
  }
  std::optional<Held<T>> typed;
  if (const auto* same = std::get_if<Held<T>>(&value)) typed = *same;
  if constexpr (std::is_same_v<T, double>) {  // 1 is as good as 1.0
    if (const auto* whole = std::get_if<std::int64_t>(&value)) typed = static_cast<double>(*whole);
  }
  if (!typed || !Range().holds(*typed)) {
    const Setting& self = of_member(&Typed<Member>::get);
    fail(ErrorCode::kUsage, "{} is '{}', but must be {}", self.name, text_of(value), self.wanted);
  }
  spec.*Member = static_cast<T>(*typed);
}

using Predicate = bool (*)(const DescriptorSpec&);
bool always(const DescriptorSpec& /*spec*/) { return true; }
bool prunes_by(const DescriptorSpec& spec, std::string_view name) { return prunes(spec) && spec.prune.value_or("") == name; }
bool by_weitop(const DescriptorSpec& spec) { return prunes_by(spec, "weitop"); }
bool by_scores_after_a_block(const DescriptorSpec& spec) {
  return by_weitop(spec) || prunes_by(spec, "random") || prunes_by(spec, "norm");
}
bool by_one_cut(const DescriptorSpec& spec) { return by_scores_after_a_block(spec) || prunes_by(spec, "fastv"); }
bool by_norm(const DescriptorSpec& spec) { return by_weitop(spec) || prunes_by(spec, "norm"); }
bool by_fast_decoding(const DescriptorSpec& spec) { return spec.decode.value_or("") == "fast"; }
bool by_chance(const DescriptorSpec& spec) { return prunes_by(spec, "random"); }

template <auto Member, auto Range>
Setting line(const char* name, const char* placeholder, const char* help, Agreement agreement, bool advanced,
             const char* model_key, SettingValue usual, Predicate matters, bool of_pruner = false) {
  return {name,  placeholder, help, Range().range(), Range().text(), agreement, advanced, model_key, std::move(usual), &Typed<Member>::get,
          &set_checked<Member, Range>, &Typed<Member>::parse, matters, of_pruner};
}

// clang-format off
constexpr auto kRho = [] { return Between{0, 1, true}; };
constexpr auto kSize = [] { return Sides{}; };
constexpr auto kPooling = [] { return OneOf{{"cls", "mean", "gem"}}; };
#define REVISIT_WORD(name) #name,
constexpr auto kPruners = [] { return OneOf{{REVISIT_REDUCERS(REVISIT_WORD) "none"}}; };
#undef REVISIT_WORD
constexpr auto kPairs = [] { return Pairs{}; };
constexpr auto kLayers = [] { return From{0, 1'000}; };
constexpr auto kShare = [] { return Between{0, 1}; };
constexpr auto kNormScales = [] { return OneOf{{"minmax", "raw"}}; };
constexpr auto kCells = [] { return From{1, limits::kMaxSpread}; };
constexpr auto kSeeds = [] { return From{0, std::numeric_limits<std::int64_t>::max()}; };
constexpr auto kPrecisions = [] { return OneOf{{"auto", "f32", "bf16", "int8"}}; };
constexpr auto kOrientations = [] { return OneOf{{"apply", "ignore"}}; };
constexpr auto kDecoding = [] { return OneOf{{"exact", "fast"}}; };
constexpr auto kIdentity = [] { return Digits{}; };

std::vector<Setting> make_settings() {
  using S = DescriptorSpec;
  constexpr auto kMust = Agreement::kMust;
  constexpr auto kTold = Agreement::kTold;
  return {
      line<&S::rho, kRho>("rho", "R", "share of patch tokens kept", kTold, false, nullptr, 1.0, always),
      line<&S::keep_mass, kRho>("keep_mass", "T", "keep this share of WeiToP's softmax, rho at least", kTold, false, nullptr, {}, by_weitop, true),
      line<&S::size, kSize>("size", "HxW", "input size, rounded to the patch", kTold, false, nullptr, {}, always),
      line<&S::aggregate, kPooling>("aggregate", "HOW", "pooling for a model that is a backbone only", kMust, false, nullptr, {}, always),
      line<&S::orientation, kOrientations>("orientation", "HOW", "EXIF orientation", kMust, false, nullptr, std::string("apply"), always),
      line<&S::decode, kDecoding>("decode", "HOW", "JPEG at full size, or no larger than needed", kTold, false, nullptr, std::string("exact"), by_fast_decoding),
      line<&S::prune, kPruners>("prune", "HOW", "how patches are chosen", kTold, false, "pruner", std::string("none"), prunes),
      line<&S::prune_options, kPairs>("prune_options", "K=V,...", "a pruner's numbers: keep=0.6,at=1|3 for evit", kTold, true, "pruner.options", {}, prunes, true),
      line<&S::prune_layer, kLayers>("prune_layer", "L", "blocks run before pruning", kTold, true, "pruner.layer", std::int64_t{1}, by_scores_after_a_block),
      line<&S::kappa, kShare>("kappa", "K", "WeiToP's weight against the norm", kTold, true, "pruner.kappa", 0.5, by_weitop),
      line<&S::norm_scale, kNormScales>("norm_scale", "HOW", "how norms enter the score", kTold, true, "pruner.norm_scale", std::string("minmax"), by_norm),
      line<&S::spread, kCells>("spread", "N", "rank patches within cells of NxN", kTold, true, "pruner.spread", std::int64_t{1}, by_one_cut, true),
      line<&S::seed, kSeeds>("seed", "S", "of random pruning, drawn anew for each photo", kTold, true, nullptr, std::int64_t{0}, by_chance),
      line<&S::precision, kPrecisions>("precision", "P", "arithmetic of the network", kTold, true, "precision", std::string("f32"), always),
      line<&S::model_identity, kIdentity>("model_identity", nullptr, "the model's weights and all of its constants", kMust, true, nullptr, {}, always),
  };
}
// clang-format on

const std::vector<Setting>& table() {
  static const std::vector<Setting> all = make_settings();
  return all;
}

const Setting& of_member(SettingValue (*get)(const DescriptorSpec&)) {
  return *std::ranges::find(table(), get, &Setting::get);
}

bool is_open(const SettingValue& value) { return std::holds_alternative<std::monostate>(value); }

std::string joined(const DescriptorSpec& spec, const char* between, const char* separator) {
  std::string out;
  for (const Setting& one : table()) {
    if (is_open(one.get(spec)) || !one.matters(spec)) continue;
    out += fmt::format("{}{}{}{}", out.empty() ? "" : separator, one.name, between, text_of(one.get(spec)));
  }
  return out;
}

}  // namespace

std::span<const Setting> settings() { return table(); }

const Setting& setting(std::string_view name) {
  const auto found = std::ranges::find_if(table(), [&](const Setting& one) { return one.name == name; });
  if (found == table().end()) fail(ErrorCode::kUsage, "'{}' is not a setting of descriptors", name);
  return *found;
}

std::string text_of(const SettingValue& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return std::to_string(*whole);
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* size = std::get_if<Size>(&value)) return fmt::format("{}x{}", size->height, size->width);
  return {};
}

DescriptorSpec overlaid(const DescriptorSpec& first, const DescriptorSpec& second) {
  DescriptorSpec out = first;
  const bool other_pruner = first.prune && second.prune && *first.prune != *second.prune;
  for (const Setting& one : table()) {
    if (!is_open(one.get(first)) || (other_pruner && one.of_pruner)) continue;
    one.set(out, one.get(second));
  }
  if (first.rho) out.keep_mass = first.keep_mass;
  if (first.keep_mass || says_how_much(first.prune_options)) out.rho = first.rho;
  if (first.rho && !first.prune_options) out.prune_options = without_how_much(out.prune_options);
  return out;
}

DescriptorSpec completed(const DescriptorSpec& spec) {
  DescriptorSpec out = spec;
  if (out.keep_mass && !out.rho) out.rho = kLeastRho;
  if (out.prune_options) {
    if (const auto pairs = parse_prune_options(*out.prune_options)) out.prune_options = prune_options_text(*pairs);
  }
  for (const Setting& one : table()) {
    if (is_open(one.get(out))) one.set(out, one.usual);
  }
  return out;
}

Orientation orientation_of(const DescriptorSpec& spec) {
  return spec.orientation.value_or("apply") == "ignore" ? Orientation::kIgnore : Orientation::kApply;
}

DecodeOptions decoding_of(const DescriptorSpec& spec) {
  constexpr int kFold = 2;  // of the input's sides: what is lost above that resizing would have averaged away
  DecodeOptions out;
  out.orientation = orientation_of(spec);
  if (by_fast_decoding(spec) && spec.size) out.at_least = {kFold * spec.size->height, kFold * spec.size->width};
  return out;
}

void check_spec(const DescriptorSpec& spec) {
  DescriptorSpec copy;
  for (const Setting& one : table()) one.set(copy, one.get(spec));
}

std::vector<Difference> differences(const DescriptorSpec& first, const DescriptorSpec& second) {
  std::vector<Difference> out;
  for (const Setting& one : table()) {
    if (one.get(first) == one.get(second) || (!one.matters(first) && !one.matters(second))) continue;
    out.push_back({&one, one.get(first), one.get(second)});
  }
  return out;
}

std::string differences_text(const std::vector<Difference>& differences, Agreement agreement) {
  const auto shown = [](const SettingValue& value) { return is_open(value) ? std::string("none") : text_of(value); };
  std::vector<std::string> parts;
  for (const Difference& one : differences) {
    if (one.setting->agreement != agreement) continue;
    parts.push_back(fmt::format("{} {}, not {}", one.setting->name, shown(one.first), shown(one.second)));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string spec_text(const DescriptorSpec& spec) {
  DescriptorSpec shown = spec;
  shown.model_identity.reset();
  return joined(shown, " ", ", ");
}

std::string spec_key(const DescriptorSpec& spec) { return joined(spec, "=", " "); }

}  // namespace revisit
