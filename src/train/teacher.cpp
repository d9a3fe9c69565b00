// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Running the first blocks of a backbone and levelling their tokens.
#include "train/teacher.h"

#include "base/fail.h"
#include "image/preprocess.h"
#include "model/config.h"
#include "revisit/model.h"
#include "tensor/kernels.h"
#include "tensor/parallel.h"
#include "train/initial_model.h"
#include "vit/vit.h"

namespace revisit::train {

struct Teacher::Impl {
  Impl(const std::filesystem::path& path, int wanted_block, Size wanted_size)
      : model(read_backbone(path, 0, wanted_size)), size(wanted_size), vit(model.loaded()) {
    const auto& config = model.loaded().config.vit;
    if (wanted_block < -1 || wanted_block >= config.depth) {
      fail(ErrorCode::kUsage, "[distill] teacher_block {} is not there: the teacher has blocks 0 to {}; -1 stands for the last",
           wanted_block, config.depth - 1);
    }
    blocks = wanted_block < 0 ? config.depth : wanted_block + 1;
    if (size.height % config.patch != 0 || size.width % config.patch != 0) {
      fail(ErrorCode::kUsage, "[distill] teacher_size {}x{} is no multiple of the teacher's patch of {} pixels", size.height,
           size.width, config.patch);
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

Teacher::Teacher(const std::filesystem::path& model, int block, Size size) : impl_(std::make_unique<Impl>(model, block, size)) {}
Teacher::~Teacher() = default;

int Teacher::width() const { return impl_->model.loaded().config.vit.width; }
Size Teacher::grid() const {
  const int patch = impl_->model.loaded().config.vit.patch;
  return {impl_->size.height / patch, impl_->size.width / patch};
}
int Teacher::rows() const { return 1 + grid().height * grid().width; }
std::string Teacher::fingerprint() const { return impl_->model.loaded().config.fingerprint; }

std::vector<float> Teacher::tokens_of(const Image& image) {
  Impl& t = *impl_;
  const auto& config = t.model.loaded().config;
  const tensor::FlushDenormals flush;
  t.arena.reset();
  t.pixels.resize(3 * static_cast<std::size_t>(t.size.height) * static_cast<std::size_t>(t.size.width));
  normalise_to_planes(resize(image, t.size, config.input.resize), config.input.mean, config.input.std, t.pixels.data());
  tensor::Tokens tokens = t.vit.embed(t.pixels.data(), t.size, t.kept, t.arena);
  t.vit.run_blocks(tokens, 0, t.blocks, nullptr, t.arena);

  const int width = config.vit.width;
  const std::vector<float> ones(static_cast<std::size_t>(width), 1.0F), zeros(static_cast<std::size_t>(width), 0.0F);
  std::vector<float> out(static_cast<std::size_t>(rows()) * static_cast<std::size_t>(width));
  const auto level = [&](tensor::ConstMatrix from, int first_row) {
    tensor::layer_norm(from, ones.data(), zeros.data(), config.vit.norm_eps,
                       {out.data() + static_cast<std::ptrdiff_t>(first_row) * width, from.rows, width, width});
  };
  level(tokens.values.rows_from(0, 1), 0);
  level(tokens.patch_values(), 1);
  return out;
}

}  // namespace revisit::train
