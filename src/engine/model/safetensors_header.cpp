// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// A SAX handler with one state per nesting level. No JSON tree is built, so depth and size are bounded by our own checks.
#include "engine/model/safetensors_header.h"

#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/base/fail.h"
#include "core/base/limits.h"
#include "core/base/stop_scope.h"
#include "core/formats/json_tree.h"
#include "core/formats/printable.h"

namespace revisit::model {
namespace {

constexpr std::array kDTypes = {DType::kF64, DType::kF32, DType::kF16, DType::kBF16, DType::kI64,
                                DType::kI32, DType::kI16, DType::kI8,  DType::kU8,   DType::kBool};

class HeaderHandler : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit HeaderHandler(std::string file) : file_(std::move(file)) {}

  SafetensorsHeader take() { return std::move(header_); }

  bool null() override { return unexpected("null"); }
  bool boolean(bool) override { return unexpected("a boolean"); }
  bool number_float(double, const std::string& text) override { return unexpected("the number " + printable(text)); }
  bool number_integer(std::int64_t value) override { return unexpected("the number " + std::to_string(value)); }
  bool binary(nlohmann::json::binary_t&) override { return unexpected("binary data"); }

  bool number_unsigned(std::uint64_t value) override {
    if (level_ != Level::kArray) return unexpected("the number " + std::to_string(value));
    if (field_ == "shape") {
      if (entry_.shape.size() == limits::kMaxRank) {
        fail(ErrorCode::kLimit, "{} has more than {} dimensions", tensor(), limits::kMaxRank);
      }
      if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
        fail(ErrorCode::kLimit, "{} has the size {}, more than 63 bits", tensor(), value);
      }
      entry_.shape.push_back(static_cast<std::int64_t>(value));
    } else {
      if (offsets_.size() == 2) fail(ErrorCode::kBadModel, "{}: 'data_offsets' must hold 2 numbers, not more", tensor());
      offsets_.push_back(value);
    }
    return true;
  }

  bool string(std::string& value) override {
    if (level_ == Level::kMetadata) {
      add_metadata_bytes(value.size());
      header_.metadata.emplace(field_, std::move(value));
      return true;
    }
    if (level_ != Level::kTensor || field_ != "dtype") return unexpected("a string");
    for (const DType dtype : kDTypes) {
      if (value == name_of(dtype)) {
        entry_.dtype = dtype;
        return true;
      }
    }
    fail(ErrorCode::kBadModel, "{} has the unknown dtype '{}'", tensor(), printable(value));
  }

  bool start_object(std::size_t) override {
    enter();
    switch (level_) {
      case Level::kStart: level_ = Level::kTop; return true;
      case Level::kTop:
        level_ = key_ == "__metadata__" ? Level::kMetadata : Level::kTensor;
        if (level_ == Level::kTensor) start_tensor();
        return true;
      default: return unexpected("an object");
    }
  }

  bool key(std::string& value) override {
    ticker_.step(64);
    if (level_ == Level::kTop) {
      if (value.size() > limits::kMaxTensorName) {
        fail(ErrorCode::kLimit, "'{}': the tensor name '{}' has {} bytes, the limit is {}", file_, printable(value), value.size(),
             limits::kMaxTensorName);
      }
      if (!names_.insert(value).second) fail(ErrorCode::kBadModel, "'{}': the key '{}' occurs twice", file_, printable(value));
      key_ = std::move(value);
      return true;
    }
    if (level_ == Level::kMetadata) {
      add_metadata_bytes(value.size());
      if (header_.metadata.contains(value)) {
        fail(ErrorCode::kBadModel, "'{}': the metadata key '{}' occurs twice", file_, printable(value));
      }
    } else {
      if (value != "dtype" && value != "shape" && value != "data_offsets") {
        fail(ErrorCode::kBadModel, "{} has the unknown field '{}'", tensor(), printable(value));
      }
      if (!fields_.insert(value).second) fail(ErrorCode::kBadModel, "{} has the field '{}' twice", tensor(), value);
    }
    field_ = std::move(value);
    return true;
  }

  bool end_object() override {
    --depth_;
    if (level_ == Level::kTensor) finish_tensor();
    level_ = level_ == Level::kTop ? Level::kStart : Level::kTop;
    return true;
  }

  bool start_array(std::size_t) override {
    enter();
    if (level_ != Level::kTensor || field_ == "dtype") return unexpected("an array");
    level_ = Level::kArray;
    return true;
  }

  bool end_array() override {
    --depth_;
    level_ = Level::kTensor;
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception&) override {
    fail(ErrorCode::kBadModel, "'{}': the header is not valid JSON in UTF-8 at byte {}", file_, position);
  }

 private:
  enum class Level { kStart, kTop, kMetadata, kTensor, kArray };

  std::string tensor() const { return fmt::format("'{}': tensor '{}'", file_, printable(key_)); }

  [[noreturn]] bool unexpected(const std::string& what) const {
    switch (level_) {
      case Level::kStart: fail(ErrorCode::kBadModel, "'{}': the header is {}, not an object", file_, what);
      case Level::kTop: fail(ErrorCode::kBadModel, "'{}': the entry '{}' is {}, not an object", file_, printable(key_), what);
      case Level::kMetadata:
        fail(ErrorCode::kBadModel, "'{}': the metadata value '{}' is {}, not a string", file_, printable(field_), what);
      default: fail(ErrorCode::kBadModel, "{}: the field '{}' may not hold {}", tensor(), field_, what);
    }
  }

  void enter() {
    if (++depth_ > limits::kMaxJsonDepth) {
      fail(ErrorCode::kLimit, "'{}': the header is nested deeper than {} levels", file_, limits::kMaxJsonDepth);
    }
  }

  void start_tensor() {
    if (header_.entries.size() == limits::kMaxTensors) {
      fail(ErrorCode::kLimit, "'{}' has more than {} tensors (at '{}')", file_, limits::kMaxTensors, printable(key_));
    }
    entry_ = {};
    entry_.name = key_;
    fields_.clear();
    offsets_.clear();
  }

  void finish_tensor() {
    for (const char* wanted : {"dtype", "shape", "data_offsets"}) {
      if (!fields_.contains(wanted)) fail(ErrorCode::kBadModel, "{} lacks the field '{}'", tensor(), wanted);
    }
    if (offsets_.size() != 2)
      fail(ErrorCode::kBadModel, "{}: 'data_offsets' must hold 2 numbers, not {}", tensor(), offsets_.size());
    entry_.begin = offsets_[0];
    entry_.end = offsets_[1];
    header_.entries.push_back(std::move(entry_));
  }

  void add_metadata_bytes(std::size_t count) {
    metadata_bytes_ += count;
    if (metadata_bytes_ > limits::kMaxMetadataBytes) {
      fail(ErrorCode::kLimit, "'{}': '__metadata__' has more than {} bytes", file_, limits::kMaxMetadataBytes);
    }
  }

  std::string file_;
  SafetensorsHeader header_;
  Level level_ = Level::kStart;
  int depth_ = 0;
  std::string key_;    // of the top level
  std::string field_;  // of the level below
  std::set<std::string> names_;
  std::set<std::string> fields_;
  SafetensorsEntry entry_;
  std::vector<std::uint64_t> offsets_;
  std::uint64_t metadata_bytes_ = 0;
  StopTicker ticker_;
};

}  // namespace

SafetensorsHeader parse_safetensors_header(std::string_view json, const std::string& file) {
  check_json_numbers(json, file);
  HeaderHandler handler(file);
  nlohmann::json::sax_parse(json.begin(), json.end(), &handler);
  return handler.take();
}

}  // namespace revisit::model
