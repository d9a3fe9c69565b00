// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Texts of a model are UTF-8.
#pragma once

#include "core/formats/utf8.h"

namespace revisit::model {

using revisit::is_utf8;

}  // namespace revisit::model
