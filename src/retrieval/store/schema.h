// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The tables of a catalogue, by version. vectors.bin and codes.i8 have a version of their own (files/layout.h).
//   1  photos, settings
//   2  photos with a seal for each line (line.h)
//   3  the same and locals, once local features are kept: programs that know no more than version 2 read all others
#pragma once

#include "retrieval/files/database.h"

namespace revisit::retrieval {

inline constexpr int kCatalogueVersion = 2;  ///< older ones stay readable, and are upgraded to this one when written to
inline constexpr int kLocalVersion = 3;      ///< the newest that is read

/// Its version. Error kBadFile when it is not exactly the schema of one, so a file cannot bring along triggers, views or odd
/// columns.
int check_schema(Database& database);

/// All within a transaction of the caller's.
void make_schema(Database& database);
void add_seals(Database& database);   ///< the column, from version 1; its values are the caller's
void add_locals(Database& database);  ///< the table, from version 2

}  // namespace revisit::retrieval
