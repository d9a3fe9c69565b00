// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The contents of an index for other programs. Replaced rows are left out; every file appears whole or not at all.
#pragma once

#include <filesystem>
#include <functional>

#include "revisit/index.h"

namespace revisit {

/// float32 (rows, dim), and beside it FILE.names.txt: the name of each row, one per line. Control characters and bytes
/// that are not UTF-8 are written as "\xNN", and so is a backslash before such digits ("\x5c"): every name can be recovered.
void export_npy(const Index& index, const std::filesystem::path& file);

/// image,lat,lon,east,north,heading_deg,time,path: can be read back as a table of positions. Names are written as in
/// FILE.names.txt, with an apostrophe in front of anything a spreadsheet would take for a formula.
void export_csv(const Index& index, const std::filesystem::path& file);

/// A FeatureCollection with a point for every photo whose latitude and longitude are known. Returns how many.
int export_geojson(const Index& index, const std::filesystem::path& file);

/// KML: a placemark with name and point for every photo whose latitude and longitude are known. Returns how many.
int export_kml(const Index& index, const std::filesystem::path& file);

/// Lines "NAME OTHER": the `top_k` most similar others of every photo, as hloc reads them for matching. A name with a space or
/// line break, which that format cannot hold, is Error kUsage. progress(done, total) may stop it by returning false
/// (Error kInterrupted).
void export_pairs(const Index& index, const std::filesystem::path& file, int top_k,
                  const std::function<bool(int, int)>& progress = {});

}  // namespace revisit
