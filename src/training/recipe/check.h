// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Consistency of the keys of a training configuration.
#pragma once

#include <string>

#include "revisit/lab/train.h"

namespace revisit::recipe {

/// Every value lies in its own range already. `name` is the file's name. Throws Error kUsage with one sentence.
void check(const TrainConfig& config, const std::string& name);

}  // namespace revisit::recipe
