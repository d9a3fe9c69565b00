// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Malicious files of data sets: cut, of other types, with huge counts, bombs, or code. Each is refused
// with a sentence, and none takes memory or time that its size does not explain.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>

#include "core/base/limits.h"
#include "lab/dataset/dbstruct.h"
#include "lab/dataset/gt_csv.h"
#include "lab/dataset/npy_lists.h"
#include "recognise/photos/positions.h"
#include "test_files.h"
#include "lab/dataset/test_mat.h"
#include "hostile/pickle_builder.h"

namespace revisit::dataset {
namespace {

using testing::expect_error;
using testing::MatWriter;
using testing::npy_file;
using testing::PickleBuilder;
using testing::TemporaryFolder;
using testing::view_of;

// ---- numpy pickles

// _reconstruct(ndarray, (0,), b'b'), then a state of version, shape, element type, order; the content and close() follow.
PickleBuilder& open_array(PickleBuilder& out, const std::vector<std::int64_t>& shape, const std::string& type,
                          const std::string& order, const std::string& package = "numpy.core.multiarray") {
  out.global(package, "_reconstruct").mark().global("numpy", "ndarray").integers({0}).bytes("b").tuple().reduce();
  out.mark().integer(1).integers(shape);
  out.global("numpy", "dtype").mark().text(type).boolean(false).boolean(true).tuple().reduce();
  out.mark().integer(3).text(order).none().none().none().integer(-1).integer(-1).integer(0).tuple().build();
  return out.boolean(false);
}
PickleBuilder& close(PickleBuilder& out) { return out.tuple().build(); }

std::string int_bytes(const std::vector<std::int64_t>& values) {
  std::string out;
  for (const auto value : values) out += testing::le(value);
  return out;
}

// An object array of one array of integers.
std::string honest() {
  PickleBuilder p(3);
  open_array(p, {1}, "O8", "|").list();
  close(open_array(p, {2}, "i8", "<").bytes(int_bytes({3, 4}))).append();
  return npy_file("|O", "(1,)", close(p).stop());
}

TEST(HostileNpy, TheHonestFileIsRead) {
  EXPECT_EQ(parse_npy_lists(view_of(honest()), "t"), (std::vector<std::vector<std::int64_t>>{{3, 4}}));
}

TEST(HostileNpy, CodeIsRefusedByNameAndNothingRuns) {
  const std::vector<std::pair<std::string, std::string>> globals = {{"os", "system"},
                                                                    {"posix", "system"},
                                                                    {"builtins", "eval"},
                                                                    {"subprocess", "Popen"},
                                                                    {"numpy", "load"},
                                                                    {"numpy.core.multiarray", "fromfile"},
                                                                    {"numpy.testing._private.utils", "runstring"},
                                                                    {"collections", "OrderedDict"},
                                                                    {"torch._utils", "_rebuild_tensor_v2"},
                                                                    {"_codecs", "decode"},
                                                                    {"numpy", "core.multiarray.scalar"},
                                                                    {"numpy.core", "multiarray._reconstruct"}};
  for (const auto& [module, name] : globals) {
    PickleBuilder p(3);
    p.global(module, name).mark().text("touch canary").tuple().reduce();
    expect_error([&] { parse_npy_lists(view_of(npy_file("|O", "(1,)", p.stop())), "t.npy"); }, ErrorCode::kBadFile,
                 "'" + module + "." + name + "', which is not allowed");
  }
}

TEST(HostileNpy, OtherFormsAreRefused) {
  const auto refused = [](const std::string& pickle, const std::string& part, const std::string& shape = "(1,)") {
    expect_error([&] { parse_npy_lists(view_of(npy_file("|O", shape, pickle)), "t"); }, ErrorCode::kBadFile, part);
  };
  refused(PickleBuilder(3).list().stop(), "not an array where one is expected");
  refused(PickleBuilder(3).global("numpy.core.multiarray", "_reconstruct").empty_tuple().reduce().stop(),
          "without shape and content");
  refused(PickleBuilder(3).global("numpy.core.multiarray", "_reconstruct").empty_tuple().reduce().none().build().stop(),
          "without shape");
  {
    PickleBuilder p(3);
    refused(close(open_array(p, {1}, "i8", "<").bytes(int_bytes({1}))).stop(), "not of objects");
  }
  {
    PickleBuilder p(3);
    refused(close(open_array(p, {1}, "O8", "|").bytes("x")).stop(), "without a list");
  }
  {
    PickleBuilder p(3);
    refused(close(open_array(p, {2}, "O8", "|").list()).stop(), "has 0 objects", "(2,)");
  }
  {
    PickleBuilder p(3);
    refused(close(open_array(p, {-1}, "O8", "|").list()).stop(), "sizes are not integers");
  }
  {
    PickleBuilder p(3);
    refused(close(open_array(p, {1}, "O8", "|").list().integer(1).append()).stop(), "disagree about the shape", "(2,)");
  }
  for (const auto& [type, order, data, part] :
       {std::tuple<std::string, std::string, std::string, std::string>{"f8", "<", int_bytes({1}), "'<f8', not of integers"},
        {"i8", "<", "short", "do not fit its shape"},
        {"i8", "??", int_bytes({1}), "without a byte order"},
        {"O8", "|", "", "not of integers"}}) {
    PickleBuilder p(3);
    open_array(p, {1}, "O8", "|").list();
    close(open_array(p, {1}, type, order).bytes(data)).append();
    refused(close(p).stop(), part);
  }
  for (const auto& element :
       {PickleBuilder(3).none(), PickleBuilder(3).text("7"), PickleBuilder(3).number(1.5), PickleBuilder(3).dict()}) {
    PickleBuilder p(3);
    open_array(p, {1}, "O8", "|").list().raw(element.stop().substr(2, element.size() - 2)).append();
    refused(close(p).stop(), "not an integer where one is expected");
  }
  refused(honest().substr(honest().find('\n') + 1) + "more", "4 bytes after its end");
}

TEST(HostileNpy, BytesAreMadeFromNothingOrFromLatin1Only) {
  const auto with = [](const PickleBuilder& content) {
    PickleBuilder p(2);
    open_array(p, {1}, "O8", "|").list();
    open_array(p, {0}, "i8", "<").raw(content.stop().substr(2, content.size() - 2));
    close(p).append();
    return npy_file("|O", "(1,)", close(p).stop());
  };
  EXPECT_EQ(parse_npy_lists(view_of(with(PickleBuilder(2).call("__builtin__", "bytes"))), "t"),
            (std::vector<std::vector<std::int64_t>>{{}}));
  const auto refused = [&](const PickleBuilder& content, const std::string& part) {
    expect_error([&] { parse_npy_lists(view_of(with(content)), "t"); }, ErrorCode::kBadFile, part);
  };
  refused(PickleBuilder(2).global("builtins", "bytes").integers({1'000'000'000}).reduce(), "makes bytes from something");
  refused(PickleBuilder(2).global("_codecs", "encode").mark().text("x").text("zlib").tuple().reduce(), "unknown way");
  refused(PickleBuilder(2).global("_codecs", "encode").mark().text("\xC4\x80").text("latin1").tuple().reduce(), "beyond latin1");
  refused(PickleBuilder(2).global("_codecs", "encode").mark().text("\xC3").text("latin1").tuple().reduce(), "beyond latin1");
}

TEST(HostileNpy, OneArrayInManyPlacesIsBounded) {
  PickleBuilder p(3);
  open_array(p, {100'000}, "O8", "|").list().mark();
  close(open_array(p, {1'000}, "i8", "<").bytes(std::string(8'000, '\0'))).put(1);
  for (int i = 1; i < 100'000; ++i) p.get(1);
  p.appends();
  const std::string file = npy_file("|O", "(100000,)", close(p).stop());
  expect_error([&] { parse_npy_lists(view_of(file), "t"); }, ErrorCode::kLimit, "more than 20000000 integers");
}

TEST(HostileNpy, DepthIsBounded) {
  PickleBuilder p(3);
  open_array(p, {1}, "O8", "|").list();
  for (int i = 0; i < 100'000; ++i) p.list();
  for (int i = 0; i < 100'000; ++i) p.append();
  expect_error([&] { parse_npy_lists(view_of(npy_file("|O", "(1,)", close(p).stop())), "t"); }, ErrorCode::kLimit, "deeper");
}

TEST(HostileNpy, HugeCountsAreRefusedBeforeMemoryIsTaken) {
  for (const auto* shape : {"(9223372036854775807,)", "(4294967296, 4294967296)", "(2000000000,)", "(99999999999999999999,)",
                            "(-1,)", "(1,", "1", "(1, 1, 1, 1, 1, 1, 1, 1, 1)"}) {
    EXPECT_THROW(parse_npy_lists(view_of(npy_file("<i8", shape, "")), "t"), Error) << shape;
    EXPECT_THROW(parse_npy_texts(view_of(npy_file("<U9", shape, "")), "t"), Error) << shape;
    EXPECT_THROW(parse_npy_lists(view_of(npy_file("|O", shape, "")), "t"), Error) << shape;
  }
}

TEST(HostileNpy, CutAtEveryByte) {
  const std::vector<std::string> files = {honest(), testing::npy_texts({"a.jpg", "b.jpg"}),
                                          testing::npy_integers({1, 2}, "(2, 1)")};
  for (const auto& file : files) {
    for (std::size_t size = 0; size < file.size(); ++size) {
      EXPECT_THROW(parse_npy_lists(view_of(file.substr(0, size)), "t"), Error) << size;
      EXPECT_THROW(parse_npy_texts(view_of(file.substr(0, size)), "t"), Error) << size;
    }
  }
}

// ---- MATLAB

TEST(HostileMat, CutAtEveryByte) {
  for (const bool big_endian : {false, true}) {
    const MatWriter mat(big_endian);
    const std::string data = mat.structure("dbStruct", mat.fields());
    for (const auto& file : {mat.file(data), mat.file(mat.compressed(data))}) {
      EXPECT_NO_THROW(parse_dbstruct(view_of(file), "t"));
      for (std::size_t size = 0; size < file.size(); ++size)
        EXPECT_THROW(parse_dbstruct(view_of(file.substr(0, size)), "t"), Error) << size;
    }
  }
}

TEST(HostileMat, EveryByteChangedIsRefusedOrRead) {
  const MatWriter mat;
  const std::string whole = mat.file(mat.structure("dbStruct", mat.fields()));
  for (std::size_t at = 120; at < whole.size(); ++at) {
    for (const char value : {'\0', '\1', '\x7F', '\xFF'}) {
      std::string file = whole;
      file[at] = value;
      try {
        parse_dbstruct(view_of(file), "t");
      } catch (const Error& error) {
        EXPECT_TRUE(error.code() == ErrorCode::kBadFile || error.code() == ErrorCode::kLimit) << at << ": " << error.what();
      }
    }
  }
}

TEST(HostileMat, BombsStopAtSixtyFourMegabytes) {
  const MatWriter mat;
  const std::string bomb = mat.compressed(mat.element(9, std::string(70'000'000, '\0')));
  ASSERT_LT(bomb.size(), 200'000U);
  expect_error([&] { parse_dbstruct(view_of(mat.file(bomb)), "t"); }, ErrorCode::kLimit, "inflates to more than 64000000 bytes");
  std::string many;
  const std::string part = mat.compressed(mat.element(9, std::string(9'000'000, '\0')));
  for (int i = 0; i < 8; ++i) many += part;
  expect_error([&] { parse_dbstruct(view_of(mat.file(many)), "t"); }, ErrorCode::kLimit, "inflates to more than 64000000 bytes");
}

TEST(HostileMat, LyingCountsAndTypesAreRefused) {
  const MatWriter mat;
  const auto refused = [&](const std::string& value, ErrorCode code, const std::string& part) {
    auto fields = mat.fields();
    fields[1].second = value;
    expect_error([&] { parse_dbstruct(view_of(mat.file(mat.structure("dbStruct", fields))), "t"); }, code, part);
  };
  refused(mat.matrix(1, {2'000'000, 1}, "", ""), ErrorCode::kLimit, "2000000 cells");
  refused(mat.matrix(1, {-2, 1}, "", ""), ErrorCode::kBadFile, "with the size -2");
  refused(mat.matrix(1, {2147483647, 2147483647, 2147483647}, "", ""), ErrorCode::kLimit, "overflows");
  refused(mat.matrix(1, {1, 1, 1, 1, 1, 1, 1, 1, 1}, "", ""), ErrorCode::kBadFile, "9 dimensions");
  refused(mat.matrix(6, {2147483647, 1}, "", mat.element(9, "")), ErrorCode::kLimit, "2147483647 numbers");
  refused(mat.matrix(6, {100, 1}, "", mat.element(2, std::string(101, 'x'))), ErrorCode::kBadFile, "not the 100 numbers");
  refused(mat.element(9, "12345678"), ErrorCode::kBadFile, "where a matrix is expected");
  refused(mat.element(14, mat.element(6, std::string(400, '\0'))), ErrorCode::kBadFile, "array flags of 400 bytes");
  refused(mat.element(14, mat.element(9, mat.number(0.5) + mat.number(0.0))), ErrorCode::kBadFile, "has the value 0.5");
  refused(mat.number(std::uint32_t{9 << 16 | 1}) + "1234", ErrorCode::kBadFile, "claims 9 bytes inside a tag");
  refused(mat.matrix(4, {2, 2}, "", mat.element(4, std::string(8, 'x'))), ErrorCode::kBadFile, "more than one row");
  refused(mat.matrix(4, {1, 1}, "", mat.element(18, mat.number(std::uint32_t{0x110000}))), ErrorCode::kBadFile,
          "character number");
  const auto names = [&](std::int32_t length, const std::string& text) {
    return mat.file(mat.matrix(2, {1, 1}, "dbStruct", mat.small(5, mat.number(length)) + mat.element(1, text)));
  };
  for (const std::int32_t length : {0, -1, 65, 3})
    expect_error([&] { parse_dbstruct(view_of(names(length, "abcd")), "t"); }, ErrorCode::kBadFile, "no valid length");
}

// ---- csv and GeoJSON

TEST(HostileGeoJson, BombsAndOtherJsonAreRefused) {
  std::vector<std::string> notes;
  const auto refused = [&](const std::string& text, ErrorCode code, const std::string& part) {
    expect_error([&] { parse_geojson(text, "t.geojson", notes); }, code, part);
  };
  refused(std::string(1'000'000, '['), ErrorCode::kLimit, "deeper than 16");
  std::string many = "[";
  for (int i = 0; i < 4'000'001; ++i) many += "0,";
  refused(many + "0]", ErrorCode::kLimit, "more than 4000000 values");
  refused("{\"type\":\"FeatureCollection\"", ErrorCode::kBadFile, "is not valid JSON");
  refused("{\"type\":\"\xFF\"}", ErrorCode::kBadFile, "is not valid JSON");
  for (const auto* text : {"[]", "{}", "7", R"({"type":"Feature"})", R"({"type":"FeatureCollection","features":{}})",
                           R"({"type":5,"features":[]})"}) {
    refused(text, ErrorCode::kBadFile, "not a GeoJSON FeatureCollection");
  }
  const auto feature = [](const std::string& coordinates, const std::string& properties) {
    return R"({"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"type":"Point","coordinates":)" +
           coordinates + R"(},"properties":)" + properties + "}]}";
  };
  refused(feature("[200,0]", R"({"image":"a"})"), ErrorCode::kBadFile, "feature 1: latitude 0, longitude 200 is off the globe");
  refused(feature("[1e999,0]", R"({"image":"a"})"), ErrorCode::kBadFile,
          "'t.geojson': the number at byte 100 is too large for a double");
  for (const auto* bad : {"[]", "[1]", "{}", "\"1,2\"", "[\"1\",\"2\"]", "[null,null]", "[[1,2]]"}) {
    refused(feature(bad, R"({"image":"a"})"), ErrorCode::kBadFile, "not a longitude and a latitude");
  }
  for (const auto* bad : {"{}", R"({"image":""})", R"({"image":7})", R"({"image":null})"})
    refused(feature("[1,2]", bad), ErrorCode::kBadFile, "name no image");
  refused(feature("[1,2]", "null"), ErrorCode::kBadFile, "no properties");
  refused(feature("[1,2]", R"({"image":"a","heading":"north"})"), ErrorCode::kBadFile, "heading");
  refused(feature("[1,2]", R"({"image":"a","time":true})"), ErrorCode::kBadFile, "its time");
  refused(R"({"type":"FeatureCollection","features":[7]})", ErrorCode::kBadFile, "feature 1: it is not an object");
  const std::string good = feature("[1,2]", R"({"image":"a"})");
  const auto one = good.substr(good.find("[{") + 1, good.size() - good.find("[{") - 3);
  refused(R"({"type":"FeatureCollection","features":[)" + one + "," + one + "]}", ErrorCode::kBadFile,
          "feature 2: the photo 'a' was already feature 1");
  for (std::size_t size = 0; size < good.size(); ++size)
    EXPECT_THROW(parse_geojson(good.substr(0, size), "t", notes), Error) << size;
}

TEST(HostileCsv, CutAtEveryByteIsReadOrRefused) {
  std::vector<Photo> photos(2);
  photos[0].name = "a,b.jpg";
  photos[1].name = "c\"d\n.jpg";
  const std::string gt =
      "query,best_ref,accepted_refs\r\n\"a,b.jpg\",\"a,b.jpg\",\"a,b.jpg|c\"\"d\n.jpg\"\r\n\"c\"\"d\n.jpg\",,\r\n";
  std::vector<std::string> notes;
  EXPECT_EQ(parse_gt_csv(gt, "t", photos, photos, notes), (std::vector<std::vector<int>>{{0, 1}, {}}));
  const std::string positions = "image,lat,lon,heading_deg,time\n\"a,b.jpg\",-45.5,120.25,10,2024-05-01T12:30:15Z\n";
  EXPECT_EQ(parse_positions_csv(positions, "t").photos.size(), 1U);
  int refused = 0;
  const auto count = [&](auto&& call) {
    try {
      call();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kBadFile) << error.what();
      ++refused;
    }
  };
  for (std::size_t size = 0; size < gt.size(); ++size)
    count([&] { parse_gt_csv(gt.substr(0, size), "t", photos, photos, notes); });
  for (std::size_t size = 0; size < positions.size(); ++size) count([&] { parse_positions_csv(positions.substr(0, size), "t"); });
  EXPECT_GT(refused, 100);
}

TEST(HostileCsv, OddBytesNeverReachTheTerminal) {
  std::vector<std::string> notes;
  const std::string text = "query,accepted_refs\n\x1b]0;owned\x07=cmd|' /C calc'!A0,x\n";
  const Error error = testing::thrown_by([&] { parse_gt_csv(text, "t", {}, {}, notes); });
  for (const char c : std::string(error.what())) EXPECT_GE(static_cast<unsigned char>(c), 0x20) << error.what();
}

TEST(PhotosIn, ComeQuicklyFromTwentyThousandFiles) {
  const TemporaryFolder folder;
  for (int i = 0; i < 20'000; ++i) {
    const auto path = folder / (std::to_string(i) + ".jpg");
    FILE* file = std::fopen(path.c_str(), "w");
    ASSERT_NE(file, nullptr);
    std::fclose(file);
  }
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(photos_in(folder.path()).size(), 20'000U);
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), 2.0);
}

}  // namespace
}  // namespace revisit::dataset
