// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Lines are appended with one write each, so that a crash can damage only the last one.
#include "training/train/run_log.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/base/fail.h"
#include "core/base/file.h"

namespace revisit::train {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kMaxLogBytes = 4'000'000'000;

Json optional_number(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

double number_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->get<double>() : 0.0;
}

/// The recalls of a validation's line; nothing for the line of a step.
std::optional<Recalls> recalls_of(const Json& line) {
  const auto found = line.find("validation");
  if (found == line.end() || !found->is_array()) return std::nullopt;
  Recalls out;
  for (const Json& one : *found) {
    if (one.is_object())
      out.push_back({number_at(one, "rho"), number_at(one, "recall@1"), number_at(one, "recall@5"), number_at(one, "recall@10")});
  }
  return out;
}

}  // namespace

RunLog::RunLog(const std::filesystem::path& path) : name_(path.string()) {
  fd_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (fd_ < 0) fail(ErrorCode::kIo, "cannot write '{}': {}", name_, std::strerror(errno));
  if (::flock(fd_, LOCK_EX | LOCK_NB) == 0) return;
  const int error = errno;
  ::close(fd_);
  if (error == EWOULDBLOCK) fail(ErrorCode::kIo, "'{}' is being written by another training run", name_);
  fail(ErrorCode::kIo, "cannot lock '{}': {}", name_, std::strerror(error));
}

RunLog::~RunLog() { ::close(fd_); }

bool RunLog::empty() const {
  struct stat info {};
  return ::fstat(fd_, &info) != 0 || info.st_size == 0;
}

void RunLog::cut(std::int64_t step, std::int64_t validated_step) {
  history_ = {};
  const auto bytes = read_file(name_, kMaxLogBytes);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  std::size_t kept = 0;
  while (kept < text.size()) {
    const auto end = text.find('\n', kept);
    if (end == std::string_view::npos) break;
    const Json line = Json::parse(text.substr(kept, end - kept), nullptr, false);
    if (!line.is_object() || !line.contains("step") || !line["step"].is_number_integer()) break;
    const auto at = line["step"].get<std::int64_t>();
    auto recalls = recalls_of(line);
    if (at > (recalls ? validated_step : step)) break;
    if (recalls) {
      history_.validations.push_back({at, std::move(*recalls)});
    } else {
      history_.steps.push_back({at, number_at(line, "loss")});
    }
    kept = end + 1;
  }
  if (kept < text.size() && ::ftruncate(fd_, static_cast<off_t>(kept)) != 0) {
    fail(ErrorCode::kIo, "cannot shorten '{}': {}", name_, std::strerror(errno));
  }
}

void RunLog::write(std::string line) {
  line += '\n';
  std::string_view rest = line;
  while (!rest.empty()) {
    const ssize_t put = ::write(fd_, rest.data(), rest.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) {
      fail(errno == ENOSPC || errno == EDQUOT ? ErrorCode::kNoSpace : ErrorCode::kIo, "cannot write '{}': {}", name_,
           std::strerror(errno));
    }
    rest.remove_prefix(static_cast<std::size_t>(put));
  }
}

void RunLog::add(std::int64_t step, const StepResult& result, const StepSurroundings& surroundings) {
  Json line{{"step", step},
            {"loss", result.loss},
            {"place_loss", result.place_loss},
            {"distillation", optional_number(result.distillation)},
            {"context", optional_number(result.context)},
            {"rho", result.rho},
            {"lr", result.lr},
            {"gradient_norm", result.gradient_norm},
            {"b_acc", result.b_acc},
            {"tier_weights", result.tier_weights},
            {"ghost", optional_number(result.ghost)},
            {"tier_agreement", optional_number(result.tier_agreement)},
            {"unreadable", surroundings.unreadable},
            {"images_per_s", surroundings.images_per_s},
            {"waiting", surroundings.waiting}};
  if (result.stages) line["stages"] = *result.stages;
  if (result.kept) line["kept"] = *result.kept;
  if (result.overflowed) line["overflowed"] = true;
  if (!surroundings.unreadable_now.empty()) line["unreadable_now"] = surroundings.unreadable_now;
  write(line.dump(-1, ' ', false, Json::error_handler_t::replace));
  history_.steps.push_back({step, result.loss});
}

void RunLog::add(std::int64_t step, const Values& values) {
  Json line{{"step", step}};
  for (const auto& [name, value] : values) line[name] = value;
  write(line.dump());
  history_.steps.push_back({step, number_at(line, "loss")});
}

void RunLog::add(std::int64_t step, const Recalls& recalls, double seconds) {
  Json list = Json::array();
  for (const auto& one : recalls)
    list.push_back({{"rho", one.rho}, {"recall@1", one.at1}, {"recall@5", one.at5}, {"recall@10", one.at10}});
  write(Json{{"step", step}, {"validation", list}, {"seconds", seconds}}.dump());
  history_.validations.push_back({step, recalls});
}

}  // namespace revisit::train
