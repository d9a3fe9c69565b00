// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
#include "revisit/whitening.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "retrieval/search/pca.h"
#include "retrieval/search/products.h"
#include "retrieval/search/whitening_numbers.h"
#include "index_fixtures.h"
#include "core/tensor/parallel.h"

namespace revisit {
namespace {

using testing::expect_error;
using testing::read_bytes;
using testing::TemporaryFolder;
using testing::write_bytes;

// Unit rows whose spread falls off from direction to direction, as that of descriptors does. (count, dim)
std::vector<float> rows_of(int count, int dim, double decay, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  Eigen::MatrixXd mix(dim, dim);
  for (Eigen::Index i = 0; i < mix.size(); ++i) mix.data()[i] = normal(random);
  const Eigen::MatrixXd turn = Eigen::HouseholderQR<Eigen::MatrixXd>(mix).householderQ();
  std::vector<float> out;
  for (int r = 0; r < count; ++r) {
    Eigen::VectorXd row(dim);
    for (int c = 0; c < dim; ++c) row[c] = normal(random) * std::pow(decay, c) + (c == 0 ? 3.0 : 0.0);
    row = turn * row;
    row.normalize();
    for (int c = 0; c < dim; ++c) out.push_back(static_cast<float>(row[c]));
  }
  return out;
}

using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::MatrixXd matrix_of(std::span<const float> values, int columns) {
  const auto rows = static_cast<Eigen::Index>(values.size()) / columns;
  return Eigen::Map<const RowMajor>(values.data(), rows, columns).cast<double>();
}

Eigen::MatrixXd covariance_of(const Eigen::MatrixXd& rows) {
  const Eigen::MatrixXd centred = rows.rowwise() - rows.colwise().mean();
  return centred.transpose() * centred / static_cast<double>(rows.rows() - 1);
}

void expect_components(const retrieval::Components& found, std::span<const float> rows, int dim, int count, double tolerance) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(covariance_of(matrix_of(rows, dim)));
  const Eigen::MatrixXd directions = matrix_of(found.directions, dim);
  ASSERT_EQ(directions.rows(), count);
  for (int i = 0; i < count; ++i) {
    const double want = solver.eigenvalues()[dim - 1 - i];
    EXPECT_NEAR(found.variances[static_cast<std::size_t>(i)], want, tolerance * want) << "component " << i;
    const double cosine = std::abs(directions.row(i).dot(solver.eigenvectors().col(dim - 1 - i)));
    EXPECT_GT(cosine, 1 - tolerance) << "component " << i;
  }
  const Eigen::MatrixXd products = directions * directions.transpose();
  EXPECT_LT((products - Eigen::MatrixXd::Identity(count, count)).cwiseAbs().maxCoeff(), 1e-4);
}

TEST(Products, EqualThePlainSumsForAnyShapeAndAreAdded) {
  std::mt19937 random(3);
  std::uniform_real_distribution<float> uniform(-1, 1);
  for (const auto& [n, m, k] : {std::tuple{1, 1, 1}, {2, 4, 8}, {3, 5, 7}, {33, 129, 40}, {64, 3, 1025}, {5, 260, 2051}}) {
    std::vector<float> x(static_cast<std::size_t>(n * k)), p(static_cast<std::size_t>(m * k));
    for (float& v : x) v = uniform(random);
    for (float& v : p) v = uniform(random);
    std::vector<float> found(static_cast<std::size_t>(n * m), 0.5F), want = found;
    retrieval::add_products(x.data(), n, p.data(), m, k, found.data());
    retrieval::reference::add_products(x.data(), n, p.data(), m, k, want.data());
    for (std::size_t i = 0; i < want.size(); ++i) ASSERT_NEAR(found[i], want[i], 2e-6F * static_cast<float>(k)) << n << m << k;
  }
}

TEST(PrincipalComponents, ExactOnesEqualADenseDecompositionOnEitherSide) {
  for (const auto& [n, dim, count] : {std::tuple{400, 12, 12}, {3000, 30, 10}, {20, 60, 8}, {13, 13, 6}}) {
    const auto rows = rows_of(n, dim, 0.8, 5);
    const retrieval::Sample sample = retrieval::evenly_spaced(rows.data(), static_cast<std::uint64_t>(n), dim, 100'000);
    expect_components(retrieval::exact_components(sample, count), rows, dim, count, 2e-4);
  }
}

TEST(PrincipalComponents, LeadingOnesComeNearTheExact) {
  for (const auto& [n, dim, count] : {std::tuple{2500, 200, 20}, {150, 300, 12}}) {
    const auto rows = rows_of(n, dim, 0.93, 6);
    const retrieval::Sample sample = retrieval::evenly_spaced(rows.data(), static_cast<std::uint64_t>(n), dim, 100'000);
    expect_components(retrieval::leading_components(sample, count), rows, dim, count, 5e-3);
  }
}

TEST(PrincipalComponents, ASampleIsEvenlySpacedAndNeverLarger) {
  const std::vector<float> rows(1000);
  const retrieval::Sample sample = retrieval::evenly_spaced(rows.data(), 1000, 1, 300);
  ASSERT_EQ(sample.count(), 300);
  for (std::size_t i = 1; i < 300; ++i) {
    const std::uint32_t gap = sample.picked[i] - sample.picked[i - 1];
    EXPECT_TRUE(gap == 3 || gap == 4) << gap;
  }
  EXPECT_EQ(retrieval::evenly_spaced(rows.data(), 1000, 1, 2000).count(), 1000);
}

// The centred, projected and scaled rows, before they are brought to unit length.
Eigen::MatrixXd whitened(const Whitening& whitening, std::span<const float> rows) {
  const retrieval::WhiteningNumbers& numbers = WhiteningAccess::numbers(whitening);
  const Eigen::MatrixXd mean = matrix_of(numbers.mean, numbers.dim);
  const Eigen::MatrixXd centred = matrix_of(rows, numbers.dim).rowwise() - mean.row(0);
  return centred * matrix_of(numbers.projection, numbers.dim).transpose();
}

TEST(Whitening, ReferencesBecomeUncorrelatedAndOfEqualWeight) {
  // A smaller side above a thousand uses the randomised method.
  for (const auto& [n, dim, target] : {std::tuple{2000, 64, 20}, {60, 500, 30}, {1100, 1040, 24}}) {
    const auto rows = rows_of(n, dim, dim < 1000 ? 0.95 : 0.99, 7);
    const Whitening whitening = Whitening::learn(rows, dim, target);
    EXPECT_EQ(whitening.dim(), dim);
    EXPECT_EQ(whitening.target_dim(), target);
    const Eigen::MatrixXd off = covariance_of(whitened(whitening, rows)) - Eigen::MatrixXd::Identity(target, target);
    EXPECT_LT(off.cwiseAbs().maxCoeff(), 2e-3) << dim;
  }
}

TEST(Whitening, ResultsHaveUnitLengthAndDoNotDependOnRowsBesideThemNorOnThreads) {
  const int dim = 70;
  const auto rows = rows_of(300, dim, 0.95, 8);
  const int before = tensor::threads();
  tensor::set_threads(2);
  const Whitening whitening = Whitening::learn(rows, dim, 33);
  const auto together = whitening.apply(rows);
  tensor::set_threads(1);
  EXPECT_EQ(Whitening::learn(rows, dim, 33).checksum(), whitening.checksum());
  const Eigen::MatrixXd want = whitened(whitening, rows);
  for (std::size_t i = 0; i < 300; ++i) {
    const auto alone = whitening.apply(std::span(rows).subspan(i * dim, dim));
    ASSERT_EQ(alone, std::vector<float>(together.begin() + static_cast<std::ptrdiff_t>(i * 33),
                                        together.begin() + static_cast<std::ptrdiff_t>(i * 33 + 33)));
    const double length = want.row(static_cast<Eigen::Index>(i)).norm();
    double squares = 0;
    for (std::size_t c = 0; c < 33; ++c) {
      squares += static_cast<double>(alone[c]) * static_cast<double>(alone[c]);
      ASSERT_NEAR(alone[c], want(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(c)) / length, 1e-4);
    }
    ASSERT_NEAR(squares, 1, 1e-5);
  }
  tensor::set_threads(before);
  EXPECT_TRUE(whitening.apply({}).empty());
}

TEST(Whitening, RowsThatAreAllTheSameGiveFiniteNumbers) {
  const std::vector<float> rows(10 * 6, 0.4F);
  const Whitening whitening = Whitening::learn(rows, 6, 3);
  for (const float v : whitening.apply(rows)) EXPECT_TRUE(std::isfinite(v));
}

TEST(Whitening, RefusesWhatCannotBeLearntWithBothValues) {
  const auto rows = rows_of(10, 20, 0.9, 9);
  expect_error([&] { Whitening::learn(rows, 20, 10); }, ErrorCode::kUsage,
               "whitening to dim 10 needs at least 11 references, there are 10");
  EXPECT_EQ(Whitening::learn(rows, 20, 9).target_dim(), 9);
  expect_error([&] { Whitening::learn(rows, 20, 21); }, ErrorCode::kUsage, "descriptors of dim 20 to dim 21");
  expect_error([&] { Whitening::learn(rows, 20, 0); }, ErrorCode::kUsage, "cannot whiten to dim 0");
  expect_error([&] { Whitening::learn(rows, 20, 2049); }, ErrorCode::kUsage,
               "cannot whiten to dim 2049: the limits are 1 and 2048");
  expect_error([&] { Whitening::learn(rows, 0, 1); }, ErrorCode::kUsage, "dim 0");
  expect_error([&] { Whitening::learn(rows, 19, 2); }, ErrorCode::kUsage, "200 values are not a whole number");
  auto broken = rows;
  broken[43] = std::numeric_limits<float>::quiet_NaN();
  expect_error([&] { Whitening::learn(broken, 20, 2); }, ErrorCode::kUsage, "descriptor 2 holds nan at position 3");
  const Whitening whitening = Whitening::learn(rows, 20, 2);
  expect_error([&] { whitening.apply(broken); }, ErrorCode::kUsage, "descriptor 2 holds nan at position 3");
  expect_error([&] { whitening.apply(std::span(rows).first(21)); }, ErrorCode::kUsage, "not a whole number");
}

TEST(Whitening, ComesBackFromItsFileAndEveryCutOrFlippedByteIsRefused) {
  const TemporaryFolder folder;
  const auto rows = rows_of(12, 6, 0.9, 10);
  const Whitening whitening = Whitening::learn(rows, 6, 4);
  const auto file = folder / "a.whitening";
  whitening.save(file);
  const Whitening loaded = Whitening::load(file);
  EXPECT_EQ(loaded.checksum(), whitening.checksum());
  EXPECT_EQ(loaded.dim(), 6);
  EXPECT_EQ(loaded.target_dim(), 4);
  EXPECT_EQ(loaded.apply(rows), whitening.apply(rows));

  const std::string sound = read_bytes(file);
  ASSERT_EQ(sound.size(), 96U + (6 + 6 * 4) * 4);
  for (std::size_t size = 0; size < sound.size(); ++size) {
    write_bytes(file, sound.substr(0, size));
    ASSERT_THROW(Whitening::load(file), Error) << size;
  }
  for (std::size_t at = 0; at < sound.size(); ++at) {
    std::string flipped = sound;
    flipped[at] = static_cast<char>(flipped[at] ^ 0x10);
    write_bytes(file, flipped);
    ASSERT_THROW(Whitening::load(file), Error) << at;
  }
  write_bytes(file, sound + "x");
  expect_error([&] { Whitening::load(file); }, ErrorCode::kBadFile, "says 120 bytes follow its header, there are 121");
  expect_error([&] { Whitening::load(folder / "nothing"); }, ErrorCode::kNotFound, "nothing");
}

}  // namespace
}  // namespace revisit
