// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// A temporary folder for a test, little files in it, and the error a call must throw.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "revisit/error.h"
#include "revisit/photos.h"

namespace revisit::testing {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "revisit_dataset_XXXXXX").string();
    if (::mkdtemp(pattern.data()) != nullptr) path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

  /// Writes a file, and the folders above it.
  std::filesystem::path write(const std::string& name, const std::string& content = "x") const {
    const auto file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << content;
    return file;
  }

 private:
  std::filesystem::path path_;
};

/// The error a call throws; the test fails when it throws none.
inline Error thrown_by(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "nothing was thrown";
  return Error(ErrorCode::kInternal, "nothing was thrown");
}

inline void expect_error(const std::function<void()>& call, ErrorCode code, const std::string& part) {
  const Error error = thrown_by(call);
  EXPECT_EQ(error.code(), code) << error.what();
  EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what() << "\nexpected: " << part;
}

inline std::span<const std::byte> view_of(const std::string& text) { return std::as_bytes(std::span(text.data(), text.size())); }

inline std::vector<std::string> names_of(const std::vector<Photo>& photos) {
  std::vector<std::string> out;
  for (const auto& photo : photos) out.push_back(photo.name);
  return out;
}

/// An .npy file of version 1.
inline std::string npy_file(const std::string& descr, const std::string& shape, const std::string& data, bool fortran = false) {
  std::string header =
      "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': " + shape + ", }\n";
  std::string out("\x93NUMPY\x01\x00", 8);
  out += static_cast<char>(header.size() & 0xFF);
  out += static_cast<char>(header.size() >> 8);
  return out + header + data;
}

/// An .npy array '<U' of ASCII texts.
inline std::string npy_texts(const std::vector<std::string>& texts) {
  std::size_t longest = 1;
  for (const auto& text : texts) longest = std::max(longest, text.size());
  std::string data;
  for (const auto& text : texts) {
    for (std::size_t i = 0; i < longest; ++i)
      data += (i < text.size() ? text.substr(i, 1) : std::string(1, '\0')) + std::string(3, '\0');
  }
  return npy_file("<U" + std::to_string(longest), "(" + std::to_string(texts.size()) + ",)", data);
}

inline std::string npy_integers(const std::vector<std::int64_t>& values, const std::string& shape) {
  std::string data(values.size() * 8, '\0');
  std::memcpy(data.data(), values.data(), data.size());
  return npy_file("<i8", shape, data);
}

}  // namespace revisit::testing
