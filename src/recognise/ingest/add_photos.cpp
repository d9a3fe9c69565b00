// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Adds photos to an index. While one is described the next is read, hashed and, if it is new, decoded; where one photo per thread
// is faster, those threads also describe it.
#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <unordered_set>

#include "core/base/fail.h"
#include "core/base/file.h"
#include "core/base/or_skip.h"
#include "core/base/prefetch.h"
#include "recognise/ingest/crew.h"
#include "recognise/ingest/decode_ahead.h"
#include "recognise/ingest/describe_each.h"
#include "recognise/photos/exif_places.h"
#include "revisit/ingest.h"

namespace revisit {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int kRowsPerCommit = 1000;
constexpr double kWorkPerCommit = 20;  // seconds of work for each second spent committing
constexpr int kTogether = 8;           // photos described by all threads before another way is tried

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

std::uint64_t content_hash(std::span<const std::byte> bytes) {
  const std::uint64_t hash = XXH3_64bits(bytes.data(), bytes.size());
  return hash == 0 ? 1 : hash;  // 0 stands for "no file"
}

/// What to do with a photo, given what is in the index.
struct Plan {
  enum class What { kAdd, kUpdate, kPlace, kUnchanged, kChanged, kDuplicate } what = What::kAdd;
  std::string name;                    // in the index
  std::string other;                   // of the existing duplicate
  std::optional<int> without_local{};  // the row of a known photo whose local features are missing
  bool needs_descriptor() const { return what == What::kAdd || what == What::kUpdate || without_local; }
};

// With one more folder of the path in front each time: a.jpg, left/a.jpg, drive/left/a.jpg, ..., the whole path.
std::string longer_name(const std::string& name, const std::string& path) {
  if (!path.ends_with("/" + name)) return path;
  const auto slash = path.size() - name.size() - 1;
  return slash == 0 ? path : path.substr(path.rfind('/', slash - 1) + 1);
}

// A table may have better places and times than when the photo was added.
bool says_otherwise(const Photo& photo, const IndexEntry& there) {
  if (photo.time_s && photo.time_s != there.time_s) return true;
  if (!photo.position) return false;
  return !there.position || photo.position->east_m != there.position->east_m ||
         photo.position->north_m != there.position->north_m;
}

Plan plan_for(const IndexWriter& writer, const Photo& photo, const std::string& path, std::uint64_t hash, bool update) {
  Plan plan;
  plan.name = photo.name;
  bool changed = false;  // the entry changed on disk
  const auto find = [&] { return writer.find(plan.name, update ? &changed : nullptr); };
  for (auto there = find(); there; there = find()) {
    // A single flipped bit leaves either the path or the hash intact.
    if (changed && (there->path == path || there->content_hash == hash)) {
      plan.what = Plan::What::kUpdate;
      return plan;
    }
    if (there->content_hash == hash) {
      plan.what = says_otherwise(photo, *there) ? Plan::What::kPlace : Plan::What::kUnchanged;
      if (writer.has_local()) plan.without_local = writer.row_without_local(plan.name);
      return plan;
    }
    if (there->path == path) {
      plan.what = update ? Plan::What::kUpdate : Plan::What::kChanged;
      return plan;
    }
    // The name belongs to another file.
    if (plan.name == path) fail(ErrorCode::kUsage, "'{}' is already in the index, added from '{}'", plan.name, there->path);
    plan.name = longer_name(plan.name, path);
  }
  if (auto other = writer.name_of_content(hash)) {
    plan.what = Plan::What::kDuplicate;
    plan.other = std::move(*other);
  }
  return plan;
}

struct Loaded {
  IndexEntry entry;
  std::optional<Image> image;      // when it is to be described
  std::vector<float> descriptor;   // when it has been
  LocalFeatures local{};           // and these were wanted
  std::optional<Skipped> skipped;  // when it cannot be used
  std::string note = {};           // what was left out of it
};

class Adding {
 public:
  Adding(IndexWriter& writer, Extractor& extractor, const std::vector<Photo>& photos, const AddOptions& options)
      : writer_(writer),
        extractor_(extractor),
        photos_(photos),
        options_(options),
        crew_(describer_of(extractor), photos.size(), kTogether) {
    if (options.local || writer.has_local()) writer.open_local(extractor.local_dim());
    wants_local_ = writer.has_local();
  }

