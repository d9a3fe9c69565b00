// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Ctrl-C, SIGTERM and SIGHUP for revisit-train: at once while nothing can be lost, between two steps afterwards.
#pragma once

namespace revisit::train {

/// Signals end the program at once with 128 + signal; a closed pipe and a file size limit become write errors. To be called
/// before any thread is started.
void install_signal_handlers();

/// From now on the first signal is only remembered; a second one ends the program at once.
void finish_work_on_signal();

int stop_signal();  ///< 0 while nobody asked to stop

}  // namespace revisit::train
