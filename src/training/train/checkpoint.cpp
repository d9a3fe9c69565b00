// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Tensors "model/NAME" and the optimiser's "m/", "v/", "t/NAME"; the rest is metadata: "model.KEY" as in a model file,
// "setting.0007.KEY" in order, and the numbers of the run.
#include "training/train/checkpoint.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <charconv>
#include <system_error>

#include "core/base/fail.h"
#include "engine/model/containers.h"
#include "engine/model/model_file.h"

namespace revisit::train {
namespace {

namespace fs = std::filesystem;
using Metadata = std::map<std::string, std::string>;

constexpr int kFormat = 1;
constexpr const char* kFormatKey = "revisit.training";
constexpr std::string_view kModelTensor = "model/", kModelKey = "model.", kSettingKey = "setting.";

std::string to_text(const Recalls& recalls) {
  std::vector<double> numbers;
  for (const auto& one : recalls) numbers.insert(numbers.end(), {one.rho, one.at1, one.at5, one.at10});
  return fmt::format("{}", fmt::join(numbers, ","));
}

/// Reads metadata; every error names the file and the key.
class Reader {
 public:
  Reader(const Metadata& metadata, std::string file) : metadata_(metadata), file_(std::move(file)) {}

  const std::string& text(const std::string& key) const {
    const auto found = metadata_.find(key);
    if (found == metadata_.end())
      fail(ErrorCode::kBadModel, "'{}' is not a checkpoint of a training run: it lacks '{}'", file_, key);
    return found->second;
  }
  template <typename T>
  T number(const std::string& key) const {
    return parse<T>(key, text(key));
  }
  Recalls recalls(const std::string& key) const {
    std::vector<double> numbers;
    for (std::string_view rest = text(key); !rest.empty();) {
      const auto comma = std::min(rest.find(','), rest.size());
      numbers.push_back(parse<double>(key, rest.substr(0, comma)));
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
    if (numbers.size() % 4 != 0)
      fail(ErrorCode::kBadModel, "'{}': {} '{}' does not hold four numbers per rho", file_, key, text(key));
    Recalls out;
    for (std::size_t i = 0; i < numbers.size(); i += 4)
      out.push_back({numbers[i], numbers[i + 1], numbers[i + 2], numbers[i + 3]});
    return out;
  }
  Metadata under(std::string_view prefix) const {
    Metadata out;
    for (const auto& [key, value] : metadata_) {
      if (key.starts_with(prefix)) out[key.substr(prefix.size())] = value;
    }
    return out;
  }

 private:
  template <typename T>
  T parse(const std::string& key, std::string_view value) const {
    T out{};
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), out);
    if (error != std::errc{} || end != value.data() + value.size()) {
      fail(ErrorCode::kBadModel, "'{}': {} '{}' is not a usable number", file_, key, value);
    }
    return out;
  }

