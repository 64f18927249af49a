//===- Parts.cpp - Loops of a kernel, found by their ops ------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Parts.h.
//
//===----------------------------------------------------------------------===//

#include "passes/Rewrite/Parts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace hone;
using namespace hone::rewrite;
using namespace hone::kernel;

/// The innermost loop around all of `ops`, each directly in its body.
template <typename Range>
static Outcome loopOf(gpu::GPUFuncOp kernel, const Range &ops, StringRef what,
                      scf::ForOp &loop) {
  if (ops.empty())
    return Refusal{kernel,
                   "expected a loop that " + what.str() + ", but got none"};
  for (Operation *op : ops) {
    auto around = dyn_cast<scf::ForOp>(op->getParentOp());
    if (!around)
      return Refusal{op, "expected a loop right around each op that " +
                             what.str() + ", but got '" +
                             op->getParentOp()->getName().getStringRef().str() +
                             "'"};
    if (loop && loop != around)
      return Refusal{op, "expected one loop that " + what.str() +
                             ", but got another one"};
    loop = around;
  }
  return std::nullopt;
}

/// Returns the op that `find` looked for directly in `loop`.
template <typename OpT>
static Outcome expectOne(scf::ForOp loop, OpT &op) {
  op = onlyOf<OpT>(*loop.getBody());
  if (op)
    return std::nullopt;
  return Refusal{loop, "expected one '" + OpT::getOperationName().str() +
                           "' in the loop, but got none or several"};
}

Outcome hone::rewrite::find(gpu::GPUFuncOp kernel, Loading &loading) {
  // Loads of a consumer are not loads of A or B.
  kernel.walk([&](LoadOp load) {
    auto role = load->getParentOfType<RoleOp>();
    if (role && role.getOneThread())
      loading.loads.push_back(load);
  });
  if (Outcome refused = loopOf(kernel, loading.loads, "loads", loading.loop))
    return refused;
  return expectOne(loading.loop, loading.await);
}

Outcome hone::rewrite::find(gpu::GPUFuncOp kernel, Multiplying &multiplying) {
  kernel.walk(
      [&](MmaAsyncOp product) { multiplying.products.push_back(product); });
  if (Outcome refused =
          loopOf(kernel, multiplying.products, "multiplies", multiplying.loop))
    return refused;
  if (Outcome refused = expectOne(multiplying.loop, multiplying.await))
    return refused;
  if (Outcome refused = expectOne(multiplying.loop, multiplying.commit))
    return refused;
  return expectOne(multiplying.loop, multiplying.wait);
}

Value hone::rewrite::i32(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getI32IntegerAttr(value));
}
