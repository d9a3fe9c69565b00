// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The trained model built into the library (models/README.md).
#pragma once

#include "revisit/model.h"

namespace revisit {

inline constexpr const char* kEmbeddedModel = "revisit-tiny";

/// Loaded once.
Model embedded_model();

}  // namespace revisit
