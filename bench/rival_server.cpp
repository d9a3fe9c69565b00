// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// revisit as one of the child processes of bench/rivals/run.py. A line of JSON answers each line of the driver:
//   run           one image: backbone and everything, in milliseconds
//   tokens FILE   one image more, its tokens after the final norm written as f32 (rows, width), CLS first
//   peaks         what the cores could do at most
// usage: rival_server model=FILE input=FILE threads=N SETTING=VALUE...   (input: f32 (3, H, W), settings: those of a descriptor)
//        rival_server write=vitb14 to=FILE                               (a backbone with random weights as a model file)
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/fail.h"
#include "engine/model/model_file.h"
#include "lab/bench/machine_peaks.h"
#include "revisit/extractor.h"

namespace {

using Json = nlohmann::ordered_json;
using Arguments = std::map<std::string, std::string>;

Arguments arguments_of(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto equals = word.find('=');
    if (equals == std::string::npos) revisit::fail(revisit::ErrorCode::kUsage, "'{}' is not NAME=VALUE", word);
    arguments[word.substr(0, equals)] = word.substr(equals + 1);
  }
  return arguments;
}

std::string taken(Arguments& arguments, const std::string& name) {
  const auto found = arguments.find(name);
  if (found == arguments.end()) revisit::fail(revisit::ErrorCode::kUsage, "{}=... is missing", name);
  std::string value = std::move(found->second);
  arguments.erase(found);
  return value;
}

std::vector<float> read_floats(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  std::vector<float> values(file ? static_cast<std::size_t>(file.tellg()) / sizeof(float) : 0);
  file.seekg(0);
  file.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(float)));
  if (!file) revisit::fail(revisit::ErrorCode::kNotFound, "cannot read '{}'", path);
  return values;
}

void write_floats(std::ofstream& file, const std::vector<float>& values) {
  file.write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(float)));
}

revisit::DescriptorSpec spec_of(const Arguments& arguments) {
  revisit::DescriptorSpec spec;
  for (const auto& [name, text] : arguments) {
    const revisit::Setting& setting = revisit::setting(name);
    const auto value = setting.parse(text);
    if (!value) revisit::fail(revisit::ErrorCode::kUsage, "{} '{}' is not {}", name, text, setting.wanted);
    setting.set(spec, *value);
  }
  return spec;
}

class Server {
 public:
  explicit Server(Arguments arguments)
      : model_(revisit::Model::load(taken(arguments, "model"))),
        pixels_(read_floats(taken(arguments, "input"))),
        threads_(std::stoi(taken(arguments, "threads"))),
        extractor_(model_, spec_of(arguments), threads_) {}

  Json ready() const {
    return {{"spec", revisit::spec_text(extractor_.spec())},
            {"threads", threads_},
            {"gmac", extractor_.gmac()},
            {"notices", extractor_.notices()}};
  }

  Json answer(const std::string& line) {
    if (line == "run") return run();
    if (line == "peaks") return revisit::machine_peaks(threads_, 0.2);
    if (line.starts_with("tokens ")) return tokens(line.substr(7));
    revisit::fail(revisit::ErrorCode::kUsage, "'{}' is not run, peaks or tokens FILE", line);
  }

 private:
  Json run() {
    extractor_.describe_tensor(pixels_, extractor_.input_size());
    const revisit::StageTimes times = extractor_.last_times();
    const double backbone = times.blocks_ms + times.prune_ms;
    return {{"ms", backbone}, {"all_ms", backbone + times.aggregate_ms}, {"prune_ms", times.prune_ms}};
  }

  Json tokens(const std::string& path) {
    revisit::Trace trace;
    extractor_.describe_tensor(pixels_, extractor_.input_size(), &trace);
    std::ofstream file(path, std::ios::binary);
    write_floats(file, trace.cls.values);
    write_floats(file, trace.patches.values);
    file.close();
    if (!file) revisit::fail(revisit::ErrorCode::kNotFound, "cannot write '{}'", path);
    return {{"kept", trace.kept}};
  }

  revisit::Model model_;
  std::vector<float> pixels_;
  int threads_;
  revisit::Extractor extractor_;
};

/// Without head and pruner: any backbone can be pruned by its tokens' norms, and its tokens end with the final norm.
void write_random(const std::string& arch, const std::string& path) {
  revisit::model::Config config = revisit::model::named_config(arch);
  config.head = {};
  config.own = {};
  config.weitop_hidden = 0;
  revisit::model::save_model_file(path, *revisit::model::make_random(config, 0));
}

int run(int argc, char** argv) {
  Arguments arguments = arguments_of(argc, argv);
  if (arguments.contains("write")) {
    const std::string arch = taken(arguments, "write");
    write_random(arch, taken(arguments, "to"));
    return 0;
  }
  Server server(std::move(arguments));
  std::cout << server.ready().dump() << std::endl;
  for (std::string line; std::getline(std::cin, line);) std::cout << server.answer(line).dump() << std::endl;
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::cout << Json{{"error", error.what()}}.dump() << std::endl;
    return 1;
  }
}
