// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Settings of descriptors out of a table of a configuration.
#pragma once

#include "core/formats/section.h"
#include "revisit/spec.h"

namespace revisit {

/// Takes the key of every setting that `wanted` wants; what is absent stays as it is in `out`.
void read_settings(Section& in, DescriptorSpec& out, bool (*wanted)(const Setting&));

}  // namespace revisit
