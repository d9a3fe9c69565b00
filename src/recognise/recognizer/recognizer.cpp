// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Recognizer: describe, search, decide. One extractor behind a lock of its own; the store behind a lock that allows many readers.
#include "revisit/recognizer.h"

#include <fmt/format.h>

#include <mutex>
#include <shared_mutex>
#include <utility>

#include "core/base/fail.h"
#include "recognise/ingest/describe_each.h"
#include "recognise/recognizer/rerank.h"
#include "recognise/sequence/sequence.h"
#include "retrieval/store/store.h"
#include "revisit/embedded.h"
#include "revisit/ingest.h"

namespace revisit {
namespace {

constexpr const char* kMemory = "memory:";

/// The model an index names.
Model model_named(const std::string& name, const std::string& address) {
  if (name.empty()) {
    fail_with_hint(ErrorCode::kUsage, "open it with the model they were made with",
                   "collection '{}' holds descriptors that a program made itself, and records no model", address);
  }
  try {
    return find_model(name);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kNotFound) throw;
    fail_with_hint(ErrorCode::kNotFound, "open it with that model from where it is now",
                   "collection '{}' was made with the model '{}', which does not exist", address, name);
  }
}

std::string name_of(const Model& model) {
  const std::string source = model.info().source;
  return source.empty() ? model.info().provenance : source;
}

/// `spec`, left open for a budget to choose: the rho of an index does not count.
DescriptorSpec with_budget(DescriptorSpec spec, const RecognizerOptions& options) {
  if (!options.budget_ms) return spec;
  if (options.spec.rho || options.spec.keep_mass) {
    fail(ErrorCode::kUsage, "`budget_ms` {:g} and `{}` both decide how much of a picture is kept: one is enough",
         *options.budget_ms, options.spec.rho ? "rho" : "keep_mass");
  }
  spec.rho = 1;
  spec.keep_mass.reset();
  return spec;
}

/// `extractor` becomes one of the rho that is chosen.
std::optional<BudgetChoice> within_budget(Extractor& extractor, const RecognizerOptions& options) {
  if (!options.budget_ms) return std::nullopt;
  BudgetChoice choice = choose_rho(extractor, *options.budget_ms, options.calibrations);
  extractor = extractor.with_rho(choice.rho);
  return choice;
}

// Anything later than `time_s` minus that many seconds is too recent.
void limit_by_time(const AskOptions& options, SearchOptions& search) {
  if (!options.exclude_seconds) return;
  if (!options.time_s) fail(ErrorCode::kUsage, "`exclude_seconds` needs `time_s`, the time of the query picture");
  const double latest = *options.time_s - *options.exclude_seconds;
  search.before_s = search.before_s ? std::min(*search.before_s, latest) : latest;
}

void decide_on(Answer& answer, const Evidence& evidence, const DecisionRule& rule, bool empty) {
  answer.threshold = rule.threshold;
  if (answer.matches.empty()) {
    answer.reason = empty ? "no match: the collection is empty" : "no match: nothing is left to compare with";
    return;
  }
  Verdicts said = decide(evidence, rule);
  answer.verdict = said.verdict;
  answer.recognised = said.verdict != Verdict::kNoMatch;
  answer.false_rate = said.false_rate;
  answer.reason = std::move(said.reason);
  if (rule.threshold.similarity) answer.margin = evidence.similarity - *rule.threshold.similarity;
}

}  // namespace

struct Recognizer::Impl {
  Impl(const std::string& where, const Model& model, const DescriptorSpec& spec, const RecognizerOptions& options)
      : address(where),
        extractor(model, with_budget(spec, options), options.threads),
        notices(extractor.notices()),
        budget(within_budget(extractor, options)),
        min_similarity(options.min_similarity),
        max_false_rate(options.max_false_rate),
        own_rates(where == kMemory ? std::nullopt : load_decision_table(where)),
        drive(options.sequence),
        local(options.local),
        store(retrieval::open_store(where, index_settings_of(extractor, name_of(model)))) {}

  Whereabouts whereabouts(int row) const {
    const IndexEntry entry = store->entry(row);
    return {row, entry.position, entry.time_s};
  }

  Answer answer(Ranked ranked, const Evidence& evidence, const DecisionRule& rule) const {
    Answer out;
    out.reranked = ranked.reranked;
    out.rerank_ms = ranked.ms;
    for (const Match& match : ranked.matches) {
      IndexEntry entry = store->entry(match.row);
      out.matches.push_back({match.row, std::move(entry.name), match.similarity, match.distance, entry.position, entry.time_s,
                             std::move(entry.path), ranked.take_look(out.matches.size())});
    }
    decide_on(out, evidence, rule, store->live_rows() == 0);
    return out;
  }

  DecisionRule rule(const AskOptions& options) const {
    const auto either = [](const auto& asked, const auto& usual) { return asked ? asked : usual; };
    return decision_rule(extractor.model().info(), extractor.spec(),
                         {either(options.min_similarity, min_similarity), either(options.max_false_rate, max_false_rate),
                          options.search.dim.has_value()},
                         own_rates);
  }

