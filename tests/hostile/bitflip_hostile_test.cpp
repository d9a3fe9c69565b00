// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Single flipped bits in everything that is not weight data: the file is refused or still reads whole.
#include <gtest/gtest.h>

#include <random>

#include "hostile/checkpoint_builder.h"
#include "engine/model/containers.h"

namespace revisit::model {
namespace {

namespace rt = revisit::testing;

// `headers` lists the byte ranges that describe the data. Whatever is accepted must be readable to its last element.
void flip_bits(std::string file, const std::vector<std::pair<std::size_t, std::size_t>>& headers) {
  std::mt19937_64 random(11);
  std::size_t refused = 0;
  constexpr std::size_t kFlips = 10'000;
  for (std::size_t i = 0; i < kFlips; ++i) {
    const auto& [begin, end] = headers[random() % headers.size()];
    const std::size_t at = begin + random() % (end - begin);
    const char before = file[at];
    file[at] = static_cast<char>(file[at] ^ (1 << (random() % 8)));
    try {
      const Checkpoint read = parse_checkpoint(rt::bytes_of(file), nullptr, "flipped");
      for (const auto& [name, tensor] : read.weights.all()) {
        ASSERT_EQ(to_f32(tensor).size(), static_cast<std::size_t>(tensor.count())) << name;
      }
    } catch (const Error& error) {
      ASSERT_TRUE(error.code() == ErrorCode::kBadModel || error.code() == ErrorCode::kLimit) << at << ": " << error.what();
      ++refused;
    }
    file[at] = before;
  }
  // Most bits of a header carry meaning; if nearly all flips passed, the checks would not be running.
  EXPECT_GT(refused, kFlips / 3);
}

TEST(BitFlips, InZipRecordsAndPickle) {
  const rt::SmallModel model;
  const std::string file = model.zip();
  const std::size_t directory = file.find("PK\x01\x02");
  flip_bits(file, {{0, 40 + model.pickle.size()}, {directory, file.size()}});
}

TEST(BitFlips, InLegacyPickles) {
  const rt::SmallModel model;
  const std::string file = model.legacy();
  flip_bits(file, {{0, file.size() - model.data.size() - 8 * model.storages.size()}});
}

TEST(BitFlips, InSafetensorsHeader) {
  const rt::SmallModel model;
  flip_bits(model.tensors(), {{0, 8 + model.header.size()}});
}

}  // namespace
}  // namespace revisit::model
