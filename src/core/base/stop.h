// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Ctrl-C, SIGTERM and SIGHUP. A program stops between two items of work or, with nothing to lose, at once.
#pragma once

namespace revisit {

/// Signals end the program at once with 128 + signal; a closed pipe and a file size limit become write errors. Call it
/// before any thread is started.
void install_signal_handlers();

/// From now on the first signal is only remembered (see stop_signal); a second one ends the program at once.
void finish_work_on_signal();

/// The opposite, for work with nothing to lose: a signal that came meanwhile ends the program now.
void stop_at_once_on_signal();

/// Undoes install_signal_handlers() before exec: blocked and ignored signals would be inherited.
void give_signals_back();

int stop_signal();  ///< 0 until a stop is requested

}  // namespace revisit
