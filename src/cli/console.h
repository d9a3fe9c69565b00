// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Output: data on stdout, messages on stderr. No colour is ever written, so NO_COLOR has nothing to turn off.
#pragma once

#include <exception>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cli/option.h"
#include "revisit/error.h"

namespace revisit::cli {

/// The reader of stdout is gone (`| head -1`): the program exits silently.
struct ClosedOutput : std::exception {};

/// A signal asked to stop and the current work is finished; the exit code is 128 + signal.
struct Interrupted : std::exception {
  Interrupted(int number, std::string text) : signal(number), sentence(std::move(text)) {}
  int signal;
  std::string sentence;
};

class Console {
 public:
  bool json = false;
  bool quiet = false;
  bool verbose = false;
  std::vector<std::string> arguments;  ///< of the verb, for the record of a run

  /// --json, --quiet, --verbose, bound to this console.
  void add_options(std::vector<Option>& options);

  /// Data, whole and flushed. Throws ClosedOutput, or Error kNoSpace or kIo when stdout cannot take it.
  void data(std::string_view text);
  void data_json(const nlohmann::ordered_json& object);  ///< the same, one object on one line

  /// Partial data together with the error: with --json one object, `text` with a member "error".
  void data_and_error(std::string_view text, ErrorCode code, const std::string& sentence, const std::string& hint);

  void warn(std::string_view sentence);       ///< one line on stderr, even when quiet
  void talk(std::string_view sentence);       ///< one line on stderr unless quiet
  void talk_once(std::string_view sentence);  ///< the same, unless it was said before
  void detail(std::string_view sentence);     ///< one line on stderr when verbose

  /// Errors are printed even when quiet: on stderr, or as one object on stdout with --json.
  void error(ErrorCode code, const std::string& sentence, const std::string& hint, const std::vector<Skipped>& skipped = {});

 private:
  std::set<std::string, std::less<>> said_;
};

/// [{"path":..,"code":..,"reason":..}]
nlohmann::ordered_json to_json(const std::vector<Skipped>& skipped);

}  // namespace revisit::cli
