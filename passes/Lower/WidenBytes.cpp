//===- WidenBytes.cpp - Conversion of 8-bit numbers to 16 bits ------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions take four times as long as sums, so integers become floats by a
// sum. With the sign bit flipped an integer is 0 to 255. These are the lowest
// fraction bits of a float at a power of two, and a subtraction leaves the
// number. Every step is exact.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/Lower/LowerKernel.h"

using namespace mlir;
using namespace hone;

namespace {
struct Widener {
  KernelEmitter &emit;
  OpBuilder &b;

  Value shiftRight(Value bits, int64_t by) {
    return arith::ShRUIOp::create(b, emit.loc, bits, emit.i32(by));
  }
  Value shiftLeft(Value bits, int64_t by) {
    return arith::ShLIOp::create(b, emit.loc, bits, emit.i32(by));
  }
  Value both(Value bits, int64_t mask) {
    return arith::AndIOp::create(b, emit.loc, bits, emit.i32(mask));
  }
  Value either(Value bits, Value other) {
    return arith::OrIOp::create(b, emit.loc, bits, other);
  }
  Value flipped(Value bits, int64_t mask) {
    return arith::XOrIOp::create(b, emit.loc, bits, emit.i32(mask));
  }
  Value as(Type type, Value bits) {
    return LLVM::BitcastOp::create(b, emit.loc, type, bits);
  }

  /// The sum of a float, or of a vector of them, and a constant.
  Value plus(Value number, double constant) {
    Type type = number.getType();
    TypedAttr value = b.getFloatAttr(getElementTypeOrSelf(type), constant);
    if (auto vector = dyn_cast<VectorType>(type))
      value = DenseElementsAttr::get(vector, Attribute(value));
    Value addend = LLVM::ConstantOp::create(b, emit.loc, type, value);
    return LLVM::FAddOp::create(b, emit.loc, number, addend);
  }

  /// The f16 values of the two lowest bytes: 1024 + x is 0x6400 + x.
  Value integersToF16(Value pair) {
    constexpr int64_t kAt1024 = 0x64006400;
    constexpr double kBias = 1024 + 128;
    Value turned = flipped(pair, 0x8080);
    Value spread =
        either(both(turned, 0xFF), shiftLeft(both(turned, 0xFF00), 8));
    Value raised = either(spread, emit.i32(kAt1024));
    Value halves = as(VectorType::get(2, b.getF16Type()), raised);
    return as(b.getI32Type(), plus(halves, -kBias));
  }

  /// The bf16 values, each the upper half of an f32: 2^23 + x is 0x4B000000 +
  /// x.
  Value integersToBF16(Value pair) {
    constexpr int64_t kAt2To23 = 0x4B000000;
    constexpr double kBias = 8388608 + 128;
    auto widened = [&](Value byte) {
      Value raised = either(flipped(byte, 0x80), emit.i32(kAt2To23));
      Value number = plus(as(b.getF32Type(), raised), -kBias);
      return as(b.getI32Type(), number);
    };
    Value low = widened(both(pair, 0xFF));
    Value high = widened(both(shiftRight(pair, 8), 0xFF));
    return upperHalves(low, high);
  }

  /// The upper halves of two words as one word. The lower halves are zero,
  /// except for a NaN.
  Value upperHalves(Value low, Value high) {
    constexpr int64_t kUpper = 0xFFFF0000;
    return either(shiftRight(low, 16), both(high, kUpper));
  }

  /// Converts through f16, for which there is an instruction.
  Value floats(Value pair, Type from, Type to) {
    Type i16 = b.getI16Type(), i32 = b.getI32Type();
    Value halves = emit.assembly(
        i32, {arith::TruncIOp::create(b, emit.loc, i16, pair)},
        ("cvt.rn.f16x2." + ptxNameOf(from) + "x2 $0, $1;").str(), "=r,h");
    if (to.isF16())
      return halves;
    auto widened = [&](Value bits) {
      Value half =
          as(b.getF16Type(), arith::TruncIOp::create(b, emit.loc, i16, bits));
      return as(i32, arith::ExtFOp::create(b, emit.loc, b.getF32Type(), half));
    };
    return upperHalves(widened(halves), widened(shiftRight(halves, 16)));
  }
};
} // namespace

Value hone::widenPair(KernelEmitter &emit, Value word, int64_t first, Type from,
                      Type to) {
  Widener widener{emit, emit.builder};
  Value pair = first ? widener.shiftRight(word, 8 * first) : word;
  if (!isa<IntegerType>(from))
    return widener.floats(pair, from, to);
  return to.isF16() ? widener.integersToF16(pair)
                    : widener.integersToBF16(pair);
}

SmallVector<Value> hone::widenBytes(KernelEmitter &emit, ArrayRef<Value> words,
                                    Type from, Type to) {
  SmallVector<Value> wide;
  for (Value word : words)
    for (int64_t first : {0, 2})
      wide.push_back(widenPair(emit, word, first, from, to));
  return wide;
}
