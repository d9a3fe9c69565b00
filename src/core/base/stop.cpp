// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Signals are handled by a dedicated thread that waits for them, never by a handler in the middle of other work, whose stack it would
// share.
#include "core/base/stop.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <thread>

namespace revisit {
namespace {

std::atomic<bool> finish_work{false};
std::atomic<int> remembered{0};
std::atomic<bool> on_terminal{false};
sigset_t waited_for{};  // set once, before there is a second thread

void take(int number) {
  int none = 0;
  if (!finish_work.load() || !remembered.compare_exchange_strong(none, number)) ::_exit(128 + number);
  if (on_terminal.load()) {
    constexpr char kNote[] = "\nfinishing the current work; press Ctrl-C again to quit at once\n";
    [[maybe_unused]] const auto put = ::write(STDERR_FILENO, kNote, sizeof(kNote) - 1);
  }
}

}  // namespace

void install_signal_handlers() {
  on_terminal = ::isatty(STDERR_FILENO) == 1;
  sigset_t wanted;
  sigemptyset(&wanted);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction inherited {};
    ::sigaction(number, nullptr, &inherited);
    // A shell that started us with `nohup` or in the background asked for these to be ignored.
    if (inherited.sa_handler == SIG_IGN) continue;
    sigaddset(&wanted, number);
    ::signal(number, take);  // for threads that a library started before main: they do not block it
  }
  waited_for = wanted;
  ::pthread_sigmask(SIG_BLOCK, &wanted, nullptr);  // threads started from here on inherit it
  std::thread([wanted] {
    for (int number = 0; ::sigwait(&wanted, &number) == 0;) take(number);
  }).detach();
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN);
}

void finish_work_on_signal() { finish_work = true; }

void stop_at_once_on_signal() {
  finish_work = false;
  if (const int number = remembered.load(); number != 0) ::_exit(128 + number);
}

void give_signals_back() {
  ::signal(SIGPIPE, SIG_DFL);
  ::signal(SIGXFSZ, SIG_DFL);
  ::pthread_sigmask(SIG_UNBLOCK, &waited_for, nullptr);
}

int stop_signal() { return remembered.load(); }

}  // namespace revisit
