// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Ctrl-C, SIGTERM and SIGHUP. A program either stops between two items of work or, holding nothing, at once.
#pragma once

namespace revisit {

/// Signals end the program at once with 128 + signal; a closed pipe and a file size limit become write errors. To be
/// called before any thread is started.
void install_signal_handlers();

/// From now on the first signal is only remembered (see stop_signal); a second one ends the program at once.
void finish_work_on_signal();

/// The opposite, for work that has nothing to lose: one that came meanwhile ends the program now.
void stop_at_once_on_signal();

/// Undoes install_signal_handlers(), for a program that takes our place: what is blocked or ignored would be inherited.
void give_signals_back();

int stop_signal();  ///< 0 while nobody asked to stop

}  // namespace revisit
