// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// curve.svg: loss and validation recall over the steps.
#pragma once

#include <string>

#include "training/train/run_log.h"

namespace revisit::train {

std::string draw_curve(const History& history, const std::string& title);

}  // namespace revisit::train