  const Metadata& metadata_;
  std::string file_;
};

Metadata to_metadata(const TrainingState& state) {
  Metadata out;
  out[kFormatKey] = std::to_string(kFormat);
  out["step"] = std::to_string(state.step);
  out["validated_step"] = std::to_string(state.validated_step);
  out["best_step"] = std::to_string(state.best_step);
  out["best"] = to_text(state.best);
  out["untrained"] = to_text(state.untrained);
  out["unreadable"] = std::to_string(state.unreadable);
  out["loss_scale"] = fmt::format("{}", state.learner.loss_scale.value);
  out["loss_scale_good_steps"] = std::to_string(state.learner.loss_scale.good_steps);
  out["data"] = state.data;
  for (std::size_t i = 0; i < state.settings.size(); ++i)
    out[fmt::format("{}{:04}.{}", kSettingKey, i, state.settings[i].first)] = state.settings[i].second;
  for (const auto& [key, value] : model::to_metadata(state.learner.model.config)) out[std::string(kModelKey) + key] = value;
  return out;
}

/// Views of the state's tensors under their names in the file; the state must outlive them.
model::Weights to_weights(const TrainingState& state) {
  model::Weights out;
  for (const auto& [name, tensor] : state.learner.model.weights.all()) out.add(std::string(kModelTensor) + name, tensor, nullptr);
  for (const auto& [name, tensor] : state.learner.optimiser.all()) out.add(name, tensor, nullptr);
  return out;
}

TrainingState parse(const model::Checkpoint& file, const std::shared_ptr<const model::Checkpoint>& owner,
                    const std::string& name) {
  const Reader reader(file.metadata, name);
  const int format = reader.number<int>(kFormatKey);
  if (format != kFormat) {
    fail(ErrorCode::kBadModel, "'{}' is a checkpoint of format {}, this version of revisit reads {}", name, format, kFormat);
  }
  const std::string actual = model::checksum_of(file.weights, file.metadata);
  if (reader.text("checksum") != actual) {
    fail(ErrorCode::kBadModel, "'{}' is damaged: its contents have checksum {}, but {} was stored", name, actual,
         reader.text("checksum"));
  }
  TrainingState state;
  state.step = reader.number<std::int64_t>("step");
  state.validated_step = reader.number<std::int64_t>("validated_step");
  state.best_step = reader.number<std::int64_t>("best_step");
  state.best = reader.recalls("best");
  state.untrained = reader.recalls("untrained");
  state.unreadable = reader.number<std::int64_t>("unreadable");
  state.learner.loss_scale.value = reader.number<double>("loss_scale");
  state.learner.loss_scale.good_steps = reader.number<std::int64_t>("loss_scale_good_steps");
  state.data = reader.text("data");
  for (const auto& [key, value] : reader.under(kSettingKey)) state.settings.emplace_back(key.substr(key.find('.') + 1), value);
  state.learner.model.config = model::from_metadata(reader.under(kModelKey), name);
  for (const auto& [tensor_name, tensor] : file.weights.all()) {
    if (tensor_name.starts_with(kModelTensor)) {
      state.learner.model.weights.add(tensor_name.substr(kModelTensor.size()), tensor, owner);
    } else {
      state.learner.optimiser.add(tensor_name, tensor, owner);
    }
  }
  return state;
}

TrainingState load(const fs::path& path) {
  const auto file = std::make_shared<const model::Checkpoint>(model::read_checkpoint(path));
  return parse(*file, file, path.string());
}

void sync_folder(const fs::path& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  ::fsync(fd);
  ::close(fd);
}

/// The existing checkpoint gets a second name (a hard link) that the new one does not replace. On file systems without hard links
/// it is renamed: a crash before the new one is in place then leaves the previous one.
void keep_previous(const fs::path& folder) {
  const fs::path current = checkpoint_path(folder), previous = previous_checkpoint_path(folder);
  if (!fs::exists(current)) return;
  std::error_code error;
  fs::remove(previous, error);
  if (::link(current.c_str(), previous.c_str()) == 0) return;
  fs::rename(current, previous, error);
  if (error) fail(ErrorCode::kIo, "'{}' cannot be renamed to '{}': {}", current.string(), previous.string(), error.message());
}

}  // namespace

fs::path checkpoint_path(const fs::path& folder) { return folder / "checkpoint.safetensors"; }
fs::path previous_checkpoint_path(const fs::path& folder) { return folder / "checkpoint.previous.safetensors"; }

void save_checkpoint(const fs::path& folder, const TrainingState& state) {
  const model::Weights weights = to_weights(state);
  Metadata metadata = to_metadata(state);
  metadata["checksum"] = model::checksum_of(weights, metadata);
  // The current one is only touched once the new one is complete on disk.
  const fs::path fresh = folder / "checkpoint.new.safetensors";
  model::write_safetensors(fresh, weights, metadata);
  keep_previous(folder);
  std::error_code error;
  fs::rename(fresh, checkpoint_path(folder), error);
  if (error) fail(ErrorCode::kIo, "'{}' cannot be renamed: {}", fresh.string(), error.message());
  sync_folder(folder);
}

bool has_checkpoint(const fs::path& folder) {
  return fs::exists(checkpoint_path(folder)) || fs::exists(previous_checkpoint_path(folder));
}

FoundCheckpoint load_checkpoint(const fs::path& folder) {
  if (!has_checkpoint(folder)) fail(ErrorCode::kNotFound, "'{}' has no checkpoint of a training run", folder.string());
  FoundCheckpoint found;
  std::string problem;
  try {
    found.state = load(checkpoint_path(folder));
    return found;
  } catch (const Error& error) {
    problem = error.what();
  }
  try {
    found.state = load(previous_checkpoint_path(folder));
  } catch (const Error& error) {
    fail_with_hint(ErrorCode::kBadModel, "start a new run with another `out`", "no checkpoint can be used: {}; {}", problem,
                   error.what());
  }
  found.notice = fmt::format("{}; continuing from the previous one, at step {}", problem, found.state.step);
  return found;
}

}  // namespace revisit::train
