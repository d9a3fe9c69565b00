// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Names of models are looked up in the order: built in, path, model folders (docs/files.md).
#include "cli/model_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <span>

#include "cli/binding.h"
#include "cli/words.h"
#include "core/base/fail.h"
#include "core/base/limits.h"

namespace revisit::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kImportHint =
    "revisit model import CHECKPOINT -o OUT.safetensors makes a model file, revisit model list shows those you have";

bool is_built_in(const std::string& name) { return name == kEmbeddedModel || name == kDemoModel; }

bool is_path(const std::string& name) {
  std::error_code ignored;
  return name.find_first_of("/.") != std::string::npos || (fs::exists(name, ignored) && !fs::is_directory(name, ignored));
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

fs::path users_models() {
  const fs::path data = variable("XDG_DATA_HOME"), home = variable("HOME");
  if (data.is_absolute()) return data / "revisit/models";
  return home.is_absolute() ? home / ".local/share/revisit/models" : fs::path();
}

/// Where names are looked up, in this order.
std::vector<fs::path> model_folders() {
  std::vector<fs::path> folders{variable("REVISIT_MODEL_PATH"), installed_models(), users_models(), "models"};
  std::erase(folders, fs::path());
  return folders;
}

/// Without a name: the user's choice, else the library's.
std::string chosen(const std::string& name) {
  if (!name.empty()) return name;
  const std::string usual = variable("REVISIT_DEFAULT_MODEL");
  return usual.empty() ? default_model_name() : usual;
}

bool is_installed(const fs::path& file) { return installed_model(file.stem().string()) == file; }

Model load_file(const fs::path& path) {
  try {
    return Model::load(path);
  } catch (const Error& error) {
    if (!error.hint().empty()) throw;
    throw Error(error.code(), error.what(), kImportHint);
  }
}

}  // namespace

void add_model_option(std::vector<Option>& options, ModelArgs& args) {
  options.push_back({"-m,--model", "NAME|FILE",
                     "model file, or a name from 'revisit model list'; default: revisit-open if installed, else revisit-tiny",
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

std::optional<fs::path> model_file(const std::string& name) {
  const std::string wanted = chosen(name);
  if (is_built_in(wanted)) return std::nullopt;
  if (is_path(wanted)) return wanted;
  std::vector<std::string> known{kEmbeddedModel, kDemoModel};
  for (const auto& file : find_model_files()) {
    if (file.stem() == wanted) return file;
    known.push_back(file.stem().string());
  }
  const auto shown = std::span(known).first(std::min<std::size_t>(known.size(), 12));
  fail_with_hint(ErrorCode::kUsage, kImportHint, "unknown model '{}'{}; there are {}{}", wanted, did_you_mean(wanted, known),
                 fmt::join(shown, ", "), known.size() > shown.size() ? " and others" : "");
}

std::string lasting_name(const std::string& name) {
  const auto file = model_file(name);
  if (!file) return chosen(name);
  return is_installed(*file) ? file->stem().string() : fs::absolute(*file).lexically_normal().string();
}

Model open_model(const std::string& name, Console& console) {
  if (const auto file = model_file(name)) return is_installed(*file) ? find_model(file->stem().string()) : load_file(*file);
  const std::string built_in = chosen(name);
  if (built_in == kDemoModel) {
    console.talk_once(
        "notice: the demo model is untrained (seeded random weights): use it to measure time and as a baseline only");
  }
  return find_model(built_in);
}

std::string model_label(const std::string& name) { return fs::path(chosen(name)).stem().string(); }

std::vector<fs::path> find_model_files() {
  std::vector<fs::path> files;
  for (const auto& folder : model_folders()) {
    std::error_code ignored;  // a missing folder holds no models
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
      if (entry.path().extension() == ".safetensors") found.push_back(entry.path());
    }
    std::ranges::sort(found);
    for (const auto& file : found) {  // a name stands for the first file that has it
      const bool taken = std::ranges::any_of(files, [&](const fs::path& one) { return one.stem() == file.stem(); });
      if (!taken && !is_built_in(file.stem().string())) files.push_back(file);
    }
  }
  return files;
}

}  // namespace revisit::cli
