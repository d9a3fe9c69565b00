// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// `revisit describe` over good, bad and odd inputs.
#include <sys/stat.h>

#include <cmath>
#include <set>

#include "core/formats/npy.h"
#include "run_program.h"

namespace revisit::testing {
namespace {

namespace fs = std::filesystem;

class Describe : public ProgramTest {
 protected:
  // Twelve inputs named like photos of which none is one; root may read everything and gets a dangling link instead.
  std::vector<std::string> bad_inputs() {
    const auto good = contents(fs::path(picture("good.png", 3)).filename());
    fs::create_directories(folder_ / "bad");
    std::vector<std::string> names;
    const auto add = [&](const std::string& name, const std::string& text) { names.push_back(text_file("bad/" + name, text)); };
    add("empty.jpg", "");
    add("one_byte.png", "x");
    add("text.jpg", "dear diary, no picture today\n");
    add("page.png", "<!DOCTYPE html><html><body>404</body></html>");
    add("truncated.png", good.substr(0, good.size() / 2));
    add("header_only.jpg", "\xff\xd8\xff\xe0");
    add("riff.webp", "RIFF");
    add("bitmap.jpg", std::string("BM") + std::string(100, '\0'));
    fs::create_directories(folder_ / "bad/folder.jpg");
    names.push_back(path("bad/folder.jpg"));
    EXPECT_EQ(::mkfifo(path("bad/pipe.jpg").c_str(), 0644), 0);
    names.push_back(path("bad/pipe.jpg"));
    fs::create_symlink("/dev/zero", folder_ / "bad/zero.png");
    names.push_back(path("bad/zero.png"));
    if (::geteuid() != 0) {
      add("forbidden.png", good);
      fs::permissions(folder_ / "bad/forbidden.png", fs::perms::none);
    } else {
      fs::create_symlink("nowhere.png", folder_ / "bad/dangling.png");
      names.push_back(path("bad/dangling.png"));
    }
    return names;
  }
};

double length_of(std::span<const float> row) {
  double sum = 0;
  for (const float x : row) sum += static_cast<double>(x) * static_cast<double>(x);
  return std::sqrt(sum);
}

TEST_F(Describe, RowsStandInArgumentOrderWithUnitLength) {
  const auto a = picture("a.png", 1);
  const auto b = picture("b.png", 2);
  const auto both = run_program({"describe", b, a, b, "-o", path("both.npy")});
  ASSERT_EQ(both.exit_code, 0) << both.err;
  EXPECT_EQ(both.out, "") << "with -o there is no data for stdout";
  ASSERT_EQ(run_program({"describe", a, "-o", path("a.npy")}).exit_code, 0);
  const auto rows = read_npy(path("both.npy"));
  const auto single = read_npy(path("a.npy"));
  EXPECT_EQ(rows.dtype, "f4");
  ASSERT_EQ(rows.shape.size(), 2U);
  EXPECT_EQ(rows.shape[0], 3);
  EXPECT_EQ(single.shape, (std::vector<std::int64_t>{1, rows.shape[1]}));
  const auto values = rows.to_f32();
  const auto dim = static_cast<std::size_t>(rows.shape[1]);
  const auto row = [&](std::size_t i) { return std::span(values).subspan(i * dim, dim); };
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(length_of(row(i)), 1, 1e-5);
  EXPECT_TRUE(std::ranges::equal(row(0), row(2)));
  EXPECT_TRUE(std::ranges::equal(row(1), single.to_f32())) << "the middle row is a.png";
  EXPECT_FALSE(std::ranges::equal(row(0), row(1)));
  EXPECT_FALSE(exists("both.names.txt")) << "rows are the arguments";
}

TEST_F(Describe, NeverWritesOverAPhotoOrAnInput) {
  const auto photo = picture("a.png", 1), other = picture("b.png", 2);
  const auto forgotten = run_program({"describe", photo, "-o", other});
  EXPECT_EQ(forgotten.exit_code, 2);
  EXPECT_NE(forgotten.err.find("is not a .npy file, so it is not overwritten"), std::string::npos) << forgotten.err;
  const auto same = run_program({"describe", photo, "-o", photo});
  EXPECT_EQ(same.exit_code, 2);
  EXPECT_NE(same.err.find("both an input and the output"), std::string::npos) << same.err;
  EXPECT_EQ(run_program({"describe", photo, other, "--json"}).exit_code, 0) << "both are whole";
  for (int round = 0; round < 2; ++round) EXPECT_EQ(run_program({"describe", photo, "-o", path("d.npy")}).exit_code, 0);
  EXPECT_EQ(run_program({"describe", ""}).exit_code, 2) << "a variable that is not set";
}

TEST_F(Describe, TheSameRequestGivesTheSameBytes) {
  const auto a = picture("a.png");
  run_program({"describe", a, "--rho", "0.5", "-o", path("one.npy")});
  run_program({"describe", a, "--rho", "0.5", "-o", path("two.npy")});
  ASSERT_FALSE(contents("one.npy").empty());
  EXPECT_EQ(contents("one.npy"), contents("two.npy"));
}

TEST_F(Describe, PrintsATableOfSimilaritiesForPeople) {
  const auto run = run_program({"describe", picture("a.png", 1), picture("b.png", 2)});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.out.find("cosine similarity"), std::string::npos);
  EXPECT_NE(run.out.find("1.0000"), std::string::npos);
  EXPECT_EQ(run.err, "") << "the embedded model needs no notice";
  const auto demo = run_program({"describe", path("a.png"), "--model", "demo"});
  EXPECT_NE(demo.err.find("untrained"), std::string::npos);
  EXPECT_EQ(std::count(demo.err.begin(), demo.err.end(), '\n'), 1) << demo.err;
  EXPECT_EQ(run_program({"describe", path("a.png"), "-q", "--model", "demo"}).err, "");
}

TEST_F(Describe, JsonHoldsTheDescriptors) {
  const auto run = run_program({"describe", picture("a.png"), "--json", "-q"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const auto object = run.json();
  EXPECT_EQ(object.at("schema"), 1);
  EXPECT_EQ(object.at("images").size(), 1U);
  const auto& image = object.at("images").at(0);
  EXPECT_EQ(image.at("name"), path("a.png"));
  EXPECT_EQ(image.at("descriptor").size(), object.at("dim").get<std::size_t>());
  EXPECT_GT(image.at("ms").get<double>(), 0);
  EXPECT_TRUE(object.at("skipped").empty());
}

TEST_F(Describe, WithoutSkipBadOneBadInputMeansNothingIsWritten) {
  const auto bad = bad_inputs();
  ASSERT_EQ(bad.size(), 12U);
  for (const auto& one : bad) {
    const auto run = run_program({"describe", path("good.png"), one, "-o", path("out.npy"), "-q"});
    EXPECT_EQ(run.exit_code, 3) << one << run.err;
    EXPECT_NE(run.err.find(fs::path(one).filename().string()), std::string::npos) << run.err;
    EXPECT_NE(run.err.find("hint: --skip-bad"), std::string::npos) << run.err;
  }
  EXPECT_FALSE(exists("out.npy"));
  EXPECT_FALSE(exists("out.names.txt"));
  EXPECT_EQ(files(), 2U) << "good.png and the folder bad: no temporary file is left";
}

TEST_F(Describe, WithSkipBadTheRestIsWrittenAndEverySkippedFileIsNamed) {
  const auto bad = bad_inputs();
  const auto png_named_jpg = picture("bad/really_a_png.png", 4);
  fs::rename(png_named_jpg, folder_ / "bad/really_a_png.jpg");
  const auto run = run_program({"describe", path("good.png"), path("bad"), "-o", path("out.npy"), "--skip-bad", "-q"});
  EXPECT_EQ(run.exit_code, 4) << run.err;
  EXPECT_LT(run.wall_s, 20);
  for (const auto& one : bad) EXPECT_NE(run.err.find("skipped " + one + ": "), std::string::npos) << one << "\n" << run.err;
  EXPECT_EQ(read_npy(path("out.npy")).shape[0], 2);
  EXPECT_EQ(contents("out.names.txt"), path("good.png") + "\n" + path("bad/really_a_png.jpg") + "\n");

  const auto json = run_program({"describe", path("good.png"), path("bad"), "--skip-bad", "--json", "-q"}).json();
  ASSERT_EQ(json.at("skipped").size(), 12U);
  std::set<std::string> named;
  for (const auto& one : json.at("skipped")) {
    named.insert(one.at("path").get<std::string>());
    EXPECT_FALSE(one.at("reason").get<std::string>().empty());
    EXPECT_FALSE(one.at("code").get<std::string>().empty());
  }
  EXPECT_EQ(named, std::set<std::string>(bad.begin(), bad.end()));
}

TEST_F(Describe, WithSkipBadAndNothingGoodNothingIsWritten) {
  const auto run = run_program({"describe", text_file("a.jpg", "x"), path("gone.jpg"), "--skip-bad", "-o", path("out.npy")});
  EXPECT_EQ(run.exit_code, 3) << run.err;
  EXPECT_FALSE(exists("out.npy"));
}

TEST_F(Describe, AFolderWithoutPhotosIsABadInput) {
  fs::create_directories(folder_ / "none");
  const auto run = run_program({"describe", path("none")});
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_NE(run.err.find("holds no .jpg"), std::string::npos) << run.err;
}

TEST_F(Describe, AFolderGivesItsPhotosSortedWithTheirNames) {
  picture("photos/b.png", 2);
  picture("photos/a/z.png", 1);
  text_file("photos/notes.txt", "hello");
  const auto run = run_program({"describe", path("photos"), "-o", path("out.npy")});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(contents("out.names.txt"), path("photos/a/z.png") + "\n" + path("photos/b.png") + "\n");
  EXPECT_NE(run.err.find("skipped 1 file that is not a photo"), std::string::npos) << run.err;
}

TEST_F(Describe, TensorsSkipDecodingAndKeepTheirOrder) {
  std::vector<float> values(2 * 3 * 56 * 84);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = std::sin(static_cast<float>(i) * (i < values.size() / 2 ? 0.01F : 0.37F));
  write_npy(path("stack.npy"), values, {2, 3, 56, 84});
  write_npy(path("second.npy"), std::span(values).subspan(values.size() / 2), {3, 56, 84});
  const auto run = run_program({"describe", path("stack.npy"), path("second.npy"), "-o", path("out.npy")});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const auto rows = read_npy(path("out.npy"));
  ASSERT_EQ(rows.shape[0], 3);
  const auto all = rows.to_f32();
  const auto dim = static_cast<std::size_t>(rows.shape[1]);
  EXPECT_TRUE(std::ranges::equal(std::span(all).subspan(dim, dim), std::span(all).subspan(2 * dim, dim)));
  EXPECT_FALSE(std::ranges::equal(std::span(all).first(dim), std::span(all).subspan(dim, dim)));
  EXPECT_EQ(contents("out.names.txt"), path("stack.npy") + "#0\n" + path("stack.npy") + "#1\n" + path("second.npy") + "\n");
}

TEST_F(Describe, ATensorThatIsNoMultipleOfThePatchIsAUsageError) {
  write_npy(path("odd.npy"), std::vector<float>(3 * 57 * 84, 0.5F), {3, 57, 84});
  const auto run = run_program({"describe", path("odd.npy"), "-o", path("out.npy")});
  EXPECT_EQ(run.exit_code, 2) << run.err;
  EXPECT_NE(run.err.find("57"), std::string::npos) << run.err;
  EXPECT_FALSE(exists("out.npy"));
  write_npy(path("flat.npy"), std::vector<float>(60, 0.5F), {60});
  EXPECT_EQ(run_program({"describe", path("flat.npy")}).exit_code, 3);
}

TEST_F(Describe, DumpWritesWhatHappenedInside) {
  const auto run = run_program({"describe", picture("a.png"), "--rho", "0.5", "--dump", path("dump"), "-q"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder_ / "dump")) names.insert(entry.path().filename().string());
  EXPECT_EQ(names,
            (std::set<std::string>{"alpha.npy", "cls.npy", "ghost.npy", "importance.npy", "kept.npy", "logits.npy", "patches.npy",
                                   "scores.npy", "tier.npy", "tier_weight.npy", "tokens_block0.npy", "transport.npy"}));
  const auto kept = read_npy(path("dump/kept.npy"));
  EXPECT_EQ(kept.dtype, "i8");
  EXPECT_EQ(read_npy(path("dump/tier.npy")).dtype, "i8");
  const auto scores = read_npy(path("dump/scores.npy"));
  EXPECT_EQ(kept.count(), (scores.count() + 1) / 2) << "K = ceil(rho N0)";
  const auto indices = kept.to_i64();
  EXPECT_TRUE(std::ranges::is_sorted(indices));
  EXPECT_EQ(read_npy(path("dump/patches.npy")).shape[0], kept.count());
  EXPECT_EQ(read_npy(path("dump/transport.npy")).shape[0], kept.count());
}

TEST_F(Describe, DumpTakesASingleInput) {
  const auto a = picture("a.png");
  EXPECT_EQ(run_program({"describe", a, a, "--dump", path("dump")}).exit_code, 2);
  write_npy(path("two.npy"), std::vector<float>(2 * 3 * 28 * 28, 0.5F), {2, 3, 28, 28});
  EXPECT_EQ(run_program({"describe", path("two.npy"), "--dump", path("dump")}).exit_code, 2);
  EXPECT_FALSE(exists("dump"));
}

TEST_F(Describe, ASizeIsRoundedToThePatchWithOneNotice) {
  const auto run = run_program({"describe", picture("a.png"), "--size", "100x101", "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const auto size = run.json().at("size");
  EXPECT_NE(size, (nlohmann::json{100, 101}));
  EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
}

TEST_F(Describe, AnOutputThatCannotBeWrittenIsSaidBeforeTheWork) {
  const auto a = picture("a.png");
  const auto run = run_program({"describe", a, "-o", path("missing/out.npy")});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_NE(run.err.find("does not exist"), std::string::npos) << run.err;
  EXPECT_EQ(run_program({"describe", a, "-o", folder_.string()}).exit_code, 1);
  EXPECT_EQ(run_program({"describe", a, "-q", "-o", "/dev/null"}).exit_code, 0);
}

TEST_F(Describe, FileNamesNeedNotBeUtf8) {
  const auto odd = picture("caf\xe9.png");
  const auto run = run_program({"describe", odd, "--json", "-q"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.json().at("images").size(), 1U);
}

TEST_F(Describe, AnUnknownModelIsNamedWithAWayOut) {
  const auto a = picture("a.png");
  const auto near = run_program({"describe", a, "--model", "dmeo"});
  EXPECT_EQ(near.exit_code, 2);
  EXPECT_NE(near.err.find("unknown model 'dmeo' - did you mean 'demo'?"), std::string::npos) << near.err;
  EXPECT_NE(near.err.find("hint: "), std::string::npos);
  EXPECT_EQ(run_program({"describe", a, "--model", path("gone.safetensors")}).exit_code, 3);
  EXPECT_EQ(run_program({"describe", a, "--model", text_file("junk.safetensors", "junk")}).exit_code, 3);
}

// A still picture of one pixel with a frame of an animation behind it, in a file whose header does not speak of animation.
std::string still_with_frames() {
  using namespace std::string_literals;
  const std::string picture = "VP8L\x0d\0\0\0\x2f\0\0\0\x10\x07\x10\x11\x11\x88\x88\xfe\x07\0"s;
  const std::string frame = "ANMF\x26\0\0\0"s + std::string(16, '\0') + picture;
  const std::string body = "WEBP" + picture + "ANIM\x06\0\0\0"s + std::string(6, '\0') + frame;
  return "RIFF"s + static_cast<char>(body.size()) + "\0\0\0"s + body;
}

TEST_F(Describe, EveryVerbSaysThatFramesOfAnAnimationAreNotUsed) {
  const std::string notice =
      "notice: '" + text_file("photos/a.webp", still_with_frames()) + "' holds an animation; only its still picture is used\n";
  const auto photos = path("photos"), photo = path("photos/a.webp");
  for (const auto& arguments : std::vector<std::vector<std::string>>{
           {"describe", photo}, {"match", photos, photos}, {"index", "add", path("db"), photos}, {"query", path("db"), photo}}) {
    auto words = arguments;
    words.insert(words.end(), {"--size", "28x28"});
    const auto run = run_program(words);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_NE(run.err.find(notice), std::string::npos) << arguments.front() << ": " << run.err;
    words.push_back("-q");
    EXPECT_EQ(run_program(words).err.find("animation"), std::string::npos) << arguments.front();
  }
  for (const auto& words : std::vector<std::vector<std::string>>{{"match", photos, photos, "--size", "28x28"},
                                                                 {"index", "add", path("new"), photos},
                                                                 {"query", path("db"), photo},
                                                                 {"describe", photo}}) {
    auto quiet = words;
    quiet.insert(quiet.end(), {"-q", "--json"});
    const auto notes = run_program(quiet).json()["notes"].get<std::vector<std::string>>();
    EXPECT_EQ(std::ranges::count(notes, notice.substr(8, notice.size() - 9)), 1) << words.front();
  }
}

TEST_F(Describe, OfManyAnimationsTheFirstFewAreNamed) {
  for (std::size_t i = 0; i < 5; ++i) {
    text_file("photos/" + std::to_string(i) + ".webp", still_with_frames() + std::string(2 * i, '\0'));
  }
  const auto run = run_program({"index", "add", path("db"), path("photos"), "--size", "28x28"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  for (const char* named : {"0.webp", "1.webp", "2.webp"}) EXPECT_NE(run.err.find(named), std::string::npos) << run.err;
  EXPECT_EQ(run.err.find("3.webp"), std::string::npos) << run.err;
  EXPECT_NE(run.err.find("notice: something was left out of 2 more photos, too\n"), std::string::npos) << run.err;
}

}  // namespace
}  // namespace revisit::testing
