// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Writing to the two streams, and noticing when their reader is gone.
#include "cli/console.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "core/base/fail.h"
#include "cli/binding.h"

namespace revisit::cli {
namespace {

// Returns 0 or the error number. Unbuffered, so that a failure is known while something can still be done.
int write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t put = ::write(fd, text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(put));
  }
  return 0;
}

// File names need not be UTF-8; JSON must be.
std::string dump(const nlohmann::ordered_json& object) {
  return object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

nlohmann::ordered_json error_json(ErrorCode code, const std::string& sentence, const std::string& hint) {
  return {{"code", name_of(code)}, {"message", sentence}, {"hint", hint}};
}

}  // namespace

void Console::add_options(std::vector<Option>& options) {
  options.push_back({"--json", "", "print one JSON object on stdout", to_switch(json)});
  options.push_back(
      {"-q,--quiet", "", "no notices and no progress; errors and skipped inputs are still named", to_switch(quiet)});
  options.push_back({"-v,--verbose", "", "print more detail", to_switch(verbose)});
}

void Console::data(std::string_view text) {
  const int error = write_all(STDOUT_FILENO, text);
  if (error == 0) return;
  if (error == EPIPE) throw ClosedOutput();
  fail(error == ENOSPC ? ErrorCode::kNoSpace : ErrorCode::kIo, "cannot write to standard output: {}", std::strerror(error));
}

void Console::data_json(const nlohmann::ordered_json& object) { data(dump(object)); }

void Console::data_and_error(std::string_view text, ErrorCode code, const std::string& sentence, const std::string& hint) {
  if (json) {
    auto object = nlohmann::ordered_json::parse(text);
    object["error"] = error_json(code, sentence, hint);
    return data_json(object);
  }
  data(text);
  error(code, sentence, hint);
}

void Console::warn(std::string_view sentence) { write_all(STDERR_FILENO, fmt::format("{}\n", sentence)); }

void Console::talk(std::string_view sentence) {
  if (!quiet) warn(sentence);
}

void Console::talk_once(std::string_view sentence) {
  if (said_.emplace(sentence).second) talk(sentence);
}

void Console::detail(std::string_view sentence) {
  if (verbose) talk(sentence);
}

void Console::error(ErrorCode code, const std::string& sentence, const std::string& hint, const std::vector<Skipped>& skipped) {
  if (json) {
    nlohmann::ordered_json object{{"schema", 1}, {"error", error_json(code, sentence, hint)}};
    if (!skipped.empty()) object["skipped"] = to_json(skipped);
    if (write_all(STDOUT_FILENO, dump(object)) == 0) return;
  }
  std::string text = fmt::format("revisit: error: {}\n", sentence);
  if (!hint.empty()) text += fmt::format("hint: {}\n", hint);
  write_all(STDERR_FILENO, text);
}

nlohmann::ordered_json to_json(const std::vector<Skipped>& skipped) {
  auto list = nlohmann::ordered_json::array();
  for (const auto& one : skipped) list.push_back({{"path", one.path}, {"code", name_of(one.code)}, {"reason", one.reason}});
  return list;
}

}  // namespace revisit::cli
