// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The tree is built from the library's events. Its own parser with a callback looks through a whole list again at the end of
// every object in it, which takes hours for a list of a million objects.
#include "core/formats/json_tree.h"

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "core/base/fail.h"
#include "core/base/limits.h"
#include "core/base/stop_scope.h"

namespace revisit {
namespace {

using Json = nlohmann::json;

constexpr int kNumberTooLarge = 406;  // nlohmann's number of that error

class TreeBuilder : public nlohmann::json_sax<Json> {
 public:
  TreeBuilder(const std::string& file, const JsonLimits& limits) : file_(file), limits_(limits) {}

  Json take() { return std::move(root_); }

  bool null() override { return add(nullptr), true; }
  bool boolean(bool value) override { return add(value), true; }
  bool number_integer(std::int64_t value) override { return add(value), true; }
  bool number_unsigned(std::uint64_t value) override { return add(value), true; }
  bool number_float(double value, const std::string&) override { return add(value), true; }
  bool string(std::string& value) override { return add(std::move(value)), true; }
  bool binary(Json::binary_t&) override { return false; }  // no such thing in JSON text
  bool start_object(std::size_t) override { return open(Json::object()), true; }
  bool start_array(std::size_t) override { return open(Json::array()), true; }
  bool end_object() override { return open_.pop_back(), true; }
  bool end_array() override { return open_.pop_back(), true; }

  bool key(std::string& name) override {
    count();
    slot_ = &open_.back()->get_ref<Json::object_t&>()[std::move(name)];
    return true;
  }

  bool parse_error(std::size_t position, const std::string& token, const Json::exception& error) override {
    if (error.id == kNumberTooLarge)
      fail(ErrorCode::kBadFile, "'{}': the number at byte {} is too large for a double", file_, position - token.size());
    fail(ErrorCode::kBadFile, "'{}' is not valid JSON: the error is at byte {}", file_, position);
  }

 private:
  void count() {
    ticker_.step();
    if (++values_ > limits_.values) fail(ErrorCode::kLimit, "'{}' has more than {} values", file_, limits_.values);
  }

  // Values lie in the list that is open, or under the key that was last read.
  Json* add(Json value) {
    count();
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    if (open_.back()->is_array()) return &open_.back()->get_ref<Json::array_t&>().emplace_back(std::move(value));
    *slot_ = std::move(value);
    return slot_;
  }

  void open(Json container) {
    if (open_.size() == static_cast<std::size_t>(limits_.depth)) {
      fail(ErrorCode::kLimit, "'{}' nests values deeper than {}", file_, limits_.depth);
    }
    open_.push_back(add(std::move(container)));
  }

  const std::string& file_;
  JsonLimits limits_;
  std::uint64_t values_ = 0;
  Json root_;
  std::vector<Json*> open_;  // a list grows only while none inside it is open, so these stay where they are
  Json* slot_ = nullptr;
  StopTicker ticker_;
};

}  // namespace

void check_json_numbers(std::string_view text, const std::string& file) {
  constexpr std::string_view kOfNumbers = "0123456789+-.eE";
  StopTicker ticker;
  std::size_t length = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    ticker.step();
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      quoted = c != '"';
    } else if (c == '"') {
      quoted = true;
      length = 0;
    } else if (kOfNumbers.find(c) == std::string_view::npos) {
      length = 0;
    } else if (++length > limits::kMaxJsonNumber) {
      fail(ErrorCode::kLimit, "'{}': the number at byte {} has more than {} characters", file, i + 1 - length,
           limits::kMaxJsonNumber);
    }
  }
}

Json parse_json(std::string_view text, const std::string& file, const JsonLimits& limits) {
  check_json_numbers(text, file);
  TreeBuilder builder(file, limits);
  Json::sax_parse(text.begin(), text.end(), &builder);
  return builder.take();
}

}  // namespace revisit
