// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The pool: everything once, whoever calls, whatever the process does.
#include "core/tensor/parallel.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <set>
#include <thread>
#include <vector>

namespace revisit::tensor {
namespace {

/// Every index of a loop was seen once, by workers of the team.
bool covers(int count, int team) {
  std::vector<std::atomic<int>> seen(static_cast<std::size_t>(count));
  std::atomic<bool> within{true};
  parallel_for_worker(count, [&](int i, int worker) {
    seen[static_cast<std::size_t>(i)].fetch_add(1);
    if (worker < 0 || worker >= team) within = false;
  });
  parallel_for(count, [&](int i) { seen[static_cast<std::size_t>(i)].fetch_add(1); });
  return within && std::ranges::all_of(seen, [](const auto& times) { return times.load() == 2; });
}

TEST(Parallel, LoopsCoverEverythingOnceForAnyTeam) {
  for (const int team : {1, 2, 3, 8, 40}) {
    const Team now(team);
    EXPECT_EQ(threads(), team);
    for (const int count : {0, 1, 2, 7, 100, 3000}) ASSERT_TRUE(covers(count, team)) << count << " on " << team;
  }
}

TEST(Parallel, ATeamIsOfItsThreadAndScope) {
  const Team outer(3);
  {
    const Team inner(5);
    EXPECT_EQ(threads(), 5);
    std::thread([] { EXPECT_EQ(threads(), usable_cores()); }).join();
  }
  EXPECT_EQ(threads(), 3);
}

TEST(Parallel, WorkersOfALoopAreDifferentWhileItRuns) {
  const Team team(4);
  std::vector<std::atomic<int>> busy(4);
  std::atomic<bool> alone{true};
  for (int round = 0; round < 200; ++round) {
    parallel_for_worker(64, [&](int /*i*/, int worker) {
      auto& mine = busy[static_cast<std::size_t>(worker)];
      if (mine.fetch_add(1) != 0) alone = false;
      mine.fetch_sub(1);
    });
  }
  EXPECT_TRUE(alone);
}

TEST(Parallel, ManyCallersAtOnceAndLoopsWithinLoops) {
  std::atomic<int> failures{0};
  std::vector<std::thread> callers;
  for (int c = 0; c < 50; ++c) {  // more than there are slots
    callers.emplace_back([&failures, c] {
      const Team team(1 + c % 4);
      for (int round = 0; round < 40; ++round) {
        if (!covers(50 + c, 1 + c % 4)) failures.fetch_add(1);
      }
    });
  }
  for (auto& caller : callers) caller.join();
  EXPECT_EQ(failures, 0);

  const Team team(3);
  std::atomic<int> sum{0};
  parallel_for_worker(20, [&](int i, int) { parallel_for_worker(i, [&](int, int) { sum.fetch_add(1); }); });
  EXPECT_EQ(sum, 190);
}

TEST(Parallel, ThreadsThatWaitAreAsleep) {
  const Team team(3);
  covers(100, 3);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  timespec before{}, after{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
  const double used = static_cast<double>(after.tv_sec - before.tv_sec) + 1e-9 * static_cast<double>(after.tv_nsec - before.tv_nsec);
  EXPECT_LT(used, 0.02);
}

TEST(Parallel, ChildrenOfAForkWorkToo) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer ends children of processes with threads that start threads";
#endif
  const Team team(3);
  ASSERT_TRUE(covers(100, 3));
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    for (int round = 0; round < 20; ++round) {
      if (!covers(200, 3)) ::_exit(1);
    }
    ::_exit(0);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_TRUE(covers(100, 3));
}

TEST(Parallel, SignalsAreForTheThreadsOfTheProgram) {
  const Team team(3);
  std::atomic<int> open{0};
  const pthread_t self = ::pthread_self();
  for (int round = 0; round < 50; ++round) {
    parallel_for_worker(12, [&](int, int) {
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      sigset_t blocked;
      ::pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
      if (::pthread_equal(::pthread_self(), self) == 0 && ::sigismember(&blocked, SIGINT) == 0) open.fetch_add(1);
    });
  }
  EXPECT_EQ(open, 0);
}

TEST(Parallel, DenormalsAreZeroOnAllThreadsAndOnlyForAsLongAsAsked) {
  const Team team(4);
  volatile float tiny = std::numeric_limits<float>::denorm_min();
  const unsigned before = float_mode();
  {
    const FlushDenormals flush;
    std::atomic<int> kept{0};
    parallel_for_worker(400, [&](int, int) {
      if (tiny * 2.0F != 0.0F) kept.fetch_add(1);
    });
    EXPECT_EQ(kept, 0);
  }
  EXPECT_EQ(float_mode(), before);
  EXPECT_NE(tiny * 2.0F, 0.0F);
  std::atomic<int> lost{0};
  parallel_for_worker(400, [&](int, int) {
    if (tiny * 2.0F == 0.0F) lost.fetch_add(1);
  });
  EXPECT_EQ(lost, 0);
}

TEST(Parallel, AnotherRunnerMayTakeTheLoops) {
  static std::atomic<int> asked{0};
  use_runner([](int helpers, LoopTask task, void* context) {
    asked.fetch_add(helpers);
    std::thread other([&] { task(context, 1); });
    task(context, 0);
    other.join();
  });
  const Team team(3);
  EXPECT_TRUE(covers(100, 3));
  use_runner(nullptr);
  EXPECT_EQ(asked, 4);
}

}  // namespace
}  // namespace revisit::tensor
