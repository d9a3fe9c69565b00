// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Running the first blocks of a backbone and levelling their tokens.
#include "training/train/teacher.h"

#include <algorithm>
#include <numeric>

#include "core/base/fail.h"
#include "core/image/preprocess.h"
#include "engine/model/config.h"
#include "engine/model/model_file.h"
#include "revisit/model.h"
#include "core/tensor/kernels.h"
#include "core/tensor/parallel.h"
#include "training/train/initial_model.h"
#include "engine/backbone/vit/vit.h"

namespace revisit::train {

struct Teacher::Impl {
  explicit Impl(const TrainTeacher& settings)
      : model(read_backbone(settings.model, 0, settings.size)), size(settings.size), vit(model.loaded()) {
    const auto& config = model.loaded().config.vit();
    if (settings.block < -1 || settings.block >= config.depth) {
      fail(ErrorCode::kUsage, "[[distill.teacher]] block {} is not there: '{}' has blocks 0 to {}; -1 stands for the last",
           settings.block, settings.model.string(), config.depth - 1);
    }
    blocks = settings.block < 0 ? config.depth : settings.block + 1;
    if (size.height % config.patch != 0 || size.width % config.patch != 0) {
      fail(ErrorCode::kUsage, "[[distill.teacher]] size {}x{} is no multiple of the patch of '{}', {} pixels", size.height,
           size.width, settings.model.string(), config.patch);
    }
  }

  Model model;
  Size size;
  int blocks = 0;
  vit::Vit vit;
  tensor::Arena arena;
  std::vector<int> kept;
  std::vector<float> pixels;
};

Teacher::Teacher(const TrainTeacher& settings) : impl_(std::make_unique<Impl>(settings)) {}
Teacher::~Teacher() = default;

int Teacher::width() const { return impl_->model.loaded().config.vit().width; }
Size Teacher::grid() const {
  const int patch = impl_->model.loaded().config.vit().patch;
  return {impl_->size.height / patch, impl_->size.width / patch};
}
int Teacher::rows() const { return 1 + grid().height * grid().width; }
std::string Teacher::fingerprint() const {
  std::string out = impl_->model.loaded().config.fingerprint + fmt::format(" after {} blocks", impl_->blocks);
  for (const auto& [name, value] : model::to_metadata(impl_->model.loaded().config)) out += fmt::format(" {}={}", name, value);
  return out;
}

std::vector<float> Teacher::tokens_of(const Image& image) {
  Impl& t = *impl_;
  const auto& config = t.model.loaded().config;
  const tensor::FlushDenormals flush;
  t.arena.reset();
  t.pixels.resize(3 * static_cast<std::size_t>(t.size.height) * static_cast<std::size_t>(t.size.width));
  normalise_to_planes(resize(image, t.size, config.input.resize), config.input.mean, config.input.std, t.pixels.data());
  tensor::Tokens tokens = t.vit.embed(t.pixels.data(), t.size, t.kept, t.arena);
  t.vit.run_blocks(tokens, 0, t.blocks, nullptr, t.arena);

  const int width = config.vit().width;
  const std::vector<float> ones(static_cast<std::size_t>(width), 1.0F), zeros(static_cast<std::size_t>(width), 0.0F);
  std::vector<float> out(static_cast<std::size_t>(rows()) * static_cast<std::size_t>(width));
  const auto level = [&](tensor::ConstMatrix from, int first_row) {
    tensor::layer_norm(from, ones.data(), zeros.data(), config.vit().norm_eps,
                       {out.data() + static_cast<std::ptrdiff_t>(first_row) * width, from.rows, width, width});
  };
  level(tokens.values.rows_from(0, 1), 0);
  level(tokens.patch_values(), 1);
  return out;
}

Teachers::Teachers(const std::vector<TrainTeacher>& settings) {
  for (const auto& one : settings) {
    const auto& teacher = teachers_.emplace_back(std::make_unique<Teacher>(one));
    const Size grid = teacher->grid(), first = teachers_.front()->grid();
    if (grid != first) {
      fail_with_hint(ErrorCode::kUsage, "choose size so that it is the same number of patches",
                     "'{}' sees {}x{} patches, but '{}' sees {}x{}", one.model.string(), grid.height, grid.width,
                     settings.front().model.string(), first.height, first.width);
    }
    widths_.push_back(teacher->width());
    size_ = {std::max(size_.height, one.size.height), std::max(size_.width, one.size.width)};
  }
  if (teachers_.empty()) fail(ErrorCode::kUsage, "[distill] has no teacher");
}

std::string Teachers::fingerprint() const {
  std::string out;
  for (const auto& teacher : teachers_) out += teacher->fingerprint() + "; ";
  return out;
}

std::vector<float> Teachers::tokens_of(const Image& image) {
  const int whole = std::accumulate(widths_.begin(), widths_.end(), 0);
  std::vector<float> out(static_cast<std::size_t>(rows()) * static_cast<std::size_t>(whole));
  int begin = 0;
  for (std::size_t i = 0; i < teachers_.size(); ++i) {
    const auto tokens = teachers_[i]->tokens_of(image);
    for (int row = 0; row < rows(); ++row) {
      std::copy_n(tokens.begin() + static_cast<std::ptrdiff_t>(row) * widths_[i], widths_[i],
                  out.begin() + static_cast<std::ptrdiff_t>(row) * whole + begin);
    }
    begin += widths_[i];
  }
  return out;
}

}  // namespace revisit::train
