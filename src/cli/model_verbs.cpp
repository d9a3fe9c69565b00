// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// `revisit model import|inspect|list`.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/binding.h"
#include "cli/model_options.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "cli/words.h"
#include "core/base/fail.h"
#include "core/base/stop.h"
#include "revisit/decision.h"
#include "revisit/known.h"

namespace revisit::cli {
namespace {

using Json = nlohmann::ordered_json;

// A setting a model file keeps, except the pruner, which comes with its weights.
bool is_models_own(const Setting& setting) { return setting.model_key != nullptr && std::string_view(setting.name) != "prune"; }

Json object_of(const ModelInfo& info) {
  Json object{{"schema", 1},
              {"arch", info.arch},
              {"width", info.width},
              {"depth", info.depth},
              {"heads", info.heads},
              {"patch", info.patch},
              {"registers", info.registers},
              {"size", {info.size.height, info.size.width}},
              {"aggregator", info.aggregator},
              {"clusters", info.clusters},
              {"descriptor_dim", info.descriptor_dim},
              {"pruner", info.own.prune.value_or("none")},
              {"parameters", info.parameters},
              {"quantised", !info.quantised.empty()},
              {"licence", info.licence},
              {"mean", info.mean},
              {"std", info.std},
              {"resize", info.resize},
              {"pos_rule", info.pos_rule},
              {"provenance", info.provenance},
              {"fingerprint", info.fingerprint},
              {"identity", info.identity}};
  const DescriptorSpec own = completed(info.own);
  DescriptorSpec shown;
  for (const Setting& one : settings()) {
    if (is_models_own(one)) one.set(shown, one.get(own));
  }
  object.update(Json::parse(spec_json(shown)));
  if (info.min_similarity) {
    object["min_similarity"] = *info.min_similarity;
    object["calibrated_precision"] = info.calibrated_precision;
  }
  if (!info.decision.empty()) object["decision"] = info.decision;
  if (info.min_similarity || !info.decision.empty()) {
    object["calibrated_rho"] = info.calibrated_rho;
    if (info.calibrated_size.height > 0) object["calibrated_size"] = {info.calibrated_size.height, info.calibrated_size.width};
  }
  return object;
}

std::string input_lines(const ModelInfo& info) {
  auto out =
      fmt::format("input         {}x{}, {} resize, mean {:.4g},{:.4g},{:.4g}, std {:.4g},{:.4g},{:.4g}\n", info.size.height,
                  info.size.width, info.resize, info.mean[0], info.mean[1], info.mean[2], info.std[0], info.std[1], info.std[2]);
  return out + (info.pos_rule.empty() ? "" : fmt::format("positions     {} rule\n", info.pos_rule));
}

std::string architecture_lines(const ModelInfo& info) {
  const bool has_tokens = info.patch > 0;
  auto out = fmt::format(
      "architecture  {}: width {}, {} {}{}, {:.1f} M parameters\n", info.arch, info.width, has_tokens ? "depth" : "stages",
      info.depth, has_tokens ? fmt::format(", heads {}, patch {}, registers {}", info.heads, info.patch, info.registers) : "",
      static_cast<double>(info.parameters) / 1e6);
  if (info.aggregator == "none") {
    out += "aggregator    none: backbone only, describe needs --aggregate cls|mean|gem\n";
  } else {
    const std::string clusters = info.clusters > 0 ? fmt::format("{} clusters, ", info.clusters) : "";
    out += fmt::format("aggregator    {}, {}descriptor of {} values\n", info.aggregator, clusters, info.descriptor_dim);
  }
  out += "pruner        " + info.own.prune.value_or("none");
  for (const Setting& one : settings()) {
    if (one.kept_with_pruner() && is_models_own(one) && !text_of(one.get(info.own)).empty())
      out += fmt::format(", {} {}", one.name, text_of(one.get(info.own)));
  }
  out += "\nprecision     " + *completed(info.own).precision;
  return out + (info.quantised.empty() ? "\n" : fmt::format("; matrices stored in 8 bits, {}\n", info.quantised));
}

std::string calibration_line(const ModelInfo& info) {
  const Size size = info.calibrated_size;
  const auto settings =
      fmt::format("at rho {:g}{}\n", info.calibrated_rho, size.height > 0 ? fmt::format(", {}x{}", size.height, size.width) : "");
  std::string out;
  if (!info.decision.empty()) {
    const DecisionTable table = decision_table_from(info.decision, "the model");
    out += fmt::format("false rates   calibrated on {} photos down to {:g}, {}", table.photos,
                       table.steps.empty() ? 1 : table.steps.back().rate, settings);
  }
  if (!info.min_similarity) return out;
  return out + fmt::format("no match      below similarity {:.4f}, calibrated for precision {:g}{} {}", *info.min_similarity,
                           info.calibrated_precision, out.empty() ? "" : "; the rates come first;", settings);
}

struct ImportArgs {
  std::vector<std::string> files;
  std::string output;
  std::optional<std::string> resize;
  ImportOptions options;
};

int run_import(ImportArgs args, Console& console) {
  const std::filesystem::path from = args.files.front();
  if (args.output.empty()) fail(ErrorCode::kUsage, "'model import' needs -o OUT.safetensors");
  check_output_file(args.output);
  std::error_code ignored;  // a missing output equals nothing
  if (std::filesystem::equivalent(from, args.output, ignored)) {
    fail(ErrorCode::kUsage, "'{}' cannot be both the source and the output of an import", args.output);
  }
  if (args.resize) args.options.resize = *args.resize == "bicubic" ? ResizeFilter::kBicubic : ResizeFilter::kBilinear;
  finish_work_on_signal();
  args.options.stop = [] { return stop_signal() != 0; };
  const ImportReport report = import_model(from, args.output, args.options);

  if (console.json) {
    auto model = object_of(report.info);
    model.erase("schema");
    console.data_json(Json{{"schema", 1},
                           {"output", args.output},
                           {"family", report.family},
                           {"used", report.used.size()},
                           {"missing", report.missing},
                           {"ignored", report.ignored},
                           {"model", model}});
  } else {
    console.data(fmt::format("family        {}\n{}{}tensors       {} tensors used, {} missing, {} ignored{}\nwritten       {}\n",
                             report.family, architecture_lines(report.info), input_lines(report.info), report.used.size(),
                             report.missing.size(), report.ignored.size(),
                             report.ignored.empty() ? "" : ": " + group_by_prefix(report.ignored), args.output));
  }
  for (const auto& name : report.ignored) console.detail("ignored tensor " + name);
  const char* aggregate = report.info.aggregator == "none" ? " --aggregate gem" : "";
  console.talk(fmt::format("next: revisit describe PHOTO... --model {}{}", args.output, aggregate));
  if (const int signal = stop_signal(); signal != 0) throw Interrupted(signal, "stopped, but the import had finished already");
  return 0;
}

int run_inspect(const std::string& name, Console& console) {
  const ModelInfo info = open_model(name, console).info();
  if (console.json) {
    console.data_json(object_of(info));
    return 0;
  }
  auto out = architecture_lines(info) + input_lines(info);
  out += calibration_line(info);
  const auto said = [](const std::string& text) { return text.empty() ? std::string("not recorded") : text; };
  out += fmt::format("licence       {}\nprovenance    {}\nfingerprint   {}\n", said(info.licence), said(info.provenance),
                     said(info.fingerprint));
  console.data(out);
  return 0;
}

struct ListedModel {
  std::string name;
  std::string path;  // empty for a built-in model
  ModelInfo info;
  std::string problem;
  bool usual = false;  // used where none is named

