// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Whole checkpoints in the three containers, made from pickles and raw storages.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "hostile/pickle_builder.h"
#include "hostile/zip_builder.h"

namespace revisit::testing {

struct RawStorage {
  std::string key;
  std::string data;
  std::uint64_t count = 0;  // elements; used by the legacy format
};

inline std::string floats(const std::vector<float>& values) {
  std::string out;
  for (const float value : values) out += le(value);
  return out;
}

inline std::string torch_zip(const std::string& pickle, const std::vector<RawStorage>& storages, const ZipEndSpec& end = {}) {
  std::vector<ZipEntrySpec> entries = {{.name = "m/data.pkl", .data = pickle}};
  for (const RawStorage& storage : storages) entries.push_back({.name = "m/data/" + storage.key, .data = storage.data});
  entries.push_back({.name = "m/version", .data = "3\n"});
  return write_zip(entries, end);
}

inline std::string torch_magic() { return std::string("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.", 15); }

inline std::string torch_system(bool little = true) {
  return PickleBuilder()
      .dict()
      .mark()
      .text("protocol_version")
      .integer(1001)
      .text("little_endian")
      .boolean(little)
      .set_items()
      .stop();
}

inline std::string torch_legacy(const std::string& pickle, const std::vector<RawStorage>& storages,
                                const std::string& system = torch_system()) {
  PickleBuilder keys;
  keys.list().mark();
  for (const RawStorage& storage : storages) keys.text(storage.key);
  std::string out = torch_magic() + PickleBuilder().integer(1001).stop() + system + pickle + keys.appends().stop();
  for (const RawStorage& storage : storages) out += le(storage.count) + storage.data;
  return out;
}

inline std::string safetensors(const std::string& header, const std::string& data = "") {
  return le(std::uint64_t{header.size()}) + header + data;
}

/// A model of about 20 KB with two dozen tensors: the same tensors for each container.
struct SmallModel {
  std::string pickle;
  std::vector<RawStorage> storages;
  std::string header;
  std::string data;

  SmallModel() {
    PickleBuilder builder;
    builder.call("collections", "OrderedDict").mark();
    header = "{";
    for (int i = 0; i < 24; ++i) {
      const std::string name = "blocks." + std::to_string(i) + ".weight";
      std::vector<float> values(160);
      for (std::size_t k = 0; k < values.size(); ++k) values[k] = static_cast<float>(i) + static_cast<float>(k) / 256.0F;
      builder.text(name).tensor("FloatStorage", std::to_string(i), 160, 0, {16, 10}, {10, 1});
      storages.push_back({std::to_string(i), floats(values), 160});
      header += (i > 0 ? ",\"" : "\"") + name + R"(":{"dtype":"F32","shape":[16,10],"data_offsets":[)" + std::to_string(i * 640) +
                "," + std::to_string((i + 1) * 640) + "]}";
      data += storages.back().data;
    }
    header += "}";
    pickle = builder.set_items().stop();
  }

  std::string zip() const { return torch_zip(pickle, storages); }
  std::string legacy() const { return torch_legacy(pickle, storages); }
  std::string tensors() const { return safetensors(header, data); }
};

}  // namespace revisit::testing
