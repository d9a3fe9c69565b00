// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// The only file that knows hnswlib. An element's data is the number of its row instead of the row's 33 KB, and distances are
// ours: hnswlib chooses its instructions when it is compiled.
#define NO_MANUAL_VECTORIZATION  // its own distances define functions in a header and are unused
#include "retrieval/search/graph.h"

#include <hnswlib/hnswlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "core/base/fail.h"
#include "retrieval/search/scan.h"

namespace revisit::retrieval {
namespace {

constexpr std::size_t kGraphSeed = 100;
constexpr std::size_t kCandidates = 200;  // considered for the links of a new element
constexpr int kSavedLinks = kGraphLinks;  // stored in the file: other parameters give another graph

/// What hnswlib keeps of an element: a row of the collection, or, of a query, where its values are.
struct Item {
  const float* outside = nullptr;
  std::uint64_t row = 0;
};

struct Collection {
  const float* rows = nullptr;
  int dim = 0;

  const float* values(const void* unaligned) const {
    Item item;
    std::memcpy(&item, unaligned, sizeof(item));
    return item.outside != nullptr ? item.outside : rows + item.row * static_cast<std::uint64_t>(dim);
  }
};

float distance_of(const void* a, const void* b, const void* collection) {
  const auto& all = *static_cast<const Collection*>(collection);
  const float squared = rough_squared_distance(all.values(a), all.values(b), all.dim);
  return std::isfinite(squared) ? squared : std::numeric_limits<float>::max();  // damaged rows are far from all others
}

class Space : public hnswlib::SpaceInterface<float> {
 public:
  std::size_t get_data_size() override { return sizeof(Item); }
  hnswlib::DISTFUNC<float> get_dist_func() override { return distance_of; }
  void* get_dist_func_param() override { return &collection; }

  Collection collection;
};

using Algorithm = hnswlib::HierarchicalNSW<float>;

/// hnswlib throws std::runtime_error; here that can only mean memory.
template <typename Action>
auto translated(const Action& action) {
  try {
    return action();
  } catch (const std::runtime_error& error) {
    fail(ErrorCode::kNoMemory, "not enough memory for the graph of the index: {}", error.what());
  }
}

}  // namespace

struct Graph::Impl {
  Space space;
  std::unique_ptr<Algorithm> algorithm;
  std::vector<std::uint8_t> dead;  // (count) as marked in hnswlib
  std::uint64_t origin = 0;        // fingerprint of the rows

  // Room for `count` elements.
  void reserve(int count) {
    const auto wanted = static_cast<std::size_t>(count);
    if (!algorithm) {
      algorithm = std::make_unique<Algorithm>(&space, wanted, kGraphLinks, kCandidates, kGraphSeed);
    } else if (algorithm->max_elements_ < wanted) {
      algorithm->resizeIndex(wanted);
    }
    dead.resize(wanted);
  }

  void mark(std::size_t element, bool is_dead) {
    if ((dead[element] != 0) == is_dead) return;
    dead[element] = is_dead ? 1 : 0;
    const auto id = static_cast<hnswlib::tableint>(element);
    if (is_dead) {
      algorithm->markDeletedInternal(id);
    } else {
      algorithm->unmarkDeletedInternal(id);
    }
  }
};

Graph::Graph() : impl_(std::make_unique<Impl>()) {}
Graph::~Graph() = default;
Graph& Graph::operator=(Graph&&) noexcept = default;

int Graph::count() const { return impl_->algorithm ? static_cast<int>(impl_->algorithm->cur_element_count) : 0; }

void Graph::grow(const float* rows, int count, int dim) {
  impl_->space.collection = {rows, dim};
  if (count <= this->count()) return;
  set_live({});  // an element marked dead would not be linked to: the graph must not depend on when it grew
  try {
    translated([&] {
      impl_->reserve(count);
      for (int row = this->count(); row < count; ++row) {
        const Item item{nullptr, static_cast<std::uint64_t>(row)};
        impl_->algorithm->addPoint(&item, static_cast<hnswlib::labeltype>(row), -1);
      }
    });
  } catch (...) {
    *this = Graph();  // an element may be half linked
    throw;
  }
}

void Graph::set_live(std::span<const std::uint8_t> live) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(count()); ++i) impl_->mark(i, i < live.size() && live[i] == 0);
}

