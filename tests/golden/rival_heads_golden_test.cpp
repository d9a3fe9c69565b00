// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Heads of the rivals against recorded cases, from recorded feature maps, with weights read by their foreign names.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/aggregate/aggregator.h"
#include "engine/model/containers.h"
#include "engine/model/head_family.h"
#include "engine/model/key_names.h"
#include "golden.h"

namespace revisit {
namespace {

using revisit::testing::GoldenCase;

/// The head of a checkpoint that has nothing else, behind features of this width.
model::LoadedModel read_head(const std::filesystem::path& path, int width) {
  const model::Weights source = model::read_checkpoint(path).weights;
  std::vector<std::string> names;
  for (const auto& [name, tensor] : source.all()) names.push_back(name);
  const model::KeyMap keys = model::map_keys(names);
  EXPECT_TRUE(keys.unexpected.empty());
  EXPECT_TRUE(keys.ignored.empty());
  model::LoadedModel out;
  model::Shapes shapes;
  for (const auto& [ours, theirs] : keys.placed) {
    const model::TensorView& tensor = source.at(theirs.front());
    shapes[ours] = tensor.shape;
    out.weights.add_f32(ours, tensor.shape, model::to_f32(tensor));
  }
  out.config.vit().width = width;
  const std::string file = path.string();
  const model::ShapeReader read(shapes, file);
  for (const model::HeadFamily* family : model::head_families()) {
    const auto found = family->infer(read, width);
    if (!found) continue;
    out.config.head = *found;
    break;
  }
  return out;
}

class RivalHead : public ::testing::TestWithParam<const char*> {};

TEST_P(RivalHead, AgreesFromEveryRecordedMap) {
  REVISIT_REQUIRE_SHARED(std::string("golden/") + GetParam());
  const GoldenCase golden(GetParam());
  int compared = 0;
  for (int file = 0; file < static_cast<int>(golden.json()["checkpoints"].size()); ++file) {
    for (const auto& [name, tensor] : golden.json()["tensors"].items()) {
      if (!name.starts_with("x_")) continue;
      const NpyArray array = golden.tensor(name);  // (batch, channels, rows, columns)
      const auto maps = array.to_f32();
      const auto side = [&](std::size_t i) { return static_cast<int>(array.shape[i]); };
      const int batch = side(0), width = side(1), rows = side(2), columns = side(3), cells = rows * columns;
      const model::LoadedModel model = read_head(golden.checkpoint(file), width);
      const auto head = aggregate::make_aggregator(model, std::nullopt);
      const int dim = head->dim();
      std::vector<float> got(static_cast<std::size_t>(batch * dim)), values(static_cast<std::size_t>(cells * width));
      tensor::Arena arena;
      for (int image = 0; image < batch; ++image) {
        for (int cell = 0; cell < cells; ++cell) {
          for (int c = 0; c < width; ++c) {
            values[static_cast<std::size_t>(cell * width + c)] =
                maps[static_cast<std::size_t>((image * width + c) * cells + cell)];
          }
        }
        const tensor::FeatureMap map{{values.data(), cells, width, width}, rows, columns};
        head->aggregate(map, got.data() + image * dim, arena, nullptr);
      }
      golden.expect_close("descriptor" + name.substr(1), got);
      ++compared;
    }
  }
  EXPECT_GT(compared, 0);
}

INSTANTIATE_TEST_SUITE_P(Cases, RivalHead,
                         ::testing::Values("supervlad_head", "supervlad_1cluster_head", "gem_head", "cosplace_head_gsv",
                                           "netvlad_head", "convap_head", "mixvpr_head"),
                         [](const auto& instance) { return std::string(instance.param); });

}  // namespace
}  // namespace revisit
