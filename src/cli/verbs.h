// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The verbs of the program; each maker lives in its own file and is called only when its verb is used.
#pragma once

#include "cli/console.h"
#include "cli/option.h"

namespace revisit::cli {

Verb make_describe(Console& console);
Verb make_model_import(Console& console);
Verb make_model_inspect(Console& console);
Verb make_model_list(Console& console);
Verb make_model_fit_vlad(Console& console);
Verb make_match(Console& console);
Verb make_eval(Console& console);
Verb make_sweep(Console& console);
Verb make_synth(Console& console);
Verb make_bench(Console& console);
Verb make_doctor(Console& console);

struct VerbEntry {
  const char* name;  ///< one or two words
  const char* summary;
  Verb (*make)(Console&);
};

inline constexpr VerbEntry kVerbs[] = {
    {"describe", "photos to descriptors: .npy, JSON, or a table of similarities", make_describe},
    {"match", "a folder of queries against a folder of references: which places are the same", make_match},
    {"eval", "recall@k of a model on a data set, with intervals and pictures", make_eval},
    {"sweep", "accuracy against time, over rho and models", make_sweep},
    {"synth", "a made-up town with ground truth, to try things out", make_synth},
    {"model import", "a checkpoint (.pth .ckpt .pt .safetensors) to a model file", make_model_import},
    {"model inspect", "what a model file holds", make_model_inspect},
    {"model fit-vlad", "a model without training: a vocabulary fitted on your photos", make_model_fit_vlad},
    {"model list", "built-in models and model files found here", make_model_list},
    {"bench", "milliseconds per image by rho, next to what this machine can do", make_bench},
    {"doctor", "is this machine fit: CPU, memory, libraries, disk, self-test", make_doctor},
};

}  // namespace revisit::cli
