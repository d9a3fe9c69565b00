// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The pool. A caller opens one of a few slots, works itself, closes the slot and waits for the helpers that had joined: it never
// waits for a thread that has not begun. So a process that was forked, or may start no threads, is slower and nothing else.
#include "core/tensor/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <mutex>
#include <system_error>
#include <thread>

#ifdef __SSE__
#include <xmmintrin.h>
#endif

namespace revisit::tensor {
namespace {

using Clock = std::chrono::steady_clock;
// Between two kernels of a network lie a few microseconds, between the first and the last thread to end one up to a piece of work,
// some 70. Who sleeps earlier is late for the next kernel, and so for the one after it; who spins longer takes the core from others.
constexpr auto kSpin = std::chrono::microseconds(100);

void relax() {
#ifdef __SSE__
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Has the system give this thread, one of ours, many short turns instead of few long ones: on a busy core it then runs soon after it
/// is woken, while others wait for it at the end of a loop. Its share of the core stays the same. Only Linux from 6.12 on knows the wish.
void ask_for_short_turns() {
#ifdef SYS_sched_setattr
  struct {  // sched_attr of the kernel, in its first version
    std::uint32_t size, policy;
    std::uint64_t flags;
    std::int32_t nice;
    std::uint32_t priority;
    std::uint64_t turn_ns, deadline, period;
  } wish{};
  if (::syscall(SYS_sched_getattr, 0, &wish, sizeof(wish), 0) != 0) return;
  if (wish.policy == SCHED_FIFO || wish.policy == SCHED_RR) return;  // they have no turns, or long ones for a reason
  wish.size = sizeof(wish);
  wish.turn_ns = 100'000;  // the shortest there is
  ::syscall(SYS_sched_setattr, 0, &wish, 0);
#endif
}

/// Waits until done() for as long as spinning may take; whether it came true.
template <typename Done>
bool spin_until(const Done& done) {
  const auto end = Clock::now() + kSpin;
  do {
    for (int i = 0; i < 16; ++i) {
      if (done()) return true;
      relax();
    }
  } while (Clock::now() < end);
  return false;
}

/// A loop that is offered to helpers.
struct alignas(64) Slot {
  static constexpr std::uint32_t kOpen = 1U << 31;
  static constexpr std::uint32_t kJoined = (1U << 15) - 1;  // the low bits count who joined; those above say how many may

  std::atomic<bool> taken{false};       // by a caller
  std::atomic<std::uint32_t> state{0};  // kOpen, most << 15, joined
  std::atomic<std::uint32_t> left{0};   // helpers that are done
  LoopTask task = nullptr;
  void* context = nullptr;
  unsigned mode = 0;

  void open(int most) { state.store(kOpen | static_cast<std::uint32_t>(most) << 15, std::memory_order_release); }

  /// The worker this thread may be, or 0 when there is no place.
  int join() {
    std::uint32_t seen = state.load(std::memory_order_relaxed);
    while ((seen & kOpen) != 0 && (seen & kJoined) < ((seen & ~kOpen) >> 15)) {
      if (state.compare_exchange_weak(seen, seen + 1, std::memory_order_acquire)) return static_cast<int>((seen & kJoined) + 1);
    }
    return 0;
  }

  /// No one joins any more; returns when all who did have left.
  void close() {
    const std::uint32_t joined = state.fetch_and(~kOpen, std::memory_order_acq_rel) & kJoined;
    const auto all_left = [&] { return left.load(std::memory_order_acquire) == joined; };
    if (spin_until(all_left)) return;
    for (std::uint32_t seen = left.load(); seen != joined; seen = left.load()) left.wait(seen);
  }

  void leave() {
    left.fetch_add(1, std::memory_order_acq_rel);
    left.notify_one();
  }
};

class Pool {
 public:
  /// Never destroyed: its threads sleep until the process ends.
  static Pool& instance() {
    static Pool& pool = *new Pool;
    return pool;
  }

  void run(int helpers, LoopTask task, void* context) {
    Slot* slot = free_slot();
    if (slot == nullptr) return task(context, 0);
    slot->task = task;
    slot->context = context;
    slot->mode = float_mode();
    slot->left.store(0, std::memory_order_relaxed);
    const int wanted = wanted_.fetch_add(helpers, std::memory_order_relaxed) + helpers;
    if (wanted > workers_.load(std::memory_order_relaxed)) hire(wanted);
    slot->open(helpers);
    calls_.fetch_add(1);
    if (helpers + 1 < workers_.load(std::memory_order_relaxed)) {
      for (int i = 0; i < helpers; ++i) calls_.notify_one();
    } else {
      calls_.notify_all();
    }
    task(context, 0);
    slot->close();
    wanted_.fetch_sub(helpers, std::memory_order_relaxed);
    slot->taken.store(false, std::memory_order_release);
  }

 private:
  static constexpr int kMostWorkers = 1024;

  Pool() { ::pthread_atfork(nullptr, nullptr, [] { instance().forget_workers(); }); }

  Slot* free_slot() {
    for (Slot& slot : slots_) {
      if (!slot.taken.load(std::memory_order_relaxed) && !slot.taken.exchange(true, std::memory_order_acquire)) return &slot;
    }
    return nullptr;
  }

  /// So that there are `wanted` workers, if the system gives them.
  void hire(int wanted) {
    const std::unique_lock lock(hiring_, std::try_to_lock);
    if (!lock.owns_lock()) return;  // someone else does
    sigset_t all, before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);  // signals are for the threads of the program
    try {
      while (workers_.load() < std::min(wanted, kMostWorkers)) {
        std::thread([this] { work(); }).detach();
        workers_.fetch_add(1);
      }
    } catch (const std::system_error&) {  // the callers do the work themselves
    }
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  /// In a forked child, which has none. Slots that other threads of the parent held stay taken.
  void forget_workers() {
    workers_.store(0);
    wanted_.store(0);
    new (&hiring_) std::mutex;  // its holder did not come along
  }

  [[noreturn]] void work() {
    ::pthread_setname_np(::pthread_self(), "revisit");
    ask_for_short_turns();
    set_threads(1);
    for (;;) {
      const std::uint32_t seen = calls_.load();
      if (help()) continue;
      if (!spin_until([&] { return calls_.load(std::memory_order_relaxed) != seen; })) calls_.wait(seen);
    }
  }

  bool help() {
    for (Slot& slot : slots_) {
      const int worker = slot.join();
      if (worker == 0) continue;
      set_float_mode(slot.mode);
      slot.task(slot.context, worker);
      slot.leave();
      return true;
    }
    return false;
  }

  std::array<Slot, 32> slots_;
  alignas(64) std::atomic<std::uint32_t> calls_{0};  // counts the loops; helpers sleep on it
  alignas(64) std::atomic<int> workers_{0};
  std::atomic<int> wanted_{0};  // helpers of all loops that run now
  std::mutex hiring_;
};

std::atomic<LoopRunner> other_runner{nullptr};
thread_local int team = 0;  // 0: not set

}  // namespace

int usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return 1;
  return std::max(1, CPU_COUNT(&set));
}

int set_threads(int count) { return team = count > 0 ? count : usable_cores(); }
int threads() { return team > 0 ? team : set_threads(0); }

Team::Team(int count) : before_(team) { set_threads(count); }
Team::~Team() { team = before_; }

void use_runner(LoopRunner runner) { other_runner.store(runner); }

namespace detail {

void run_loop(int helpers, LoopTask task, void* context) {
  const LoopRunner runner = other_runner.load(std::memory_order_relaxed);
  if (runner != nullptr) return runner(helpers, task, context);
  Pool::instance().run(helpers, task, context);
}

}  // namespace detail

#if defined(__SSE__)
namespace {
constexpr unsigned kFlush = 0x8000 | 0x0040;  // results, and operands
}  // namespace
unsigned float_mode() { return _mm_getcsr(); }
void set_float_mode(unsigned mode) { _mm_setcsr(mode); }
#elif defined(__aarch64__)
namespace {
constexpr unsigned kFlush = 1U << 24;
}  // namespace
unsigned float_mode() {
  std::uint64_t mode = 0;
  asm volatile("mrs %0, fpcr" : "=r"(mode));
  return static_cast<unsigned>(mode);
}
void set_float_mode(unsigned mode) { asm volatile("msr fpcr, %0" : : "r"(static_cast<std::uint64_t>(mode))); }
#else
namespace {
constexpr unsigned kFlush = 0;
}  // namespace
unsigned float_mode() { return 0; }
void set_float_mode(unsigned) {}
#endif

FlushDenormals::FlushDenormals() : saved_(float_mode()) { set_float_mode(saved_ | kFlush); }
FlushDenormals::~FlushDenormals() { set_float_mode(saved_); }

}  // namespace revisit::tensor
