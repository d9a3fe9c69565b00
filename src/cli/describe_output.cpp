// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Where descriptors go: .npy files, one JSON object, or a readable table.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>

#include "cli/describe.h"
#include "core/base/fail.h"
#include "core/base/file.h"
#include "core/formats/escape.h"
#include "core/formats/npy.h"

namespace revisit::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxTable = 10;  // images in the table of similarities

std::span<const float> row_of(const Described& described, std::size_t i) {
  return std::span(described.rows).subspan(i * described.dim, described.dim);
}

double cosine(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return sum;
}

std::string table_of(const Described& described) {
  const std::size_t n = described.names.size();
  std::size_t width = 4;
  for (const auto& name : described.names) width = std::max(width, std::min<std::size_t>(name.size(), 48));
  std::string out;
  for (std::size_t i = 0; i < n; ++i) {
    out += fmt::format("{:>3}  {:<{}}  {} values  {:.1f} ms\n", i + 1, described.names[i], width, described.dim, described.ms[i]);
  }
  if (n < 2 || n > kMaxTable) return out;
  out += "\ncosine similarity\n   ";
  for (std::size_t j = 0; j < n; ++j) out += fmt::format("{:>8}", j + 1);
  for (std::size_t i = 0; i < n; ++i) {
    out += fmt::format("\n{:>3}", i + 1);
    for (std::size_t j = 0; j < n; ++j) out += fmt::format("{:>8.4f}", cosine(row_of(described, i), row_of(described, j)));
  }
  return out + "\n";
}

nlohmann::ordered_json object_of(const DescribeArgs& args, const Described& described) {
  nlohmann::ordered_json object{{"schema", 1},
                                {"model", model_label(args.model.model)},
                                {"dim", described.dim}};
  object.update(nlohmann::ordered_json::parse(spec_json(described.spec)));
  if (!args.output.empty()) object["output"] = args.output;
  auto images = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < described.names.size(); ++i) {
    nlohmann::ordered_json image{{"name", described.names[i]}, {"row", i}, {"ms", described.ms[i]}};
    if (args.output.empty()) image["descriptor"] = row_of(described, i);
    images.push_back(std::move(image));
  }
  object["images"] = std::move(images);
  object["notes"] = described.notes;
  object["skipped"] = to_json(described.skipped);
  return object;
}

void write_array(const fs::path& folder, const char* name, const Trace::Array& array) {
  if (!array.shape.empty()) write_npy(folder / fmt::format("{}.npy", name), array.values, array.shape);
}

void write_array(const fs::path& folder, const char* name, const std::vector<std::int64_t>& values) {
  if (!values.empty()) write_npy(folder / fmt::format("{}.npy", name), values, {static_cast<std::int64_t>(values.size())});
}

}  // namespace

fs::path names_path(const fs::path& output) {
  auto path = output;
  if (path.extension() == ".npy") path.replace_extension();
  return path.string() + ".names.txt";
}

void refuse_to_overwrite(const fs::path& output, const InputList& inputs) {
  std::error_code ignored;
  if (!fs::is_regular_file(output, ignored) || fs::file_size(output, ignored) == 0) return;
  for (const auto& path : inputs.paths) {
    if (!fs::equivalent(path, output, ignored)) continue;
    fail_with_hint(ErrorCode::kUsage, "-o NAME.npy", "'{}' cannot be both an input and the output", output.string());
  }
  std::string first(6, '\0');
  std::ifstream(output, std::ios::binary).read(first.data(), static_cast<std::streamsize>(first.size()));
  if (first == "\x93NUMPY") return;
  fail_with_hint(ErrorCode::kUsage, "-o NAME.npy", "'{}' already exists and is not a .npy file, so it is not overwritten",
                 output.string());
}

void write_descriptors(const DescribeArgs& args, const Described& described) {
  std::error_code ignored;
  const bool device = fs::exists(args.output, ignored) && !fs::is_regular_file(args.output, ignored);
  if (!device && (args.skip_bad || !described.rows_are_arguments)) {
    std::string lines;
    for (const auto& name : described.names) lines += escaped_bytes(name) + "\n";
    AtomicFile names(names_path(args.output));
    names.write(lines);
    names.commit();
  }
  write_npy(args.output, described.rows,
            {static_cast<std::int64_t>(described.names.size()), static_cast<std::int64_t>(described.dim)});
}

void write_trace(const fs::path& folder, const Trace& trace) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) fail(ErrorCode::kIo, "cannot create the folder '{}': {}", folder.string(), error.message());
  write_array(folder, "tokens_block0", trace.tokens_block0);
  write_array(folder, "logits", trace.logits);
  write_array(folder, "scores", trace.scores);
  write_array(folder, "kept", trace.kept);
  write_array(folder, "mass", trace.mass);
  write_array(folder, "owner", trace.owner);
  write_array(folder, "cls", trace.cls);
  write_array(folder, "patches", trace.patches);
  write_array(folder, "transport", trace.transport);
  write_array(folder, "ghost", trace.ghost);
  write_array(folder, "alpha", trace.alpha);
  write_array(folder, "tier", trace.tier);
  write_array(folder, "tier_weight", trace.tier_weight);
  write_array(folder, "importance", trace.importance);
}

void print_described(const DescribeArgs& args, const Described& described, Console& console) {
  if (!args.output.empty()) {
    console.talk(fmt::format("wrote {} x {} float32 to {}", described.names.size(), described.dim, args.output));
  }
  if (!args.dump.empty()) console.talk(fmt::format("wrote the intermediate tensors to {}", args.dump));
  if (console.json) {
    console.data_json(object_of(args, described));
  } else if (args.output.empty()) {
    console.data(table_of(described));
    console.detail("-o FILE.npy writes the descriptors, --json prints them");
  }
}

}  // namespace revisit::cli
