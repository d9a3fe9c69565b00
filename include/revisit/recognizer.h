// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Have I been here before? The front door: a model, a collection of places and the decision, in one object.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "revisit/budget.h"
#include "revisit/decision.h"
#include "revisit/extractor.h"
#include "revisit/index.h"
#include "revisit/ingest.h"

namespace revisit {

struct RecognizerOptions {
  DescriptorSpec spec{};                   ///< open settings are the collection's, or the model's for a new one
  int threads = 0;                         ///< 0: every core this process may use
  std::optional<double> min_similarity{};  ///< default: the model's calibrated threshold, if it has one and no rates
  std::optional<double> budget_ms{};  ///< chooses `rho`, which is open then: see choose_rho; measured when the recognizer is made
  bool local = false;  ///< keep local features of what is added, for AskOptions::rerank; always where the collection keeps them
  std::filesystem::path calibrations{};    ///< folder where what was measured is kept; empty: nothing is
  std::optional<double> max_false_rate{};  ///< of answers; default: kUsualFalseRate, if the collection or the model is calibrated
  int sequence = 0;  ///< frames of a drive whose matches support each other, 2..100; 0 or 1: each picture is asked about alone
};

/// What is known about an added picture.
struct Note {
  std::string name{};  ///< unique; empty: the row's number
  std::optional<double> time_s{};
  std::optional<Position> position{};
  std::string path{};              ///< file it came from, may be empty
  std::uint64_t content_hash = 0;  ///< of that file, 0 when there is none
};

struct AskOptions {
  int top_k = 5;                            ///< matches returned, 1..1000
  std::optional<int> exclude_recent{};      ///< loop closure: leave out this many of the last additions
  std::optional<double> exclude_seconds{};  ///< and those less than this many seconds older than `time_s`
  std::optional<double> time_s{};           ///< when the picture was taken; needed for exclude_seconds
  std::optional<double> min_similarity{};   ///< default: the recognizer's
  std::optional<double> max_false_rate{};   ///< default: the recognizer's
  /// Look again at so many of the first matches, 0 to 1000: they are put in order by how well patches of the two pictures agree.
  /// Needs local features, see RecognizerOptions::local.
  int rerank = 0;
  SearchOptions search{};                   ///< how, where and when to search; its top_k is ignored
};

/// A similar place in the collection.
struct Found {
  int row = 0;
  std::string name;
  float similarity = 0;  ///< cosine
  float distance = 0;    ///< L2 between unit descriptors
  std::optional<Position> position;
  std::optional<double> time_s;
  std::string path;
  std::optional<SecondLook> look{};  ///< of those that AskOptions::rerank looked at again
  std::optional<double> support{};  ///< with RecognizerOptions::sequence: belief, 0 to 1, that the camera is at this place
};

struct Answer {
  bool recognised = false;  ///< there is a match, and it is accepted
  Verdict verdict = Verdict::kNoMatch;
  std::optional<double> false_rate;  ///< the least stated rate at which the best match would be accepted, if rates are calibrated
  std::vector<Found> matches;        ///< best first, even when not recognised
  Threshold threshold;
  double margin = 0;   ///< similarity of the best match minus the threshold; 0 without either
  std::string reason;  ///< one sentence: why yes, or why no
  int reranked = 0;      ///< matches that were looked at again
  double rerank_ms = 0;  ///< spent on that
};

/// Asking is safe from many threads, and while another thread adds. One picture is described at a time, by `threads` cores. With
/// RecognizerOptions::sequence pictures are frames in the order in which they are asked about.
class Recognizer {
 public:
  /// A new collection in memory; save() keeps it beyond the process. The model is default_model().
  static Recognizer in_memory(const RecognizerOptions& options = {});
  static Recognizer in_memory(const Model& model, const RecognizerOptions& options = {});

  /// The collection at an address (a folder), with the model and the settings it was made with; created with default_model() if
  /// there is none yet. Throws Error kNotFound when its model is gone, kMismatch when it is another one.
  static Recognizer open(const std::string& address, const RecognizerOptions& options = {});
  /// The same with a given model.
  static Recognizer open(const std::string& address, const Model& model, const RecognizerOptions& options = {});

  Recognizer(Recognizer&&) noexcept;
  Recognizer& operator=(Recognizer&&) noexcept;
  ~Recognizer();

  Answer ask(const ImageView& picture, const AskOptions& options = {}) const;
  Answer ask(const Image& picture, const AskOptions& options = {}) const;
  /// The same for existing descriptors: (n, dim), unit length, all with the same options.
  std::vector<Answer> ask_descriptors(std::span<const float> descriptors, const AskOptions& options = {}) const;

  /// The next picture does not follow those before it: another drive begins.
  void forget_sequence();
  /// And with the local features of each, which AskOptions::rerank compares.
  std::vector<Answer> ask_descriptors(std::span<const float> descriptors, std::span<const LocalFeatures> local,
                                      const AskOptions& options) const;

  /// Returns the row. In a folder it survives a crash once this returns. Throws Error kUsage for a name already in use.
  int add(const ImageView& picture, const Note& note = {});
  int add(const Image& picture, const Note& note = {});
  /// The same for an existing descriptor of this recognizer's spec; survives a crash after commit().
  int add_descriptor(std::span<const float> descriptor, const Note& note = {}, const LocalFeatures* local = nullptr);
  void commit();

  /// Describes without asking or adding.
  std::vector<float> describe(const ImageView& picture, StageTimes* times = nullptr, LocalFeatures* local = nullptr) const;

  /// Writes the collection as an index folder, which must not exist yet: `revisit query FOLDER` opens it.
  void save(const std::filesystem::path& folder) const;

  bool keeps_local() const;  ///< local features of what is added
  int size() const;  ///< pictures that can be found
  /// All of them, by row, as ask() sees them. `visit` may not add.
  void for_each(const std::function<void(int row, const IndexEntry& entry)>& visit) const;
  IndexSettings settings() const;
  const DescriptorSpec& spec() const;                 ///< how pictures are described
  const std::optional<BudgetChoice>& budget() const;  ///< what RecognizerOptions::budget_ms led to
  const std::vector<std::string>& notices() const;    ///< one sentence about each setting that was adjusted
  const Model& model() const;
  int descriptor_dim() const;
  Threshold threshold() const;
  DecisionRule rule(const AskOptions& options = {}) const;  ///< how ask() decides

 private:
  struct Impl;
  explicit Recognizer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// Many photos through the extractor of a recognizer, decoded ahead; see describe_photos in ingest.h.
DescribedPhotos describe_photos(const Recognizer& recognizer, const std::vector<Photo>& photos,
                                const std::function<bool(int, int)>& progress = {}, bool local = false);

}  // namespace revisit