std::vector<int> Graph::nearest(const float* query, int most) const {
  std::vector<int> out;
  if (count() == 0) return out;
  const Item item{query, 0};
  auto found = translated([&] { return impl_->algorithm->searchKnn(&item, static_cast<std::size_t>(most)); });
  for (; !found.empty(); found.pop()) out.push_back(static_cast<int>(found.top().second));
  return out;
}

GraphLinks Graph::links() const {
  GraphLinks out;
  if (count() == 0) return out;
  const Algorithm& from = *impl_->algorithm;
  out.entry = from.enterpoint_node_;
  for (hnswlib::tableint element = 0; element < from.cur_element_count; ++element) {
    const int top = from.element_levels_[element];
    out.levels.push_back(static_cast<std::uint8_t>(top));
    for (int level = 0; level <= top; ++level) {
      hnswlib::linklistsizeint* list = from.get_linklist_at_level(element, level);
      const std::uint32_t size = from.getListCount(list);
      out.lists.push_back(size);
      out.lists.insert(out.lists.end(), list + 1, list + 1 + size);
    }
  }
  return out;
}

void Graph::restore(const GraphLinks& links, const float* rows, int dim) {
  impl_->space.collection = {rows, dim};
  translated([&] { impl_->reserve(static_cast<int>(links.levels.size())); });
  Algorithm& to = *impl_->algorithm;
  const std::uint32_t* next = links.lists.data();
  for (hnswlib::tableint element = 0; element < links.levels.size(); ++element) {
    const int top = links.levels[element];
    to.getRandomLevel(to.mult_);  // the generator advances as if the element had been inserted
    std::memset(to.get_linklist0(element), 0, to.size_data_per_element_);
    to.setExternalLabel(element, element);
    const Item item{nullptr, element};
    std::memcpy(to.getDataByInternalId(element), &item, sizeof(item));
    if (top > 0) {
      const std::size_t bytes = to.size_links_per_element_ * static_cast<std::size_t>(top) + 1;
      to.linkLists_[element] = static_cast<char*>(std::calloc(bytes, 1));
      if (to.linkLists_[element] == nullptr) throw std::bad_alloc();
    }
    to.element_levels_[element] = top;
    to.cur_element_count = element + 1;  // from here on freed with the rest
    for (int level = 0; level <= top; ++level) {
      hnswlib::linklistsizeint* list = to.get_linklist_at_level(element, level);
      const std::uint32_t size = *next++;
      to.setListCount(list, static_cast<std::uint16_t>(size));
      std::copy_n(next, size, list + 1);
      next += size;
    }
  }
  to.enterpoint_node_ = links.entry;
  to.maxlevel_ = links.top_level();
}

void Graph::update(const Source& source, const std::string& name) {
  if (count() == source.count && impl_->space.collection.rows == source.rows) return;
  const auto is_of_these_rows = [&](std::uint64_t rows, std::uint64_t origin) {
    return rows <= static_cast<std::uint64_t>(source.count) &&
           origin == fingerprint_of(source.rows, rows, source.dim, source.identity);
  };
  if (count() > 0 && !is_of_these_rows(static_cast<std::uint64_t>(count()), impl_->origin)) *this = Graph();
  if (count() == 0 && !source.folder.empty()) {
    const std::filesystem::path path = source.folder / name;
    const auto file = DerivedFile::open(path, DerivedKind::kGraph);
    try {
      if (file && file->header().dim == source.dim && file->header().target == kSavedLinks &&
          is_of_these_rows(file->header().rows, file->header().origin)) {
        restore(parse_links(file->payload(), file->header().rows, path.string()), source.rows, source.dim);
        impl_->origin = file->header().origin;
      }
    } catch (const Error& error) {
      if (error.code() != ErrorCode::kBadFile) throw;  // a sound checksum over invalid links: not made by us
    }
  }
  const bool whole = count() == source.count;
  grow(source.rows, source.count, source.dim);
  if (whole) return;
  DerivedHeader header;
  header.kind = DerivedKind::kGraph;
  header.dim = source.dim;
  header.target = kSavedLinks;
  header.rows = static_cast<std::uint64_t>(source.count);
  header.origin = fingerprint_of(source.rows, header.rows, source.dim, source.identity);
  impl_->origin = header.origin;
  if (source.folder.empty()) return;
  const std::vector<std::byte> payload = encode_links(links());
  const std::array parts = {std::span<const std::byte>(payload)};
  keep_derived(source.folder, name, header, parts);
}

}  // namespace revisit::retrieval
