// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Flag, else what is stored, else the default.
#include "cli/index_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/fail.h"
#include "cli/binding.h"

namespace revisit::cli {
namespace {

namespace fs = std::filesystem;

template <typename Value>
void fill(std::optional<Value>& option, const std::optional<Value>& stored) {
  if (!option) option = stored;
}

void fill(std::optional<std::string>& option, const std::string& stored) {
  if (!option && !stored.empty()) option = stored;
}

ExtractorOptions options_from(const IndexArgs& args, const IndexSettings& stored) {
  ExtractorOptions out = args.model.extractor;
  out.rho = args.rho.value_or(stored.rho);
  if (stored.size.height > 0) fill(out.size, std::optional(stored.size));
  fill(out.aggregate, stored.aggregate);
  fill(out.prune, stored.pruner);
  fill(out.prune_layer, stored.prune_layer);
  fill(out.kappa, stored.kappa);
  fill(out.norm_scale, stored.norm_scale);
  fill(out.spread, stored.spread);
  if (out.seed == 0) out.seed = stored.seed;
  return out;
}

// So that the index finds its model again from wherever it is used.
std::string lasting_name(const std::string& name) {
  const auto file = model_file(name);
  if (file) return fs::absolute(*file).lexically_normal().string();
  return name.empty() ? kEmbeddedModel : name;
}

Model open_for(const fs::path& folder, const std::string& name, bool stored, Console& console) {
  try {
    return open_model(name, console);
  } catch (const Error& error) {
    if (!stored || error.code() != ErrorCode::kNotFound) throw;
    fail_with_hint(ErrorCode::kNotFound, "--model FILE says where it is now",
                   "index '{}' was made with the model '{}', which is not there", folder.string(), name);
  }
}

}  // namespace

void mention_differences(const IndexSettings& now, const IndexSettings& stored, const std::string& lead, Console& console) {
  std::vector<std::string> differences;
  if (stored.rho != now.rho) differences.push_back(fmt::format("rho {:g}, not {:g}", now.rho, stored.rho));
  if (!(stored.size == now.size)) {
    differences.push_back(
        fmt::format("size {}x{}, not {}x{}", now.size.height, now.size.width, stored.size.height, stored.size.width));
  }
  if (stored.precision != now.precision)
    differences.push_back(fmt::format("precision {}, not {}", now.precision, stored.precision));
  const auto shown = [](const std::string& pruner) { return pruner.empty() ? std::string("the model's own") : pruner; };
  if (stored.pruner != now.pruner)
    differences.push_back(fmt::format("pruner {}, not {}", shown(now.pruner), shown(stored.pruner)));
  const auto number = [](const std::optional<int>& value) { return value ? std::to_string(*value) : "the model's own"; };
  if (stored.spread != now.spread)
    differences.push_back(fmt::format("spread {}, not {}", number(now.spread), number(stored.spread)));
  if (!differences.empty()) console.talk(fmt::format("notice: {} {}", lead, fmt::join(differences, "; ")));
}

void add_index_options(std::vector<Option>& options, IndexArgs& args) {
  options.push_back({"-m,--model", "NAME|FILE", "model file, or a name of 'revisit model list'; default: the one of the index",
                     to_text(args.model.model)});
  options.push_back(
      {"--rho", "R", "share of patch tokens kept, in (0, 1]; default: as the index, else 1", to_number(args.rho, kRhoRange)});
  add_extractor_options(options, args.model);
  options.push_back({"--orientation", "HOW", "apply or ignore EXIF orientation; default: as the index, else apply",
                     to_choice(args.orientation, {"apply", "ignore"})});
}

IndexSetup set_up(const fs::path& folder, const std::optional<IndexSettings>& stored, const IndexArgs& args, Console& console) {
  const bool use_stored = stored && args.model.model.empty();
  if (use_stored && stored->model.empty()) {
    fail_with_hint(ErrorCode::kUsage, "give the --model they were made with, or search it through the library",
                   "index '{}' holds descriptors of a program of its own, no model is recorded", folder.string());
  }
  const std::string name = use_stored ? stored->model : args.model.model;
  const Model model = open_for(folder, name, use_stored, console);
  const ExtractorOptions options = options_from(args, stored.value_or(IndexSettings{}));
  IndexSetup out{Extractor(model, options), name, options, {}};
  for (const auto& notice : out.extractor.notices()) console.talk_once("notice: " + notice);
  IndexSettings& now = out.settings;
  now.dim = out.extractor.descriptor_dim();
  now.model = lasting_name(name);
  now.fingerprint = model.info().fingerprint;
  now.rho = options.rho;
  now.size = out.extractor.input_size();
  now.orientation = args.orientation.value_or(stored ? stored->orientation : "apply");
  now.aggregate = options.aggregate.value_or("");
  now.pruner = options.prune.value_or("");
  now.prune_layer = options.prune_layer;
  now.kappa = options.kappa;
  now.norm_scale = options.norm_scale.value_or("");
  now.spread = options.spread;
  now.seed = options.seed;
  if (stored) {
    require_compatible(folder, *stored, now);
    mention_differences(now, *stored, "other settings than the index was made with:", console);
  }
  return out;
}

}  // namespace revisit::cli
