// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The program revisit. All of it lives in the module, so that tests can link it.
#include "cli/program.h"

int main(int argc, char** argv) { return revisit::cli::run_program({argv + (argc > 0 ? 1 : 0), argv + argc}); }
