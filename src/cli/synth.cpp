// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// `revisit synth`: the procedural town as a data set.
#include "revisit/lab/synth.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/binding.h"
#include "cli/progress.h"
#include "cli/verbs.h"
#include "core/base/stop.h"
#include "core/formats/text.h"
#include "revisit/lab/dataset.h"

namespace revisit::cli {
namespace {

struct SynthArgs {
  std::vector<std::string> out;
  TownOptions town;
  std::optional<Size> size;
};

// Pictures of another town in the same folders would be references of this one.
void mention_strangers(const std::filesystem::path& folder, int expected, Console& console) {
  const auto there = photos_in(folder).size();
  if (there > static_cast<std::size_t>(expected)) {
    const auto strangers = there - static_cast<std::size_t>(expected);
    console.warn(fmt::format("notice: '{}' holds {} that {} not part of this town", folder.string(),
                             counted(strangers, "picture"), strangers == 1 ? "is" : "are"));
  }
}

int run_synth(SynthArgs& args, Console& console) {
  const std::filesystem::path out = args.out.front();
  if (args.size) args.town.size = *args.size;
  const int total = args.town.places * args.town.views, references = total - args.town.places;
  finish_work_on_signal();
  Progress progress("rendering", static_cast<std::size_t>(total), console.quiet);
  write_town(out, args.town, [&](int done, int all) {
    progress.update(static_cast<std::size_t>(done), 0);
    if (const int signal = stop_signal(); signal != 0 && done < all) {
      throw Interrupted(signal,
                        fmt::format("stopped after {} of {} pictures; run the same command again for the rest", done, all));
    }
    return true;
  });
  progress.clear();
  mention_strangers(out / "queries", args.town.places, console);
  mention_strangers(out / "database", references, console);
  if (console.json) {
    console.data_json({{"schema", 1},
                       {"out", out.string()},
                       {"places", args.town.places},
                       {"views", args.town.views},
                       {"seed", args.town.seed},
                       {"alike", args.town.alike},
                       {"size", {args.town.size.height, args.town.size.width}},
                       {"queries", args.town.places},
                       {"references", references},
                       {"gt", (out / "gt.csv").string()}});
    return 0;
  }
  console.data(fmt::format("wrote {} queries, {} references and gt.csv to {}\n", args.town.places, references, out.string()));
  console.talk(fmt::format("next: revisit match {0}/queries {0}/database --gt {0}/gt.csv -o {0}/report", out.string()));
  return 0;
}

}  // namespace

Verb make_synth(Console& console) {
  const auto args = std::make_shared<SynthArgs>();
  Verb verb;
  verb.name = "synth";
  verb.about =
      "renders a made-up town: every place from several viewpoints, in different seasons, light and weather, with ground truth. "
      "The same options give the same pictures on every machine.";
  verb.examples = {"revisit synth town", "revisit synth town --places 200 --views 4 --seed 7",
                   "revisit synth small --places 6 --size 120x160 --json"};
  verb.positional = {"OUT", "folder to write: OUT/queries, OUT/database and OUT/gt.csv", 1, 1, &args->out};
  verb.options = {
      {"--places", "N", "places, 1 to 100000; default 50", to_int(args->town.places, 1, 100'000)},
      {"--views", "V", "pictures per place, 1 query and V-1 references, 2 to 1000; default 3", to_int(args->town.views, 2, 1000)},
      {"--seed", "S", "each seed is a different town; default 0", to_seed(args->town.seed)},
      {"--alike", "N", "every N places in turn have streets that look alike, 1 to 1000; default 1: none",
       to_int(args->town.alike, 1, 1000)},
      {"--size", "HxW", "size of the pictures; default 360x480", to_size(args->size)}};
  console.add_options(verb.options);
  verb.run = [args, &console] { return run_synth(*args, console); };
  return verb;
}

}  // namespace revisit::cli
