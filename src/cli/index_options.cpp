// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The flag, else the stored setting, else the default.
#include "cli/index_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/budget.h"
#include "core/base/fail.h"
#include "revisit/ingest.h"

namespace revisit::cli {
namespace {

namespace fs = std::filesystem;

Model open_for(const fs::path& folder, const std::string& name, bool stored, Console& console) {
  try {
    return open_model(name, console);
  } catch (const Error& error) {
    const bool gone = error.code() == ErrorCode::kNotFound || error.code() == ErrorCode::kUsage;
    if (!stored || !gone) throw;
    fail_with_hint(ErrorCode::kNotFound, "--model FILE says where it is now, revisit model list shows those you have",
                   "index '{}' was made with the model '{}', which does not exist", folder.string(), name);
  }
}

}  // namespace

void mention_differences(const IndexSettings& now, const IndexSettings& stored, const std::string& lead, Console& console) {
  // What an index of an earlier version does not know was then as it is by default. One without an identity knows next to
  // nothing.
  const DescriptorSpec then = stored.spec.model_identity ? completed(stored.spec) : overlaid(stored.spec, now.spec);
  const std::string text = differences_text(differences(now.spec, then), Agreement::kTold);
  if (!text.empty()) console.talk(fmt::format("notice: {} {}", lead, text));
}

void add_index_options(std::vector<Option>& options, ModelArgs& args) {
  add_model_option(options, args);
  set_help(options, "--model", "model file, or a name from 'revisit model list'; default: the one of the index");
  add_spec_options(options, args);
  add_budget_option(options, args);
  for (Option& option : options) {
    const auto usual = option.help.find("; default");
    const bool is_setting =
        std::ranges::any_of(settings(), [&](const Setting& one) { return flag_of(one) == option.long_name(); });
    if (is_setting && usual != std::string::npos) option.help = option.help.substr(0, usual) + "; default: as the index";
  }
}

namespace {

Model model_for(const fs::path& folder, const std::optional<IndexSettings>& stored, const ModelArgs& args, Console& console) {
  const bool use_stored = stored && args.model.empty();
  if (use_stored && stored->model.empty()) {
    fail_with_hint(ErrorCode::kUsage, "give the --model they were made with, or search it through the library",
                   "index '{}' holds descriptors that a program made itself, and records no model", folder.string());
  }
  return open_for(folder, use_stored ? stored->model : args.model, use_stored, console);
}

void mention_index(const fs::path& folder, const IndexSettings& now, const IndexSettings& stored, Console& console) {
  if (!stored.spec.model_identity) {
    console.talk(
        fmt::format("notice: index '{}' has format 1, which knows its model by the weights alone; adding photos upgrades it",
                    folder.string()));
  }
  mention_differences(now, stored, "settings differ from those of the index:", console);
}

}  // namespace

IndexSetup set_up(const fs::path& folder, const std::optional<IndexSettings>& stored, const ModelArgs& args, Console& console) {
  const Model model = model_for(folder, stored, args, console);
  const std::string name = stored && args.model.empty() ? stored->model : args.model;
  if (stored) {
    IndexSettings given{stored->dim, name, model.info().constants, stored->spec};
    given.spec.model_identity = model.info().identity;
    require_compatible(folder, *stored, given);  // a wrong model first: what it cannot do does not matter
  }
  Opened opened = open_extractor(model, stored ? overlaid(args.spec, stored->spec) : args.spec, args, console);
  IndexSetup out{std::move(opened.extractor), name, {}, std::move(opened.choice)};
  out.settings = index_settings_of(out.extractor, lasting_name(name));
  if (!stored) return out;
  require_compatible(folder, *stored, out.settings);
  mention_index(folder, out.settings, *stored, console);
  return out;
}

Recognizer open_places(const fs::path& folder, const IndexSettings& stored, const ModelArgs& args, Console& console,
                       int sequence) {
  check_budget(args);
  RecognizerOptions options{.spec = args.spec, .threads = args.threads, .budget_ms = args.budget_ms, .sequence = sequence};
  if (args.budget_ms) options.calibrations = calibration_folder(console);
  Recognizer places = Recognizer::open(folder.string(), model_for(folder, stored, args, console), options);
  for (const auto& notice : places.notices()) console.talk_once("notice: " + notice);
  if (places.budget()) tell(*places.budget(), console);
  mention_index(folder, {stored.dim, stored.model, stored.model_constants, places.spec()}, stored, console);
  return places;
}

bool is_index(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path / "catalogue.sqlite", ignored);
}

}  // namespace revisit::cli
