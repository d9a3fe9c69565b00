// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Files of data sets that are small but made to cost much: one long value in very many places, very many tiny parts, names made
// to collide, paths of a million parts.
#include <gtest/gtest.h>

#include "core/base/limits.h"
#include "core/formats/text.h"
#include "hostile/cheap_refusal.h"
#include "hostile/colliding_names.h"
#include "hostile/pickle_builder.h"
#include "lab/dataset/dbstruct.h"
#include "lab/dataset/gt_csv.h"
#include "lab/dataset/near.h"
#include "lab/dataset/npy_lists.h"
#include "lab/dataset/test_mat.h"
#include "recognise/photos/photos.h"
#include "recognise/photos/positions.h"
#include "test_files.h"

namespace revisit::dataset {
namespace {

using namespace std::string_literals;
using testing::expect_cheap;
using testing::expect_error;
using testing::MatWriter;
using testing::npy_file;
using testing::PickleBuilder;
using testing::TemporaryFolder;
using testing::view_of;

// ---- numpy pickles

constexpr std::size_t kPlaces = 200'000;

// An object array of `places` elements: `shared` writes the first and puts it into the memo at 9, `element` each of the others.
std::string objects(std::size_t places, const std::function<void(PickleBuilder&)>& shared, const std::string& element) {
  PickleBuilder body(3);
  body.global("numpy.core.multiarray", "_reconstruct")
      .mark()
      .global("numpy", "ndarray")
      .integers({0})
      .bytes("b")
      .tuple()
      .reduce();
  body.mark().integer(1).integers({static_cast<std::int64_t>(places)});
  body.global("numpy", "dtype").mark().text("O8").boolean(false).boolean(true).tuple().reduce();
  body.mark().integer(3).text("|").none().none().none().integer(-1).integer(-1).integer(0).tuple().build();
  body.boolean(false).list().mark();
  shared(body);
  for (std::size_t i = 1; i < places; ++i) body.raw(element);
  body.appends().tuple().build();
  return npy_file("|O", "(" + std::to_string(places) + ",)", body.stop());
}

// array(dtype, content) as the first element, which goes into the memo at 9.
void array(PickleBuilder& p, std::int64_t length, const std::function<void(PickleBuilder&)>& dtype, const std::string& content) {
  p.global("numpy.core.multiarray", "_reconstruct").mark().global("numpy", "ndarray").integers({0}).bytes("b").tuple().reduce();
  p.mark().integer(1).integers({length});
  dtype(p);
  p.boolean(false).bytes(content).tuple().build().put(9);
}

void many_integers(PickleBuilder& p, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) p.raw("K\1"s);
}

void plain_dtype(PickleBuilder& p) {
  p.global("numpy", "dtype").mark().text("u1").boolean(false).boolean(true).tuple().reduce();
  p.mark().integer(3).text("|").none().none().none().integer(-1).integer(-1).integer(0).tuple().build();
}

TEST(RepeatedObjects, AnElementTypeOfManyPartsIsRefusedWhenItIsFirstSeen) {
  const auto wide_arguments = [](PickleBuilder& p) {
    p.global("numpy", "dtype").mark().text("u1");
    many_integers(p, 500'000);
    p.tuple().reduce().mark().integer(3).text("|").tuple().build();
  };
  const auto wide_state = [](PickleBuilder& p) {
    p.global("numpy", "dtype").mark().text("u1").tuple().reduce().mark().integer(3).text("|");
    many_integers(p, 500'000);
    p.tuple().build();
  };
  const auto file = [](const auto& dtype) {
    return objects(
        kPlaces, [&](PickleBuilder& p) { array(p, 1, dtype, "x"); }, "h\x09");
  };
  const std::string arguments = file(wide_arguments), state = file(wide_state);
  expect_cheap(
      "arguments", [&] { parse_npy_lists(view_of(arguments), "t.npy"); }, "has an element type of unknown form");
  expect_cheap(
      "state", [&] { parse_npy_lists(view_of(state), "t.npy"); }, "has an element type without a byte order");
}

TEST(RepeatedObjects, ScalarsByTheHundredThousandAreCheap) {
  const std::string file = objects(
      400'000,
      [](PickleBuilder& p) {
        p.global("numpy.core.multiarray", "scalar").mark();
        plain_dtype(p);
        p.bytes("x").tuple().reduce().put(9);
      },
      "h\x09");
  expect_cheap(
      "scalars", [&] { parse_npy_lists(view_of(file), "t.npy"); }, "accepted");
}

TEST(RepeatedObjects, ALongArrayInManyPlacesIsRefusedBeforeItIsCopiedTooOften) {
  const std::string content(9'000'000, 'x');
  const auto in_places = [&](std::size_t places, const std::string& bytes) {
    return objects(
        places, [&](PickleBuilder& p) { array(p, static_cast<std::int64_t>(bytes.size()), plain_dtype, bytes); }, "h\x09");
  };
  const std::string twice = in_places(2, content), often = in_places(kPlaces, content);
  EXPECT_EQ(parse_npy_lists(view_of(twice), "t.npy").size(), 2U);
  const testing::ReadingCost cost = testing::cost_of([&] { parse_npy_lists(view_of(often), "t.npy"); });
  EXPECT_NE(cost.answer.find("lists more than 20000000 integers"), std::string::npos) << cost.answer;
  if (!testing::kSlow) {
    EXPECT_LE(cost.seconds, 1.0);
    EXPECT_LE(cost.growth_kb, 200 * 1024) << "what is allowed: 20 million integers of 8 bytes";
  }
  const std::string whole = in_places(1, std::string(limits::kMaxPositives + 1, 'x'));
  expect_cheap(
      "one array beyond the limit", [&] { parse_npy_lists(view_of(whole), "t.npy"); }, "lists more than 20000000 integers");
}

// ---- .mat

TEST(RepeatedElements, OfAMatFileAreBoundedInNumber) {
  const MatWriter mat;
  const std::string empty = mat.compressed(mat.element(1, ""));
  const auto file = [&](int elements, const std::string& last = "") {
    std::string out;
    for (int i = 0; i < elements; ++i) out += empty;
    return mat.file(out + last);
  };
  const std::string variable = mat.structure("dbStruct", mat.fields());
  for (const int before : {limits::kMaxMatElements - 2, limits::kMaxMatElements - 1})
    EXPECT_EQ(parse_dbstruct(view_of(file(before, variable)), "t.mat").references.size(), 2U) << before;
  const std::string one_more = file(limits::kMaxMatElements, variable), many = file(400'000);
  expect_error([&] { parse_dbstruct(view_of(one_more), "t.mat"); }, ErrorCode::kLimit,
               "no variable 'dbStruct' among its first 10000 elements");
  expect_cheap(
      "tiny streams", [&] { parse_dbstruct(view_of(many), "t.mat"); }, "among its first 10000 elements");
}

TEST(RepeatedFields, OfAMatFileShareOneLimitForTheirNumbers) {
  const MatWriter mat;
  const auto numbers = [&](std::size_t count) {
    return mat.matrix(9, {static_cast<std::int32_t>(count), 1}, "", mat.element(2, std::string(count, '\1')));
  };
  const auto file = [&](std::size_t second) {
    MatWriter::Fields fields = mat.fields();  // 2 x 2 + 2 x 1 + 1 + 1 + 1 numbers, and:
    fields.emplace_back("a", numbers(4'000'000));
    fields.emplace_back("b", numbers(second));
    return mat.file(mat.compressed(mat.structure("dbStruct", fields)));
  };
  constexpr std::size_t kOthers = 9;
  const std::size_t room = limits::kMaxMatNumbers - 4'000'000 - kOthers;
  for (const std::size_t below : {1U, 0U}) EXPECT_NO_THROW(parse_dbstruct(view_of(file(room - below)), "t.mat")) << below;
  const std::string over = file(room + 1);
  EXPECT_LT(over.size(), 100'000U);
  expect_cheap(
      "numbers", [&] { parse_dbstruct(view_of(over), "t.mat"); },
      "the field 'b' has 3999992 numbers, 8000001 with the fields before it; the limit is 8000000 in all");
}

// ---- positions

TEST(RepeatedFeatures, CostWhatTheirBytesDo) {
  std::string text = R"({"type":"FeatureCollection","features":[{})";
  for (int i = 1; i < 300'000; ++i) text += ",{}";
  text += "]}";
  std::vector<std::string> notes;
  expect_cheap(
      "empty features", [&] { parse_geojson(text, "t.geojson", notes); }, "accepted");
}

TEST(CollidingNames, AreAsFastAsOthersInATableOfPositions) {
  std::string text = "image,lat,lon\n";
  for (const auto& name : testing::colliding_names(150'000)) text += name + ",1,2\n";
  expect_cheap(
      "positions", [&] { parse_positions_csv(text, "t.csv"); }, "accepted");
}

TEST(CollidingNames, AreAsFastAsOthersInGroundTruth) {
  std::vector<Photo> photos;
  for (const auto& name : testing::colliding_names(100'000))
    photos.push_back({.name = name, .path = "x", .position = {}, .time_s = {}});
  std::vector<std::string> notes;
  expect_cheap(
      "ground truth", [&] { parse_gt_csv("query,accepted_refs\n", "t", photos, photos, notes); }, "accepted");
}

TEST(CrowdedPlaces, BeyondTheThresholdAreBoundedInPairs) {
  const auto at = [](double east_m, std::size_t count) {
    std::vector<Photo> photos(count);
    for (auto& photo : photos) photo.position = Position{east_m, 0, {}, {}};
    return photos;
  };
  const auto queries = at(26, 100), references = at(0.5, 1'000);  // neighbouring cells, 25.5 m from each other
  for (const std::uint64_t most : {100'000U, 100'001U})
    EXPECT_EQ(positives_within(queries, references, 25, Metric::kPlane, most).front().size(), 0U);
  expect_error([&] { positives_within(queries, references, 25, Metric::kPlane, 99'999); }, ErrorCode::kLimit,
               "more than 99999 pairs of query and reference lie within about three times 25 m");
}

// ---- lists of photos

TEST(LongNames, OfPhotosAreRefusedBeforeTheyAreTakenApart) {
  const TemporaryFolder folder;
  folder.write("photos/a.jpg");
  std::string parts;
  for (int i = 0; i < 15'000'000; ++i) parts += "a/";
  folder.write("photos_images_paths.txt", parts + ".jpg\n");
  expect_cheap(
      "list beside a folder", [&] { photos_in(folder / "photos"); }, "is a name of 30000004 bytes, the limit is 4096");
  const auto list = folder.write("list.txt", parts + ".jpg\n").string();
  std::vector<std::string> notes;
  expect_cheap(
      "list of photos", [&] { photos_from({list}, {}, notes); }, "is a name of 30000004 bytes, the limit is 4096");
  const std::vector<std::string> names = {parts + ".jpg"};
  expect_cheap(
      "list of a data set", [&] { listed_photos(folder.path(), names, "t.npy"); },
      "is a name of 30000004 bytes, the limit is 4096");
}

TEST(LongNames, AreTakenUpToTheirLimit) {
  for (const std::size_t below : {1U, 0U})
    EXPECT_EQ(photo_of("f", std::string(limits::kMaxPhotoName - below, 'n')).name.size(), limits::kMaxPhotoName - below);
  expect_error([] { photo_of("f", std::string(limits::kMaxPhotoName + 1, 'n')); }, ErrorCode::kLimit,
               "is a name of 4097 bytes, the limit is 4096");
}

TEST(EmptyLines, AreNotKept) {
  const TemporaryFolder folder;
  folder.write("photos/a.jpg");
  folder.write("photos_images_paths.txt", "a.jpg" + std::string(30'000'000, '\n'));
  expect_cheap(
      "30 million lines", [&] { photos_in(folder / "photos"); }, "accepted");
}

}  // namespace
}  // namespace revisit::dataset
