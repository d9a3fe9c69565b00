// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Models that come with the library: one built into it, others installed beside it (models/README.md).
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "revisit/model.h"

namespace revisit {

inline constexpr const char* kEmbeddedModel = "revisit-tiny";
inline constexpr const char* kPreferredModel = "revisit-open";  ///< the default where it is installed

/// Loaded once.
Model embedded_model();

/// What is used where no model is named: kPreferredModel if it is installed, else kEmbeddedModel.
std::string default_model_name();
/// The same, opened; an installed file that is damaged is Error kBadModel, not a reason to use another model.
Model default_model();

/// The folder share/revisit/models of the prefix where this library is, or the program it is linked into; empty when there is none.
/// The environment does not count.
std::filesystem::path installed_models();
/// The file of the installed model of this name, which has no folder and no extension.
std::optional<std::filesystem::path> installed_model(const std::string& name);

/// A model by its name (kEmbeddedModel, kDemoModel, an installed one, which `info().source` then names so that it may move) or its
/// file. Throws Error kNotFound, which lists the names there are.
Model find_model(const std::string& name);

}  // namespace revisit
