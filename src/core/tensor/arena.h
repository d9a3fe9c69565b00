// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// One block of memory per plan: bump allocation, released all at once, no allocation after the first image.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/base/big_buffer.h"
#include "core/tensor/matrix.h"

namespace revisit::tensor {

class Arena {
 public:
  /// 64-byte aligned, uninitialised, valid until reset() or until a Scope opened before it ends.
  float* floats(std::size_t count);
  /// The same for numbers of another type.
  template <typename T>
  std::span<T> numbers(std::size_t count) {
    return {reinterpret_cast<T*>(floats((count * sizeof(T) + sizeof(float) - 1) / sizeof(float))), count};
  }
  Matrix matrix(int rows, int cols) {
    return {floats(static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols)), rows, cols, cols};
  }

  /// Frees everything. When the last run needed several chunks they become one, so the next run allocates nothing.
  void reset();

  std::size_t capacity_bytes() const;

  /// Gives back what was taken since it was opened.
  class Scope {
   public:
    explicit Scope(Arena& arena) : arena_(arena), chunk_(arena.current_), used_(arena.used_) {}
    ~Scope() {
      arena_.current_ = chunk_;
      arena_.used_ = used_;
    }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Arena& arena_;
    std::size_t chunk_;
    std::size_t used_;
  };

 private:
  struct Chunk {
    BigBuffer data;
    std::size_t size;  // floats
  };
  static Chunk make_chunk(std::size_t size);

  std::vector<Chunk> chunks_;
  std::size_t current_ = 0;
  std::size_t used_ = 0;  // floats of chunks_[current_]
};

}  // namespace revisit::tensor
