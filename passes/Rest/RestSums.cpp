//===- RestSums.cpp - Sums over the threads of a block --------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tree over the lanes of a warp, then the warps in order. The sum is the same
// each time, for any order of the threads.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Rest/RestKernel.h"

using namespace mlir;
using namespace hone;

/// Shared memory in which the warps of a block leave their sums: 8 bytes for
/// each warp and result.
static constexpr StringLiteral kSumsSymbol = "hone_rest_sums";
static constexpr int64_t kWarp = 32, kMaxWarps = 16, kMaxResults = 4;

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

Value RestKernel::combine(Operation *combiner, Value a, Value b) {
  return emitRestScalar(builder, combiner, {a, b});
}

/// The value of the thread whose number differs in the bit `distance`.
Value RestKernel::exchange(Value value, int64_t distance) {
  Type type = value.getType(), i32 = builder.getI32Type();
  unsigned bits = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  Type integer = builder.getIntegerType(bits);
  if (type.isIndex())
    value = arith::IndexCastOp::create(builder, loc, integer, value);
  else if (type != integer)
    value = arith::BitcastOp::create(builder, loc, integer, value);
  auto shuffle = [&](Value word) -> Value {
    return NVVM::ShflOp::create(builder, loc, i32, emit.i32(-1), word,
                                emit.i32(distance), emit.i32(kWarp - 1),
                                NVVM::ShflKind::bfly, UnitAttr());
  };
  if (bits == 64) {
    Value low = shuffle(arith::TruncIOp::create(builder, loc, i32, value));
    Value shifted =
        arith::ShRUIOp::create(builder, loc, value, emit.i64(kWarp));
    Value high = shuffle(arith::TruncIOp::create(builder, loc, i32, shifted));
    low = arith::ExtUIOp::create(builder, loc, integer, low);
    high = arith::ExtUIOp::create(builder, loc, integer, high);
    high = arith::ShLIOp::create(builder, loc, high, emit.i64(kWarp));
    value = arith::OrIOp::create(builder, loc, high, low);
  } else {
    if (bits < 32)
      value = arith::ExtUIOp::create(builder, loc, i32, value);
    value = shuffle(value);
  }
  return fromWord(builder, loc, value, type);
}

void RestKernel::declareSums() {
  auto module = kernel->getParentOfType<gpu::GPUModuleOp>();
  if (module.lookupSymbol(kSumsSymbol))
    return;
  OpBuilder top = OpBuilder::atBlockBegin(module.getBody());
  auto type =
      LLVM::LLVMArrayType::get(builder.getI64Type(), kMaxWarps * kMaxResults);
  LLVM::GlobalOp::create(top, loc, type, /*isConstant=*/false,
                         LLVM::Linkage::Internal, kSumsSymbol, Attribute(),
                         /*alignment=*/16, kSharedSpace);
}

/// The address at which warp `warp` stores its part of result `slot`.
Value RestKernel::slotOf(Value warp, int64_t slot) {
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext(), kSharedSpace);
  Value base = LLVM::AddressOfOp::create(builder, loc, pointer, kSumsSymbol);
  IndexValue at = emit.index(warp) + slot * kMaxWarps;
  return LLVM::GEPOp::create(builder, loc, pointer, builder.getI64Type(), base,
                             ValueRange{at});
}

/// The sum over all threads of the block. Only the first thread has it.
Value RestKernel::sumOfBlock(Operation *combiner, Value sum, int64_t slot) {
  for (int64_t distance = kWarp / 2; distance > 0; distance /= 2)
    sum = combine(combiner, sum, exchange(sum, distance));
  int64_t warps = layout.threads / kWarp;
  if (warps == 1)
    return sum;
  declareSums();
  Type type = sum.getType();
  IndexValue thread = emit.thread(layout.threads);
  auto branch = scf::IfOp::create(
      builder, loc, Value((thread % kWarp).lessThan(emit.i32(1))));
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    LLVM::StoreOp::create(builder, loc, sum, slotOf(thread / kWarp, slot));
  }
  kernel::BarrierOp::create(builder, loc);
  for (int64_t warp = 0; warp < warps; ++warp) {
    Value part =
        LLVM::LoadOp::create(builder, loc, type, slotOf(emit.i32(warp), slot));
    sum = warp == 0 ? part : combine(combiner, sum, part);
  }
  return sum;
}
