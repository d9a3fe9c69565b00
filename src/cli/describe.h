// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// What one run of `revisit describe` yields, and the ways it is written.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/console.h"
#include "cli/inputs.h"
#include "cli/model_options.h"
#include "revisit/extractor.h"

namespace revisit::cli {

struct DescribeArgs {
  std::vector<std::string> inputs;
  ModelArgs model;
  std::string output;
  std::string dump;
  std::string pictures;
  bool accept_truncated = false;
  bool skip_bad = false;
};

struct Described {
  std::vector<std::string> names;             ///< one per row; "stack.npy#2" for the third picture of a stack
  std::vector<std::filesystem::path> photos;  ///< those of them that are photo files
  std::vector<double> ms;                     ///< one per row, decoding excluded
  std::vector<double> forward_ms;             ///< one per row, preprocessing excluded too
  std::vector<float> rows;                    ///< (n, dim), unit length
  std::size_t dim = 0;
  DescriptorSpec spec;
  std::vector<Skipped> skipped;
  std::vector<std::string> notes;  ///< on photos of which something was left out
  bool rows_are_arguments = true;  ///< false when a folder or a stack gave several rows
  std::optional<Trace> trace;      ///< of the only input, when asked for
};

/// "out.npy" has its row names in "out.names.txt".
std::filesystem::path names_path(const std::filesystem::path& output);

/// A photo named as the output would be lost: only arrays are overwritten, and never an input.
void refuse_to_overwrite(const std::filesystem::path& output, const InputList& inputs);

void write_descriptors(const DescribeArgs& args, const Described& described);
void write_trace(const std::filesystem::path& folder, const Trace& trace);
/// Describes the photos again and draws what the model looked at: DIR/NAME.importance.png, NAME.mass.png, NAME.kept.png and
/// NAME.transport.png, as far as the model has such numbers.
void write_token_pictures(const DescribeArgs& args, const Described& described, Extractor& extractor, Console& console);
void print_described(const DescribeArgs& args, const Described& described, Console& console);

}  // namespace revisit::cli
