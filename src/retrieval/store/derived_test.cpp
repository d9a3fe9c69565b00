// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Searches in whitened rows and by graph, and the files kept for them: derived, so any damage only costs time.
#include "retrieval/files/derived.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <thread>

#include "retrieval/search/graph.h"
#include "retrieval/search/projected.h"
#include "index_fixtures.h"
#include "revisit/whitening.h"
#include "core/base/stop_scope.h"
#include "core/tensor/parallel.h"

#ifdef __SANITIZE_THREAD__
// hnswlib locks element after element in the order of the graph, which has no order. A graph is built by one thread, so this
// cannot deadlock.
extern "C" const char* __tsan_default_options() { return "detect_deadlocks=0"; }
#endif

namespace revisit {
namespace {

using testing::expect_error;
using testing::read_bytes;
using testing::row_content;
using testing::row_entry;
using testing::settings_of;
using testing::TemporaryFolder;
using testing::write_bytes;

using Ann = SearchOptions::Ann;

constexpr int kRowDim = 32;

// Views of a few hundred places: the place's own vector and some noise. Number 7 and number 7 + places show the same place.
std::vector<float> view_of(int number, int places, int dim, float noise) {
  std::vector<float> out = row_content(100'000 + number % places, dim);
  const std::vector<float> other = row_content(number, dim);
  double squares = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] += noise * other[i];
    squares += static_cast<double>(out[i]) * static_cast<double>(out[i]);
  }
  for (float& v : out) v = static_cast<float>(v / std::sqrt(squares));
  return out;
}

constexpr int kPlaces = 300;

void add_views(const std::filesystem::path& folder, int first, int end, int shift = 0) {
  IndexWriter writer = IndexWriter::open(folder, settings_of(kRowDim));
  for (int i = first; i < end; ++i) writer.add(row_entry(i), view_of(i + shift, kPlaces, kRowDim, 0.5F));
  writer.commit();
}

std::vector<float> queries_of(int count) {
  std::vector<float> out;
  for (int q = 0; q < count; ++q) {
    const auto view = view_of(50'000 + q * 7, kPlaces, kRowDim, 0.5F);
    out.insert(out.end(), view.begin(), view.end());
  }
  return out;
}

std::vector<float> rows_in(const Index& index) {
  std::vector<float> out;
  for (int r = 0; r < index.rows(); ++r) {
    const auto row = index.descriptor(r);
    out.insert(out.end(), row.begin(), row.end());
  }
  return out;
}

SearchOptions options_of(std::optional<int> dim, Ann ann, int top_k = 10) {
  SearchOptions out;
  out.dim = dim;
  out.ann = ann;
  out.top_k = top_k;
  return out;
}

void expect_same(const std::vector<std::vector<Match>>& found, const std::vector<std::vector<Match>>& want) {
  ASSERT_EQ(found.size(), want.size());
  for (std::size_t q = 0; q < want.size(); ++q) {
    ASSERT_EQ(found[q].size(), want[q].size());
    for (std::size_t i = 0; i < want[q].size(); ++i) {
      ASSERT_EQ(found[q][i].row, want[q][i].row) << "query " << q << " rank " << i;
      ASSERT_EQ(found[q][i].distance, want[q][i].distance);
      ASSERT_EQ(found[q][i].similarity, want[q][i].similarity);
    }
  }
}

// The best rows by a plain loop over whitened rows.
std::vector<int> oracle(const Whitening& whitening, std::span<const float> rows, std::span<const float> query, int top_k,
                        const std::set<int>& left_out = {}) {
  const auto a = whitening.apply(rows);
  const auto q = whitening.apply(query);
  std::vector<std::pair<double, int>> all;
  for (std::size_t r = 0; r * q.size() < a.size(); ++r) {
    double squares = 0;
    for (std::size_t c = 0; c < q.size(); ++c) squares += std::pow(static_cast<double>(a[r * q.size() + c] - q[c]), 2);
    if (!left_out.contains(static_cast<int>(r))) all.emplace_back(squares, static_cast<int>(r));
  }
  std::sort(all.begin(), all.end());
  std::vector<int> out;
  for (int i = 0; i < top_k; ++i) out.push_back(all[static_cast<std::size_t>(i)].second);
  return out;
}

std::vector<int> rows_of(const std::vector<Match>& matches) {
  std::vector<int> out;
  for (const Match& match : matches) out.push_back(match.row);
  return out;
}

TEST(DimSearch, EqualsAFullScanOfTheWhitenedRowsAlsoUnderFilters) {
  const TemporaryFolder folder;
  add_views(folder.path(), 0, 400);
  const Index index = Index::open(folder.path());
  const auto rows = rows_in(index);
  const int learnt = retrieval::learnt_rows(400, 12);
  const Whitening whitening = Whitening::learn(std::span(rows).first(static_cast<std::size_t>(learnt) * kRowDim), kRowDim, 12);
  const auto queries = queries_of(6);
  SearchOptions options = options_of(12, Ann::kNone);
  const auto found = index.search(queries, options);
  for (std::size_t q = 0; q < 6; ++q) {
    const auto query = std::span(queries).subspan(q * kRowDim, kRowDim);
    EXPECT_EQ(rows_of(found[q]), oracle(whitening, rows, query, 10));
    EXPECT_NEAR(found[q][0].similarity, 1 - found[q][0].distance * found[q][0].distance / 2, 1e-5F);
  }
  options.after_s = 100;
  options.before_s = 199;
  options.end_row = 150;
  std::set<int> left_out;
  for (int r = 0; r < 400; ++r) {
    if (r < 100 || r >= 150) left_out.insert(r);
  }
  EXPECT_EQ(rows_of(index.search(std::span(queries).first(kRowDim), options)[0]),
            oracle(whitening, rows, std::span(queries).first(kRowDim), 10, left_out));
  options.mode = SearchOptions::Mode::kFast;
  EXPECT_EQ(index.search(queries, options).size(), 6U);
}

TEST(DimSearch, RefusesADimThatCannotBeLearnt) {
  const TemporaryFolder folder;
  add_views(folder.path(), 0, 20);
  const Index index = Index::open(folder.path());
  const auto query = queries_of(1);
  expect_error([&] { index.search(query, options_of(0, Ann::kNone)); }, ErrorCode::kUsage, "`dim` 0 is outside 1..32");
  expect_error([&] { index.search(query, options_of(33, Ann::kNone)); }, ErrorCode::kUsage, "`dim` 33 is outside 1..32");
  expect_error([&] { index.search(query, options_of(20, Ann::kNone)); }, ErrorCode::kUsage,
               "whitening to dim 20 needs at least 21 references, there are 20");
  EXPECT_EQ(index.search(query, options_of(19, Ann::kNone))[0].size(), 10U);
}

struct Kind {
  const char* file;
  std::optional<int> dim;
  Ann ann;
};

const Kind kKinds[] = {{"pca10.rows", 10, Ann::kNone}, {"hnsw.graph", std::nullopt, Ann::kHnsw}, {"pca10.graph", 10, Ann::kHnsw}};

TEST(DerivedFiles, AreKeptAndMadeAnewWhenDeletedCutOrDamaged) {
  for (const Kind& kind : kKinds) {
    const TemporaryFolder folder;
    add_views(folder.path(), 0, 600);
    const SearchOptions options = options_of(kind.dim, kind.ann);
    const auto queries = queries_of(4);
    const auto want = Index::open(folder.path()).search(queries, options);
    const auto file = folder / kind.file;
    const std::string sound = read_bytes(file);
    ASSERT_GT(sound.size(), 96U) << kind.file;
    const auto written = std::filesystem::last_write_time(file);
    expect_same(Index::open(folder.path()).search(queries, options), want);
    EXPECT_EQ(std::filesystem::last_write_time(file), written) << "used, not made again";

    std::string flipped = sound;
    flipped[sound.size() / 2] = static_cast<char>(flipped[sound.size() / 2] ^ 1);
    std::string header = sound;
    header[20] = static_cast<char>(header[20] ^ 1);
    for (const std::string& broken : {std::string(), flipped, header, sound.substr(0, 95), sound.substr(0, sound.size() - 1),
                                      sound + "x", std::string(5000, 'x')}) {
      write_bytes(file, broken);
      if (broken.empty()) std::filesystem::remove(file);
      expect_same(Index::open(folder.path()).search(queries, options), want);
      EXPECT_TRUE(read_bytes(file) == sound) << kind.file;
    }
  }
}

TEST(DerivedFiles, GrowWithTheIndexToWhatMakingThemAtOnceGives) {
  for (const Kind& kind : kKinds) {
    const TemporaryFolder grown;
    const SearchOptions options = options_of(kind.dim, kind.ann);
    const auto queries = queries_of(4);
    add_views(grown.path(), 0, 560);
    Index view = Index::open(grown.path());
    view.search(queries, options);
    for (const int rows : {561, 600, 700}) {
      add_views(grown.path(), view.rows(), rows);
      view.refresh();
      view.search(queries, options);
      // Through the file too: a fresh view continues from what the file has.
      Index::open(grown.path()).search(queries, options);
    }
    const auto found = view.search(queries, options);
    const std::string bytes = read_bytes(grown / kind.file);
    for (const Kind& every : kKinds) std::filesystem::remove(grown / every.file);
    expect_same(found, Index::open(grown.path()).search(queries, options));
    EXPECT_TRUE(bytes == read_bytes(grown / kind.file)) << kind.file;
  }
}

TEST(DerivedFiles, OfOtherRowsOfTheSameNumberAreNotUsed) {
  for (const Kind& kind : kKinds) {
    const TemporaryFolder folder, copy;
    add_views(folder.path(), 0, 550);
    for (const char* name : {"catalogue.sqlite", "vectors.bin"}) std::filesystem::copy(folder / name, copy / name);
    const SearchOptions options = options_of(kind.dim, kind.ann);
    const auto queries = queries_of(4);
    add_views(folder.path(), 550, 600);
    Index::open(folder.path()).search(queries, options);
    add_views(copy.path(), 550, 600, 9000);  // a restored copy that grew differently
    const auto want = Index::open(copy.path()).search(queries, options);
    const std::string right = read_bytes(copy / kind.file);
    ASSERT_FALSE(read_bytes(folder / kind.file) == right);
    write_bytes(copy / kind.file, read_bytes(folder / kind.file));
    expect_same(Index::open(copy.path()).search(queries, options), want);
    EXPECT_TRUE(read_bytes(copy / kind.file) == right) << kind.file;
  }
}

TEST(DerivedFiles, ArePutBesideAWriterButNotOverALink) {
  for (const Kind& kind : kKinds) {
    const TemporaryFolder folder;
    add_views(folder.path(), 0, 600);
    const SearchOptions options = options_of(kind.dim, kind.ann);
    const auto queries = queries_of(2);
    std::vector<std::vector<Match>> found;
    {
      const IndexWriter writer = IndexWriter::open(folder.path(), settings_of(kRowDim));
      found = Index::open(folder.path()).search(queries, options);
      EXPECT_TRUE(std::filesystem::exists(folder / kind.file)) << "a reader needs no lock that a writer holds";
    }
    expect_same(Index::open(folder.path()).search(queries, options), found);
    std::filesystem::remove(folder / kind.file);
    write_bytes(folder / "precious", "mine");
    std::filesystem::create_symlink(folder / "precious", folder / kind.file);
    expect_same(Index::open(folder.path()).search(queries, options), found);
    EXPECT_EQ(read_bytes(folder / "precious"), "mine");
  }
}

// Root may write anywhere, so the reader becomes the user nobody first.
TEST(DerivedFiles, AFolderThatCannotBeWrittenIsSearchedAllTheSame) {
  const TemporaryFolder folder;
  add_views(folder.path(), 0, 600);
  ::chmod(folder.path().c_str(), 0555);
  for (const auto& file : std::filesystem::directory_iterator(folder.path())) ::chmod(file.path().c_str(), 0444);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    if (::geteuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0)) ::_exit(3);
    tensor::set_threads(1);  // the parent's threads do not exist here
    try {
      for (const Kind& kind : kKinds) {
        const Index index = Index::open(folder.path());
        const auto row = index.descriptor(123);
        if (index.search(row, options_of(kind.dim, kind.ann))[0][0].row != 123) ::_exit(1);
        if (std::filesystem::exists(folder / kind.file)) ::_exit(4);
      }
      ::_exit(0);
    } catch (const std::exception& error) {
      ::fprintf(stderr, "%s\n", error.what());
      ::_exit(2);
    }
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ::chmod(folder.path().c_str(), 0755);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(DerivedFiles, AreMadeOnceForAllThreadsThatAskAtTheSameTime) {
  const TemporaryFolder folder;
  add_views(folder.path(), 0, 600);
  Index index = Index::open(folder.path());
  const auto queries = queries_of(8);
  const auto ask = [&](std::size_t thread) {
    const Kind& kind = kKinds[thread % std::size(kKinds)];
    return index.search(queries, options_of(kind.dim, kind.ann));
  };
  for (const int rows : {600, 620}) {
    add_views(folder.path(), index.rows(), rows);
    index.refresh();
    std::vector<std::vector<std::vector<Match>>> found(6);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < found.size(); ++t) threads.emplace_back([&, t] { found[t] = ask(t); });
    for (auto& thread : threads) thread.join();
    for (std::size_t t = 0; t < found.size(); ++t) expect_same(found[t], ask(t));
  }
}

TEST(GraphSearch, FindsTheBestRowNearlyAlwaysAndLooksAtFewRows) {
  const TemporaryFolder folder;
  add_views(folder.path(), 0, 3000);
  const Index index = Index::open(folder.path());
  constexpr int kQueries = 300;
  const auto queries = queries_of(kQueries);
  for (const std::optional<int> dim : {std::optional<int>(), std::optional<int>(16)}) {
    SearchStats stats;
    const auto found = index.search(queries, options_of(dim, Ann::kHnsw), &stats);
    const auto want = index.search(queries, options_of(dim, Ann::kNone));
    EXPECT_EQ(stats.rows_scanned, 0);
    EXPECT_LE(stats.rows_reranked, kQueries * 200);
    int first = 0, ten = 0;
    for (std::size_t q = 0; q < kQueries; ++q) {
      ASSERT_EQ(found[q].size(), 10U);
      first += found[q][0].row == want[q][0].row ? 1 : 0;
      for (std::size_t i = 0; i < 10; ++i) {
        EXPECT_TRUE(i == 0 || found[q][i - 1].distance <= found[q][i].distance);
        const auto same = std::find_if(want[q].begin(), want[q].end(), [&](const Match& m) { return m.row == found[q][i].row; });
        if (same == want[q].end()) continue;
        ++ten;
        EXPECT_EQ(same->distance, found[q][i].distance);
        EXPECT_EQ(same->similarity, found[q][i].similarity);
      }
    }
    EXPECT_GE(first, 0.95 * kQueries);
    EXPECT_GE(ten, 0.95 * kQueries * 10);
    RecordProperty("recall_at_1", first);
    RecordProperty("recall_at_10", ten);
  }
}

TEST(GraphSearch, NeverReturnsReplacedRowsAndHoldsFilters) {
  const TemporaryFolder folder;
  add_views(folder.path(), 0, 800);
  Index index = Index::open(folder.path());
  index.search(queries_of(1), options_of(std::nullopt, Ann::kHnsw));  // the graph has them as live
  {
    IndexWriter writer = IndexWriter::open(folder.path(), settings_of(kRowDim));
    for (int i = 0; i < 800; i += 2) writer.add(row_entry(i), row_content(777'000 + i, kRowDim), true);
    writer.commit();
  }
  index.refresh();
  const auto queries = queries_of(50);
  for (const auto& matches : index.search(queries, options_of(std::nullopt, Ann::kHnsw, 50))) {
    ASSERT_EQ(matches.size(), 50U);
    for (const Match& match : matches) EXPECT_TRUE(index.is_live(match.row)) << match.row;
  }
  SearchOptions filtered = options_of(std::nullopt, Ann::kHnsw);
  filtered.after_s = 101;
  filtered.before_s = 131;
  filtered.top_k = 100;
  SearchOptions exact = filtered;
  exact.ann = Ann::kNone;
  expect_same(index.search(queries, filtered), index.search(queries, exact));
  exact = filtered = SearchOptions();
  exact.end_row = filtered.end_row = 700;
  filtered.ann = Ann::kHnsw;
  expect_same(index.search(queries, filtered), index.search(queries, exact));
}

TEST(GraphSearch, CopiesOfOnePhotoDoNotHideTheRest) {
  const TemporaryFolder folder;
  {
    IndexWriter writer = IndexWriter::open(folder.path(), settings_of(kRowDim));
    for (int i = 0; i < 700; ++i) writer.add(row_entry(i), row_content(i < 600 ? 1 : i, kRowDim));
    writer.commit();
  }
  const Index index = Index::open(folder.path());
  const auto found = index.search(row_content(650, kRowDim), options_of(std::nullopt, Ann::kHnsw, 1000));
  EXPECT_EQ(found[0].size(), 700U);
  EXPECT_EQ(found[0][0].row, 650);
}

TEST(GraphLinks, RefusesLinksThatLeadNowhereWhateverTheChecksum) {
  std::vector<float> rows;
  for (int i = 0; i < 60; ++i) {
    const auto row = row_content(i, 8);
    rows.insert(rows.end(), row.begin(), row.end());
  }
  retrieval::Graph graph;
  graph.grow(rows.data(), 60, 8);
  const retrieval::GraphLinks sound = graph.links();
  ASSERT_EQ(sound.levels.size(), 60U);
  const auto bytes = retrieval::encode_links(sound);
  const auto refused = [](const retrieval::GraphLinks& links, const char* part) {
    const auto encoded = retrieval::encode_links(links);
    expect_error([&] { retrieval::parse_links(encoded, links.levels.size(), "graph"); }, ErrorCode::kBadFile, part);
  };
  EXPECT_EQ(retrieval::encode_links(retrieval::parse_links(bytes, 60, "graph")), bytes);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_THROW(retrieval::parse_links(std::span(bytes).first(size), 60, "graph"), Error) << size;
  }
  auto links = sound;
  links.entry = 60;
  refused(links, "has entry element 60, but only 60 elements");
  links = sound;
  links.lists[1] = 60;
  refused(links, "has the link 60 on level 0");
  links.lists[1] = 0;
  refused(links, "element 0 of 60 has the link 0");
  links = sound;
  links.lists[0] = 33;
  refused(links, "has 33 links on level 0, the limit is 32");
  links = sound;
  links.levels[5] = 25;
  refused(links, "has level 25, the limit is 24");
  links.levels[5] = 24;
  refused(links, "has its entry element on level");
  links = sound;
  links.lists.push_back(0);
  refused(links, "4 bytes after its last link");

  retrieval::Graph again;
  again.restore(retrieval::parse_links(bytes, 60, "graph"), rows.data(), 8);
  EXPECT_EQ(retrieval::encode_links(again.links()), bytes);
  EXPECT_EQ(again.nearest(rows.data() + 8 * 17, 5), graph.nearest(rows.data() + 8 * 17, 5));
}

TEST(Derived, KeepingAFileEndsWhenAStopIsWanted) {
  const TemporaryFolder folder;
  const std::vector<std::byte> payload(100);
  const std::span<const std::byte> parts[] = {payload};
  const StopScope scope([] { return true; }, "stopped as asked");
  expect_error([&] { retrieval::keep_derived(folder.path(), "x.rows", {}, parts); }, ErrorCode::kInterrupted, "stopped as asked");
  EXPECT_FALSE(std::filesystem::exists(folder / "x.rows"));
}

}  // namespace
}  // namespace revisit
