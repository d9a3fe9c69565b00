// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// Exponentials of numbers that are not positive, as a softmax needs them. Polynomials are fitted for the smallest relative error on
// [-1/2, 1/2]. Included once per instruction set, after foreach_target.h.
#if defined(REVISIT_TENSOR_EXPONENTIAL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef REVISIT_TENSOR_EXPONENTIAL_INL_H_
#undef REVISIT_TENSOR_EXPONENTIAL_INL_H_
#else
#define REVISIT_TENSOR_EXPONENTIAL_INL_H_
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace revisit::tensor::HWY_NAMESPACE {

// What is added to 1.5 x 2^23 is rounded to a whole number, which stands in its last bits.
constexpr float kWhole = 12582912.0F;

// e^x for x in [-87, 0], to 2e-7 of its value; below, what it is at -87.
template <typename Vector>
HWY_INLINE Vector exp_of(Vector x) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::ScalableTag<float> d;
  const hn::RebindToUnsigned<decltype(d)> bits;
  x = hn::Max(x, hn::Set(d, -87.0F));
  const Vector moved = hn::MulAdd(x, hn::Set(d, 1.44269504F), hn::Set(d, kWhole));
  const Vector whole = hn::Sub(moved, hn::Set(d, kWhole));
  Vector part = hn::MulSub(x, hn::Set(d, 1.44269504F), whole);
  part = hn::MulAdd(x, hn::Set(d, 1.92596299e-8F), part);  // what log2 e has beyond f32
  Vector p = hn::Set(d, 1.534581156e-04F);
  p = hn::MulAdd(p, part, hn::Set(d, 1.339993122e-03F));
  p = hn::MulAdd(p, part, hn::Set(d, 9.618488959e-03F));
  p = hn::MulAdd(p, part, hn::Set(d, 5.550328777e-02F));
  p = hn::MulAdd(p, part, hn::Set(d, 2.402264689e-01F));
  p = hn::MulAdd(p, part, hn::Set(d, 6.931472057e-01F));
  p = hn::MulAdd(p, part, hn::Set(d, 1.0F));
  return hn::BitCast(d, hn::Add(hn::BitCast(bits, p), hn::ShiftLeft<23>(hn::BitCast(bits, moved))));
}

// 2^x for x in [-126, 0], to 3e-6 of its value: far finer than bfloat16.
template <typename Vector>
HWY_INLINE Vector power_of_two(Vector x) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::ScalableTag<float> d;
  const hn::RebindToUnsigned<decltype(d)> bits;
  x = hn::Max(x, hn::Set(d, -126.0F));
  const Vector moved = hn::Add(x, hn::Set(d, kWhole));
  const Vector part = hn::Sub(x, hn::Sub(moved, hn::Set(d, kWhole)));
  Vector p = hn::Set(d, 9.570101433e-03F);
  p = hn::MulAdd(p, part, hn::Set(d, 5.591786028e-02F));
  p = hn::MulAdd(p, part, hn::Set(d, 2.402474484e-01F));
  p = hn::MulAdd(p, part, hn::Set(d, 6.931218147e-01F));
  p = hn::MulAdd(p, part, hn::Set(d, 9.999992614e-01F));
  return hn::BitCast(d, hn::Add(hn::BitCast(bits, p), hn::ShiftLeft<23>(hn::BitCast(bits, moved))));
}

}  // namespace revisit::tensor::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
