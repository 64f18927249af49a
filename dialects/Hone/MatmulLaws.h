//===- MatmulLaws.h - Laws of hone.matmul -----------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function per law of the table in Hone.td. MatmulVerifier.cpp has those of
// matrices and memory, and calls all.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_DIALECTS_HONE_MATMULLAWS_H
#define HONE_DIALECTS_HONE_MATMULLAWS_H

#include "dialects/Hone/Hone.h"

namespace hone::matmul {

/// Begins the message of a broken law.
mlir::InFlightDiagnostic broken(MatmulOp op, unsigned law);

// MatmulVerifierWindows.cpp: matmul_c16, c18, c19, c17.
llvm::LogicalResult verifyImage(MatmulOp op);
llvm::LogicalResult verifyRagged(MatmulOp op);
llvm::LogicalResult verifyGather(MatmulOp op);
llvm::LogicalResult verifyWindows(MatmulOp op);

// MatmulVerifierEpilogue.cpp: matmul_c6 to c10.
llvm::LogicalResult verifyEpilogueDims(MatmulOp op);
llvm::LogicalResult verifyEpilogueShapes(MatmulOp op);
llvm::LogicalResult verifyEpilogueArguments(MatmulOp op);
llvm::LogicalResult verifyYield(MatmulOp op);
llvm::LogicalResult verifyEpilogueOps(MatmulOp op);

} // namespace hone::matmul

#endif // HONE_DIALECTS_HONE_MATMULLAWS_H