  std::string where() const { return !path.empty() ? path : name == kDemoModel ? "built in, untrained" : "built in"; }
};

std::vector<ListedModel> collect_models() {
  std::vector<ListedModel> models{{kEmbeddedModel, "", embedded_model().info(), ""},
                                  {kDemoModel, "", Model::random(kDemoModel).info(), ""}};
  for (const auto& file : find_model_files()) {
    ListedModel one{file.stem().string(), file.string(), {}, ""};
    try {
      one.info = Model::load(file).info();
    } catch (const Error& error) {
      one.problem = error.what();
    }
    models.push_back(std::move(one));
  }
  const auto usual = std::ranges::find(models, model_label(""), &ListedModel::name);
  if (usual != models.end()) usual->usual = true;
  return models;
}

int run_list(Console& console) {
  const auto models = collect_models();
  auto list = Json::array();
  std::string out = fmt::format("{:<24} {:<20} {:<10} {:>6}  {}\n", "name", "architecture", "aggregator", "dim", "where");
  for (const auto& one : models) {
    Json object{{"name", one.name}, {"built_in", one.path.empty()}, {"default", one.usual}};
    if (!one.path.empty()) object["path"] = one.path;
    if (one.problem.empty()) {
      object["arch"] = one.info.arch;
      object["aggregator"] = one.info.aggregator;
      object["descriptor_dim"] = one.info.descriptor_dim;
      out += fmt::format("{:<24} {:<20} {:<10} {:>6}  {}\n", one.name, one.info.arch, one.info.aggregator,
                         one.info.descriptor_dim, one.where() + (one.usual ? ", the default" : ""));
    } else {
      object["problem"] = one.problem;
      out += fmt::format("{:<24} cannot be used: {}\n", one.name, one.problem);
    }
    list.push_back(std::move(object));
  }
  console.json ? console.data_json(Json{{"schema", 1}, {"models", std::move(list)}}) : console.data(out);
  if (std::ranges::all_of(models, [](const ListedModel& one) { return one.path.empty(); })) {
    console.talk(
        "no model files in $REVISIT_MODEL_PATH, installed, in ~/.local/share/revisit/models or ./models: mkdir -p models && "
        "revisit model import CHECKPOINT -o models/NAME.safetensors makes one");
  }
  return 0;
}

/// Published models that can be imported; a line that has nothing to say is left out.
int run_known(Console& console) {
  auto list = Json::array();
  std::string out;
  for (const KnownModel& one : known_models()) {
    list.push_back(Json{{"name", one.name},
                        {"aggregator", one.aggregator},
                        {"backbone", one.backbone},
                        {"size", one.size},
                        {"dims", one.dims},
                        {"paper", one.paper},
                        {"licence", one.licence},
                        {"recall", one.recall},
                        {"source", one.source}});
    out += (out.empty() ? "" : "\n") + one.name + "\n";
    for (const auto& [word, text] : {std::pair{"network", &one.backbone},
                                     {"input", &one.size},
                                     {"descriptor", &one.dims},
                                     {"paper", &one.paper},
                                     {"licence", &one.licence},
                                     {"recall", &one.recall},
                                     {"file", &one.source}}) {
      if (!text->empty()) out += fmt::format("  {:<12}{}\n", word, *text);
    }
  }
  console.json ? console.data_json(Json{{"schema", 1}, {"known", std::move(list)}}) : console.data(out);
  console.talk("next: revisit model import FILE -o models/NAME.safetensors");
  return 0;
}

}  // namespace

Verb make_model_import(Console& console) {
  const auto args = std::make_shared<ImportArgs>();
  auto& wanted = args->options;
  Verb verb;
  verb.name = "model import";
  verb.about =
      "reads a checkpoint of DINOv2, SALAD, MixVPR, CosPlace and the like (revisit model list --known), infers the architecture "
      "from the "
      "shapes, and writes a model file. No code from the checkpoint is run.";
  verb.examples = {"revisit model import dinov2_vitb14_pretrain.pth -o models/vitb14.safetensors",
                   "revisit model import dino_salad.ckpt -o models/salad.safetensors",
                   "revisit model import runs/weiad-tiny/model.safetensors -o models/mine.safetensors --half"};
  verb.positional = {"FILE", ".pth, .ckpt, .pt (zip or legacy) or .safetensors", 1, 1, &args->files};
  verb.options = {
      {"-o,--output", "OUT.safetensors", "the model file to write; required", to_text(args->output)},
      {"--heads", "H", "attention heads, 1 to 256; default: width / 64, at least 1", to_int(wanted.heads, 1, 256)},
      {"--arch", "NAME", "fail unless the inferred architecture is this one", to_text(wanted.arch)},
      {"--size", "HxW", "input size to record; default: the family's; FILE may be a model file too", to_size(wanted.size)},
      {"--mean", "A,B,C", "mean of each channel, in [0, 1]; default: the family's", to_triple(wanted.mean, {0, 1})},
      {"--std", "A,B,C", "standard deviation of each channel, in (0, 10]; default: the family's",
       to_triple(wanted.std, {0, 10, true})},
      {"--resize", "HOW", "bilinear or bicubic; default: the family's", to_choice(args->resize, {"bilinear", "bicubic"})},
      {"--pos-rule", "RULE", "how position embeddings are resized: hub, hf or timm; default: the family's",
       to_choice(wanted.pos_rule, {"hub", "hf", "timm"})},
      {"--half", "", "store matrices in 16 bits, half the size; FILE may be a model file too", to_switch(wanted.half)},
      {"--licence", "TEXT", "licence of the weights to record; FILE may be a model file too", to_text(wanted.licence)},
      {"--allow-nonfinite", "", "import weights with NaN or infinity too", to_switch(wanted.allow_nonfinite)}};
  for (const Setting& one : settings()) {  // what the model will choose by default
    if (!is_models_own(one)) continue;
    Option option{flag_of(one), one.placeholder,
                  fmt::format("recorded as the model's own; {}; FILE may be a model file too", one.wanted),
                  to_setting(wanted.own, one)};
    option.advanced = true;
    verb.options.push_back(std::move(option));
  }
  console.add_options(verb.options);
  verb.run = [args, &console] { return run_import(*args, console); };
  return verb;
}

Verb make_model_inspect(Console& console) {
  const auto files = std::make_shared<std::vector<std::string>>();
  Verb verb;
  verb.name = "model inspect";
  verb.about = "shows what a model file holds: architecture, input, aggregator, pruner, licence.";
  verb.examples = {"revisit model inspect models/vitb14.safetensors", "revisit model inspect demo",
                   "revisit model inspect models/vitb14.safetensors --json"};
  verb.positional = {"NAME|FILE", "a model file, or a name from 'revisit model list'", 1, 1, files.get()};
  console.add_options(verb.options);
  verb.run = [files, &console] { return run_inspect(files->front(), console); };
  return verb;
}

Verb make_model_list(Console& console) {
  Verb verb;
  verb.name = "model list";
  verb.about =
      "lists the built-in models and the model files (*.safetensors) found by name, in this order: in $REVISIT_MODEL_PATH, "
      "installed with revisit, in ~/.local/share/revisit/models, in ./models. The default is revisit-open if it is installed, "
      "else revisit-tiny, or the one $REVISIT_DEFAULT_MODEL names.";
  verb.examples = {"revisit model list", "REVISIT_MODEL_PATH=/srv/models revisit model list", "revisit model list --known"};
  const auto known = std::make_shared<bool>(false);
  verb.options = {{"--known", "",
                   "published models that 'model import' reads instead: paper, licence, size, recall, where the file is",
                   to_switch(*known)}};
  console.add_options(verb.options);
  verb.run = [known, &console] { return *known ? run_known(console) : run_list(console); };
  return verb;
}

}  // namespace revisit::cli
