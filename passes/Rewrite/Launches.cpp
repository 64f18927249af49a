//===- Launches.cpp - Rewrites of the overlap of launches -----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The points where the next launch may start, and where this one waits for its
// predecessor.
//
//===----------------------------------------------------------------------===//

#include "passes/Rewrite/Menu.h"
#include "passes/Rewrite/Parts.h"

using namespace mlir;
using namespace hone;
using namespace hone::rewrite;
using namespace hone::kernel;

/// The only op of its type, in the kernel's own block.
template <typename OpT>
static Outcome findIn(gpu::GPUFuncOp kernel, OpT &op) {
  size_t count = 0;
  kernel.walk([&](OpT) { ++count; });
  op = onlyOf<OpT>(kernel.getBody().front());
  if (op && count == 1)
    return std::nullopt;
  return Refusal{kernel, "expected one '" + OpT::getOperationName().str() +
                             "', outside of roles, but got " +
                             std::to_string(count)};
}

/// next(loaded): after the producer's last loads. next(stored): at the end. A
/// block lets the next launch start when its first thread reaches this point.
Outcome hone::rewrite::startNext(gpu::GPUFuncOp kernel, StringRef value) {
  DependReleaseOp release;
  if (Outcome refused = findIn(kernel, release))
    return refused;
  if (value == "stored") {
    release->moveBefore(kernel.getBody().front().getTerminator());
    return std::nullopt;
  }
  Loading loading;
  if (Outcome refused = find(kernel, loading))
    return refused;
  Block &body = loading.role().getBody().front();
  release->moveBefore(&body, body.end());
  return std::nullopt;
}

/// begin(together): every thread waits for the previous launch, before the
/// roles branch.
Outcome hone::rewrite::beginTogether(gpu::GPUFuncOp kernel, StringRef) {
  Loading loading;
  if (Outcome refused = find(kernel, loading))
    return refused;
  auto wait = onlyOf<DependWaitOp>(loading.role().getBody().front());
  if (!wait)
    return Refusal{loading.role(), "expected one 'kernel.depend.wait' in the "
                                   "role that loads, but got none or several"};
  Block &body = kernel.getBody().front();
  Operation *first =
      &*llvm::find_if(body, [](Operation &op) { return isa<RoleOp>(op); });
  wait->moveBefore(first);
  return std::nullopt;
}
