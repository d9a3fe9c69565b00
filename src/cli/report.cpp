// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// `revisit report`: redraws the page and the drawings of a run, without its model.
#include "revisit/lab/report.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/binding.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "core/formats/text.h"

namespace revisit::cli {
namespace {

namespace fs = std::filesystem;

struct ReportArgs {
  std::vector<std::string> file;
  std::string output;
};

/// The page names missing photos; here they are counted, so that they are noticed.
std::size_t missing_photos(const RunReport& report) {
  std::size_t missing = 0;
  for (const auto* photos : {&report.dataset.queries, &report.dataset.references}) {
    for (const auto& photo : *photos) {
      std::error_code ignored;
      missing += fs::exists(photo.path, ignored) ? 0 : 1;
    }
  }
  return missing;
}

std::vector<std::string> draw(const RunReport& report, const fs::path& folder, Console& console) {
  if (const auto missing = missing_photos(report); missing > 0) {
    console.warn(fmt::format("{} of {} {} no longer at the recorded path; the page names those it would have shown", missing,
                             counted(report.dataset.queries.size() + report.dataset.references.size(), "photo"),
                             missing == 1 ? "is" : "are"));
  }
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw Error(ErrorCode::kIo, fmt::format("cannot create the folder '{}': {}", folder.string(), error.message()));
  write_report(folder / "report.html", report);
  return {"report.html"};
}

std::vector<std::string> draw(const Sweep& sweep, const fs::path& folder, Console&) { return draw_sweep(folder, sweep); }

int run_report(const ReportArgs& args, Console& console) {
  const fs::path file = args.file.front();
  const fs::path folder = !args.output.empty()     ? fs::path(args.output)
                          : file.has_parent_path() ? file.parent_path()
                                                   : fs::path(".");
  check_output_folder(folder);
  const auto run = read_run(file);
  const auto files = std::visit([&](const auto& one) { return draw(one, folder, console); }, run);
  if (console.json) {
    nlohmann::ordered_json object{{"schema", 1}, {"folder", folder.string()}, {"files", files}};
    console.data_json(object);
  } else {
    for (const auto& name : files) console.data((folder / name).string() + "\n");
  }
  return 0;
}

}  // namespace

Verb make_report(Console& console) {
  const auto args = std::make_shared<ReportArgs>();
  Verb verb;
  verb.name = "report";
  verb.about =
      "redraws report.html of a match, query or eval run from its run.json and the tables beside it, or table, curve (svg, png) "
      "and page of a sweep from its sweep.json. Needs no model; photos are read from the recorded paths.";
  verb.examples = {"revisit report out/run.json", "revisit report logs/mine/2026-01-31_12-00-00/run.json -o page",
                   "revisit report sweep/sweep.json -o figures --json"};
  verb.positional = {"RUN.json", "run.json of match, query or eval, or sweep.json", 1, 1, &args->file};
  verb.options = {{"-o,--output", "DIR", "where to write; default: beside RUN.json", to_text(args->output)}};
  console.add_options(verb.options);
  verb.run = [args, &console] { return run_report(*args, console); };
  return verb;
}

}  // namespace revisit::cli
