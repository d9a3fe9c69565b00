// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Ranks and escapes of tables, and the tables of a comparison.
#include "lab/report/table.h"

#include <gtest/gtest.h>

#include "lab/report/comparison_tables.h"

namespace revisit::report {
namespace {

TableCell ranked(double value) { return {percent_text(value), value}; }

TEST(Table, TheBestIsBoldAndTheSecondUnderlinedAsShown) {
  const Table table{"R.",
                    {"row", "a", "b"},
                    {{{"x"}, ranked(81.24), ranked(50)}, {{"y"}, ranked(81.16), ranked(50)}, {{"z"}, ranked(80), {""}}},
                    {{{"other"}, {"99.0"}, {"99.0"}}}};
  const std::string text = to_markdown(table);
  EXPECT_NE(text.find("| x | **81.2** | 50.0 |"), std::string::npos) << text;
  EXPECT_NE(text.find("| y | **81.2** | 50.0 |"), std::string::npos) << "what reads the same ranks the same";
  EXPECT_NE(text.find("| z | <u>80.0</u> |  |"), std::string::npos) << text;
  EXPECT_NE(text.find("| *numbers of others* |  |  |\n| other | 99.0 | 99.0 |"), std::string::npos) << text;
  const std::string latex = to_latex(table);
  EXPECT_NE(latex.find("x & \\textbf{81.2} & 50.0 \\\\\n"), std::string::npos) << latex;
  EXPECT_NE(latex.find("z & \\underline{80.0} &  \\\\\n\\midrule\nother & 99.0 & 99.0"), std::string::npos) << latex;
}

TEST(Table, OneRowIsNotTheBestOfAnything) {
  EXPECT_EQ(to_markdown({"R.", {"row", "a"}, {{{"x"}, ranked(81.2)}}, {}}).find("**"), std::string::npos);
}

TEST(Table, NamesCannotBreakIt) {
  const Table table{"R.\n\\input{x}", {"a|b", "50 %"}, {{{"a_b|c"}, {"1.0 ±0.2"}}, {{"\\x{~^}#$&"}, {""}}}, {}};
  EXPECT_NE(to_markdown(table).find("| a_b\\|c |"), std::string::npos);
  const std::string latex = to_latex(table);
  EXPECT_EQ(latex.find('\n'), latex.find("\n\\begin{tabular}{lr}")) << "the caption stays in its comment: " << latex;
  EXPECT_NE(latex.find("a|b & 50 \\% \\\\"), std::string::npos) << latex;
  EXPECT_NE(latex.find("a\\_b|c & 1.0 $\\pm$0.2 \\\\"), std::string::npos) << latex;
  EXPECT_NE(latex.find("\\textbackslash{}x\\{\\textasciitilde{}\\textasciicircum{}\\}\\#\\$\\&"), std::string::npos) << latex;
}

TEST(ComparisonTables, MeansOfOthersAreStatedOrComplete) {
  CompareConfig config;
  config.datasets = {{"a", {}, "", {}}, {"b", {}, "", {}}};
  CompareLiterature others;
  others.rhos = {1, 0.5};
  others.recall[1] = {{"a", {60, 50}}};
  EXPECT_FALSE(mean_of_others(others, config, 1, 0)) << "b is missing";
  EXPECT_EQ(mean_of_others(others, config, 1, 1, {1}), 50) << "a alone";
  others.recall[1]["b"] = {80, 60};
  EXPECT_EQ(mean_of_others(others, config, 1, 0), 70);
  others.mean_recall[1] = {71, 56};
  EXPECT_EQ(mean_of_others(others, config, 1, 1), 56) << "as stated";
  EXPECT_FALSE(mean_of_others(others, config, 5, 0));
}

}  // namespace
}  // namespace revisit::report
