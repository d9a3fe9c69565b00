// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
#include "training/train/checkpoint.h"

#include <gtest/gtest.h>

#include <fstream>

#include "test_files.h"
#include "engine/model/model_file.h"
#include "training/train/test_networks.h"

namespace revisit::train {
namespace {

namespace fs = std::filesystem;
using revisit::testing::TemporaryFolder;
using revisit::testing::thrown_by;

model::Config tiny() {
  model::Config config = testing::small_config();
  config.vit().width = 12;
  config.vit().heads = 2;
  config.vit().ffn_hidden = 8;
  config.vit().depth = 1;
  config.vit().patch = 2;
  config.vit().pos_rows = config.vit().pos_cols = 2;
  config.head.transport().hidden = 4;
  config.head.transport().clusters = 4;
  config.head.transport().cluster_dim = 2;
  config.head.transport().token_dim = 2;
  config.head.transport().tiers = {1, 1, 1, 1};
  config.weitop_hidden = 2;
  return config;
}

TrainingState state_at(std::int64_t step) {
  TrainingState state;
  state.step = step;
  state.validated_step = step - 1;
  state.best_step = step - 1;
  state.best = {{1, 12.5, 30.1, 100.0 / 3}, {0.5, 7, 8, 9}};
  state.untrained = {{1, 1, 2, 3}};
  state.unreadable = 3;
  state.settings = settings_of({});
  state.data = "town: 20 places";
  state.learner.model = *model::make_random(tiny(), static_cast<std::uint64_t>(step));
  state.learner.loss_scale.value = 32768;
  state.learner.loss_scale.good_steps = 17;
  state.learner.optimiser.add_f32("m/weitop.0.weight", {2}, {1e-30F, 0.1F});
  return state;
}

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void put(const fs::path& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

TEST(Checkpoint, ComesBackWithEveryNumber) {
  const TemporaryFolder folder;
  EXPECT_FALSE(has_checkpoint(folder.path()));
  const TrainingState saved = state_at(7);
  save_checkpoint(folder.path(), saved);
  EXPECT_TRUE(has_checkpoint(folder.path()));
  const FoundCheckpoint found = load_checkpoint(folder.path());
  EXPECT_EQ(found.notice, "");
  const TrainingState& state = found.state;
  EXPECT_EQ(state.step, 7);
  EXPECT_EQ(state.validated_step, 6);
  EXPECT_EQ(state.best_step, 6);
  ASSERT_EQ(state.best.size(), 2U);
  EXPECT_EQ(state.best[0].at10, 100.0 / 3);
  EXPECT_EQ(state.best[1].rho, 0.5);
  EXPECT_EQ(state.untrained.size(), 1U);
  EXPECT_EQ(state.unreadable, 3);
  EXPECT_EQ(state.settings, saved.settings);
  EXPECT_EQ(state.data, saved.data);
  EXPECT_EQ(state.learner.loss_scale.value, 32768);
  EXPECT_EQ(state.learner.loss_scale.good_steps, 17);
  EXPECT_EQ(model::fingerprint_of(state.learner.model.weights), model::fingerprint_of(saved.learner.model.weights));
  EXPECT_EQ(model::to_metadata(state.learner.model.config), model::to_metadata(saved.learner.model.config));
  EXPECT_EQ(model::to_f32(state.learner.optimiser.at("m/weitop.0.weight")), (std::vector<float>{1e-30F, 0.1F}));
}

TEST(Checkpoint, KeepsTheOneBeforeItAndNothingElse) {
  const TemporaryFolder folder;
  for (const int step : {1, 2, 3}) save_checkpoint(folder.path(), state_at(step));
  EXPECT_EQ(load_checkpoint(folder.path()).state.step, 3);
  fs::remove(checkpoint_path(folder.path()));
  const FoundCheckpoint found = load_checkpoint(folder.path());
  EXPECT_EQ(found.state.step, 2);
  EXPECT_NE(found.notice.find("step 2"), std::string::npos) << found.notice;
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder.path())) ++files;
  EXPECT_EQ(files, 1U);
}

TEST(Checkpoint, CutShortAnywhereFallsBackToThePreviousOne) {
  const TemporaryFolder folder;
  save_checkpoint(folder.path(), state_at(1));
  save_checkpoint(folder.path(), state_at(2));
  const std::string whole = bytes_of(checkpoint_path(folder.path()));
  fs::remove(checkpoint_path(folder.path()));  // it has a second name only while it is the newest
  const std::size_t stride = std::max<std::size_t>(1, whole.size() / 60);
  for (std::size_t length = 0; length < whole.size(); length += stride) {
    put(checkpoint_path(folder.path()), whole.substr(0, length));
    const FoundCheckpoint found = load_checkpoint(folder.path());
    EXPECT_EQ(found.state.step, 1) << "cut at " << length;
    EXPECT_NE(found.notice, "");
  }
}

TEST(Checkpoint, AFlippedBitFallsBackToThePreviousOne) {
  const TemporaryFolder folder;
  save_checkpoint(folder.path(), state_at(1));
  save_checkpoint(folder.path(), state_at(2));
  const std::string whole = bytes_of(checkpoint_path(folder.path()));
  const std::size_t header = 8 + static_cast<std::size_t>(static_cast<unsigned char>(whole[0])) +
                             256 * static_cast<std::size_t>(static_cast<unsigned char>(whole[1]));
  int spacing = 0;
  for (std::size_t at = 0; at < whole.size(); at += whole.size() / 61) {
    std::string bad = whole;
    bad[at] = static_cast<char>(bad[at] ^ 4);
    put(checkpoint_path(folder.path()), bad);
    const FoundCheckpoint found = load_checkpoint(folder.path());
    if (found.state.step == 2 && at < header)
      ++spacing;  // white space between words of the header carries nothing
    else
      EXPECT_EQ(found.state.step, 1) << "bit flipped at " << at;
  }
  EXPECT_LE(spacing, 1);
}

TEST(Checkpoint, SaysSoWhenNoneCanBeUsed) {
  const TemporaryFolder folder;
  EXPECT_EQ(thrown_by([&] { load_checkpoint(folder.path()); }).code(), ErrorCode::kNotFound);
  put(checkpoint_path(folder.path()), "nonsense");
  put(previous_checkpoint_path(folder.path()), "more of it");
  const Error error = thrown_by([&] { load_checkpoint(folder.path()); });
  EXPECT_EQ(error.code(), ErrorCode::kBadModel);
  EXPECT_NE(std::string(error.what()).find("no checkpoint can be used"), std::string::npos) << error.what();
}

TEST(Checkpoint, AModelFileIsNoCheckpoint) {
  const TemporaryFolder folder;
  model::save_model_file(checkpoint_path(folder.path()), state_at(1).learner.model);
  const Error error = thrown_by([&] { load_checkpoint(folder.path()); });
  EXPECT_NE(std::string(error.what()).find("is not a checkpoint of a training run"), std::string::npos) << error.what();
}

TEST(Settings, EqualOnesMayDifferInStepsThreadsWorkersAndMinutes) {
  TrainConfig a, b;
  b.steps = 9;
  b.threads = 3;
  b.checkpoint_minutes = 1;
  b.data.workers = 4;
  EXPECT_NO_THROW(check_same_settings(settings_of(a), settings_of(b), "runs/x"));
}

TEST(Settings, TheFirstDifferenceIsNamedWithBothValues) {
  TrainConfig a, b;
  b.optimiser.lr = 1e-4;
  b.loss.gamma = 0.2;
  const Error error = thrown_by([&] { check_same_settings(settings_of(a), settings_of(b), "runs/x"); });
  EXPECT_EQ(error.code(), ErrorCode::kMismatch);
  EXPECT_STREQ(error.what(), "the run in 'runs/x' was started with loss.gamma '0.1', but now it is '0.2'");
}

TEST(Settings, SourcesAreComparedOneByOne) {
  TrainConfig a, b;
  a.data.sources.resize(2);
  b.data.sources.resize(2);
  b.data.sources[1].places = 30;
  const auto differ = [&] { check_same_settings(settings_of(a), settings_of(b), "x"); };
  EXPECT_NE(std::string(thrown_by(differ).what()).find("data.source[2].places '2000'"), std::string::npos);
  b.data.sources.pop_back();
  EXPECT_NE(std::string(thrown_by(differ).what()).find("which is not set now"), std::string::npos);
  b.data.sources.resize(3);
  a = b;
  a.data.sources.resize(2);
  EXPECT_NE(std::string(thrown_by(differ).what()).find("not set"), std::string::npos);
}

TEST(Settings, ForeignBytesInPathsBecomePlainText) {
  TrainConfig config;
  config.model.backbone = "caf\xe9.pth";
  bool found = false;
  for (const auto& [key, value] : settings_of(config)) found = found || (key == "model.backbone" && value == "caf\\xe9.pth");
  EXPECT_TRUE(found);
}

}  // namespace
}  // namespace revisit::train
