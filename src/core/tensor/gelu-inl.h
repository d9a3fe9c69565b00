// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// GELU of a vector and what its slope is made of. Included once per instruction set, after foreach_target.h.
#if defined(REVISIT_TENSOR_GELU_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef REVISIT_TENSOR_GELU_INL_H_
#undef REVISIT_TENSOR_GELU_INL_H_
#else
#define REVISIT_TENSOR_GELU_INL_H_
#endif

#include <hwy/highway.h>
//
#include <hwy/contrib/math/math-inl.h>

HWY_BEFORE_NAMESPACE();
namespace revisit::tensor::HWY_NAMESPACE {

// e(-x^2 / 2) and half of erfc(|x| / sqrt 2), by Abramowitz and Stegun 7.1.26.
template <typename Vector>
struct Bell {
  Vector height, tail;
};
template <typename Vector>
HWY_INLINE Bell<Vector> bell(Vector x) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::ScalableTag<float> d;
  const Vector z = hn::Mul(hn::Abs(x), hn::Set(d, 0.70710678F));
  const Vector t = hn::Div(hn::Set(d, 1.0F), hn::MulAdd(z, hn::Set(d, 0.3275911F), hn::Set(d, 1.0F)));
  Vector p = hn::Set(d, 1.061405429F);
  p = hn::MulAdd(p, t, hn::Set(d, -1.453152027F));
  p = hn::MulAdd(p, t, hn::Set(d, 1.421413741F));
  p = hn::MulAdd(p, t, hn::Set(d, -0.284496736F));
  p = hn::MulAdd(p, t, hn::Set(d, 0.254829592F));
  const Vector height = hn::Exp(d, hn::Neg(hn::Mul(z, z)));
  return {height, hn::Mul(hn::Set(d, 0.5F), hn::Mul(hn::Mul(p, t), height))};
}

// x Phi(x) = x (1/2 + c P(c^2) / Q(c^2)), c = x cut off at +-5.6, where Phi is 1 but for 1e-8. P and Q are a rational least-squares
// fit, refined until its largest error was as small as it gets: 3e-8, so that what is seen is the rounding of f32.
template <typename Vector>
HWY_INLINE Vector gelu_of(Vector x) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::ScalableTag<float> d;
  constexpr float kEnd = 5.6F;
  const Vector c = hn::Max(hn::Min(x, hn::Set(d, kEnd)), hn::Set(d, -kEnd));
  const Vector u = hn::Mul(c, c);
  Vector p = hn::Set(d, 2.170858464e-08F);
  p = hn::MulAdd(p, u, hn::Set(d, 6.590011722e-06F));
  p = hn::MulAdd(p, u, hn::Set(d, 1.901429371e-04F));
  p = hn::MulAdd(p, u, hn::Set(d, 4.805359880e-03F));
  p = hn::MulAdd(p, u, hn::Set(d, 3.584646932e-02F));
  p = hn::MulAdd(p, u, hn::Set(d, 3.989419023e-01F));
  Vector q = hn::Set(d, 1.185050063e-06F);
  q = hn::MulAdd(q, u, hn::Set(d, 8.100414268e-05F));
  q = hn::MulAdd(q, u, hn::Set(d, 2.003298595e-03F));
  q = hn::MulAdd(q, u, hn::Set(d, 2.980349982e-02F));
  q = hn::MulAdd(q, u, hn::Set(d, 2.565165292e-01F));
  q = hn::MulAdd(q, u, hn::Set(d, 1.0F));
#if HWY_ARCH_X86
  Vector over = hn::ApproximateReciprocal(q);  // q is in [1, 1e4]; a step of Newton's makes it as good as a division, and faster
  over = hn::Mul(over, hn::NegMulAdd(q, over, hn::Set(d, 2.0F)));
  const Vector share = hn::MulAdd(hn::Mul(c, p), over, hn::Set(d, 0.5F));
#else
  const Vector share = hn::Add(hn::Div(hn::Mul(c, p), q), hn::Set(d, 0.5F));
#endif
  return hn::Mul(x, share);
}

}  // namespace revisit::tensor::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
