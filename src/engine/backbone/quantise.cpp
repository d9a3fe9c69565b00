// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// A model file whose blocks have their matrices in bytes, as products of bytes run in.
#include <cmath>

#include "core/base/fail.h"
#include "core/base/stop_scope.h"
#include "core/tensor/byte_weights.h"
#include "engine/model/backbone_family.h"
#include "engine/model/model_file.h"
#include "revisit/model.h"

namespace revisit {
namespace {

/// Adds `name` in bytes and its scales.
void add_bytes(const model::LoadedModel& from, const std::string& name, model::Weights& to) {
  const model::TensorView& tensor = from.weights.at(name);
  const int out = static_cast<int>(tensor.shape.front()), in = static_cast<int>(tensor.count() / tensor.shape.front());
  const auto bytes = std::make_shared<std::vector<std::int8_t>>(static_cast<std::size_t>(tensor.count()));
  std::vector<float> scales(static_cast<std::size_t>(out));
  tensor::to_bytes(model::to_f32(tensor).data(), in, out, bytes->data(), scales.data());
  for (const float scale : scales) {
    if (!std::isfinite(scale)) fail(ErrorCode::kBadModel, "tensor '{}' holds values that are not finite or far too large", name);
  }
  to.add(name, {model::DType::kI8, tensor.shape, reinterpret_cast<const std::byte*>(bytes->data())}, bytes);
  to.add_f32(name + model::kScale, {out}, std::move(scales));
}

}  // namespace

QuantiseReport quantise_model(const std::filesystem::path& from, const std::filesystem::path& to,
                              const QuantiseOptions& options) {
  const StopScope scope(options.stop, fmt::format("stopped before '{}' was written", to.string()));
  const auto source = model::load_model_file(from);
  const model::Config& config = source->config;
  if (!config.quantised.empty()) fail(ErrorCode::kUsage, "'{}' is quantised already", from.string());
  if (!config.nonfinite.empty()) {
    fail(ErrorCode::kBadModel, "'{}' holds NaN or infinity in tensor '{}', so it cannot be quantised", from.string(),
         config.nonfinite);
  }
  const auto layers = config.backbone.family().block_layers(config.backbone);
  if (layers.empty()) fail(ErrorCode::kUsage, "'{}' has no matrices that could be quantised", from.string());

  const auto made = std::make_shared<model::LoadedModel>();
  made->config = config;
  made->config.quantised = model::kRotatedBytes;
  setting("precision").set(made->config.own, options.precision);
  for (const std::string& layer : layers) {
    check_stop();
    add_bytes(*source, layer + ".weight", made->weights);
  }
  for (const auto& [name, tensor] : source->weights.all()) {
    if (!made->weights.contains(name)) made->weights.add(name, tensor, source);
  }

  QuantiseReport report;
  report.info = Model(made).info();  // before the file is there: it asks whether to stop
  report.matrices = static_cast<int>(layers.size());
  model::save_model_file(to, *made);
  report.source_bytes = std::filesystem::file_size(from);
  report.bytes = std::filesystem::file_size(to);
  return report;
}

}  // namespace revisit
