// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Names of models are looked up in the order: built in, path, model folders.
#include "cli/model_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "core/base/fail.h"
#include "core/base/limits.h"
#include "cli/binding.h"
#include "cli/words.h"

namespace revisit::cli {
namespace {

constexpr const char* kImportHint =
    "revisit model import CHECKPOINT -o OUT.safetensors makes a model file, revisit model list shows those you have";

bool is_built_in(const std::string& name) { return name.empty() || name == kEmbeddedModel || name == kDemoModel; }

bool looks_like_path(const std::string& name) { return name.find_first_of("/.") != std::string::npos; }

Model load_file(const std::filesystem::path& path) {
  try {
    return Model::load(path);
  } catch (const Error& error) {
    if (!error.hint().empty()) throw;
    throw Error(error.code(), error.what(), kImportHint);
  }
}

}  // namespace

void add_model_option(std::vector<Option>& options, ModelArgs& args) {
  options.push_back({"-m,--model", "NAME|FILE", "model file, or a name from 'revisit model list'; default: the built-in one",
                     to_text(args.model)});
}

namespace {

std::string help_of(const Setting& one) {
  const std::string usual = text_of(one.usual);
  const bool of_model = one.model_key != nullptr || std::string_view(one.name) == "size";
  return std::string(one.help) + one.range + (of_model ? "; default: the model's" : usual.empty() ? "" : "; default " + usual);
}

}  // namespace

std::string flag_of(const Setting& setting) {
  std::string out = std::string("--") + setting.name;
  std::ranges::replace(out, '_', '-');
  return out;
}

void add_spec_options(std::vector<Option>& options, ModelArgs& args, std::initializer_list<std::string_view> without) {
  for (const Setting& one : settings()) {
    if (one.placeholder == nullptr || std::ranges::find(without, std::string_view(one.name)) != without.end()) continue;
    Option option{flag_of(one), one.placeholder, help_of(one), to_setting(args.spec, one)};
    option.advanced = one.advanced;
    options.push_back(std::move(option));
  }
  options.push_back({"--threads", "N", "cores used for each image, 1 to 1024; default: all this process may use",
                     to_int(args.threads, 1, limits::kMaxThreads)});
}

void set_help(std::vector<Option>& options, const std::string& long_name, const std::string& help) {
  std::ranges::find(options, long_name, &Option::long_name)->help = help;
}

std::optional<std::filesystem::path> model_file(const std::string& name) {
  if (is_built_in(name)) return std::nullopt;
  if (looks_like_path(name) || std::filesystem::exists(name)) return name;
  std::vector<std::string> known{kEmbeddedModel, kDemoModel};
  for (const auto& file : find_model_files()) {
    if (file.stem() == name) return file;
    known.push_back(file.stem().string());
  }
  fail_with_hint(ErrorCode::kUsage, kImportHint, "unknown model '{}'{}", name, did_you_mean(name, known));
}

Model open_model(const std::string& name, Console& console) {
  if (const auto file = model_file(name)) return load_file(*file);
  if (name != kDemoModel) return embedded_model();
  console.talk_once("notice: the demo model is untrained (seeded random weights): use it to measure time and as a baseline only");
  return Model::random(kDemoModel);
}

std::string model_label(const std::string& name) {
  return name.empty() ? kEmbeddedModel : std::filesystem::path(name).stem().string();
}

std::vector<std::filesystem::path> find_model_files() {
  std::vector<std::filesystem::path> folders;
  if (const char* folder = std::getenv("REVISIT_MODEL_PATH"); folder != nullptr && *folder != '\0') folders.emplace_back(folder);
  folders.emplace_back("models");
  std::vector<std::filesystem::path> files;
  for (const auto& folder : folders) {
    std::error_code ignored;  // a missing folder holds no models
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
      if (entry.path().extension() == ".safetensors") found.push_back(entry.path());
    }
    std::ranges::sort(found);
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

}  // namespace revisit::cli
