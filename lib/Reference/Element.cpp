//===- Element.cpp - Element types of arguments ---------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Element.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Reference/Element.h"
#include "dialects/Hone/Hone.h"
#include "hone/Numerics/Tolerance.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

using namespace hone;

std::optional<Element> Element::of(mlir::Type type) {
  if (std::optional<ElementType> known = toAnyElementType(type);
      known && !hone::isInteger(*known))
    return Element{*known, 0};
  if (type.isF64())
    return Element{ElementType::f32, 0, /*isDouble=*/true};
  if (type.isIndex())
    return Element{ElementType::f32, 64};
  constexpr unsigned kBits[] = {1, 8, 16, 32, 64};
  auto integer = llvm::dyn_cast<mlir::IntegerType>(type);
  if (!integer || !integer.isSignless() ||
      !llvm::is_contained(kBits, integer.getWidth()))
    return std::nullopt;
  return Element{ElementType::f32, integer.getWidth()};
}

int64_t Element::bytes() const {
  if (isDouble)
    return sizeof(double);
  return isInteger() ? llvm::divideCeil(bits, 8) : sizeOf(type);
}

double Element::round(double value) const {
  return isDouble ? value : roundTo(type, value);
}

int64_t Element::smallest() const {
  return bits == 1 ? 0 : llvm::minIntN(bits);
}
int64_t Element::largest() const { return bits == 1 ? 1 : llvm::maxIntN(bits); }

double Element::load(const void *data, size_t i) const {
  if (isDouble)
    return static_cast<const double *>(data)[i];
  return loadElement(type, data, i);
}

int64_t Element::loadInteger(const void *data, size_t i) const {
  uint64_t word = 0;
  std::memcpy(&word, static_cast<const char *>(data) + i * bytes(), bytes());
  return bits == 1 ? int64_t(word & 1) : llvm::SignExtend64(word, bits);
}

void Element::store(void *data, size_t i, double value) const {
  if (isDouble)
    return void(static_cast<double *>(data)[i] = value);
  if (!isInteger())
    return storeElement(type, data, i, value);
  // The largest i64 is not exact as a double, which rounds it up.
  int64_t word = value >= double(largest())    ? largest()
                 : value <= double(smallest()) ? smallest()
                                               : int64_t(value);
  std::memcpy(static_cast<char *>(data) + i * bytes(), &word, bytes());
}