  AddReport run() {
    Prefetch<Loaded> loaded(photos_.size(), [this](std::size_t i) { return load_ahead(photos_[i]); });
    try {
      for (std::size_t i = 0; i < photos_.size() && !report_.stopped; ++i) {
        report_.stopped = !take_next(photos_[i], loaded);
        crew_.set_pace(loaded);
        if (commit_is_due()) commit();
        if (!report_.stopped && options_.progress) report_.stopped = !options_.progress(report_);
      }
    } catch (const Error&) {
      keep_what_was_done();
      throw;
    }
    commit();
    report_.median_forward_ms = quantile(forward_ms_, 0.5);
    return std::move(report_);
  }

 private:
  // On a loading thread.
  Loaded load_ahead(const Photo& photo) {
    const Room::Guest guest(crew_.room());
    Loaded out = load(photo, false);
    if (!out.image || !crew_.apart()) return out;
    StageTimes times;
    if (is_first_of_its_content(out.entry.content_hash)) {
      out.descriptor = crew_.describe_apart(*out.image, times, wants_local_ ? &out.local : nullptr);
    }
    out.image.reset();
    return out;
  }

  bool is_first_of_its_content(std::uint64_t hash) {
    const std::lock_guard guard(mutex_);
    return described_.insert(hash).second;
  }

  // A bad photo goes into `skipped`; a bad index is thrown.
  Loaded load(const Photo& photo, bool decode_anyway) {
    Loaded out;
    out.entry.path = fs::absolute(photo.path).lexically_normal().string();
    const DecodeOptions decoding = decoding_of(extractor_.spec());
    std::vector<std::byte> bytes;
    out.skipped = or_skip(photo.path, [&] {
      bytes = read_file(photo.path, static_cast<std::uint64_t>(decoding.max_file_bytes));
      out.entry.content_hash = content_hash(bytes);
    });
    if (out.skipped || (!decode_anyway && !plan(photo, out.entry).needs_descriptor())) return out;
    out.skipped = or_skip(photo.path, [&] {
      PhotoInfo info;
      out.image = decode_image(bytes, photo.path.string(), decoding, &info);
      out.note = left_out_note(photo.path, info);
      Photo by_exif;
      place_by(info, by_exif);
      out.entry.position = photo.position ? photo.position : by_exif.position;
      out.entry.time_s = photo.time_s ? photo.time_s : by_exif.time_s;
    });
    return out;
  }

  Plan plan(const Photo& photo, const IndexEntry& entry) {
    const std::lock_guard guard(mutex_);
    return plan_for(writer_, photo, entry.path, entry.content_hash, options_.update);
  }

  /// The part of it that can be trusted.
  std::optional<IndexEntry> entry_of(const std::string& name) {
    const std::lock_guard guard(mutex_);
    bool changed = false;
    auto entry = writer_.find(name, &changed);
    return changed ? std::nullopt : std::move(entry);
  }

  /// False when the photo was not dealt with: a StopScope ended the reading of it.
  bool take_next(const Photo& photo, Prefetch<Loaded>& loaded) {
    try {
      take(photo, *loaded.next());
      return true;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::kInterrupted) throw;
      return false;
    }
  }

