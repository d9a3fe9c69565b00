// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// As in the main program, signals are waited for by a thread of their own: a handler in the middle of generated kernels is not
// safe.
#include "train/stop.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <thread>

namespace revisit::train {
namespace {

std::atomic<bool> finish_work{false};
std::atomic<int> remembered{0};

void take(int number) {
  int none = 0;
  if (!finish_work.load() || !remembered.compare_exchange_strong(none, number)) ::_exit(128 + number);
  constexpr char kNote[] = "\nfinishing this step and saving; once more quits at once\n";
  [[maybe_unused]] const auto put = ::write(STDERR_FILENO, kNote, sizeof(kNote) - 1);
}

}  // namespace

void install_signal_handlers() {
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
  ::pthread_sigmask(SIG_BLOCK, &wanted, nullptr);  // threads started from here on inherit it
  std::thread([wanted] {
    for (int number = 0; ::sigwait(&wanted, &number) == 0;) take(number);
  }).detach();
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN);
}

void finish_work_on_signal() { finish_work = true; }

int stop_signal() { return remembered.load(); }

}  // namespace revisit::train
