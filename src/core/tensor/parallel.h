// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Loops on many threads: work is handed out in small pieces, and whoever is free takes the next, so that a core other programs use
// as well does less of it. Waiting threads spin for microseconds and then sleep. The threads are the library's own: it changes no
// setting of the process, and loops of several callers may run at once.
#pragma once

#include <algorithm>
#include <atomic>

namespace revisit::tensor {

/// How many threads loops of the calling thread may use, this one included, from now on. 0: every core this process may use.
/// Returns the number in force.
int set_threads(int count);
int threads();
int usable_cores();  ///< by the process's affinity

/// set_threads() for as long as it lives.
class Team {
 public:
  explicit Team(int count);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

 private:
  int before_;
};

/// While it lives, denormal numbers count as zero on the calling thread and in its loops: they would slow kernels many times over.
class FlushDenormals {
 public:
  FlushDenormals();
  ~FlushDenormals();
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

 private:
  unsigned saved_;
};

/// A loop as its threads see it: each calls task(context, worker) once, with a worker of its own in [0, helpers].
using LoopTask = void (*)(void* context, int worker);
/// Runs a task on this thread and on up to `helpers` others; returns when all that began have ended.
using LoopRunner = void (*)(int helpers, LoopTask task, void* context);

/// Has all loops run by other threads than our own: a program that already keeps some busy, as training does with LibTorch's, would
/// otherwise have two teams for the same cores. Null: our own.
void use_runner(LoopRunner runner);

/// The calling thread's floating-point settings, for runners: results must not depend on the thread.
unsigned float_mode();
void set_float_mode(unsigned mode);

namespace detail {

void run_loop(int helpers, LoopTask task, void* context);

template <typename Body>
struct Loop {
  const Body& body;
  int count;
  int step;
  alignas(64) std::atomic<int> next{0};

  static void take(void* context, int worker) {
    auto& loop = *static_cast<Loop*>(context);
    for (;;) {
      const int first = loop.next.fetch_add(loop.step, std::memory_order_relaxed);
      if (first >= loop.count) return;
      const int last = std::min(first + loop.step, loop.count);
      for (int i = first; i < last; ++i) loop.body(i, worker);
    }
  }
};

template <typename Body>
void loop(int count, int step, const Body& body) {
  const int helpers = std::min(threads(), (count + step - 1) / step) - 1;
  if (helpers < 1) {
    for (int i = 0; i < count; ++i) body(i, 0);
    return;
  }
  Loop<Body> all{body, count, step};
  run_loop(helpers, &Loop<Body>::take, &all);
}

}  // namespace detail

/// body(i, worker) for i in [0, count), one at a time; worker in [0, threads()) is the slot of scratch memory this call may use.
/// body must not throw.
template <typename Body>
void parallel_for_worker(int count, const Body& body) {
  detail::loop(count, 1, body);
}

/// body(i) for i in [0, count), for bodies that are short: a thread takes several at once.
template <typename Body>
void parallel_for(int count, const Body& body) {
  constexpr int kPiecesPerThread = 8;
  const int step = std::max(1, count / (kPiecesPerThread * threads()));
  detail::loop(count, step, [&body](int i, int /*worker*/) { body(i); });
}

}  // namespace revisit::tensor
