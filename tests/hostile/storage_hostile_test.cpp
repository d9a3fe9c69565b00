// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Tensors that lie about their storages, and storages that lie about their bytes.
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "hostile/checkpoint_builder.h"
#include "engine/model/containers.h"

namespace revisit::model {
namespace {

namespace rt = revisit::testing;
using rt::expect_refused;
using rt::PickleBuilder;

constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();

Checkpoint parse_file(const std::string& file) { return parse_checkpoint(rt::bytes_of(file), nullptr, "m.pth"); }

struct StorageLie {
  std::string label;
  std::string part;
  std::function<void(PickleBuilder&)> write;
};

const std::vector<rt::RawStorage> kTwoStorages = {{"0", rt::floats({1, 2, 3, 4, 5, 6, 7, 8}), 8}, {"1", rt::floats({9, 10}), 2}};

void view(PickleBuilder& b, std::int64_t offset, const std::vector<std::int64_t>& sizes,
          const std::vector<std::int64_t>& strides) {
  b.text("w").tensor("FloatStorage", "0", 8, offset, sizes, strides);
}

// Storage "1" is named by every pickle so that the legacy reader knows it.
std::string pickle_of(const std::function<void(PickleBuilder&)>& write) {
  PickleBuilder builder;
  builder.dict().mark().text("state_dict").dict().mark();
  write(builder);
  builder.set_items().text("other").tensor("FloatStorage", "1", 2, 0, {2}, {1});
  return builder.set_items().stop();
}

TEST(StorageLies, AreRefusedInBothTorchFormats) {
  const std::vector<StorageLie> lies = {
      {"numel > bytes", "should have 9 elements of F32",
       [](PickleBuilder& b) { b.text("w").tensor("FloatStorage", "0", 9, 0, {8}, {1}); }},
      {"numel < bytes", "should have 7 elements of F32",
       [](PickleBuilder& b) { b.text("w").tensor("FloatStorage", "0", 7, 0, {7}, {1}); }},
      {"numel 2^62", "overflows 64 bits",
       [](PickleBuilder& b) { b.text("w").tensor("FloatStorage", "0", 1LL << 62, 0, {8}, {1}); }},
      {"numel 2^63-1", "overflows 64 bits",
       [](PickleBuilder& b) { b.text("w").tensor("FloatStorage", "0", kHuge, 0, {8}, {1}); }},
      {"numel -1", "has -1 elements", [](PickleBuilder& b) { b.text("w").tensor("FloatStorage", "0", -1, 0, {8}, {1}); }},
      {"wider dtype", "should have 8 elements of F64",
       [](PickleBuilder& b) { b.text("w").tensor("DoubleStorage", "0", 8, 0, {8}, {1}); }},
      {"narrower dtype", "should have 8 elements of F16",
       [](PickleBuilder& b) { b.text("w").tensor("HalfStorage", "0", 8, 0, {8}, {1}); }},
      {"missing storage", "'gone'", [](PickleBuilder& b) { b.text("w").tensor("FloatStorage", "gone", 8, 0, {8}, {1}); }},
      {"storage key with ..", "the storage '../data.pkl' is missing",
       [](PickleBuilder& b) { b.text("w").tensor("FloatStorage", "../data.pkl", 8, 0, {8}, {1}); }},
      {"size past the end", "reaches element 9 of a storage of 8", [](PickleBuilder& b) { view(b, 0, {9}, {1}); }},
      {"offset past the end", "reaches element 9", [](PickleBuilder& b) { view(b, 8, {1}, {1}); }},
      {"offset + size past the end", "reaches element 9", [](PickleBuilder& b) { view(b, 5, {4}, {1}); }},
      {"stride past the end", "reaches element 15", [](PickleBuilder& b) { view(b, 0, {8}, {2}); }},
      {"second stride past the end", "reaches element 9",
       [](PickleBuilder& b) {
         view(b, 0, {2, 2}, {4, 4});
       }},
      {"empty view past the end", "reaches element 9", [](PickleBuilder& b) { view(b, 9, {0}, {1}); }},
      {"scalar past the end", "reaches element 9", [](PickleBuilder& b) { view(b, 8, {}, {}); }},
      {"negative offset", "negative offset -1", [](PickleBuilder& b) { view(b, -1, {8}, {1}); }},
      {"negative size", "negative size -8", [](PickleBuilder& b) { view(b, 0, {-8}, {1}); }},
      {"two negative sizes", "negative size -2",
       [](PickleBuilder& b) {
         view(b, 0, {-2, -4}, {4, 1});
       }},
      {"negative stride", "negative stride -1", [](PickleBuilder& b) { view(b, 7, {8}, {-1}); }},
      {"size overflow", "overflows 64 bits",
       [](PickleBuilder& b) {
         view(b, 0, {1LL << 32, 1LL << 32}, {0, 0});
       }},
      {"stride overflow", "overflows 64 bits", [](PickleBuilder& b) { view(b, 0, {4}, {kHuge}); }},
      {"sum overflow", "overflows 64 bits",
       [](PickleBuilder& b) {
         view(b, 5, {2, 2, 2}, {kHuge, kHuge, 1});
       }},
      {"offset overflow", "reaches element 9223372036854775808", [](PickleBuilder& b) { view(b, kHuge, {1}, {1}); }},
      {"expanded beyond memory", "beyond the limit", [](PickleBuilder& b) { view(b, 0, {1LL << 40}, {0}); }},
      {"two dtypes for one storage", "reads the storage '0' as I32, another tensor as F32",
       [](PickleBuilder& b) {
         view(b, 0, {8}, {1});
         b.text("v").tensor("IntStorage", "0", 8, 0, {8}, {1});
       }},
      {"the same tensor twice", "'w' occurs twice",
       [](PickleBuilder& b) {
         view(b, 0, {8}, {1});
         view(b, 0, {8}, {1});
       }},
      {"a bare storage", "bare storage",
       [](PickleBuilder& b) {
         view(b, 0, {8}, {1});
         b.text("s").storage("FloatStorage", "0", 8);
       }},
      {"a key that is not text", "whose key is not text",
       [](PickleBuilder& b) { b.none().tensor("FloatStorage", "0", 8, 0, {8}, {1}); }},
      {"a key that is not UTF-8", "not UTF-8",
       [](PickleBuilder& b) { b.text("\xFF").tensor("FloatStorage", "0", 8, 0, {8}, {1}); }},
  };
  EXPECT_GE(lies.size(), 25U);
  for (const StorageLie& lie : lies) {
    const std::string pickle = pickle_of(lie.write);
    expect_refused([&] { parse_file(rt::torch_zip(pickle, kTwoStorages)); }, lie.part, "zip: " + lie.label);
    expect_refused([&] { parse_file(rt::torch_legacy(pickle, kTwoStorages)); }, "m.pth", "legacy: " + lie.label);
  }
}

TEST(StorageLies, SharedStoragesAreNoLie) {
  const std::string pickle = pickle_of([](PickleBuilder& b) {
    view(b, 0, {8}, {1});
    b.text("v").tensor("FloatStorage", "0", 8, 4, {2, 2}, {2, 1});
  });
  for (const std::string& file : {rt::torch_zip(pickle, kTwoStorages), rt::torch_legacy(pickle, kTwoStorages)}) {
    const Checkpoint read = parse_file(file);
    EXPECT_EQ(to_f32(read.weights.at("v")), (std::vector<float>{5, 6, 7, 8}));
    EXPECT_EQ(to_f32(read.weights.at("w")), (std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8}));
  }
}

TEST(StorageLies, LegacyFilesThatContradictThemselvesAreRefused) {
  const std::string pickle = pickle_of([](PickleBuilder& b) { view(b, 0, {8}, {1}); });
  const std::string good = rt::torch_legacy(pickle, kTwoStorages);
  ASSERT_NO_THROW(parse_file(good));
  const auto refused = [](const std::string& file, const std::string& part) { expect_refused([&] { parse_file(file); }, part, part); };
  refused(good + "x", "has 1 bytes after its last storage");
  EXPECT_NO_THROW(parse_file(rt::torch_legacy(pickle, {kTwoStorages[0]})));  // what only lies outside the weights may be absent
  refused(rt::torch_legacy(pickle, {kTwoStorages[1]}), "the storage '0' is missing");
  refused(rt::torch_legacy(pickle, {kTwoStorages[0], kTwoStorages[0]}), "'0' is listed twice");
  refused(rt::torch_legacy(pickle, {kTwoStorages[0], {"9", "", 0}}), "'9' is listed, but no tensor");
  refused(rt::torch_legacy(pickle, {{"0", kTwoStorages[0].data, 9}}), "has 9 elements, its tensors expect 8");
  refused(rt::torch_legacy(pickle, kTwoStorages, rt::torch_system(false)), "little_endian is not true");
  refused(rt::torch_legacy(pickle, kTwoStorages, PickleBuilder().none().stop()), "not a dictionary");
  const std::string system = rt::torch_system();
  refused(rt::torch_magic() + PickleBuilder().integer(1002).stop() + system + pickle, "the protocol is not 1001");
  refused(PickleBuilder().integer(5).stop() + good, "without torch's magic number");
  refused(rt::torch_magic() + PickleBuilder().integer(1001).stop() + system + pickle + PickleBuilder().none().stop(), "not a list");
  refused(
      rt::torch_magic() + PickleBuilder().integer(1001).stop() + system + pickle + PickleBuilder().list().none().append().stop(),
      "not text");
  const std::string list = PickleBuilder().list().stop();
  refused(rt::torch_magic() + PickleBuilder().integer(1001).stop() + system + PickleBuilder().list().stop() + list,
          "no dictionary of tensors");
  refused(rt::torch_magic() + PickleBuilder().integer(1001).stop() + system + PickleBuilder().dict().stop() + list,
          "holds no tensors");
}

TEST(StorageLies, LegacyPartsStayInsideTheirStorage) {
  for (const auto& [first, count] :
       std::vector<std::pair<std::int64_t, std::int64_t>>{{-1, 2}, {0, 5}, {4, 1}, {5, 0}, {1, kHuge}, {0, -1}}) {
    PickleBuilder builder;
    builder.dict().text("w").global("torch._utils", "_rebuild_tensor_v2").mark();
    builder.mark().text("storage").global("torch", "FloatStorage").text("k").text("cpu").integer(4);
    builder.mark().text("v").integer(first).integer(count).tuple().tuple().persistent_id();
    builder.integer(0).integers({0}).integers({1}).boolean(false).call("collections", "OrderedDict").tuple().reduce().set_item();
    expect_refused([&] { parse_file(rt::torch_legacy(builder.stop(), {{"k", rt::floats({1, 2, 3, 4}), 4}})); }, "views elements");
  }
}

}  // namespace
}  // namespace revisit::model
