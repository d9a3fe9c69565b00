// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The options every verb with a model shares, and how a model's name becomes a model.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/console.h"
#include "cli/option.h"
#include "revisit/embedded.h"
#include "revisit/extractor.h"

namespace revisit::cli {

struct ModelArgs {
  std::string model;  ///< empty: the default one
  DescriptorSpec spec;
  int threads = 0;
  std::optional<double> budget_ms;  ///< for the rho; see cli/budget.h
};

void add_model_option(std::vector<Option>& options, ModelArgs& args);
/// A flag for every setting a user may choose except `without`, and --threads.
void add_spec_options(std::vector<Option>& options, ModelArgs& args, std::initializer_list<std::string_view> without = {});
/// "prune_layer" is --prune-layer.
std::string flag_of(const Setting& setting);
/// Replaces the help of an option in the list.
void set_help(std::vector<Option>& options, const std::string& long_name, const std::string& help);

/// A built-in model, a file, or the name of a file in the model folders; without a name the default model. Notes once on stderr that the demo model is untrained.
Model open_model(const std::string& name, Console& console);

/// The file behind a name; empty for built-in models. Throws Error kUsage for an unknown name.
std::optional<std::filesystem::path> model_file(const std::string& name);

/// What an index remembers, to find the model again from anywhere: the name of a built-in or installed model, else the path.
std::string lasting_name(const std::string& name);

/// The name to show: the file's stem, or the built-in model's.
std::string model_label(const std::string& name);

/// Model files (*.safetensors) of $REVISIT_MODEL_PATH, the installed ones, the user's (~/.local/share/revisit/models) and those of
/// ./models, in this order, sorted within each folder; of files of one name the first.
std::vector<std::filesystem::path> find_model_files();

}  // namespace revisit::cli
