// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Running the first blocks of a backbone and levelling their tokens.
#include "training/train/teacher.h"

#include <algorithm>
#include <numeric>

#include "core/base/fail.h"
#include "core/tensor/kernels.h"
#include "core/tensor/parallel.h"
#include "engine/extract/front_end.h"
#include "engine/model/config.h"
#include "engine/model/model_file.h"
#include "revisit/model.h"
#include "training/train/initial_model.h"

namespace revisit::train {

struct Teacher::Impl {
  explicit Impl(const TrainTeacher& settings)
      : model(read_backbone(settings.model, 0, settings.size)), size(settings.size), front(model.loaded(), settings.size) {
    const auto& backbone = model.loaded().config.backbone;
    if (settings.block < -1 || settings.block >= backbone.blocks()) {
      fail(ErrorCode::kUsage, "[[distill.teacher]] block {} does not exist: '{}' has blocks 0 to {}; -1 stands for the last",
           settings.block, settings.model.string(), backbone.blocks() - 1);
    }
    blocks = settings.block < 0 ? backbone.blocks() : settings.block + 1;
    if (size.height % backbone.stride() != 0 || size.width % backbone.stride() != 0) {
      fail(ErrorCode::kUsage, "[[distill.teacher]] size {}x{} is not a multiple of the patch of '{}', {} pixels", size.height,
           size.width, settings.model.string(), backbone.stride());
    }
  }

  Model model;
  Size size;
  int blocks = 0;
  FrontEnd front;
  tensor::Arena arena;
};

Teacher::Teacher(const TrainTeacher& settings) : impl_(std::make_unique<Impl>(settings)) {}
Teacher::~Teacher() = default;

int Teacher::width() const { return impl_->model.loaded().config.backbone.width(); }
Size Teacher::grid() const { return impl_->model.loaded().config.backbone.grid(impl_->size); }
int Teacher::rows() const { return 1 + grid().height * grid().width; }
std::string Teacher::fingerprint() const {
  std::string out = impl_->model.info().identity + fmt::format(" after {} blocks", impl_->blocks);
  for (const auto& [name, value] : model::to_metadata(impl_->model.loaded().config)) out += fmt::format(" {}={}", name, value);
  return out;
}

std::vector<float> Teacher::tokens_of(const Image& image) {
  Impl& t = *impl_;
  const tensor::FlushDenormals flush;
  const tensor::Features features = t.front.features_of(image, t.blocks, t.arena);
  const tensor::Tokens& tokens = features.tokens();

  const int width = this->width();
  const float eps = t.model.loaded().config.vit().norm_eps;
  const std::vector<float> ones(static_cast<std::size_t>(width), 1.0F), zeros(static_cast<std::size_t>(width), 0.0F);
  std::vector<float> out(static_cast<std::size_t>(rows()) * static_cast<std::size_t>(width));
  const auto level = [&](tensor::ConstMatrix from, int first_row) {
    tensor::layer_norm(from, ones.data(), zeros.data(), eps,
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
      fail_with_hint(ErrorCode::kUsage, "choose size so that the number of patches is the same",
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
