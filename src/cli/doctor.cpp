// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// `revisit doctor`: what this machine is, and whether describing works on it.
#include <fmt/format.h>
#include <jpeglib.h>
#include <png.h>
#include <webp/decode.h>
#include <xxhash.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/base/fail.h"
#include "cli/binding.h"
#include "cli/model_options.h"
#include "cli/parser.h"
#include "cli/verbs.h"
#include "cli/words.h"
#include "revisit/lab/bench.h"

namespace revisit::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kLowDiskBytes = 100e6;
constexpr double kUnitTolerance = 1e-4;

struct DoctorArgs {
  std::vector<std::string> folders;
  ModelArgs model;
};

struct SelfTest {
  bool same = false;  // two runs on one picture gave the same bits
  double length = 0;
  double ms = 0;  // of the second run
  std::string failure;
  bool fine() const { return failure.empty() && same && std::abs(length - 1) <= kUnitTolerance; }
};

std::vector<std::pair<std::string, std::string>> library_versions() {
  const int webp = WebPGetDecoderVersion();
  const unsigned hash = XXH_versionNumber();
  return {{"libjpeg-turbo", std::to_string(LIBJPEG_TURBO_VERSION_NUMBER / 1000000) + "." +
                                std::to_string(LIBJPEG_TURBO_VERSION_NUMBER / 1000 % 1000) + "." +
                                std::to_string(LIBJPEG_TURBO_VERSION_NUMBER % 1000)},
          {"libpng", png_get_libpng_ver(nullptr)},
          {"libwebp", fmt::format("{}.{}.{}", webp >> 16, webp >> 8 & 0xff, webp & 0xff)},
          {"xxhash", fmt::format("{}.{}.{}", hash / 10000, hash / 100 % 100, hash % 100)},
          {"fmt", fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100)},
          {"nlohmann-json",
           fmt::format("{}.{}.{}", NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR, NLOHMANN_JSON_VERSION_PATCH)},
          {"CLI11", parser_library_version()}};
}

// A picture with edges, gradients and fine texture, so that every stage has something to do.
Image generated_picture() {
  Image image{320, 240, {}};
  std::uint32_t noise = 1;
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      noise = noise * 1664525U + 1013904223U;
      image.rgb.push_back(static_cast<std::uint8_t>(x * 255 / image.width));
      image.rgb.push_back(static_cast<std::uint8_t>((x / 20 + y / 20) % 2 * 160));
      image.rgb.push_back(static_cast<std::uint8_t>(noise >> 24U));
    }
  }
  return image;
}

SelfTest test_model(const DoctorArgs& args, Console& console) {
  SelfTest test;
  try {
    Extractor extractor(open_model(args.model.model, console), args.model.spec, args.model.threads);
    const auto image = generated_picture();
    const auto first = extractor.describe(image);
    const auto start = std::chrono::steady_clock::now();
    const auto second = extractor.describe(image);
    test.ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    test.same = first == second;
    for (const float x : first) test.length += static_cast<double>(x) * static_cast<double>(x);
    test.length = std::sqrt(test.length);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::kUsage) throw;
    test.failure = error.what();
  }
  return test;
}

std::string verdict_of(const SelfTest& test) {
  if (!test.failure.empty()) return "FAILED: " + test.failure;
  if (!test.same) return "FAILED: two runs on the same picture differ";
  if (!test.fine()) return fmt::format("FAILED: descriptor length {:.6f} is not 1", test.length);
  return fmt::format("ok, two runs identical, unit length, {:.1f} ms per image", test.ms);
}

int run_doctor(const DoctorArgs& args, Console& console) {
  const std::filesystem::path folder = args.folders.empty() ? "." : args.folders.front();
  std::error_code error;
  const auto space = std::filesystem::space(folder, error);
  if (error) fail(ErrorCode::kNotFound, "cannot read the free space of '{}': {}", folder.string(), error.message());
  const auto free_bytes = static_cast<double>(space.available);
  const bool disk_fine = free_bytes >= kLowDiskBytes;

  const SystemInfo system = system_info();
  const SelfTest test = test_model(args, console);
  const bool fine = disk_fine && test.fine();
  const auto libraries = library_versions();
  if (console.json) {
    Json versions;
    for (const auto& [name, version] : libraries) versions[name] = version;
    console.data_json(Json{{"schema", 1},
                           {"version", REVISIT_VERSION},
                           {"fine", fine},
                           {"cpu", system.cpu},
                           {"cores", system.cores},
                           {"kernel_isa", system.kernel_isa},
                           {"kernels", system.kernels},
                           {"memory_bytes", system.memory_bytes},
                           {"disk", {{"path", folder.string()}, {"free_bytes", space.available}, {"fine", disk_fine}}},
                           {"libraries", std::move(versions)},
                           {"self_test",
                            {{"model", model_label(args.model.model)},
                             {"fine", test.fine()},
                             {"identical", test.same},
                             {"length", test.length},
                             {"ms", test.ms},
                             {"failure", test.failure}}}});
    return fine ? 0 : 1;
  }
  auto out = fmt::format(
      "revisit    {}\nCPU        {}\ncores      {} available to this process\nkernels    {}\nmemory     {}\nlibraries ",
      REVISIT_VERSION, system.cpu, system.cores, system.kernels, human_bytes(static_cast<double>(system.memory_bytes)));
  for (const auto& [name, version] : libraries)
    out += fmt::format(" {} {}{}", name, version, name == libraries.back().first ? "\n" : ",");
  out += fmt::format("disk       {} free in '{}'{}\n", human_bytes(free_bytes), folder.string(),
                     disk_fine ? "" : fmt::format(", LOW: less than {}", human_bytes(kLowDiskBytes)));
  out += fmt::format("self-test  {} model: {}\n{}\n", model_label(args.model.model), verdict_of(test),
                     fine ? "all fine" : "something is wrong, see above");
  console.data(out);
  return fine ? 0 : 1;
}

}  // namespace

Verb make_doctor(Console& console) {
  const auto args = std::make_shared<DoctorArgs>();
  Verb verb;
  verb.name = "doctor";
  verb.about =
      "shows CPU, memory, libraries and free disk space, and describes a generated picture twice as a "
      "self-test. Exits with 0 if all is fine, otherwise with 1.";
  verb.examples = {"revisit doctor", "revisit doctor photos/",
                   "revisit doctor --model models/vitb14.safetensors --aggregate gem --json"};
  verb.positional = {"[FOLDER]", "folder whose free disk space is checked; default: the current one", 0, 1, &args->folders};
  add_model_option(verb.options, args->model);
  add_spec_options(verb.options, args->model);
  console.add_options(verb.options);
  verb.run = [args, &console] { return run_doctor(*args, console); };
  return verb;
}

}  // namespace revisit::cli
