// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Every limit on untrusted input in one place; each is tested at its value, one below and one above.
#pragma once

#include <cstddef>
#include <cstdint>

namespace revisit::limits {

// Images
inline constexpr std::int64_t kMaxImageSide = 65'500;
inline constexpr int kMaxJpegScans = 100;
inline constexpr double kMaxDecodeSeconds = 10.0;
inline constexpr std::uint64_t kMaxPngChunkBytes = 1'000'000;      // one ancillary chunk
inline constexpr std::uint64_t kMaxPngAncillaryBytes = 8'000'000;  // all of them
inline constexpr int kMaxExifEntries = 1'000;                      // per directory

// safetensors and model files
inline constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;
inline constexpr std::uint64_t kMaxMetadataBytes = 1'000'000;
inline constexpr std::size_t kMaxTensors = 10'000;
inline constexpr std::size_t kMaxRank = 8;
inline constexpr std::size_t kMaxTensorName = 512;
inline constexpr int kMaxJsonDepth = 4;
inline constexpr std::size_t kMaxJsonNumber = 1'000;  // characters of one number, in any JSON

// torch checkpoints
inline constexpr std::uint64_t kMaxZipEntries = 20'000;
inline constexpr std::uint64_t kMaxPickleBytes = 64'000'000;
inline constexpr std::uint64_t kMaxPickleOpcodes = 5'000'000;
inline constexpr int kMaxPickleDepth = 64;
inline constexpr std::size_t kMaxPickleMemo = 1'000'000;
inline constexpr std::size_t kMaxPickleValues = 1'000'000;       // values built, shared ones counted once
inline constexpr std::uint64_t kMaxPickleExpansion = 2'000'000;  // values counted once for every place they appear in
inline constexpr std::size_t kMaxPickleGlobals = 10'000;         // different names of globals
inline constexpr std::size_t kMaxPickleGlobalName = 512;
inline constexpr std::size_t kMaxStorageKey = 512;  // bytes
inline constexpr std::uint64_t kMaxEntryNameBytes =
    64'000'000;                                        // names of all entries of the weights' dictionaries, each in full
inline constexpr std::uint64_t kMaxTensorGrowth = 16;  // all tensors together: bytes <= growth x file + slack
inline constexpr std::uint64_t kTensorSlackBytes = 64'000'000;

// Training configurations
inline constexpr std::uint64_t kMaxConfigBytes = 262'144;
inline constexpr std::size_t kMaxConfigLineBytes = 4'096;  // also bounds how deep dotted keys nest
inline constexpr int kMaxConfigDepth = 8;
inline constexpr std::size_t kMaxConfigList = 1'000;

// Files of a run, read again by `revisit report`
inline constexpr std::uint64_t kMaxRunJsonBytes = 64'000'000;
inline constexpr int kMaxRunJsonDepth = 8;
inline constexpr std::uint64_t kMaxRunJsonValues = 4'000'000;
inline constexpr std::size_t kMaxParts = 1'000;  // of a set that is searched part by part, such as cities

// Requests
inline constexpr int kMaxInputSide = 4'096;  // of the network's input: 85,000 patches of 14
inline constexpr int kMaxThreads = 1'024;
inline constexpr int kMaxSpread = 64;  // patches per side of a cell to keep the best of

// Times of a model on this machine, kept between runs
inline constexpr std::uint64_t kMaxCalibrationBytes = 65'536;

// Data sets
inline constexpr std::uint64_t kMaxPhotoListBytes = 64'000'000;  // FOLDER_images_paths.txt
inline constexpr std::uint64_t kMaxCsvBytes = 256'000'000;
inline constexpr std::size_t kMaxCsvRowBytes = 1'000'000;
inline constexpr std::size_t kMaxCsvColumns = 256;
inline constexpr std::uint64_t kMaxGeoJsonBytes = 64'000'000;
inline constexpr int kMaxGeoJsonDepth = 16;
inline constexpr std::uint64_t kMaxGeoJsonValues = 4'000'000;
inline constexpr std::uint64_t kMaxMatBytes = 64'000'000;   // of the file, and of everything inflated from it
inline constexpr std::uint64_t kMaxMatCells = 1'000'000;    // of one cell array
inline constexpr std::uint64_t kMaxMatNumbers = 8'000'000;  // of all fields together
inline constexpr int kMaxMatElements = 10'000;              // at the top of the file
inline constexpr std::uint64_t kMaxListed = 5'000'000;      // photos or rows of one list
inline constexpr std::size_t kMaxPhotoName = 4'096;         // bytes of a photo's name or path in a list
inline constexpr std::uint64_t kMaxPositives = 20'000'000;  // pairs of query and reference that show the same place
inline constexpr std::uint64_t kMaxNearPairs = 1'000'000'000;  // pairs whose distance is computed to find them
inline constexpr double kMaxPlaneMetres = 1e8;              // further from the origin than any plane on Earth reaches

// Arrays
inline constexpr std::uint64_t kMaxNpyHeaderBytes = 65'536;
inline constexpr std::uint64_t kMaxDescriptorDim = 65'536;

// Index
inline constexpr std::int64_t kMaxIndexRows = 2'147'483'647;  // row numbers are int
inline constexpr std::size_t kMaxIndexName = 4'096;           // bytes of a name, path or setting
inline constexpr int kMaxTopK = 1'000;
inline constexpr std::int64_t kMaxLocalFileBytes = std::int64_t{1} << 46U;  // of local.i8: 35 KB for each of 2,000 million rows

}  // namespace revisit::limits
