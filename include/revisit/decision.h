// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// "Sure", "likely" or "no match", at a stated rate of wrong answers: what speaks for a match, how it is scored, and the table
// that says how often photos of other places score as high. What the rate promises, and when: docs/decisions/0036.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "revisit/geo.h"
#include "revisit/index.h"
#include "revisit/model.h"
#include "revisit/photos.h"
#include "revisit/spec.h"

namespace revisit {

inline constexpr double kUsualFalseRate = 0.1;  ///< of the answers, when nothing else is asked for
inline constexpr double kSureFalseRate = 0.01;  ///< from here on down an answer is "sure"
inline constexpr double kLeastFalseRate = 0.001, kMostFalseRate = 0.5;
/// What a stated rate assumes: at least this share of the photos asked about get a right answer.
inline constexpr double kAnsweredShare = 0.25;

/// Where and when a photo of the collection was taken, as far as known.
struct Whereabouts {
  int row = 0;
  std::optional<Position> position{};
  std::optional<double> time_s{};
};

/// Whether two photos of a collection may show the same place: less than 50 m apart; where that is not known less than 20 s or at
/// most 10 rows apart.
bool may_be_same_place(const Whereabouts& a, const Whereabouts& b);

/// What speaks for the best match of a query. Another kind of evidence is a member here and a line in `score`.
struct Evidence {
  double similarity = 0;         ///< of the best match
  std::optional<double> next{};  ///< of the best match that shows another place; none: too few such photos to tell
  double least = -1;             ///< of the last match, where there are too few
};

/// Of matches, best first: as many as are needed to see another place, kEvidenceMatches as a rule. Where the last of so many
/// still may show the same place, other places count as being as similar as that one. Where all there are hold fewer than 10 of
/// other places, what such photos usually are takes the place of the next one (`DecisionTable::unseen`), or the last match.
Evidence evidence_of(std::span<const Match> matches, const std::function<Whereabouts(int row)>& where);
inline constexpr int kEvidenceMatches = 100;

/// From `score` on at most `rate` of the answers are wrong.
struct RateStep {
  double rate = 0;
  double score = 0;
};

/// How high photos of other places score.
struct DecisionTable {
  double floor = -1;   ///< the next place counts as at least this similar: in a small collection it may be unlike by chance
  double ceiling = 1;  ///< and at most: whoever is more alike may be the same place seen on another day
  double unseen = 1;   ///< what it counts as where too few photos of other places are there
  int photos = 0;      ///< it was made from
  std::vector<RateStep> steps{};  ///< falling rates, rising scores
};

/// How far the best match stands out from other places.
double score(const Evidence& evidence, const DecisionTable& table);
/// The least rate at which the answer would be accepted; empty if there is none.
std::optional<double> false_rate(const Evidence& evidence, const DecisionTable& table);

/// From evidence of photos whose place is not in the collection they were asked about, one list per source. The rates hold for
/// photos that are like any mixture of the sources. Rates that take more photos than the smallest source has are left out.
DecisionTable make_decision_table(std::span<const std::vector<Evidence>> sources);

/// One line of text, and back. Throws Error kBadFile naming `source`.
std::string text_of(const DecisionTable& table);
DecisionTable decision_table_from(const std::string& text, const std::string& source);

enum class Verdict { kNoMatch, kLikely, kSure };
const char* name_of(Verdict verdict);  ///< "no match", "likely", "sure"

/// The similarity from which a match counts as the same place.
struct Threshold {
  std::optional<double> similarity;  ///< none: every match is accepted
  std::string origin;                ///< "asked for", "calibrated for precision 0.9", or why there is none
  std::string notice;                ///< such as that it was calibrated at another rho; may be empty
};

/// The one rule behind "no match" by similarity, for a recognizer and for reports.
inline bool is_accepted(double similarity, const std::optional<double>& threshold) {
  return !threshold || similarity >= *threshold;
}

/// `asked` if given, else the model's calibrated threshold. The latter holds for descriptors made by `spec` as far as `notice` is
/// empty, and not at all for whitened ones.
Threshold threshold_for(const ModelInfo& model, const DescriptorSpec& spec, std::optional<double> asked = {},
                        bool whitened = false);

/// How matches are accepted: by similarity, by a stated rate, or by both.
struct DecisionRule {
  Threshold threshold;                      ///< with a table: only if asked for
  std::optional<DecisionTable> table{};     ///< none: by similarity alone
  double max_false_rate = kUsualFalseRate;  ///< with a table
  std::string origin{};                     ///< of the table: "calibrated on 1,203 photos of this index"
};

/// What was asked for; a rate takes a table. The table of the collection comes before that of the model.
struct DecisionWish {
  std::optional<double> min_similarity{};
  std::optional<double> max_false_rate{};
  bool whitened = false;  ///< no table holds for whitened descriptors
};
DecisionRule decision_rule(const ModelInfo& model, const DescriptorSpec& spec, const DecisionWish& wish,
                           const std::optional<DecisionTable>& of_collection = {});

struct Verdicts {
  Verdict verdict = Verdict::kNoMatch;
  std::optional<double> false_rate{};  ///< the least stated rate at which the match would be accepted; only with a table
  std::string reason{};                ///< one sentence: why yes, or why no
};

/// About the best match.
Verdicts decide(const Evidence& evidence, const DecisionRule& rule);
/// About each query; rows of matches are those of `references`. With a table there should be kEvidenceMatches of a query.
std::vector<Verdicts> decide_all(const std::vector<std::vector<Match>>& matches, const std::vector<Photo>& references,
                                 const DecisionRule& rule);

/// Of many answers: how many were given, and how many wrong ones to expect if hardly any photo shows a place of the collection.
/// Empty where the assumption of the stated rate holds, and without a table.
std::string caution(const DecisionRule& rule, int asked, int accepted);

/// What cannot be the same place when an index is calibrated on its own photos.
struct ApartOptions {
  double metres = 100;                       ///< photos with a position: farther apart
  double seconds = 120;                      ///< without: photos with a time, farther apart in a drive that never comes back
  std::optional<int> photos{};               ///< without either: at least so many rows apart in a drive that never comes back
  std::function<bool(int, int)> progress{};  ///< (done, total); false ends with Error kInterrupted
};

struct IndexCalibration {
  DecisionTable table;
  std::vector<Evidence> strangers;  ///< each photo asked about all that cannot show its place
  std::string by;                   ///< "position", "time" or "order"
  int without = 0;                  ///< photos left out: nothing says where or when
  int crowded = 0;                  ///< photos left out: their best 300 matches may all show the same place
};

/// Throws Error kUsage for an index without positions and times, in a sentence that says what is missing.
IndexCalibration calibrate_index(const Index& index, const ApartOptions& options = {});

/// The table kept in an index folder, used by Recognizer from then on; empty if there is none. Throws Error kBadFile.
std::optional<DecisionTable> load_decision_table(const std::filesystem::path& folder);
void save_decision_table(const std::filesystem::path& folder, const DecisionTable& table);
/// Writes a copy of a model that holds the table, and the settings it was made at.
void save_decision_table(const Model& model, const std::filesystem::path& out, const DecisionTable& table,
                         const DescriptorSpec& spec);

}  // namespace revisit