  /// Orders what consecutive frames found, and returns the support of each match; empty for pictures asked about alone.
  std::vector<std::vector<double>> follow(std::span<const float> frames, int top_k, std::vector<std::vector<Match>>& found) {
    std::vector<std::vector<double>> support(found.size());
    if (!follows()) return support;
    const sequence::Map map{store->rows(), [&](int row) { return store->descriptor(row); },
                            [&](int row) { return store->entry(row).position; }};
    const std::size_t dim = frames.size() / std::max<std::size_t>(1, found.size());
    const std::lock_guard guard(following);
    for (std::size_t i = 0; i < found.size(); ++i) {
      support[i] = sequence::follow(drive, frames.subspan(i * dim, dim), map, top_k, found[i]);
    }
    return support;
  }

  bool follows() const { return drive.window() > 1; }

  std::vector<float> describe(const ImageView& picture, StageTimes* times = nullptr, LocalFeatures* features = nullptr) {
    const std::lock_guard guard(describing);
    std::vector<float> out = extractor.describe(picture, nullptr, features);
    if (times != nullptr) *times = extractor.last_times();
    return out;
  }

  std::string address;
  std::mutex describing;
  Extractor extractor;
  std::vector<std::string> notices;
  std::optional<BudgetChoice> budget;
  std::optional<double> min_similarity, max_false_rate;
  std::optional<DecisionTable> own_rates;
  std::mutex following;
  sequence::Filter drive;  // guarded by following
  bool local;              // features of what is added are kept, wherever it is kept
  std::shared_mutex rows;  // of the store: shared to search, alone to add
  std::unique_ptr<retrieval::Store> store;
  int next_row = 0;  // once a row was added
};

Recognizer::Recognizer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Recognizer::Recognizer(Recognizer&&) noexcept = default;
Recognizer& Recognizer::operator=(Recognizer&&) noexcept = default;
Recognizer::~Recognizer() = default;

Recognizer Recognizer::in_memory(const RecognizerOptions& options) { return in_memory(default_model(), options); }

Recognizer Recognizer::in_memory(const Model& model, const RecognizerOptions& options) {
  check_sequence(options.sequence);
  return Recognizer(std::make_unique<Impl>(kMemory, model, options.spec, options));
}

Recognizer Recognizer::open(const std::string& address, const RecognizerOptions& options) {
  const auto stored = address == kMemory ? std::nullopt : index_settings(address);
  return open(address, stored ? model_named(stored->model, address) : default_model(), options);
}

Recognizer Recognizer::open(const std::string& address, const Model& model, const RecognizerOptions& options) {
  check_sequence(options.sequence);
  const auto stored = address == kMemory ? std::nullopt : index_settings(address);
  if (stored) {
    IndexSettings given{stored->dim, name_of(model), model.info().constants, stored->spec};
    given.spec.model_identity = model.info().identity;
    require_compatible(address, *stored, given);
  }
  const DescriptorSpec spec = stored ? overlaid(options.spec, stored->spec) : options.spec;
  return Recognizer(std::make_unique<Impl>(address, model, spec, options));
}

Answer Recognizer::ask(const ImageView& picture, const AskOptions& options) const {
  if (options.rerank == 0) return std::move(ask_descriptors(impl_->describe(picture), options).front());
  LocalFeatures local;
  const std::vector<float> descriptor = impl_->describe(picture, nullptr, &local);
  return std::move(ask_descriptors(descriptor, {&local, 1}, options).front());
}

Answer Recognizer::ask(const Image& picture, const AskOptions& options) const { return ask(view_of(picture), options); }

std::vector<Answer> Recognizer::ask_descriptors(std::span<const float> descriptors, const AskOptions& options) const {
  return ask_descriptors(descriptors, {}, options);
}

std::vector<Answer> Recognizer::ask_descriptors(std::span<const float> descriptors, std::span<const LocalFeatures> local,
                                                const AskOptions& options) const {
  check_rerank(options, local.size() * static_cast<std::size_t>(descriptor_dim()) == descriptors.size());
  SearchOptions search = options.search;
  const DecisionRule rule = impl_->rule(options);
  if (impl_->follows() && options.rerank > 0) {
    fail(ErrorCode::kUsage, "`sequence` is {} and `rerank` is {}: each orders the matches, use one of them", impl_->drive.window(),
         options.rerank);
  }
  const int candidates = std::max(options.top_k, impl_->follows() ? kSequenceCandidates : options.rerank);
  search.top_k = options.top_k > 0 ? std::max(candidates, rule.table ? kEvidenceMatches : 0) : options.top_k;
  limit_by_time(options, search);

  const std::shared_lock guard(impl_->rows);
  if (options.exclude_recent) {
    if (*options.exclude_recent < 0)
      fail(ErrorCode::kUsage, "`exclude_recent` is {}, but must be 0 or more", *options.exclude_recent);
    const int end = std::max(0, impl_->store->rows() - *options.exclude_recent);
    search.end_row = search.end_row ? std::min(*search.end_row, end) : end;
  }
  std::vector<Answer> out;
  auto found = impl_->store->search(descriptors, search, nullptr);
  std::vector<Evidence> evidence;  // what changes the order of matches changes which one is the answer, not whether there is one
  for (auto& matches : found) {
    evidence.push_back(rule.table ? evidence_of(matches, [&](int row) { return impl_->whereabouts(row); }) : Evidence{});
    matches.resize(std::min(matches.size(), static_cast<std::size_t>(candidates)));
  }
  const auto support = impl_->follow(descriptors, options.top_k, found);
  for (std::size_t i = 0; i < found.size(); ++i) {
    Ranked ranked{std::move(found[i])};
    if (options.rerank > 0) look_again(*impl_->store, impl_->address, local[i], options, ranked);
    if (!rule.table && !ranked.matches.empty()) evidence[i].similarity = static_cast<double>(ranked.matches.front().similarity);
    auto& matches = out.emplace_back(impl_->answer(std::move(ranked), evidence[i], rule)).matches;
    for (std::size_t k = 0; k < support[i].size(); ++k) matches[k].support = support[i][k];
  }
  return out;
}

