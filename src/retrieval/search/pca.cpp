// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// X is the centred sample (n, d). Products of large matrices go through add_products, small dense algebra through Eigen.
//   exact, d <= n    eigenvectors V of X^T X / (n - 1)
//   exact, n < d     eigenvectors U of X X^T / (n - 1); directions are the rows of U^T X, normalised
//   leading          Q <- orthonormal basis of X^T G (G random), then twice of X^T X Q; C = (X Q)^T (X Q) / (n - 1) = W L W^T;
//                    directions W^T Q^T. On the sample these are uncorrelated exactly, however close Q came.
#define EIGEN_DONT_PARALLELIZE  // its products here are small, and one thread gives one result
#include "retrieval/search/pca.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "core/base/random.h"
#include "retrieval/search/products.h"
#include "core/tensor/parallel.h"

namespace revisit::retrieval {
namespace {

constexpr int kExactSide = 1024;
constexpr int kIterations = 2;
constexpr std::uint64_t kSeed = 0x7265766973697431U;
constexpr int kBlockValues = 1 << 24;  // of the sample held at a time, centred and transposed

using Rows = std::vector<float>;

std::size_t area(int a, int b) { return static_cast<std::size_t>(a) * static_cast<std::size_t>(b); }

std::vector<float> mean_of(const Sample& sample) {
  std::vector<double> sum(static_cast<std::size_t>(sample.dim));
  for (int i = 0; i < sample.count(); ++i) {
    const float* row = sample.row(i);
    for (std::size_t c = 0; c < sum.size(); ++c) sum[c] += static_cast<double>(row[c]);
  }
  std::vector<float> mean(sum.size());
  for (std::size_t c = 0; c < sum.size(); ++c) mean[c] = static_cast<float>(sum[c] / sample.count());
  return mean;
}

/// Rows begin..end of the sample minus the mean, (end - begin, dim).
void centred(const Sample& sample, const std::vector<float>& mean, int begin, int end, Rows& out) {
  const auto dim = static_cast<std::size_t>(sample.dim);
  out.resize(area(end - begin, sample.dim));
  tensor::parallel_for(end - begin, [&](int i) {
    const float* row = sample.row(begin + i);
    float* to = out.data() + static_cast<std::size_t>(i) * dim;
    for (std::size_t c = 0; c < dim; ++c) to[c] = row[c] - mean[c];
  });
}

/// (rows, columns) to (columns, rows), in squares that fit the cache.
void transpose(const Rows& from, int rows, int columns, Rows& to) {
  constexpr int kSide = 32;
  to.resize(from.size());
  tensor::parallel_for((columns + kSide - 1) / kSide, [&](int strip) {
    const int last = std::min(columns, (strip + 1) * kSide);
    for (int begin = 0; begin < rows; begin += kSide) {
      for (int c = strip * kSide; c < last; ++c) {
        for (int r = begin; r < std::min(rows, begin + kSide); ++r) {
          to[area(c, rows) + static_cast<std::size_t>(r)] = from[area(r, columns) + static_cast<std::size_t>(c)];
        }
      }
    }
  });
}

template <typename Visit>
void for_each_block(const Sample& sample, const std::vector<float>& mean, const Visit& visit) {
  const int step = std::clamp(kBlockValues / sample.dim, 64, 1024);
  Rows block;
  for (int begin = 0; begin < sample.count(); begin += step) {
    const int end = std::min(sample.count(), begin + step);
    centred(sample, mean, begin, end, block);
    visit(block, end - begin);
  }
}

/// sum += M M^T for M (side, k): products in f32, the sum over blocks in double.
void add_squares(const Rows& m, int side, int k, Eigen::MatrixXd& sum) {
  Rows squares(area(side, side));
  add_products(m.data(), side, m.data(), side, k, squares.data());
  sum += Eigen::Map<const Eigen::MatrixXf>(squares.data(), side, side).cast<double>();
}

struct Spectrum {
  std::vector<double> values;  // greatest first
  Rows vectors;                // (count, side)
};

Spectrum spectrum_of(const Eigen::MatrixXd& symmetric, int count) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver((symmetric + symmetric.transpose()) / 2);
  const auto side = symmetric.rows();
  Spectrum out;
  out.vectors.reserve(static_cast<std::size_t>(side) * static_cast<std::size_t>(count));
  for (Eigen::Index i = side - 1; i >= side - count; --i) {
    out.values.push_back(std::max(0.0, solver.eigenvalues()[i]));
    for (Eigen::Index c = 0; c < side; ++c) out.vectors.push_back(static_cast<float>(solver.eigenvectors()(c, i)));
  }
  return out;
}

/// Rows of (count, dim) to unit length, and their first large value above zero: a direction has no inherent sign.
void normalise(Rows& directions, int dim) {
  const auto size = static_cast<std::size_t>(dim);
  for (std::size_t at = 0; at < directions.size(); at += size) {
    const std::span row(directions.data() + at, size);
    double squares = 0;
    float largest = 0;
    for (const float v : row) {
      squares += static_cast<double>(v) * static_cast<double>(v);
      if (std::abs(v) > std::abs(largest) * 1.001F) largest = v;
    }
    if (squares <= 0) continue;
    const auto scale = static_cast<float>((largest < 0 ? -1 : 1) / std::sqrt(squares));
    for (float& v : row) v *= scale;
  }
}

/// An orthonormal basis of the space of the rows of (count, dim), in their place.
void orthonormalise(Rows& rows, int count, int dim) {
  Eigen::Map<Eigen::MatrixXf> columns(rows.data(), dim, count);  // (count, dim) by rows is (dim, count) by columns
  const Eigen::HouseholderQR<Eigen::MatrixXf> qr(columns);
  columns = qr.householderQ() * Eigen::MatrixXf::Identity(dim, count);
}

}  // namespace

