// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The rows of a study and their table.
#include <gtest/gtest.h>

#include <map>

#include "training/train/ablation_rows.h"
#include "training/train/ablation_table.h"
#include "training/train/settings.h"

namespace revisit::train {
namespace {

std::map<std::string, int> rows_by_group(const TrainConfig& config, int depth) {
  std::map<std::string, int> out;
  for (const auto& row : ablation_rows(config, depth, 3)) out[row.group] += row.seeds;
  return out;
}

TEST(AblationRows, AreThePapersStudy) {
  EXPECT_EQ(rows_by_group({}, 12), (std::map<std::string, int>{
                                       {"parts", 18}, {"tiers", 9}, {"delta", 15}, {"gamma", 12}, {"layer", 30}, {"kappa", 15}}));
  EXPECT_EQ(rows_by_group({}, 4).at("layer"), 24) << "there is no block 6 to prune after";
  TrainConfig unpruned;
  unpruned.model.weitop = false;
  EXPECT_FALSE(rows_by_group(unpruned, 12).contains("gamma"));
}

TEST(AblationRows, ChangeOneThingEach) {
  const TrainConfig base;
  for (const auto& row : ablation_rows(base, 12, 1)) {
    const auto whole = settings_of(base), now = settings_of(row.config);
    ASSERT_EQ(whole.size(), now.size());
    int changed = 0;
    for (std::size_t i = 0; i < whole.size(); ++i) changed += whole[i] != now[i] ? 1 : 0;
    EXPECT_LE(changed, row.group == "parts" || row.group == "gamma" || row.group == "layer" ? 3 : 1)
        << row.group << " " << row.label;
  }
}

TEST(AblationTable, TellsMeanSpreadAndWhatIsGainedOnTheSameSeeds) {
  const AblationLine whole{"parts", "all", 1, {{{50, 60, 70, 80}}, {{54, 60, 70, 80}}}};
  const AblationLine less{"parts", "none", 1, {{{47, 60, 70, 80}}, {{53, 61, 70, 80}}}};
  const AblationLine single{"delta", "0", 1, {{{50, 60, 70, 80}, {52.5, 60, 70, 80}}}};  // on two sets
  const AblationLine pruned{"kappa", "0.5", 0.5, {{{20, 30, 40, 50}}}};
  const std::string table = ablation_markdown({whole, less, single, pruned}, {whole});
  EXPECT_NE(table.find("| parts | all | 1 | 2 | 52.0 ±2.8 | 60.0 ±0.0 | 70.0 ±0.0 | 80.0 ±0.0 | +0.0 ±0.0 |"), std::string::npos)
      << table;
  EXPECT_NE(table.find("| parts | none | 1 | 2 | 50.0 ±4.2 | 60.5 ±0.7 | 70.0 ±0.0 | 80.0 ±0.0 | -2.0 ±1.4 |"), std::string::npos)
      << table;
  EXPECT_NE(table.find("| delta | 0 | 1 | 1 | 51.2 | 60.0 | 70.0 | 80.0 | +1.2 |"), std::string::npos) << table;
  EXPECT_NE(table.find("| kappa | 0.5 | 0.5 | 1 | 20.0 | 30.0 | 40.0 | 50.0 |  |"), std::string::npos) << table;
  EXPECT_EQ(ablation_csv({single}, 7, {"a", "b, c"}),
            "group,row,rho,seed,dataset,recall@1,recall@5,recall@10,recall@20\ndelta,0,1,7,a,50.0000,60.0000,70.0000,80.0000\n"
            "delta,0,1,7,\"b, c\",52.5000,60.0000,70.0000,80.0000\n");
}

}  // namespace
}  // namespace revisit::train
