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

// x / 2 (1 + erf(x / sqrt 2)), in the form that does not cancel for negative x.
template <typename Vector>
HWY_INLINE Vector gelu_of(Vector x) {
  namespace hn = hwy::HWY_NAMESPACE;
  const Vector tail = hn::Mul(x, bell(x).tail);
  return hn::IfThenElse(hn::Lt(x, hn::Zero(hn::ScalableTag<float>())), tail, hn::Sub(x, tail));
}

}  // namespace revisit::tensor::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
