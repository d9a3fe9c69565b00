// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Writing and reading model files, and the hashes that protect and identify them.
#include "engine/model/model_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <string_view>

#include "core/base/fail.h"
#include "core/base/stop_scope.h"
#include "engine/model/backbone_family.h"
#include "engine/model/config_check.h"
#include "engine/model/containers.h"
#include "engine/model/values.h"

namespace revisit::model {
namespace {

/// Streaming xxh3, 64 bits.
class Hash {
 public:
  Hash() : state_(XXH3_createState(), &XXH3_freeState) {
    if (state_ == nullptr) fail(ErrorCode::kNoMemory, "no memory for a hash");
    XXH3_64bits_reset(state_.get());
  }

  void add(const void* data, std::size_t size) {
    constexpr std::size_t kPiece = 1U << 22U;  // bytes between two stop checks
    for (std::size_t at = 0; at < size; at += kPiece) {
      check_stop();
      XXH3_64bits_update(state_.get(), static_cast<const std::byte*>(data) + at, std::min(kPiece, size - at));
    }
  }
  /// Text ends with a zero byte, so that "ab","c" and "a","bc" differ.
  void add(std::string_view text) {
    add(text.data(), text.size());
    add("\0", 1);
  }
  std::string hex() const { return fmt::format("{:016x}", XXH3_64bits_digest(state_.get())); }

 private:
  std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state_;
};

}  // namespace

std::string checksum_of(const Weights& weights, const std::map<std::string, std::string>& metadata) {
  Hash hash;
  for (const auto& [key, value] : metadata) {
    if (key == "checksum") continue;
    hash.add(key);
    hash.add(value);
  }
  for (const auto& [name, tensor] : weights.all()) {
    hash.add(name);
    hash.add(name_of(tensor.dtype));
    hash.add(tensor.shape_text());
    hash.add(tensor.data, tensor.size_bytes());
  }
  return hash.hex();
}

namespace {

void check_checksum(const Checkpoint& file, const std::string& name) {
  const auto stored = file.metadata.find("checksum");
  if (stored == file.metadata.end()) fail(ErrorCode::kBadModel, "'{}': its metadata lacks 'checksum'", name);
  const std::string actual = checksum_of(file.weights, file.metadata);
  if (stored->second != actual) {
    fail_with_hint(ErrorCode::kBadModel, "import or download it again",
                   "'{}' is damaged: its contents have checksum {}, but {} was stored", name, actual, stored->second);
  }
}

/// A quantised matrix: bytes that are symmetric about zero, and scales that say what they stand for.
void check_bytes(const Weights& weights, const std::string& weight, const std::string& name) {
  const TensorView& tensor = weights.at(weight);
  if (tensor.dtype != DType::kI8) {
    fail(ErrorCode::kBadModel, "'{}' is quantised, but tensor '{}' is {}, not I8", name, weight, name_of(tensor.dtype));
  }
  if (std::memchr(tensor.data, 0x80, tensor.size_bytes()) != nullptr) {
    fail(ErrorCode::kBadModel, "'{}': tensor '{}' holds -128, but quantised weights are -127 to 127", name, weight);
  }
  const std::string scale = weight + kScale;
  if (weights.at(scale).dtype != DType::kF32) {
    fail(ErrorCode::kBadModel, "'{}': tensor '{}' is {}, not F32", name, scale, name_of(weights.at(scale).dtype));
  }
  for_each_chunk(weights.at(scale), [&](std::span<const float> values) {
    const auto bad = std::ranges::find_if(values, [](float value) { return !(value > 0 && std::isfinite(value)); });
    if (bad != values.end()) fail(ErrorCode::kBadModel, "'{}': tensor '{}' holds {}, but a scale is positive", name, scale, *bad);
  });
}

void check_tensors(const Config& config, const Weights& weights, const std::string& name) {
  std::set<std::string> in_bytes;
  if (!config.quantised.empty()) {
    for (const auto& layer : config.backbone.family().block_layers(config.backbone)) in_bytes.insert(layer + ".weight");
  }
  for (const auto& [tensor_name, shape] : required_tensors(config)) {
    if (!weights.contains(tensor_name)) fail(ErrorCode::kBadModel, "'{}': tensor '{}' is missing", name, tensor_name);
    const TensorView& tensor = weights.at(tensor_name);
    if (!same_but_ones(tensor.shape, shape)) {
      fail(ErrorCode::kBadModel, "'{}': tensor '{}' is {}, but its config asks for [{}]", name, tensor_name, tensor.shape_text(),
           fmt::join(shape, ", "));
    }
    if (!is_floating(tensor.dtype) && !in_bytes.contains(tensor_name)) {
      fail(ErrorCode::kBadModel, "'{}': tensor '{}' is {}, not floating point", name, tensor_name, name_of(tensor.dtype));
    }
  }
  for (const std::string& weight : in_bytes) check_bytes(weights, weight, name);
}

}  // namespace

std::shared_ptr<const LoadedModel> load_model_file(const std::filesystem::path& path) {
  auto model = std::make_shared<LoadedModel>(*to_model(read_checkpoint(path), path.string()));
  model->source = std::filesystem::absolute(path).lexically_normal().string();
  return model;
}

std::shared_ptr<const LoadedModel> to_model(Checkpoint file, const std::string& name) {
  auto model = std::make_shared<LoadedModel>();
  model->config = from_metadata(file.metadata, name);
  check_tensors(model->config, file.weights, name);
  check_checksum(file, name);
  model->weights = std::move(file.weights);
  return model;
}

void save_model_file(const std::filesystem::path& path, const LoadedModel& model) {
  check_config(model.config, path.string());
  check_tensors(model.config, model.weights, path.string());
  auto metadata = to_metadata(model.config);
  metadata["checksum"] = checksum_of(model.weights, metadata);
  write_safetensors(path, model.weights, metadata);
}

std::map<std::string, std::string> constants_of(const Config& config) {
  auto out = to_metadata(config);
  for (const Setting& one : settings()) {
    if (one.model_key != nullptr) out.erase(one.model_key);
  }
  for (const char* key : {"revisit.format", "arch", "size", "licence", "provenance", "nonfinite", "quantised"}) out.erase(key);
  std::erase_if(out, [](const auto& entry) { return entry.first.starts_with("calibration."); });
  return out;
}

void require_whole(const Config& config, const std::string& name, const char* what) {
  if (config.quantised.empty()) return;
  fail_with_hint(ErrorCode::kUsage, "use the model it was made from", "'{}' is quantised, so it cannot be {}", name, what);
}

std::string identity_of(const Config& config) {
  Hash hash;
  for (const auto& [key, value] : constants_of(config)) {
    hash.add(key);
    hash.add(value);
  }
  return hash.hex();
}

std::string fingerprint_of(const Weights& weights) {
  Hash hash;
  for (const auto& [name, tensor] : weights.all()) {
    hash.add(name);
    hash.add(tensor.shape_text());
    if (tensor.dtype == DType::kF32) {
      hash.add(tensor.data, tensor.size_bytes());
    } else {
      for_each_chunk(tensor, [&](std::span<const float> values) { hash.add(values.data(), values.size_bytes()); });
    }
  }
  return hash.hex();
}

}  // namespace revisit::model
