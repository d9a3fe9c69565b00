// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// What the cores could do at most, by loops that touch nothing but registers and tiles.
#pragma once

#include <map>
#include <string>

namespace revisit {

/// Billions of operations a second (a multiply-add counts as two) on `threads` threads at once, by kind: "fma" for f32, "bf16"
/// and "vnni" for the dot products of AVX-512 or AVX, "amx_bf16" and "amx_int8". What this CPU does not have is left out.
std::map<std::string, double> machine_peaks(int threads, double seconds_each);

}  // namespace revisit
