// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// `revisit calibrate`: rates of wrong answers from photos that are known to show different places.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/binding.h"
#include "cli/index_options.h"
#include "cli/model_options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/verbs.h"
#include "core/base/fail.h"
#include "core/base/stop.h"
#include "core/formats/text.h"
#include "revisit/decision.h"
#include "revisit/index.h"

namespace revisit::cli {
namespace {

using Json = nlohmann::ordered_json;

struct CalibrateArgs {
  std::vector<std::string> folders;
  ApartOptions apart;
  std::string model;
  std::string output;
};

/// "0.01 takes 399 photos": how many the least rate of the table's next step would need.
std::string finest_line(const DecisionTable& table) {
  if (!table.steps.empty() && table.steps.back().rate <= kSureFalseRate) return "";
  return fmt::format("a false rate of {:g} takes {:.0f} photos: until then no answer is \"sure\"\n", kSureFalseRate,
                     1 / (kAnsweredShare * kSureFalseRate) - 1);
}

std::string table_text(const DecisionTable& table) {
  std::string out = "false rate  more alike than other places by\n";
  for (const RateStep& step : table.steps) out += fmt::format("{:<10g}  {:.4f}\n", step.rate, step.score);
  return out + finest_line(table);
}

IndexCalibration calibrated(const std::string& folder, ApartOptions apart, Console& console) {
  const Index index = Index::open(folder);
  Progress progress("asking " + folder, static_cast<std::size_t>(index.live_rows()), console.quiet);
  apart.progress = [&](int done, int) {
    progress.update(static_cast<std::size_t>(done), 0);
    return stop_signal() == 0;
  };
  IndexCalibration out = calibrate_index(index, apart);
  progress.clear();
  const auto left_out = [&](int count, const char* why) {
    if (count > 0)
      console.talk(
          fmt::format("notice: {} of '{}' left out: {}", counted(static_cast<std::size_t>(count), "photo"), folder, why));
  };
  left_out(out.without, out.by == "time" ? "no time is known" : "no position is known");
  left_out(out.crowded, "the 300 photos most alike may all show the same place");
  return out;
}

int run_calibrate(const CalibrateArgs& args, Console& console) {
  if (args.output.empty() && args.folders.size() > 1) {
    fail_with_hint(ErrorCode::kUsage, "calibrate them one by one, or -o MODEL.safetensors for a model calibrated on all of them",
                   "an index is calibrated on its own photos, but {} were named", args.folders.size());
  }
  if (args.output.empty() && !args.model.empty())
    fail(ErrorCode::kUsage, "--model '{}' is the model to write, but -o is missing", args.model);
  if (!args.output.empty()) check_output_file(args.output);
  const IndexSettings first = Index::open(args.folders.front()).settings();
  for (const auto& folder : args.folders) require_compatible(folder, Index::open(folder).settings(), first);
  std::vector<std::vector<Evidence>> sources;
  std::string by;
  for (const auto& folder : args.folders) {
    IndexCalibration one = calibrated(folder, args.apart, console);
    console.talk(fmt::format("'{}': {} asked about photos of other places, known by {}", folder,
                             counted(one.strangers.size(), "photo"), one.by));
    sources.push_back(std::move(one.strangers));
    by = one.by;
  }
  const DecisionTable table = make_decision_table(sources);
  if (args.output.empty()) {
    save_decision_table(args.folders.front(), table);
  } else {
    const Model model = open_model(args.model.empty() ? first.model : args.model, console);
    if (first.spec.model_identity && *first.spec.model_identity != model.info().identity) {
      fail(ErrorCode::kMismatch, "index '{}' was made by the model {}, but '{}' is {}", args.folders.front(),
           *first.spec.model_identity, args.model, model.info().identity);
    }
    save_decision_table(model, args.output, table, completed(first.spec));
  }
  const std::string out = args.output.empty() ? args.folders.front() : args.output;
  if (console.json) {
    auto rates = Json::array();
    for (const RateStep& step : table.steps) rates.push_back({{"rate", step.rate}, {"score", step.score}});
    console.data_json({{"schema", 1},
                       {"out", out},
                       {"photos", table.photos},
                       {"by", by},
                       {"floor", table.floor},
                       {"ceiling", table.ceiling},
                       {"unseen", table.unseen},
                       {"rates", std::move(rates)}});
    return 0;
  }
  console.data(table_text(table));
  console.talk(fmt::format("calibrated '{}' on {}", out, counted(static_cast<std::size_t>(table.photos), "photo")));
  return 0;
}

}  // namespace

Verb make_calibrate(Console& console) {
  const auto args = std::make_shared<CalibrateArgs>();
  Verb verb;
  verb.name = "calibrate";
  verb.about =
      "asks an index about its own photos, each among those that cannot show the same place, so that every match is wrong: from "
      "then on answers of this index have a stated rate of wrong ones. No labels are needed, only positions or times. Repeat it "
      "when the index has grown a lot.";
  verb.examples = {"revisit calibrate places.rvs",
                   "revisit calibrate drive.rvs --photos 100    # one drive that never comes back",
                   "revisit calibrate town.rvs drive.rvs -o calibrated.safetensors    # the model, for any index"};
  verb.positional = {"DB...", "the index; with -o any number of them", 1, 1000, &args->folders};
  verb.options = {
      {"--metres", "M", "photos farther apart than this show other places; default 100", to_number(args->apart.metres, {1, 1e7})},
      {"--seconds", "T",
       "where most photos have no position: farther apart in time, in a drive that never comes back; default 120",
       to_number(args->apart.seconds, {1, 1e9})},
      {"--photos", "N", "where most have neither: at least N photos apart in order, in a drive that never comes back",
       to_int(args->apart.photos, 1, 1'000'000'000)},
      {"--model", "NAME|FILE", "the model that -o writes a calibrated copy of; default: the index's", to_text(args->model)},
      {"-o,--output", "FILE", "write the rates into a copy of the model, for every index made with it", to_text(args->output)}};
  console.add_options(verb.options);
  verb.run = [args, &console] { return run_calibrate(*args, console); };
  return verb;
}

}  // namespace revisit::cli
