// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// What this machine can do: the instruction sets in use and the rate of its multiply-add units.
#pragma once

#include <string>

namespace revisit::tensor {

std::string cpu_name();      ///< as the system calls it; "unknown" when it does not
std::string kernel_isa();    ///< what our f32 kernels dispatch to, such as "AVX2"
std::string kernel_names();  ///< of every precision: "f32 AVX3, bf16 AMX, int8 AMX"

/// GFLOP/s of multiply-adds that touch no memory, on all threads, measured for about `seconds`.
double fma_gflops(double seconds);

}  // namespace revisit::tensor
