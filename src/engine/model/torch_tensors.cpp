// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Weight root and the checks that keep a view inside its storage.
#include "engine/model/torch_tensors.h"

#include <array>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/checked.h"
#include "core/base/stop_scope.h"
#include "core/formats/printable.h"
#include "engine/model/flatten.h"
#include "engine/model/tensor_bytes.h"

namespace revisit::model {
namespace {

// Where training programs put the state dict, most specific first.
constexpr std::array<std::string_view, 4> kRoots = {"state_dict", "model_state_dict", "model", "teacher"};

// The last position a view touches must lie inside `count` elements; then nothing in between can lie outside.
void check_view(const StridedView& view, std::int64_t offset, std::uint64_t count, const std::string& what) {
  if (offset < 0) fail(ErrorCode::kBadModel, "{} has the negative offset {}", what, offset);
  bool empty = false;
  for (std::size_t i = 0; i < view.shape.size(); ++i) {
    if (view.shape[i] < 0) fail(ErrorCode::kBadModel, "{} has the negative size {}", what, view.shape[i]);
    if (view.strides[i] < 0) fail(ErrorCode::kBadModel, "{} has the negative stride {}", what, view.strides[i]);
    empty = empty || view.shape[i] == 0;
  }
  auto end = static_cast<std::uint64_t>(offset);
  if (!empty) {
    std::uint64_t bytes = bytes_of(view.dtype);
    for (std::size_t i = 0; i < view.shape.size(); ++i) {
      bytes = checked_mul(bytes, static_cast<std::uint64_t>(view.shape[i]), what);
      const std::uint64_t reach =
          checked_mul(static_cast<std::uint64_t>(view.shape[i] - 1), static_cast<std::uint64_t>(view.strides[i]), what);
      end = checked_add(end, reach, what);
    }
    end = checked_add(end, 1, what);
  }
  if (end > count) fail(ErrorCode::kBadModel, "{} reaches element {} of a storage of {}", what, end, count);
}

class TensorBuilder {
 public:
  explicit TensorBuilder(const TorchSource& source)
      : source_(source), values_(source.pickle.values), budget_(source.file_bytes.size(), source.file) {}

  void add(Weights& weights, const NamedTensor& tensor) {
    const std::string what = fmt::format("'{}': tensor '{}'", source_.file, printable(tensor.name));
    const auto part = values_.items(values_.arguments(tensor.value));
    const StorageId id = storage_of(values_, part[0], source_.file);
    const auto known = dtypes_.emplace(id.key, id.dtype).first;
    if (known->second != id.dtype) {
      fail(ErrorCode::kBadModel, "{} reads the storage '{}' as {}, another tensor as {}", what, printable(id.key),
           name_of(id.dtype), name_of(known->second));
    }
    std::span<const std::byte> bytes = storage_view(part[0], id, source_.find_storage(id), what);
    StridedView view{id.dtype, integers(part[2]), integers(part[3]), {}};
    const std::int64_t offset = values_.integer(part[1]);
    check_view(view, offset, bytes.size() / bytes_of(id.dtype), what);
    view.bytes = bytes.subspan(static_cast<std::uint64_t>(offset) * bytes_of(id.dtype));
    add_tensor(weights, tensor.name, view, source_.storage, budget_);
  }

 private:
  std::vector<std::int64_t> integers(ValueId tuple) const {
    std::vector<std::int64_t> out;
    for (const ValueId item : values_.items(tuple)) out.push_back(values_.integer(item));
    return out;
  }

  // Old files let a storage be a part of another one: (key of the part, first element, elements).
  std::span<const std::byte> storage_view(ValueId storage, const StorageId& id, std::span<const std::byte> bytes,
                                          const std::string& what) const {
    const auto part = values_.items(values_.arguments(storage));
    if (part.size() < 6 || values_.is(part[5], ValueKind::kNone)) return bytes;
    const auto view = values_.items(part[5]);
    const std::int64_t first = values_.integer(view[1]);
    const std::int64_t count = values_.integer(view[2]);
    const auto all = static_cast<std::int64_t>(id.count);
    if (first < 0 || count < 0 || first > all || count > all - first) {
      fail(ErrorCode::kBadModel, "{} views elements {} to {} + {} of a storage of {}", what, first, first, count, id.count);
    }
    const std::size_t item = bytes_of(id.dtype);
    return bytes.subspan(static_cast<std::size_t>(first) * item, static_cast<std::size_t>(count) * item);
  }

  const TorchSource& source_;
  const PickleValues& values_;
  TensorBudget budget_;
  std::map<std::string_view, DType> dtypes_;
};

}  // namespace

StorageId storage_of(const PickleValues& values, ValueId storage, const std::string& file) {
  const auto part = values.items(values.arguments(storage));
  StorageId out;
  out.key = values.text(part[2]);
  out.dtype = storage_dtype(values.global(part[1]).name).value();
  const std::int64_t count = values.integer(part[4]);
  if (count < 0) fail(ErrorCode::kBadModel, "'{}': the storage '{}' has {} elements", file, printable(out.key), count);
  out.count = static_cast<std::uint64_t>(count);
  return out;
}

void check_storage_size(const StorageId& id, std::uint64_t bytes, const std::string& file) {
  const std::string what = fmt::format("'{}': the storage '{}'", file, printable(id.key));
  const std::uint64_t wanted = checked_mul(id.count, bytes_of(id.dtype), what);
  if (wanted != bytes) {
    fail(ErrorCode::kBadModel, "{} should have {} elements of {} ({} bytes), but has {} bytes", what, id.count, name_of(id.dtype),
         wanted, bytes);
  }
}

Checkpoint build_checkpoint(const TorchSource& source) {
  const PickleValues& values = source.pickle.values;
  const ValueId top = source.pickle.root;
  if (!values.is(top, ValueKind::kDict)) fail(ErrorCode::kBadModel, "'{}' holds no dictionary of tensors", source.file);
  Flattener flattener(values, source.file);
  Checkpoint out;
  std::vector<NamedTensor> tensors;
  std::map<std::string_view, ValueId> entries;
  const auto items = values.items(top);
  for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
    if (!values.is(items[i], ValueKind::kText) || entries.emplace(values.text(items[i]), items[i + 1]).second) continue;
    fail(ErrorCode::kBadModel, "'{}': the key '{}' occurs twice", source.file, printable(values.text(items[i])));
  }
  for (const std::string_view root : kRoots) {
    const auto found = entries.find(root);
    if (found == entries.end() || !values.is(found->second, ValueKind::kDict)) continue;
    tensors = flattener.run(found->second);
    out.root = root;
    if (!tensors.empty()) break;
  }
  if (tensors.empty()) {
    tensors = flattener.run(top);
    out.root.clear();
  }
  if (tensors.empty()) {
    fail(ErrorCode::kBadModel,
         "'{}' holds no tensors, neither at its top nor under state_dict, model_state_dict, model or teacher", source.file);
  }
  TensorBuilder builder(source);
  for (const NamedTensor& tensor : tensors) {
    check_stop();
    builder.add(out.weights, tensor);
  }
  return out;
}

}  // namespace revisit::model
