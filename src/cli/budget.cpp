// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// A budget of milliseconds becomes a rho.
#include "cli/budget.h"

#include <fmt/format.h>

#include <cstdlib>

#include "cli/binding.h"
#include "core/base/fail.h"

namespace revisit::cli {
namespace {

constexpr std::size_t kEnoughPhotos = 10;  // for a median that says something
constexpr double kMuchFaster = 0.8;        // of the time expected: a larger rho would have fitted

}  // namespace

void add_budget_option(std::vector<Option>& options, ModelArgs& args) {
  options.push_back({"--budget-ms", "X",
                     "choose rho: X ms from tensor to descriptor as `bench` has it",
                     to_number(args.budget_ms, {0, 1e9, true})});
}

void check_budget(const ModelArgs& args) {
  if (!args.budget_ms || (!args.spec.rho && !args.spec.keep_mass)) return;
  fail(ErrorCode::kUsage, "--budget-ms {:g} and --{} both decide how much of a photo is kept: one is enough", *args.budget_ms,
       args.spec.rho ? "rho" : "keep-mass");
}

std::filesystem::path calibration_folder(Console& console) {
  const auto folder_in = [](const char* variable) -> std::filesystem::path {
    const char* value = std::getenv(variable);
    const std::filesystem::path path = value == nullptr ? "" : value;
    return path.is_absolute() ? path : "";
  };
  if (const auto cache = folder_in("XDG_CACHE_HOME"); !cache.empty()) return cache / "revisit";
  if (const auto home = folder_in("HOME"); !home.empty()) return home / ".cache" / "revisit";
  console.talk_once("notice: neither XDG_CACHE_HOME nor HOME names a folder, so the speed of the model is measured each time");
  return {};
}

void tell(const BudgetChoice& choice, Console& console) {
  if (!choice.notice.empty()) console.talk_once("notice: " + choice.notice);
  console.talk_once(choice.sentence);
}

Opened open_extractor(const Model& model, DescriptorSpec spec, const ModelArgs& args, Console& console) {
  check_budget(args);
  if (args.budget_ms) {  // what an index has does not count
    spec.rho = 1;
    spec.keep_mass.reset();
  }
  Opened out{Extractor(model, spec, args.threads), {}};
  for (const auto& notice : out.extractor.notices()) console.talk_once("notice: " + notice);
  if (!args.budget_ms) return out;
  out.choice = choose_rho(out.extractor, *args.budget_ms, calibration_folder(console));
  tell(*out.choice, console);
  out.extractor = out.extractor.with_rho(out.choice->rho);
  for (const auto& notice : out.extractor.notices()) console.talk_once("notice: " + notice);
  return out;
}

std::optional<BudgetChoice> settle_budget(const Model& model, ModelArgs& args, Console& console) {
  if (!args.budget_ms) return std::nullopt;
  auto choice = open_extractor(model, args.spec, args, console).choice;
  args.spec.rho = choice->rho;
  return choice;
}

void check_pace(const ModelArgs& args, const std::optional<BudgetChoice>& choice, double median_ms, std::size_t photos,
                Console& console) {
  if (!choice || photos < kEnoughPhotos) return;
  const bool slower = median_ms > *args.budget_ms;
  const bool faster = choice->rho < 1 && median_ms < kMuchFaster * choice->median_ms;
  if (!slower && !faster) return;
  std::error_code ignored;
  const bool again = !choice->calibration.empty() && std::filesystem::remove(choice->calibration, ignored);
  const std::string than = slower ? fmt::format("more than the budget of {:g} ms: the machine was busier than", *args.budget_ms)
                                  : fmt::format("not {:.1f} ms: the machine was less busy than", choice->median_ms);
  console.talk(fmt::format("notice: the median photo took {:.1f} ms, {} when its speed was measured{}", median_ms, than,
                           again ? "; it is measured again next time" : ""));
}

}  // namespace revisit::cli
