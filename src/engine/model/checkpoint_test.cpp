// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Whole torch checkpoints in memory: roots, names, views, storages.
#include <gtest/gtest.h>

#include <filesystem>

#include "core/base/limits.h"
#include "engine/model/containers.h"
#include "hostile/checkpoint_builder.h"

namespace revisit::model {
namespace {

namespace rt = revisit::testing;
using rt::PickleBuilder;

Checkpoint parse(const std::string& file) { return parse_checkpoint(rt::bytes_of(file), nullptr, "m.pth"); }

// {<what fill writes>} over one float storage "0" of `count` elements 0, 1, 2, ...
template <typename Fill>
std::string zip_of(std::size_t count, Fill&& fill) {
  PickleBuilder builder;
  builder.dict().mark();
  fill(builder);
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i);
  return rt::torch_zip(builder.set_items().stop(), {{"0", rt::floats(values), count}});
}

TEST(Checkpoint, FindsTheWeightsUnderEachRoot) {
  for (const char* root : {"state_dict", "model_state_dict", "model", "teacher"}) {
    const std::string file = zip_of(2, [&](PickleBuilder& b) {
      b.text("epoch").integer(3).text(root).dict().text("w").tensor("FloatStorage", "0", 2, 0, {2}, {1}).set_item();
      b.text("args").call("argparse", "Namespace");
    });
    const Checkpoint read = parse(file);
    EXPECT_EQ(read.root, root);
    EXPECT_EQ(read.format, "torch zip");
    EXPECT_EQ(to_f32(read.weights.at("w")), (std::vector<float>{0, 1}));
  }
}

TEST(Checkpoint, PassesOverARootWithoutTensors) {
  const std::string file = zip_of(2, [](PickleBuilder& b) {
    b.text("state_dict").dict().text("model").dict().text("w").tensor("FloatStorage", "0", 2, 0, {2}, {1}).set_item();
  });
  EXPECT_EQ(parse(file).root, "model");
}

TEST(Checkpoint, JoinsNestedKeysAndSkipsWhatIsNoTensor) {
  const std::string file = zip_of(2, [](PickleBuilder& b) {
    b.text("net").dict().mark().text("a").tensor("FloatStorage", "0", 2, 0, {2}, {1}).integer(5).dict().text("b");
    b.tensor("FloatStorage", "0", 2, 1, {}, {}).set_item().text("n").integer(1).set_items();
    b.text("score").call("numpy.core.multiarray", "scalar").text("note").text("x").text("list").list();
  });
  const Checkpoint read = parse(file);
  EXPECT_EQ(read.root, "");
  ASSERT_EQ(read.weights.all().size(), 2U);
  EXPECT_EQ(to_f32(read.weights.at("net.a")), (std::vector<float>{0, 1}));
  EXPECT_EQ(to_f32(read.weights.at("net.5.b")), std::vector<float>{1});
}

TEST(Checkpoint, ReadsViewsInPlaceOrAsContiguousCopies) {
  const std::string file = zip_of(24, [](PickleBuilder& b) {
    b.text("plain").tensor("FloatStorage", "0", 24, 0, {4, 6}, {6, 1});
    b.text("tail").tensor("FloatStorage", "0", 24, 20, {1, 4}, {99, 1});
    b.text("transposed").tensor("FloatStorage", "0", 24, 0, {2, 3}, {1, 6});
    b.text("steps").tensor("FloatStorage", "0", 24, 1, {3}, {10});
    b.text("expanded").tensor("FloatStorage", "0", 24, 5, {2, 2}, {0, 1});
    b.text("cube").tensor("FloatStorage", "0", 24, 0, {2, 2, 2}, {1, 12, 2});
    b.text("empty").tensor("FloatStorage", "0", 24, 24, {0, 5}, {5, 1});
    b.text("scalar").tensor("FloatStorage", "0", 24, 23, {}, {});
  });
  const Checkpoint read = parse(file);
  const auto values = [&](const char* name) { return to_f32(read.weights.at(name)); };
  EXPECT_EQ(values("tail"), (std::vector<float>{20, 21, 22, 23}));
  EXPECT_EQ(values("transposed"), (std::vector<float>{0, 6, 12, 1, 7, 13}));
  EXPECT_EQ(values("steps"), (std::vector<float>{1, 11, 21}));
  EXPECT_EQ(values("expanded"), (std::vector<float>{5, 6, 5, 6}));
  EXPECT_EQ(values("cube"), (std::vector<float>{0, 2, 12, 14, 1, 3, 13, 15}));
  EXPECT_EQ(values("empty"), std::vector<float>{});
  EXPECT_EQ(values("scalar"), std::vector<float>{23});
  EXPECT_EQ(values("plain").size(), 24U);
}

TEST(Checkpoint, ContiguousAlignedTensorsAreNotCopied) {
  for (std::size_t pad = 0; pad < 4; ++pad) {  // one of the paddings aligns the storage
    const std::string file =
        zip_of(2, [&](PickleBuilder& b) { b.text(std::string(pad + 1, 'w')).tensor("FloatStorage", "0", 2, 0, {2}, {1}); });
    const Checkpoint read = parse(file);
    const TensorView& tensor = read.weights.all().begin()->second;
    const std::size_t at = file.find(rt::floats({0, 1}));
    const std::byte* in_file = rt::bytes_of(file).data() + at;
    const bool aligned = reinterpret_cast<std::uintptr_t>(in_file) % 4 == 0;
    EXPECT_EQ(tensor.data == in_file, aligned) << pad;
    EXPECT_EQ(to_f32(tensor), (std::vector<float>{0, 1}));
  }
}

TEST(Checkpoint, ReadsEveryStorageTypeInBothTorchFormats) {
  const std::vector<std::pair<std::string, DType>> types = {{"DoubleStorage", DType::kF64}, {"FloatStorage", DType::kF32},
                                                            {"HalfStorage", DType::kF16},   {"BFloat16Storage", DType::kBF16},
                                                            {"LongStorage", DType::kI64},   {"IntStorage", DType::kI32},
                                                            {"ShortStorage", DType::kI16},  {"CharStorage", DType::kI8},
                                                            {"ByteStorage", DType::kU8},    {"BoolStorage", DType::kBool}};
  PickleBuilder builder;
  builder.dict().mark();
  std::vector<rt::RawStorage> storages;
  for (const auto& [type, dtype] : types) {
    builder.text(type).tensor(type, type, 3, 0, {3}, {1});
    storages.push_back({type, std::string(3 * bytes_of(dtype), '\1'), 3});
  }
  const std::string pickle = builder.set_items().stop();
  for (const std::string& file : {rt::torch_zip(pickle, storages), rt::torch_legacy(pickle, storages)}) {
    const Checkpoint read = parse(file);
    for (const auto& [type, dtype] : types) {
      EXPECT_EQ(read.weights.at(type).dtype, dtype) << read.format;
      EXPECT_EQ(to_f32(read.weights.at(type)).size(), 3U);
    }
  }
}

TEST(Checkpoint, AParameterIsItsTensor) {
  const std::string file = zip_of(2, [](PickleBuilder& b) {
    b.text("p").global("torch._utils", "_rebuild_parameter").mark().tensor("FloatStorage", "0", 2, 0, {2}, {1});
    b.boolean(true).call("collections", "OrderedDict").tuple().reduce();
  });
  EXPECT_EQ(to_f32(parse(file).weights.at("p")), (std::vector<float>{0, 1}));
}

TEST(Checkpoint, LegacyStoragesMayBePartsOfOthers) {
  PickleBuilder builder;
  builder.dict().text("w").global("torch._utils", "_rebuild_tensor_v2").mark();
  builder.mark().text("storage").global("torch", "FloatStorage").text("k").text("cpu").integer(4);
  builder.mark().text("v").integer(1).integer(2).tuple().tuple().persistent_id();
  builder.integer(0).integers({2}).integers({1}).boolean(false).call("collections", "OrderedDict").tuple().reduce().set_item();
  const Checkpoint read = parse(rt::torch_legacy(builder.stop(), {{"k", rt::floats({1, 2, 3, 4}), 4}}));
  EXPECT_EQ(read.format, "torch legacy");
  EXPECT_EQ(to_f32(read.weights.at("w")), (std::vector<float>{2, 3}));
}

TEST(Checkpoint, TensorsOutsideTheRootAreNotLookedAt) {
  const std::string file = zip_of(2, [](PickleBuilder& b) {
    b.text("state_dict").dict().text("w").tensor("FloatStorage", "0", 2, 0, {2}, {1}).set_item();
    b.text("optimizer").dict().text("m").tensor("FloatStorage", "gone", 9, 0, {9}, {1}).set_item();
    b.text("spectrum").tensor("ComplexFloatStorage", "1", 9, 0, {9}, {1});
  });
  EXPECT_EQ(parse(file).weights.all().size(), 1U);
}

TEST(Checkpoint, SmallModelReadsTheSameFromAllContainers) {
  const rt::SmallModel model;
  for (const std::string& file : {model.zip(), model.legacy(), model.tensors()}) {
    EXPECT_NEAR(static_cast<double>(file.size()), 20'000.0, 4'000.0);
    const Checkpoint read = parse(file);
    ASSERT_EQ(read.weights.all().size(), 24U) << read.format;
    for (int i = 0; i < 24; ++i) {
      const auto values = to_f32(read.weights.at("blocks." + std::to_string(i) + ".weight"));
      ASSERT_EQ(values.size(), 160U);
      EXPECT_EQ(values[159], static_cast<float>(i) + 159.0F / 256.0F);
    }
  }
}

TEST(Checkpoint, TensorNameCountAndRankLimits) {
  const auto named = [](std::size_t length) {
    return zip_of(1, [&](PickleBuilder& b) { b.text(std::string(length, 'n')).tensor("FloatStorage", "0", 1, 0, {}, {}); });
  };
  const auto ranked = [](std::size_t rank) {
    const std::vector<std::int64_t> ones(rank, 1);
    return zip_of(1, [&](PickleBuilder& b) { b.text("w").tensor("FloatStorage", "0", 1, 0, ones, ones); });
  };
  const auto counted = [](std::size_t count) {
    return zip_of(1, [&](PickleBuilder& b) {
      for (std::size_t i = 0; i < count; ++i) b.text(std::to_string(i)).tensor("FloatStorage", "0", 1, 0, {}, {});
    });
  };
  for (const std::size_t below : {1U, 0U}) {
    EXPECT_NO_THROW(parse(named(limits::kMaxTensorName - below)));
    EXPECT_NO_THROW(parse(ranked(limits::kMaxRank - below)));
    EXPECT_EQ(parse(counted(limits::kMaxTensors - below)).weights.all().size(), limits::kMaxTensors - below);
  }
  rt::expect_refused([&] { parse(named(limits::kMaxTensorName + 1)); }, "has 513 bytes, the limit is 512");
  rt::expect_refused([&] { parse(ranked(limits::kMaxRank + 1)); }, "a tensor of 9 dimensions");
  rt::expect_refused([&] { parse(counted(limits::kMaxTensors + 1)); }, "more than 10000 tensors");
}

TEST(Checkpoint, LimitsOfKeysAndOfTheirSum) {
  const auto keyed = [](std::size_t length) {  // not a tensor: the value is never read
    return zip_of(1, [&](PickleBuilder& b) {
      b.text("w").tensor("FloatStorage", "0", 1, 0, {}, {}).text(std::string(length, 'k')).none();
    });
  };
  const auto stored = [](std::size_t length) {
    const std::string key(length, 's');
    PickleBuilder builder;
    builder.dict().text("w").tensor("FloatStorage", key, 1, 0, {}, {}).set_item();
    return rt::torch_legacy(builder.stop(), {{key, rt::floats({1}), 1}});
  };
  for (const std::size_t below : {1U, 0U}) {
    EXPECT_NO_THROW(parse(keyed(limits::kMaxTensorName - below)));
    EXPECT_NO_THROW(parse(stored(limits::kMaxStorageKey - below)));
  }
  rt::expect_refused([&] { parse(keyed(limits::kMaxTensorName + 1)); },
                     "in a dictionary of weights has 513 bytes, the limit is 512");
  rt::expect_refused([&] { parse(stored(limits::kMaxStorageKey + 1)); }, "names a storage by 513 bytes, the limit is 512");

  // {"w": tensor, 0: d, ..., 499: d} with d = {key: None, ...}: each key of d appears after "0." to "499.".
  constexpr std::uint64_t kPlaces = 500, kKeys = 300;
  std::uint64_t fixed = 2;  // an entry costs its name and a point
  for (std::uint64_t i = 0; i < kPlaces; ++i) fixed += (1 + kKeys) * (std::to_string(i).size() + 1);
  const auto summed = [&](std::uint64_t bytes) {  // of all names
    std::uint64_t keys = (bytes - fixed) / kPlaces;
    return zip_of(1, [&](PickleBuilder& b) {
      b.text("w").tensor("FloatStorage", "0", 1, 0, {}, {});
      for (std::uint64_t i = 0; i < kPlaces; ++i) {
        b.integer(static_cast<std::int64_t>(i));
        if (i > 0) {
          b.get(0);
          continue;
        }
        b.dict().put(0).mark();
        for (std::uint64_t k = 0; k < kKeys; ++k) {
          const std::uint64_t length = k + 1 < kKeys ? keys / (kKeys - k) : keys;
          keys -= length;
          std::string key = std::to_string(k) + ":";
          key.resize(length, 'k');
          b.text(key).none();
        }
        b.set_items();
      }
      const std::uint64_t rest = (bytes - fixed) % kPlaces;  // one more entry takes what does not divide
      if (rest > 0) b.text(std::string(rest - 1, 'r')).none();
    });
  };
  for (const std::uint64_t below : {1U, 0U}) EXPECT_NO_THROW(parse(summed(limits::kMaxEntryNameBytes - below))) << below;
  rt::expect_refused([&] { parse(summed(limits::kMaxEntryNameBytes + 1)); }, "names of more than 64000000 bytes in all");
}

TEST(Checkpoint, AllTensorsTogetherAreBoundedByTheFile) {
  // U8 tensors over one storage; the file is a little larger than the storage, and grows with every name.
  const auto file_of = [](std::size_t tensors, std::int64_t last) {
    const std::vector<rt::RawStorage> storages = {{"0", std::string(1'000'000, '\1'), 1'000'000}};
    PickleBuilder builder;
    builder.dict().mark();
    for (std::size_t i = 0; i < tensors; ++i) {
      const std::int64_t size = i + 1 < tensors ? 1'000'000 : last;
      builder.text(std::to_string(100 + i)).tensor("ByteStorage", "0", 1'000'000, 0, {size}, {1});
    }
    return rt::torch_zip(builder.set_items().stop(), storages);
  };
  constexpr std::size_t kTensors = 81;
  const std::uint64_t limit = limits::kMaxTensorGrowth * file_of(kTensors, 65'536).size() + limits::kTensorSlackBytes;
  const auto room = static_cast<std::int64_t>(limit - (kTensors - 1) * 1'000'000);
  ASSERT_GT(room, 65'536);  // all of these sizes take four bytes
  ASSERT_LT(room, 1'000'000);
  for (const std::int64_t below : {1, 0}) EXPECT_NO_THROW(parse(file_of(kTensors, room - below))) << below;
  rt::expect_refused([&] { parse(file_of(kTensors, room + 1)); }, "would take all tensors together beyond the limit of");
}

TEST(Checkpoint, RefusesFilesOfNoKnownFormatAndMissingFiles) {
  for (const std::string& file :
       {std::string(), std::string("x"), std::string("hello, this is a text file"), std::string(4096, '\0')}) {
    rt::expect_refused([&] { parse(file); }, "not a checkpoint of a known format", file.substr(0, 8));
  }
  try {
    read_checkpoint(std::filesystem::temp_directory_path() / "revisit_no_such_file.pth");
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kNotFound);
  }
}

}  // namespace
}  // namespace revisit::model