void Recognizer::forget_sequence() {
  const std::lock_guard guard(impl_->following);
  impl_->drive.reset();
}

int Recognizer::add(const ImageView& picture, const Note& note) {
  LocalFeatures local;
  const bool keeps = keeps_local();
  const std::vector<float> descriptor = impl_->describe(picture, nullptr, keeps ? &local : nullptr);
  const int row = add_descriptor(descriptor, note, keeps ? &local : nullptr);
  commit();
  return row;
}

int Recognizer::add(const Image& picture, const Note& note) { return add(view_of(picture), note); }

int Recognizer::add_descriptor(std::span<const float> descriptor, const Note& note, const LocalFeatures* local) {
  const std::unique_lock guard(impl_->rows);
  IndexEntry entry{note.name, note.path, note.content_hash, note.position, note.time_s};
  if (entry.name.empty()) entry.name = std::to_string(std::max(impl_->store->rows(), impl_->next_row));
  const int row = impl_->store->add(entry, descriptor, false);
  impl_->next_row = row + 1;
  if (local != nullptr) impl_->store->keep_local(row, *local);
  return row;
}

void Recognizer::commit() {
  const std::unique_lock guard(impl_->rows);
  impl_->store->commit();
}

std::vector<float> Recognizer::describe(const ImageView& picture, StageTimes* times, LocalFeatures* local) const {
  return impl_->describe(picture, times, local);
}

bool Recognizer::keeps_local() const {
  const std::shared_lock guard(impl_->rows);
  return impl_->local || impl_->store->has_local();
}

void Recognizer::save(const std::filesystem::path& folder) const {
  if (index_settings(folder)) {
    fail_with_hint(ErrorCode::kUsage, "choose another folder", "'{}' already holds an index, which save() does not replace",
                   folder.string());
  }
  const std::shared_lock guard(impl_->rows);
  const retrieval::Store& store = *impl_->store;
  IndexWriter writer = IndexWriter::open(folder, store.settings());
  for (int row = 0; row < store.rows(); ++row) {
    if (!store.is_live(row)) continue;
    const int there = writer.add(store.entry(row), store.descriptor(row));
    const auto local = store.local(row);
    if (!local) continue;
    writer.open_local(local->dim);
    writer.keep_local(there, *local);
  }
  writer.commit();
}

int Recognizer::size() const {
  const std::shared_lock guard(impl_->rows);
  return impl_->store->live_rows();
}

void Recognizer::for_each(const std::function<void(int, const IndexEntry&)>& visit) const {
  const std::shared_lock guard(impl_->rows);
  const retrieval::Store& store = *impl_->store;
  for (int row = 0; row < store.rows(); ++row) {
    if (store.is_live(row)) visit(row, store.entry(row));
  }
}

IndexSettings Recognizer::settings() const {
  const std::shared_lock guard(impl_->rows);
  return impl_->store->settings();
}

const DescriptorSpec& Recognizer::spec() const { return impl_->extractor.spec(); }
const std::vector<std::string>& Recognizer::notices() const { return impl_->notices; }
const std::optional<BudgetChoice>& Recognizer::budget() const { return impl_->budget; }
const Model& Recognizer::model() const { return impl_->extractor.model(); }
int Recognizer::descriptor_dim() const { return impl_->extractor.descriptor_dim(); }
Threshold Recognizer::threshold() const { return rule().threshold; }
DecisionRule Recognizer::rule(const AskOptions& options) const { return impl_->rule(options); }

DescribedPhotos describe_photos(const Recognizer& recognizer, const std::vector<Photo>& photos,
                                const std::function<bool(int, int)>& progress, bool local) {
  const Describer describer{recognizer.descriptor_dim(), [&](const Image& image, StageTimes& times, LocalFeatures* features) {
                              return recognizer.describe(view_of(image), &times, features);
                            }};
  return std::move(describe_each(photos, decoding_of(recognizer.spec()), {describer}, progress, local).front());
}

}  // namespace revisit
