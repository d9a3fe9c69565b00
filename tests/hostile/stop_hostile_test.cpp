// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Every reader of files from elsewhere ends when a stop is wanted, at the first question and in the middle, and says what the one
// who asked for it wants to be said.
#include <gtest/gtest.h>

#include <functional>

#include "core/base/stop_scope.h"
#include "core/formats/csv.h"
#include "core/formats/npy.h"
#include "engine/model/containers.h"
#include "engine/model/zip.h"
#include "hostile/checkpoint_builder.h"
#include "lab/dataset/dbstruct.h"
#include "lab/dataset/gt_csv.h"
#include "lab/dataset/near.h"
#include "lab/dataset/npy_lists.h"
#include "lab/dataset/test_mat.h"
#include "recognise/photos/photos.h"
#include "recognise/photos/positions.h"
#include "revisit/model.h"
#include "test_files.h"

namespace revisit::dataset {
namespace {

using testing::expect_error;
using testing::MatWriter;
using testing::npy_file;
using testing::PickleBuilder;
using testing::TemporaryFolder;
using testing::view_of;

// Reads whole without a stop, and asks at least `questions` times on the way; ends at the first, the middle and the last
// question.
void expect_stops(const std::string& label, int questions, const std::function<void()>& read) {
  int asked = 0;
  {
    const StopScope scope([&] { return ++asked, false; }, "unused");
    EXPECT_NO_THROW(read()) << label;
  }
  EXPECT_GE(asked, questions) << label;
  for (const int at : {1, (asked + 1) / 2, asked}) {
    int left = at;
    const StopScope scope([&] { return --left == 0; }, "stopped as asked");
    expect_error(read, ErrorCode::kInterrupted, "stopped as asked");
  }
}

std::string pickle_of_tensors(int tensors) {
  PickleBuilder builder;
  builder.dict().mark();
  for (int i = 0; i < tensors; ++i) builder.text("w" + std::to_string(i)).tensor("FloatStorage", "0", 2, 0, {2}, {1});
  return builder.set_items().stop();
}

TEST(Stop, EndsTheReadersOfCheckpoints) {
  const std::vector<testing::RawStorage> storages = {{"0", testing::floats({1, 2}), 2}};
  const std::string pickle = pickle_of_tensors(5'000);
  std::string header = "{";
  for (int i = 0; i < 5'000; ++i)
    header += (i > 0 ? ",\"" : "\"") + std::to_string(i) + R"(":{"dtype":"U8","shape":[0],"data_offsets":[0,0]})";
  for (const auto& [label, file, questions] :
       {std::tuple<std::string, std::string, int>{"zip", testing::torch_zip(pickle, storages), 5'000},
        {"legacy", testing::torch_legacy(pickle, storages), 5'000},
        {"safetensors", testing::safetensors(header + "}"), 50}}) {
    expect_stops(label, questions, [&, &bytes = file] { model::parse_checkpoint(view_of(bytes), nullptr, "m.pth"); });
  }
  std::vector<testing::ZipEntrySpec> entries;
  for (int i = 0; i < 100; ++i) entries.push_back({.name = "m/" + std::to_string(i)});
  const std::string zip = testing::write_zip(entries);
  expect_stops("zip entries", 200, [&] { model::parse_zip(view_of(zip), "m.pth"); });
}

TEST(Stop, EndsTheReadersOfTables) {
  std::string csv = "image,lat,lon\n", list = "{\"type\":\"FeatureCollection\",\"features\":[{}";
  for (int i = 0; i < 20'000; ++i) csv += std::to_string(i) + ".jpg,1,2\n", list += ",{}";
  list += "]}";
  std::vector<std::string> notes;
  expect_stops("csv", 20, [&] { parse_positions_csv(csv, "t.csv"); });
  expect_stops("GeoJSON", 4, [&] { parse_geojson(list, "t.geojson", notes); });
  const std::string empty_lines = "x\n" + std::string(100'000, '\n');
  expect_stops("empty lines", 10, [&] { CsvReader(empty_lines, "t.csv").next(); });
}

TEST(Stop, EndsTheReadersOfArrays) {
  const std::string numbers = npy_file("<i8", "(50000, 2)", std::string(800'000, '\1'));
  const std::string texts = npy_file("|S8", "(50000,)", std::string(400'000, 'x'));
  expect_stops("integers", 20, [&] { parse_npy_lists(view_of(numbers), "t.npy"); });
  expect_stops("texts", 40, [&] { parse_npy_texts(view_of(texts), "t.npy"); });
  const NpyArray array = parse_npy(view_of(numbers), "t.npy");
  expect_stops("floats", 1, [&] { (void)array.to_f32(); });

  const MatWriter mat;
  MatWriter::Fields fields = mat.fields();
  fields.emplace_back("more", mat.matrix(9, {100'000, 1}, "", mat.element(2, std::string(100'000, '\1'))));
  const std::string file = mat.file(mat.compressed(mat.structure("dbStruct", fields)));
  expect_stops(".mat", 12, [&] { parse_dbstruct(view_of(file), "t.mat"); });
}

TEST(Stop, EndsTheSearchForPhotosAndTheirNeighbours) {
  const TemporaryFolder folder;
  std::string lines = "a.jpg\n" + std::string(100'000, '\n');
  folder.write("photos/a.jpg");
  folder.write("photos_images_paths.txt", lines);
  const auto list = folder.write("list.txt", lines).string();
  std::vector<std::string> notes;
  expect_stops("list beside a folder", 10, [&] { photos_in(folder / "photos"); });
  expect_stops("list of photos", 10, [&] { photos_from({list}, {}, notes); });
  std::vector<Photo> photos(1'000);
  for (auto& photo : photos) photo.position = Position{0, 0, {}, {}};
  expect_stops("neighbours", 100, [&] { positives_within(photos, photos, 25, Metric::kPlane); });
}

TEST(Stop, OfAnImportLeavesNothingBehind) {
  const TemporaryFolder folder;
  const auto from = folder.write("m.pth", testing::torch_zip(pickle_of_tensors(100), {{"0", testing::floats({1, 2}), 2}}));
  ImportOptions options;
  options.stop = [] { return true; };
  const auto to = folder / "out.safetensors";
  expect_error([&] { import_model(from, to, options); }, ErrorCode::kInterrupted,
               "stopped before '" + to.string() + "' was written");
  EXPECT_FALSE(std::filesystem::exists(to));
}

}  // namespace
}  // namespace revisit::dataset