  void take(const Photo& photo, Loaded loaded) {
    if (loaded.skipped) {
      if (options_.strict)
        throw Error(loaded.skipped->code, loaded.skipped->reason, "without `strict` the other photos are added");
      report_.skipped.push_back(std::move(*loaded.skipped));
      return;
    }
    // Planned again: the photo before this one may have been the same.
    const Plan now = plan(photo, loaded.entry);
    if (now.without_local) fill_in(photo, *now.without_local, loaded);
    switch (now.what) {
      case Plan::What::kUnchanged: ++report_.unchanged; return;
      case Plan::What::kPlace: place(photo, now.name); return;
      case Plan::What::kChanged: report_.changed.push_back(now.name); return;
      case Plan::What::kDuplicate:
        report_.duplicates.push_back(fmt::format("'{}' is the same photo as '{}'", photo.path.string(), now.other));
        return;
      case Plan::What::kAdd:
      case Plan::What::kUpdate: break;
    }
    // It would have been skipped, but a photo before it replaced its duplicate in the index.
    if (!loaded.image && loaded.descriptor.empty()) return take(photo, load(photo, true));
    if (!loaded.note.empty()) report_.notes.push_back(loaded.note);
    if (loaded.image) {
      describe(loaded);
    }
    loaded.entry.name = now.name;
    if (const auto before = entry_of(now.name)) {  // keep what was known about the photo
      if (!loaded.entry.position) loaded.entry.position = before->position;
      if (!loaded.entry.time_s) loaded.entry.time_s = before->time_s;
    }
    const std::lock_guard guard(mutex_);
    const int row = writer_.add(loaded.entry, loaded.descriptor, now.what == Plan::What::kUpdate);
    if (wants_local_) writer_.keep_local(row, loaded.local);
    count_pending();
    ++(now.what == Plan::What::kUpdate ? report_.updated : report_.added);
  }

  /// By all threads.
  void describe(Loaded& loaded) {
    loaded.descriptor = extractor_.describe(*loaded.image, nullptr, wants_local_ ? &loaded.local : nullptr);
    if (!crew_.apart()) forward_ms_.push_back(forward_ms(extractor_.last_times()));
    crew_.described_together();
  }

  /// Local features of a photo that is in the index without.
  void fill_in(const Photo& photo, int row, Loaded& loaded) {
    if (!loaded.image && loaded.descriptor.empty()) loaded = load(photo, true);
    if (loaded.image) describe(loaded);
    if (loaded.descriptor.empty()) return;  // it can no longer be read
    const std::lock_guard guard(mutex_);
    writer_.keep_local(row, loaded.local);
    count_pending();
    ++report_.local;
  }

  void place(const Photo& photo, const std::string& name) {
    const auto before = entry_of(name);
    const std::lock_guard guard(mutex_);
    writer_.place(name, photo.position ? photo.position : before->position, photo.time_s ? photo.time_s : before->time_s);
    count_pending();
    ++report_.placed;
  }

  void count_pending() {
    if (pending_++ == 0) first_pending_ = Clock::now();
  }

  // As often as the disk allows without slowing the work: a crash loses little, and little time goes into waiting.
  bool commit_is_due() const {
    if (pending_ == 0) return false;
    const double patience_s = std::min(options_.commit_seconds, kWorkPerCommit * commit_s_);
    return pending_ >= kRowsPerCommit || seconds_since(first_pending_) >= patience_s;
  }

  void keep_what_was_done() noexcept {
    try {
      commit();
    } catch (const std::exception&) {
      // A writer that failed refuses to go on; the first error is the one to report.
    }
  }

  void commit() {
    const std::lock_guard guard(mutex_);
    const auto start = Clock::now();
    writer_.commit();
    commit_s_ = seconds_since(start);
    pending_ = 0;
  }

  IndexWriter& writer_;
  Extractor& extractor_;
  const std::vector<Photo>& photos_;
  const AddOptions& options_;
  AddReport report_;
  Crew crew_;
  bool wants_local_ = false;
  std::vector<double> forward_ms_;               // of photos described alone, by all threads
  std::mutex mutex_;                             // of the writer, which all threads use, and of what follows
  std::unordered_set<std::uint64_t> described_;  // contents of photos that were described apart
  int pending_ = 0;
  Clock::time_point first_pending_;
  double commit_s_ = 0;  // duration of the last one
};

}  // namespace

int AddReport::done() const {
  return added + updated + placed + unchanged + static_cast<int>(changed.size() + duplicates.size() + skipped.size());
}

IndexSettings index_settings_of(const Extractor& extractor, const std::string& model) {
  return {extractor.descriptor_dim(), model, extractor.model().info().constants, extractor.spec()};
}

AddReport add_photos(IndexWriter& writer, Extractor& extractor, const std::vector<Photo>& photos, const AddOptions& options) {
  require_compatible(writer.folder(), writer.settings(), index_settings_of(extractor, writer.settings().model));
  return Adding(writer, extractor, photos, options).run();
}

}  // namespace revisit
