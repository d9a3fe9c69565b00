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
Verb make_model_average(Console& console);
Verb make_model_fit_vlad(Console& console);
Verb make_index_add(Console& console);
Verb make_index_info(Console& console);
Verb make_index_verify(Console& console);
Verb make_index_merge(Console& console);
Verb make_index_export(Console& console);
Verb make_query(Console& console);
Verb make_match(Console& console);
Verb make_eval(Console& console);
Verb make_sweep(Console& console);
Verb make_compare(Console& console);
Verb make_report(Console& console);
Verb make_synth(Console& console);
Verb make_train(Console& console);
Verb make_ablate(Console& console);
Verb make_bench(Console& console);
Verb make_doctor(Console& console);

/// Verbs of two words are listed by their first one.
struct VerbGroup {
  const char* name;
  const char* summary;
};

inline constexpr VerbGroup kVerbGroups[] = {
    {"index", "a collection of photos on disk: add, info, verify, merge, export"},
    {"model", "model files: import a checkpoint, inspect, fit-vlad without training, average, list"},
};

struct VerbEntry {
  const char* name;  ///< one or two words
  const char* summary;
  Verb (*make)(Console&);
};

inline constexpr VerbEntry kVerbs[] = {
    {"describe", "photos to descriptors: .npy, JSON, or a table of similarities", make_describe},
    {"index add", "photos into an index; the same command resumes", make_index_add},
    {"index info", "what an index holds and how it was made", make_index_info},
    {"index verify", "is every row of an index sound", make_index_verify},
    {"index merge", "several indexes into one", make_index_merge},
    {"index export", "an index as npy, hloc pairs, csv, GeoJSON or KML", make_index_export},
    {"query", "have I been here before: photos against an index, or \"no match\"", make_query},
    {"match", "a folder of queries against a folder of references: which places are the same", make_match},
    {"eval", "recall@k of a model on a data set, with intervals and pictures", make_eval},
    {"sweep", "accuracy against time, over rho and models", make_sweep},
    {"compare", "models, pruners and settings against each other on several data sets", make_compare},
    {"report", "the page and curves of a run drawn again, without its model", make_report},
    {"synth", "a made-up town with ground truth, to try things out", make_synth},
    {"train", "a model learnt from photos of places, as a TOML file says", make_train},
    {"ablate", "what each part of WeiAD and WeiToP is worth on your data", make_ablate},
    {"model import", "a checkpoint (.pth .ckpt .pt .safetensors) to a model file", make_model_import},
    {"model inspect", "what a model file holds", make_model_inspect},
    {"model fit-vlad", "a model without training: a vocabulary fitted on your photos", make_model_fit_vlad},
    {"model average", "the mean of several trainings that began alike", make_model_average},
    {"model list", "built-in models and model files found here", make_model_list},
    {"bench", "milliseconds per image by rho, next to what this machine can do", make_bench},
    {"doctor", "is this machine fit: CPU, memory, libraries, disk, self-test", make_doctor},
};

}  // namespace revisit::cli
