//===- Kernel.h - Dialect kernel --------------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C++ side of Kernel.td: a dialect in which a GPU kernel's schedule is
// explicit.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_DIALECTS_KERNEL_KERNEL_H
#define HONE_DIALECTS_KERNEL_KERNEL_H

#include "hone/dialects/Kernel/AddressMap.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace hone {
struct LaunchPlan; // hone/Runtime/LaunchPlan.h
} // namespace hone

#include "hone/dialects/Kernel/KernelDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "hone/dialects/Kernel/KernelAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "hone/dialects/Kernel/KernelTypes.h.inc"
#define GET_OP_CLASSES
#include "hone/dialects/Kernel/KernelOps.h.inc"

namespace hone::kernel {
/// Name of the attribute of a `gpu.module` or `gpu.binary` that holds its
/// launch plans by name: each a PlanAttr in a `gpu.module`, and the lines of
/// its text in a `gpu.binary`, which stock tools read.
inline constexpr llvm::StringLiteral kPlansAttr = "hone.plans";
/// The lines of a plan's text, as strings.
mlir::ArrayAttr planLines(PlanAttr plan);
/// The value of kPlansAttr; empty for an op without it.
llvm::ArrayRef<mlir::NamedAttribute> plansOf(mlir::Operation *kernels);
/// The plan that a launch names, among those of `kernels`: the `gpu.module` of
/// that name, or its `gpu.binary` while it is emitted. Null if it has none.
PlanAttr planOf(mlir::Operation *kernels, LaunchOp launch);
/// Name of the attribute of a kernel of the rest, or of the function that it is
/// made from. On the kernel it is the name of the function, which stays in the
/// module as long as a proof may need it. On the function it is the number of
/// rows that its ops share, or 0.
inline constexpr llvm::StringLiteral kRestAttr = "hone.rest";
/// Name of the attribute of a loop over chunks of more than one line: rows,
/// columns, and the chunks of a line that follow each other (RestTile).
inline constexpr llvm::StringLiteral kTileAttr = "hone.tile";
/// Name of the attribute of a kernel whose last tiles overlap their neighbours:
/// both tiles store the common elements, with the same numbers.
inline constexpr llvm::StringLiteral kStandsBackAttr = "hone.stands_back";
} // namespace hone::kernel

#endif // HONE_DIALECTS_KERNEL_KERNEL_H
