// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Models beside the library. Where that is the loader knows, so that a prefix may be moved and nothing is read from the
// environment.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <link.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/fail.h"
#include "engine/model/containers.h"
#include "engine/model/model_file.h"
#include "revisit/embedded.h"

namespace revisit {
namespace {

namespace fs = std::filesystem;

/// For dl_iterate_phdr: the name of the loaded object that holds this function, which is empty for the program itself.
int take_own_name(dl_phdr_info* object, std::size_t /*size*/, void* out) {
  const auto here = reinterpret_cast<std::uintptr_t>(&take_own_name);
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& part = object->dlpi_phdr[i];
    const auto begin = static_cast<std::uintptr_t>(object->dlpi_addr + part.p_vaddr);
    if (part.p_type != PT_LOAD || here < begin || here - begin >= part.p_memsz) continue;
    *static_cast<std::string*>(out) = object->dlpi_name;
    return 1;
  }
  return 0;
}

fs::path own_folder() {
  std::string name;
  ::dl_iterate_phdr(take_own_name, &name);
  std::error_code error;
  const fs::path file = fs::canonical(name.empty() ? "/proc/self/exe" : name, error);
  return error ? fs::path() : file.parent_path();
}

}  // namespace

fs::path installed_models() {
  static const fs::path own = own_folder();
  std::error_code ignored;
  for (const char* prefix : {"..", "../.."}) {  // of bin and lib; of lib/x86_64-linux-gnu
    const fs::path folder = (own / prefix / REVISIT_MODELS_FOLDER).lexically_normal();
    if (!own.empty() && fs::is_directory(folder, ignored)) return folder;
  }
  return {};
}

std::optional<fs::path> installed_model(const std::string& name) {
  const fs::path folder = installed_models();
  if (folder.empty() || name.empty() || name.find_first_of("/.") != std::string::npos) return std::nullopt;
  std::error_code ignored;
  fs::path file = folder / (name + ".safetensors");
  return fs::is_regular_file(file, ignored) ? std::optional(std::move(file)) : std::nullopt;
}

std::string default_model_name() { return installed_model(kPreferredModel) ? kPreferredModel : kEmbeddedModel; }

Model default_model() { return find_model(default_model_name()); }

Model find_model(const std::string& name) {
  if (name == kEmbeddedModel) return embedded_model();
  if (name == kDemoModel) return Model::random(kDemoModel);
  if (const auto file = installed_model(name)) {
    auto model = std::make_shared<model::LoadedModel>(*model::load_model_file(*file));
    model->source = name;
    return Model(std::move(model));
  }
  std::error_code ignored;
  if (name.find_first_of("/.") != std::string::npos || fs::exists(name, ignored)) return Model::load(name);
  std::vector<std::string> known{kEmbeddedModel, kDemoModel};
  const fs::path folder = installed_models();
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string stem = entry.path().stem().string();
    if (entry.path().extension() == ".safetensors" && stem != kEmbeddedModel) known.push_back(stem);
  }
  std::sort(known.begin() + 2, known.end());
  fail_with_hint(ErrorCode::kNotFound, "name one of them or a model file", "there is no model '{}', only {}", name,
                 fmt::join(known, ", "));
}

}  // namespace revisit
