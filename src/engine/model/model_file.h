// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Our model file: safetensors whose metadata says how to run it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "engine/model/config.h"
#include "engine/model/shapes.h"

namespace revisit {
struct ImportOptions;
struct ImportReport;
}  // namespace revisit

namespace revisit::model {

struct Checkpoint;

/// Maps and checks a model file: format version, checksum of the data, every tensor the config asks for with its shape.
std::shared_ptr<const LoadedModel> load_model_file(const std::filesystem::path& path);

/// The same from a file that was already read; `name` is its name in error messages.
std::shared_ptr<const LoadedModel> to_model(Checkpoint file, const std::string& name);

void save_model_file(const std::filesystem::path& path, const LoadedModel& model);
/// Throws Error kUsage for a quantised model: "'name' is quantised, so it cannot be averaged".
void require_whole(const Config& config, const std::string& name, const char* what);
/// The same model with its f32 matrices in f16, except those with values beyond its range.
LoadedModel with_half_matrices(const LoadedModel& model);

/// The model import_model makes from a foreign checkpoint, before it is written. `report` may be null.
std::shared_ptr<const LoadedModel> import_checkpoint(const std::filesystem::path& from, const ImportOptions& options,
                                                     ImportReport* report);

/// Metadata <-> config. from_metadata throws Error kBadModel naming the key.
std::map<std::string, std::string> to_metadata(const Config& config);
Config from_metadata(const std::map<std::string, std::string>& metadata, const std::string& name);

/// Every tensor a config needs, with its shape (checked when loading, and filled by random models).
Shapes required_tensors(const Config& config);

/// The reverse: the backbone, head and pruner these tensors form; the input and what no shape tells stay open. A missing tensor
/// is guessed, so that the caller can list it. `heads` defaults to max(1, width / 64), `size` decides the grid of a
/// position table that is not square. Throws Error kBadModel, or kUsage for heads.
Config infer_config(const BackboneFamily& family, const Shapes& shapes, std::optional<int> heads, std::optional<Size> size,
                    const std::string& name);

/// Seeded random weights that behave like trained ones (token norms, score spread), for demos, tests and benchmarks.
std::shared_ptr<const LoadedModel> make_random(const Config& config, std::uint64_t seed);

/// "demo" (width 192, depth 4, patch 14, 224x224), "vits14", "vitb14", "vitl14": with WeiAD and WeiToP. Throws Error kUsage.
Config named_config(const std::string& arch);

/// Over metadata (but the checksum itself), then every tensor's name, type, shape and bytes in order of name: a flipped
/// bit anywhere but in the spacing of the header changes it.
std::string checksum_of(const Weights& weights, const std::map<std::string, std::string>& metadata);

/// xxh3 over names, shapes and f32 values, 16 hex digits.
std::string fingerprint_of(const Weights& weights);

/// What tells models apart: the fingerprint and every constant of the metadata that changes what a descriptor is (heads, mean,
/// std, resize, position rule, the head and its constants). Settings of a spec, texts and the threshold are not included.
std::map<std::string, std::string> constants_of(const Config& config);
/// Their hash, 16 hex digits.
std::string identity_of(const Config& config);

}  // namespace revisit::model
