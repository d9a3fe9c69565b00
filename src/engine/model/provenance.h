// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The texts of a model file that say where it comes from.
#pragma once

#include <string>

namespace revisit::model {

/// File names need not be UTF-8, metadata must be: bytes that are not become "\xNN".
std::string as_utf8(const std::string& text);

/// "trained from EARLIER", or EARLIER alone if it already starts like that: for a run that starts from the model of another run.
std::string trained_from(const std::string& earlier);

/// "EARLIER; LATEST" within the bytes a model file has for its provenance: a long history keeps its end.
std::string history(const std::string& earlier, const std::string& latest);

}  // namespace revisit::model
