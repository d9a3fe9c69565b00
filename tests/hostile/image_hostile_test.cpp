// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Files that are not pictures, pictures that are bombs, and pictures cut anywhere: an Error each time, quickly and
// without memory. Bombs run in a child process, whose peak memory is its own.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>

#include "image_fixtures.h"
#include "revisit/image.h"

namespace revisit {
namespace {

using namespace testing;
namespace fs = std::filesystem;

// Of the processor: what else runs on the machine does not count. Waiting for ever is ended by the test's time limit.
double seconds_of(const std::function<void()>& call) {
  const std::clock_t start = std::clock();
  call();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

class ImageHostile : public ::testing::Test {
 protected:
  ImageHostile() : folder_(fs::temp_directory_path() / ("revisit_image_hostile_" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
  }
  ~ImageHostile() override { fs::remove_all(folder_); }

  fs::path write(const std::string& name, const Bytes& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return folder_ / name;
  }

  fs::path folder_;
};

TEST_F(ImageHostile, RefusesTwelveFilesThatAreNoPictures) {
  std::vector<std::pair<fs::path, ErrorCode>> files = {
      {write("empty.jpg", {}), ErrorCode::kBadImage},
      {write("one_byte.jpg", {std::byte{0xFF}}), ErrorCode::kBadImage},
      {write("text.jpg", to_bytes("this is not a picture\n")), ErrorCode::kBadImage},
      {write("page.png", to_bytes("<!doctype html><html></html>")), ErrorCode::kBadImage},
      {write("bitmap.jpg", to_bytes("BM............")), ErrorCode::kBadImage},
      {write("start_only.jpg", to_bytes("\xff\xd8\xff")), ErrorCode::kBadImage},
      {write("signature_only.png", png_signature()), ErrorCode::kBadImage},
      {folder_ / "missing.jpg", ErrorCode::kNotFound},
      {folder_, ErrorCode::kNotFound},
      {folder_ / "pipe.jpg", ErrorCode::kNotFound},
      {folder_ / "endless.jpg", ErrorCode::kNotFound},
      {folder_ / "loop.jpg", ErrorCode::kNotFound},
  };
  ASSERT_EQ(::mkfifo((folder_ / "pipe.jpg").c_str(), 0600), 0);
  fs::create_symlink("/dev/zero", folder_ / "endless.jpg");
  fs::create_symlink("loop.jpg", folder_ / "loop.jpg");
  const double seconds = seconds_of([&] {
    for (const auto& [path, code] : files) {
      const Error error = error_of([&p = path] { load_image(p); });
      EXPECT_EQ(error.code(), code) << path;
      EXPECT_NE(std::string(error.what()).find(path.string()), std::string::npos) << error.what();
    }
  });
  EXPECT_LE(seconds, 2.0);
}

TEST_F(ImageHostile, RefusesAFileItMayNotRead) {
  const fs::path path = write("secret.png", make_png(slopes(4, 4, 3)));
  fs::permissions(folder_, fs::perms::owner_all | fs::perms::others_exec | fs::perms::others_read);
  fs::permissions(path, fs::perms::none);
  const pid_t child = ::fork();
  if (child == 0) {  // root may read everything, so it becomes another user first
    if (::geteuid() == 0 && ::seteuid(65534) != 0) ::_exit(2);
    try {
      load_image(path);
    } catch (const Error& error) {
      ::_exit(error.code() == ErrorCode::kNotFound ? 0 : 1);
    }
    ::_exit(3);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(ImageHostile, IgnoresTheExtensionOfAGoodPicture) {
  EXPECT_EQ(load_image(write("a.jpg", make_png(slopes(4, 4, 3)))).width, 4);
  EXPECT_EQ(load_image(write("a.txt", make_jpeg(slopes(4, 4, 3)))).width, 4);
  EXPECT_EQ(load_image(write("a", make_webp(slopes(4, 4, 3), true))).width, 4);
}

long memory_kb(const std::string& field) {
  std::ifstream in("/proc/self/status");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(field + ":")) return std::stol(line.substr(field.size() + 1));
  }
  return -1;
}

struct Outcome {
  bool clean = false;  // the child ended by itself
  bool refused = false;
  int code = 0;
  double seconds = 0;
  long growth_kb = 0;
};

// Decodes in a child and reports its peak memory above where it started.
Outcome decode_in_child(const Bytes& file) {
  int ends[2];
  if (::pipe(ends) != 0) return {};
  const pid_t child = ::fork();
  if (child == 0) {
    Outcome out;
    const long before = memory_kb("VmRSS");
    out.seconds = seconds_of([&] {
      try {
        decode_image(file, "bomb");
      } catch (const Error& error) {
        out.refused = true;
        out.code = static_cast<int>(error.code());
      }
    });
    out.growth_kb = memory_kb("VmHWM") - before;
    const ssize_t written = ::write(ends[1], &out, sizeof(out));
    ::_exit(written == sizeof(out) ? 0 : 1);
  }
  ::close(ends[1]);
  Outcome out;
  const bool whole = ::read(ends[0], &out, sizeof(out)) == sizeof(out);
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  out.clean = whole && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  return out;
}

Bytes png_of_zeros(std::uint32_t width, std::uint32_t height, int depth, int colour) {
  const std::uint64_t row = 1 + (std::uint64_t{width} * static_cast<unsigned>(depth) + 7) / 8;
  return join({png_signature(), png_header(width, height, depth, colour), png_chunk("IDAT", zlib_of_zeros(row * height)),
               png_chunk("IEND", {})});
}

Bytes with_text_of_zeros(std::uint64_t inflated) {
  return with_png_chunks(make_png(slopes(8, 8, 3)),
                         {png_chunk("zTXt", join({to_bytes(std::string_view("note\0\0", 6)), zlib_of_zeros(inflated)}))});
}

// A lossless picture whose header says 16,383 x 16,383.
Bytes webp_bomb() {
  const std::uint32_t header = (16383u - 1) | (16383u - 1) << 14;
  const Bytes body = join({to_bytes("WEBP"), riff_chunk("VP8L", join({{std::byte{0x2F}}, u32_le(header), Bytes(64)}))});
  return join({to_bytes("RIFF"), u32_le(static_cast<std::uint32_t>(body.size())), body});
}

Bytes jpeg_bomb() {
  Bytes file = make_jpeg(slopes(16, 16, 3));
  for (std::size_t at = 2;; ++at) {
    if (file[at] != std::byte{0xFF} || file[at + 1] != std::byte{0xC0}) continue;
    for (std::size_t i = 0; i < 4; ++i) file[at + 5 + i] = std::byte(i % 2 == 0 ? 65500 >> 8 : 65500 & 255);
    return file;
  }
}

TEST(ImageBombs, TheBombMakerMakesPicturesThatDecode) {
  const Image image = decode_image(png_of_zeros(2000, 1500, 8, PNG_COLOR_TYPE_GRAY), "x");
  EXPECT_EQ(image.width, 2000);
  EXPECT_EQ(std::count(image.rgb.begin(), image.rgb.end(), 0), 2000 * 1500 * 3);
}

TEST(ImageBombs, EveryBombIsRefusedQuicklyAndWithoutMemory) {
  const auto limit = static_cast<int>(ErrorCode::kLimit);
  const auto bad = static_cast<int>(ErrorCode::kBadImage);
  const std::tuple<std::string, Bytes, int> bombs[] = {
      {"PNG 50,000 x 50,000 of 1 bit", png_of_zeros(50'000, 50'000, 1, PNG_COLOR_TYPE_GRAY), limit},
      {"PNG 100,000 x 100,000, header only", join({png_signature(), png_header(100'000, 100'000)}), limit},
      {"JPEG 65,500 x 65,500", jpeg_bomb(), limit},
      {"JPEG of 1,200 scans", make_jpeg(noise(128, 128, 3), {.quality = 80, .scans = many_scans(1200, 3)}), limit},
      {"PNG with a text of 1 GB", with_text_of_zeros(std::uint64_t{1} << 30), limit},
      {"WebP 16,383 x 16,383", webp_bomb(), limit},
      {"APNG of 1,000,000 frames",
       with_png_chunks(make_png(slopes(8, 8, 3)), {png_chunk("acTL", join({u32_be(1'000'000), u32_be(0)}))}), bad},
  };
  for (const auto& [name, file, code] : bombs) {
    const Outcome got = decode_in_child(file);
    EXPECT_TRUE(got.clean) << name;
    EXPECT_TRUE(got.refused) << name;
    EXPECT_EQ(got.code, code) << name;
    EXPECT_LE(got.seconds, 1.0) << name;
    EXPECT_LE(got.growth_kb, 64 * 1024) << name;
  }
}

TEST(ImageBombs, TextInsideThePngLimitIsNeverInflated) {
  const Outcome got = decode_in_child(with_text_of_zeros(150'000'000));  // just under 1 MB in the file
  EXPECT_TRUE(got.clean);
  EXPECT_FALSE(got.refused);
  EXPECT_LE(got.growth_kb, 16 * 1024);
}

std::vector<std::pair<std::string, Bytes>> twenty_pictures() {
  const Samples rgb = noise(33, 29, 3);
  const Samples soft = slopes(48, 40, 3);
  const Samples rgba = noise(21, 17, 4);
  PngOptions palette{.colour = PNG_COLOR_TYPE_PALETTE};
  for (int i = 0; i < 256; ++i) palette.palette.push_back({static_cast<png_byte>(i), static_cast<png_byte>(255 - i), 7});
  return {
      {"jpeg 444", make_jpeg(rgb)},
      {"jpeg 420", make_jpeg(rgb, {.h_samp = 2, .v_samp = 2})},
      {"jpeg 422", make_jpeg(soft, {.quality = 75, .h_samp = 2})},
      {"jpeg progressive", make_jpeg(rgb, {.progressive = true})},
      {"jpeg arithmetic", make_jpeg(rgb, {.arithmetic = true})},
      {"jpeg gray", make_jpeg(noise(33, 29, 1))},
      {"jpeg cmyk", make_jpeg(rgba)},
      {"jpeg ycck", make_jpeg(rgba, {.ycck = true})},
      {"jpeg restarts", make_jpeg(soft, {.restart_rows = 1})},
      {"png rgb", make_png(rgb)},
      {"png rgba", make_png(rgba)},
      {"png gray", make_png(noise(33, 29, 1))},
      {"png gray alpha", make_png(noise(33, 29, 2))},
      {"png palette", make_png(33, 29, noise(33, 29, 1).data, palette)},
      {"png adam7", make_png(rgb, true)},
      {"png 16 bit", make_png(20, 20, noise(20, 20, 6).data, {.depth = 16})},
      {"webp lossy", make_webp(rgb, false)},
      {"webp lossless", make_webp(rgb, true)},
      {"webp lossy alpha", make_webp(rgba, false)},
      {"webp lossless alpha", make_webp(rgba, true)},
  };
}

TEST(ImageTruncation, EveryCutOfTwentyPicturesIsRefusedAndNamed) {
  int refused = 0;
  for (const auto& [name, file] : twenty_pictures()) {
    const Image whole = decode_image(file, name);
    for (std::size_t percent = 0; percent < 100; ++percent) {
      const std::size_t size = file.size() * percent / 100;
      const Bytes part(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));
      const Error error = error_of([&, &n = name] { decode_image(part, n); });
      EXPECT_EQ(error.code(), ErrorCode::kBadImage) << name << " " << percent;
      const bool says_so = std::string(error.what()).find("truncated at ") != std::string::npos;
      EXPECT_TRUE(says_so || size < 12) << name << " " << percent << ": " << error.what();  // below 12 bytes it may be anything
      ++refused;
      try {  // the rest: the full size or nothing
        EXPECT_EQ(decode_image(part, name, {.accept_truncated = true}).rgb.size(), whole.rgb.size());
      } catch (const Error& cut) {
        EXPECT_EQ(cut.code(), ErrorCode::kBadImage) << name << " " << percent;
      }
    }
  }
  EXPECT_EQ(refused, 2000);
}

}  // namespace
}  // namespace revisit