Sample evenly_spaced(const float* rows, std::uint64_t count, int dim, int most) {
  Sample out{rows, dim, {}};
  const std::uint64_t used = std::min(count, static_cast<std::uint64_t>(most));
  out.picked.reserve(used);
  for (std::uint64_t i = 0; i < used; ++i) out.picked.push_back(static_cast<std::uint32_t>(i * count / used));
  return out;
}

Components exact_components(const Sample& sample, int count) {
  Components out;
  out.mean = mean_of(sample);
  const int n = sample.count();
  const int dim = sample.dim;
  const double degrees = n - 1;
  if (dim <= n) {
    Eigen::MatrixXd covariance = Eigen::MatrixXd::Zero(dim, dim);
    Rows columns;
    for_each_block(sample, out.mean, [&](const Rows& block, int rows) {
      transpose(block, rows, dim, columns);
      add_squares(columns, dim, rows, covariance);
    });
    Spectrum spectrum = spectrum_of(covariance / degrees, count);
    out.variances = std::move(spectrum.values);
    out.directions = std::move(spectrum.vectors);
  } else {
    Rows all;
    centred(sample, out.mean, 0, n, all);
    Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(n, n);
    add_squares(all, n, dim, gram);
    Spectrum spectrum = spectrum_of(gram / degrees, count);
    out.variances = std::move(spectrum.values);
    Rows columns;
    transpose(all, n, dim, columns);
    out.directions.assign(area(count, dim), 0);
    add_products(spectrum.vectors.data(), count, columns.data(), dim, n, out.directions.data());
  }
  normalise(out.directions, dim);
  return out;
}

Components leading_components(const Sample& sample, int count) {
  Components out;
  out.mean = mean_of(sample);
  const int n = sample.count();
  const int dim = sample.dim;
  const int width =
      std::min({count + std::max(32, count / 8), n, dim});  // a few more than asked for: the last ones are approximate
  SplitMix random(kSeed);
  Rows basis(area(width, dim));
  Rows next(basis.size());
  Rows columns, seen, seen_columns;
  for (int iteration = 0; iteration <= kIterations; ++iteration) {
    std::fill(next.begin(), next.end(), 0.0F);
    for_each_block(sample, out.mean, [&](const Rows& block, int rows) {
      transpose(block, rows, dim, columns);
      if (iteration == 0) {
        seen_columns.resize(area(width, rows));
        for (float& v : seen_columns) v = static_cast<float>(random.uniform() - 0.5);
      } else {
        seen.assign(area(rows, width), 0);
        add_products(block.data(), rows, basis.data(), width, dim, seen.data());
        transpose(seen, rows, width, seen_columns);
      }
      add_products(seen_columns.data(), width, columns.data(), dim, rows, next.data());
    });
    basis.swap(next);
    orthonormalise(basis, width, dim);
  }
  Eigen::MatrixXd covariance = Eigen::MatrixXd::Zero(width, width);
  for_each_block(sample, out.mean, [&](const Rows& block, int rows) {
    seen.assign(area(rows, width), 0);
    add_products(block.data(), rows, basis.data(), width, dim, seen.data());
    transpose(seen, rows, width, seen_columns);
    add_squares(seen_columns, width, rows, covariance);
  });
  Spectrum spectrum = spectrum_of(covariance / static_cast<double>(n - 1), count);
  out.variances = std::move(spectrum.values);
  transpose(basis, width, dim, columns);
  out.directions.assign(area(count, dim), 0);
  add_products(spectrum.vectors.data(), count, columns.data(), dim, width, out.directions.data());
  normalise(out.directions, dim);
  return out;
}

Components principal_components(const Sample& sample, int count) {
  const bool small = std::min(sample.count(), sample.dim) <= kExactSide;
  return small ? exact_components(sample, count) : leading_components(sample, count);
}

}  // namespace revisit::retrieval
