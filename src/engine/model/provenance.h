// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The texts of a model file that say where it comes from.
#pragma once

#include <string>

namespace revisit::model {

/// File names need not be UTF-8, metadata must be: bytes that are not become "\xNN".
std::string as_utf8(const std::string& text);

/// "trained from EARLIER", or EARLIER alone where it says so already: of a run that begins with a model of another run.
std::string trained_from(const std::string& earlier);

/// "EARLIER; LATEST" within the bytes a model file has for its provenance: of a long history the end is kept whole.
std::string history(const std::string& earlier, const std::string& latest);

}  // namespace revisit::model
