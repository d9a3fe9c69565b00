// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Decoding, orientation, resizing and normalising against pictures recorded from Pillow and torchvision.
#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>

#include "golden.h"
#include "core/image/preprocess.h"
#include "image_fixtures.h"
#include "revisit/image.h"

namespace revisit {
namespace {

using testing::error_of;
using testing::GoldenCase;

void expect_pixels(const GoldenCase& golden, const std::string& tensor, const Image& got) {
  const NpyArray want = golden.tensor(tensor);
  ASSERT_EQ(want.dtype, "u1") << tensor;
  ASSERT_EQ(want.shape, (std::vector<std::int64_t>{got.height, got.width, 3})) << tensor;
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(want.data.data());
  EXPECT_EQ(testing::largest_difference({bytes, want.data.size()}, got.rgb), 0) << tensor;
}

TEST(ImageGolden, DecodesEveryFormatAsPillowDoes) {
  REVISIT_REQUIRE_SHARED("golden/image_formats");
  const GoldenCase golden("image_formats");
  int compared = 0;
  for (const auto& [name, tensor] : golden.json()["tensors"].items()) {
    if (!name.starts_with("rgb_") || name == "rgb_gray16_png") continue;  // Pillow clips 16-bit gray; see the next test
    const auto file = golden.folder() / tensor["source"].get<std::string>();
    if (file.extension() == ".bmp") {
      const Error error = error_of([&] { load_image(file); });
      EXPECT_EQ(error.code(), ErrorCode::kBadImage);
      EXPECT_NE(std::string(error.what()).find("is a BMP file; revisit reads JPEG, PNG and WebP"), std::string::npos)
          << error.what();
      continue;
    }
    expect_pixels(golden, name, load_image(file));
    ++compared;
  }
  EXPECT_EQ(compared, 29);
}

TEST(ImageGolden, SixteenBitGrayKeepsTheHighByte) {
  REVISIT_REQUIRE_SHARED("golden/image_formats");
  const GoldenCase golden("image_formats");
  const Image image = load_image(golden.folder() / "gray16.png");
  expect_pixels(golden, "gray16_scaled", image);
  const auto raw = golden.tensor("gray16_raw").to_i64();
  ASSERT_EQ(raw.size() * 3, image.rgb.size());
  for (std::size_t i = 0; i < raw.size(); ++i) ASSERT_EQ(image.rgb[3 * i], raw[i] >> 8) << i;
}

TEST(ImageGolden, CmykMixesBlackIntoEveryColour) {
  REVISIT_REQUIRE_SHARED("golden/image_formats");
  const GoldenCase golden("image_formats");
  const Image image = load_image(golden.folder() / "cmyk_k.jpg");
  const auto cmyk = golden.tensor("cmykraw_cmyk_k").to_i64();
  ASSERT_EQ(cmyk.size() / 4 * 3, image.rgb.size());
  for (std::size_t i = 0; i < cmyk.size() / 4; ++i) {
    for (std::size_t c = 0; c < 3; ++c) {
      const double want = static_cast<double>((255 - cmyk[4 * i + c]) * (255 - cmyk[4 * i + 3])) / 255;
      ASSERT_NEAR(image.rgb[3 * i + c], want, 1.0) << i;
    }
  }
}

TEST(ImageGolden, TurnsEveryOrientationUprightUnlessToldNotTo) {
  REVISIT_REQUIRE_SHARED("golden/image_exif");
  const GoldenCase golden("image_exif");
  int compared = 0;
  for (const auto& [name, tensor] : golden.json()["tensors"].items()) {
    if (name == "raw") continue;
    const auto file = golden.folder() / tensor["source"].get<std::string>();
    PhotoInfo info;
    expect_pixels(golden, name, load_image(file, {}, &info));
    expect_pixels(golden, "raw", load_image(file, {.orientation = Orientation::kIgnore}));
    const bool valid = name.back() >= '1' && name.back() <= '8';
    EXPECT_EQ(info.orientation, valid ? name.back() - '0' : 1) << name;
    EXPECT_EQ(info.notes.size(), name.back() == '0' || name.back() == '9' ? 1u : 0u) << name;
    ++compared;
  }
  EXPECT_EQ(compared, 11);
}

TEST(ImageGolden, ReadsThePositionPillowWrote) {
  REVISIT_REQUIRE_SHARED("golden/image_exif");
  const GoldenCase golden("image_exif");
  PhotoInfo info;
  load_image(golden.folder() / "gps.jpg", {}, &info);
  ASSERT_TRUE(info.lat_deg && info.lon_deg && info.altitude_m);
  EXPECT_NEAR(*info.lat_deg, golden.json()["values"]["gps_lat"].get<double>(), 1e-12);
  EXPECT_NEAR(*info.lon_deg, golden.json()["values"]["gps_lon"].get<double>(), 1e-12);
  EXPECT_NEAR(*info.altitude_m, golden.json()["values"]["gps_alt"].get<double>(), 1e-12);
  EXPECT_TRUE(info.notes.empty());
}

TEST(ImageGolden, RefusesWhatPillowRefusesAndIgnoresExtensions) {
  REVISIT_REQUIRE_SHARED("golden/image_bad");
  const GoldenCase golden("image_bad");
  int refused = 0;
  for (const auto& [file, behaviour] : golden.json()["values"]["pil_behaviour"].items()) {
    const auto path = golden.folder() / file;
    if (behaviour.get<std::string>().starts_with("PIL opens it")) continue;
    const Error error = error_of([&] { load_image(path); });
    EXPECT_EQ(error.code(), file == "huge_dims.png" ? ErrorCode::kLimit : ErrorCode::kBadImage) << file;
    EXPECT_NE(std::string(error.what()).find(file), std::string::npos) << error.what();
    const bool says_truncated = std::string(error.what()).find("truncated at ") != std::string::npos;
    EXPECT_EQ(says_truncated, file.starts_with("truncated") || file == "header_only.jpg") << error.what();
    ++refused;
  }
  EXPECT_EQ(refused, 8);
  expect_pixels(golden, "rgb_png_named_jpg", load_image(golden.folder() / "png_named.jpg"));
  expect_pixels(golden, "rgb_jpg_named_png", load_image(golden.folder() / "jpg_named.png"));
}

// "bicubic_rgb_b_37x53": the picture between the filter and the size, the size as HxW.
struct ResizeName {
  std::string picture;
  Size size;
};

ResizeName parse(const std::string& name, const std::string& prefix) {
  const auto last = name.rfind('_');
  const auto cross = name.find('x', last);
  return {name.substr(prefix.size(), last - prefix.size()),
          {std::stoi(name.substr(last + 1)), std::stoi(name.substr(cross + 1))}};
}

TEST(ImageGolden, ResizesAndNormalisesAsPillowAndTorchvisionDo) {
  REVISIT_REQUIRE_SHARED("golden/image_resize");
  const GoldenCase golden("image_resize");
  const auto mean = golden.json()["constructor"]["mean"].get<std::array<float, 3>>();
  const auto deviation = golden.json()["constructor"]["std"].get<std::array<float, 3>>();
  const auto picture = [&](const std::string& name) {
    return load_image(golden.folder() / golden.json()["files"][name].get<std::string>());
  };
  std::set<std::string> compared;
  for (const auto& [name, tensor] : golden.json()["tensors"].items()) {
    if (name.starts_with("tensor_antialias_")) continue;  // resizes floats, which revisit does not do
    if (name.starts_with("decoded_")) {
      expect_pixels(golden, name, picture(name.substr(8)));
    } else if (name.starts_with("bilinear_L_")) {  // one channel: the three of a gray picture resize alike
      const auto [source, size] = parse(name, "bilinear_L_");
      const Image got = resize(picture(source), size, ResizeFilter::kBilinear);
      const auto want = golden.tensor(name).to_i64();
      ASSERT_EQ(want.size() * 3, got.rgb.size());
      for (std::size_t i = 0; i < want.size(); ++i) ASSERT_EQ(got.rgb[3 * i + i % 3], want[i]) << i;
    } else if (name.starts_with("tensor_")) {
      const auto [source, size] = parse(name, "tensor_");
      const Image small = resize(picture(source), size, ResizeFilter::kBilinear);
      std::vector<float> planes(small.rgb.size());
      normalise_to_planes(small, mean, deviation, planes.data());
      golden.expect_close(name, planes);
    } else {
      const bool bilinear = name.starts_with("bilinear_");
      const auto [source, size] = parse(name, bilinear ? "bilinear_" : "bicubic_");
      expect_pixels(golden, name, resize(picture(source), size, bilinear ? ResizeFilter::kBilinear : ResizeFilter::kBicubic));
    }
    compared.insert(name);
  }
  EXPECT_EQ(compared.size(), golden.json()["tensors"].size() - 2);
}

}  // namespace
}  // namespace revisit
