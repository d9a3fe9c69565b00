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
Verb make_model_quantise(Console& console);
Verb make_model_fit_vlad(Console& console);
Verb make_index_add(Console& console);
Verb make_index_info(Console& console);
Verb make_index_verify(Console& console);
Verb make_index_merge(Console& console);
Verb make_index_export(Console& console);
Verb make_query(Console& console);
Verb make_calibrate(Console& console);
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
    {"model", "model files: import a checkpoint, inspect, fit without training, average, quantise, list"},
};

struct VerbEntry {
  const char* name;  ///< one or two words
  const char* summary;
  Verb (*make)(Console&);
};

inline constexpr VerbEntry kVerbs[] = {
    {"describe", "turn photos into descriptors: .npy, JSON, or a table of similarities", make_describe},
    {"index add", "add photos to an index; the same command resumes", make_index_add},
    {"index info", "show what an index holds and how it was made", make_index_info},
    {"index verify", "check every row of an index for damage", make_index_verify},
    {"index merge", "add the photos of several indexes to one", make_index_merge},
    {"index export", "write an index as npy, hloc pairs, csv, GeoJSON or KML", make_index_export},
    {"query", "have I been here before? Look photos up in an index, or \"no match\"", make_query},
    {"calibrate", "learn from an index's own photos how often answers are wrong: \"sure\", \"likely\", \"no match\"",
     make_calibrate},
    {"match", "compare a folder of queries with a folder of references: which places are the same?", make_match},
    {"eval", "measure recall@k of a model on a data set, with intervals and pictures", make_eval},
    {"sweep", "plot accuracy against time, over rho and models", make_sweep},
    {"compare", "compare models, pruners and settings on several data sets", make_compare},
    {"report", "redraw the page and curves of a run, without its model", make_report},
    {"synth", "render a made-up town with ground truth, to try things out", make_synth},
    {"train", "train a model on photos of places, as a TOML file describes", make_train},
    {"ablate", "measure what each part of WeiAD and WeiToP is worth on your data", make_ablate},
    {"model import", "turn a checkpoint (.pth .ckpt .pt .safetensors) into a model file", make_model_import},
    {"model inspect", "show what a model file holds", make_model_inspect},
    {"model fit-vlad", "make a model without training: a vocabulary fitted on your photos", make_model_fit_vlad},
    {"model average", "average several trainings that started alike", make_model_average},
    {"model quantise", "store a model in 8 bits, about a quarter of the size", make_model_quantise},
    {"model list", "list the built-in models and the model files found here", make_model_list},
    {"bench", "measure milliseconds per image by rho, next to what this machine can do", make_bench},
    {"doctor", "check this machine: CPU, memory, libraries, disk, self-test", make_doctor},
};

}  // namespace revisit::cli
