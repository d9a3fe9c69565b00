// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The one OpenMP team of the process. Kernels run inside parallel_for, never one region inside another.
#pragma once

#ifdef _OPENMP
#include <omp.h>
#endif

namespace revisit::tensor {

/// Sets the team size for our kernels and oneDNN. 0: every core this process may use. Returns the size in force.
int set_threads(int count);
int threads();
int usable_cores();  ///< by the process's affinity

/// While it lives, denormal numbers count as zero on every thread of the team: they would slow kernels many times over.
/// The calling thread gets its own setting back.
class FlushDenormals {
 public:
  FlushDenormals();
  ~FlushDenormals();
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

 private:
  unsigned saved_ = 0;
};

/// body(i) for i in [0, count), in parallel. Chunks are fixed by count and threads; body must not throw.
template <typename Body>
void parallel_for(int count, const Body& body) {
#ifdef _OPENMP
#pragma omp parallel for schedule(static) if (count > 1)
#endif
  for (int i = 0; i < count; ++i) body(i);
}

/// The same with body(i, worker), worker in [0, threads()): the slot of scratch memory this call may use.
template <typename Body>
void parallel_for_worker(int count, const Body& body) {
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic) if (count > 1)
  for (int i = 0; i < count; ++i) body(i, omp_get_thread_num());
#else
  for (int i = 0; i < count; ++i) body(i, 0);
#endif
}

}  // namespace revisit::tensor
