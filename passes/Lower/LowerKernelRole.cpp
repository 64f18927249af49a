//===- LowerKernelRole.cpp - Roles to branches ----------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Roles are lowered last: until then, the ops in a role get their threads from
// it. The roles of a block become one chain of branches on the number of the
// warp's role. The branch condition is uniform across a warp.
//
//===----------------------------------------------------------------------===//

#include "hone/Schedule/Kind.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "passes/Lower/LowerKernel.h"

using namespace mlir;
using namespace hone;
using namespace hone::kernel;

/// Sets the register count of a role's threads, given the count at launch.
/// Roles that need fewer registers release them first.
static void setRegisters(KernelEmitter &emit, RoleOp role, int64_t threads) {
  if (!role.getRegisters())
    return;
  int64_t wanted = *role.getRegisters();
  auto action = wanted < launchRegisters(threads)
                    ? NVVM::SetMaxRegisterAction::decrease
                    : NVVM::SetMaxRegisterAction::increase;
  NVVM::SetMaxRegisterOp::create(emit.builder, emit.loc, wanted, action);
}

/// The warp's number, marked as uniform across its threads.
static IndexValue uniformWarp(KernelEmitter &emit, int64_t threads) {
  constexpr int64_t kAllLanes = -1, kClamp = 31;
  OpBuilder &b = emit.builder;
  Value warp = emit.thread(threads) / kWarpSize;
  Value same = NVVM::ShflOp::create(
      b, emit.loc, b.getI32Type(), emit.i32(kAllLanes), warp, emit.i32(0),
      emit.i32(kClamp), NVVM::ShflKind::idx, /*return_value_and_is_valid=*/
      UnitAttr());
  return emit.index(same);
}

/// Moves the role's region to the insertion point.
static void inlineRole(IRRewriter &rewriter, RoleOp role, IndexValue warp,
                       int64_t threads) {
  KernelEmitter emit(rewriter, role.getLoc());
  setRegisters(emit, role, threads);
  Block *body = &role.getBody().front();
  SmallVector<Value> arguments;
  if (role.getOneThread()) {
    IndexValue first = emit.i32(role.getFirstWarp() * kWarpSize);
    Value mine =
        arith::CmpIOp::create(rewriter, role.getLoc(), arith::CmpIPredicate::eq,
                              emit.thread(threads), first);
    auto branch = scf::IfOp::create(rewriter, role.getLoc(), mine);
    rewriter.setInsertionPointToStart(branch.thenBlock());
  } else if (role.getWarps() % 4 == 0) {
    arguments.push_back((warp + -role.getFirstWarp()) / 4);
  } else {
    arguments.push_back(emit.i32(0));
  }
  Block *to = rewriter.getInsertionBlock();
  rewriter.inlineBlockBefore(body, to, rewriter.getInsertionPoint(), arguments);
}

/// `roles` follow each other in a block. The branch of the last one is in the
/// innermost `else`.
static void lowerRoles(IRRewriter &rewriter, ArrayRef<RoleOp> roles,
                       int64_t threads) {
  RoleOp first = roles.front();
  rewriter.setInsertionPoint(first);
  KernelEmitter before(rewriter, first.getLoc());
  IndexValue warp = uniformWarp(before, threads);
  for (RoleOp role : roles) {
    Location loc = role.getLoc();
    KernelEmitter emit(rewriter, loc);
    int64_t end = role.getFirstWarp() + role.getWarps();
    // The last role has all remaining warps.
    bool isLast = role == roles.back() && end * kWarpSize == threads;
    if (isLast) {
      inlineRole(rewriter, role, warp, threads);
      break;
    }
    auto branch = scf::IfOp::create(rewriter, loc, warp.lessThan(emit.i32(end)),
                                    /*withElseRegion=*/true);
    rewriter.setInsertionPointToStart(branch.thenBlock());
    inlineRole(rewriter, role, warp, threads);
    rewriter.setInsertionPointToStart(branch.elseBlock());
  }
  for (RoleOp role : llvm::reverse(roles))
    rewriter.eraseOp(role);
}

LogicalResult hone::lowerRolesOf(LLVM::LLVMFuncOp func) {
  SmallVector<RoleOp> roles;
  func.walk([&](RoleOp role) { roles.push_back(role); });
  if (roles.empty())
    return success();
  Block *block = roles.front()->getBlock();
  for (RoleOp role : roles)
    if (role->getBlock() != block)
      return role.emitOpError("expected all roles of a kernel in one block");
  RoleOp last = roles.back();
  int64_t end = (last.getFirstWarp() + last.getWarps()) * kWarpSize;
  int64_t threads = threadsOf(func);
  if (end > threads)
    return last.emitOpError("expected roles for at most ")
           << threads << " threads, those of the block, but got " << end;
  // Roles must be adjacent: values that they share are computed before the
  // first.
  for (size_t i = 0; i + 1 < roles.size(); ++i)
    if (roles[i]->getNextNode() != roles[i + 1].getOperation())
      return roles[i].emitOpError(
          "expected the next role right after this one");
  IRRewriter rewriter(func.getContext());
  lowerRoles(rewriter, roles, threads);
  return success();
}
