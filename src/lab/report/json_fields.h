// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Reading JSON that may have been edited: bounded while parsing, and every missing or wrong field is named.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/fail.h"

namespace revisit::report {

/// One object of a file. It refers to the parsed document, which must outlive it.
class Fields {
 public:
  using Json = nlohmann::json;

  Fields(const Json& object, std::string where);  ///< `where` starts error messages: "'run.json'" or "'sweep.json', run 3"

  bool has(const char* key) const { return object_.contains(key); }
  const Json& at(const char* key) const;  ///< throws Error kBadFile when it is missing
  const Json& list(const char* key) const;
  std::string text(const char* key, std::string otherwise) const;
  double number(const char* key, double low, double high) const;
  int whole(const char* key, int low, int high) const;
  std::vector<std::string> texts(const char* key) const;  ///< empty when the key is missing

  template <typename... Args>
  [[noreturn]] void bad(fmt::format_string<Args...> what, Args&&... args) const {
    fail(ErrorCode::kBadFile, "{}: {}", where_, fmt::format(what, std::forward<Args>(args)...));
  }

 private:
  const Json& object_;
  std::string where_;
};

/// A JSON file of schema 1. Throws Error kNotFound, kBadFile or kLimit.
nlohmann::json read_json_file(const std::filesystem::path& file);

}  // namespace revisit::report
