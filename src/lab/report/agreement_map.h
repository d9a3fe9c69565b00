// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Two photos side by side with lines between the patches that agree.
#pragma once

#include <string>

#include "revisit/image.h"
#include "revisit/local.h"

namespace revisit::report {

/// One SVG with the photos in it. Each pair has a dot on either side, in the colour of its place in the query; the most alike are
/// joined by lines.
std::string agreement_svg(const Image& query, const Image& reference, const SecondLook& look);

}  // namespace revisit::report
