// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// A model cut at every byte: each piece is refused, none is taken for a smaller model.
#include <gtest/gtest.h>

#include "hostile/checkpoint_builder.h"
#include "engine/model/containers.h"

namespace revisit::model {
namespace {

namespace rt = revisit::testing;

void expect_every_cut_refused(const std::string& file, const std::string& format) {
  ASSERT_EQ(parse_checkpoint(rt::bytes_of(file), nullptr, "whole").format, format);
  for (std::size_t length = 0; length < file.size(); ++length) {
    // A copy of exactly this length, so that a sanitizer sees a read past its end.
    const std::vector<char> piece(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(length));
    try {
      parse_checkpoint(std::as_bytes(std::span(piece)), nullptr, "cut");
      FAIL() << format << " cut to " << length << " bytes was accepted";
    } catch (const Error& error) {
      ASSERT_TRUE(error.code() == ErrorCode::kBadModel || error.code() == ErrorCode::kLimit) << length << ": " << error.what();
    }
  }
}

TEST(Truncation, ZipCutAtEveryByteIsRefused) { expect_every_cut_refused(rt::SmallModel().zip(), "torch zip"); }
TEST(Truncation, LegacyCutAtEveryByteIsRefused) { expect_every_cut_refused(rt::SmallModel().legacy(), "torch legacy"); }
TEST(Truncation, SafetensorsCutAtEveryByteIsRefused) { expect_every_cut_refused(rt::SmallModel().tensors(), "safetensors"); }

TEST(Truncation, FilesWithBytesAddedAreRefused) {
  const rt::SmallModel model;
  for (const std::string& file : {model.zip(), model.legacy(), model.tensors()}) {
    rt::expect_refused(
        [&] {
          const std::string longer = file + "x";
          parse_checkpoint(rt::bytes_of(longer), nullptr, "long");
        },
        "long");
  }
}

}  // namespace
}  // namespace revisit::model
