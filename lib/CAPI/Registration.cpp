//===- Registration.cpp - Dialects and passes for mlir-c ------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See hone-c/Registration.h.
//
//===----------------------------------------------------------------------===//

#include "hone-c/Registration.h"
#include "dialects/Hone/Hone.h"
#include "dialects/Kernel/Kernel.h"
#include "hone/Plugin/Register.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Registration.h"

MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(Hone, hone, hone::HoneDialect)
MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(Kernel, kernel,
                                      hone::kernel::KernelDialect)

void mlirRegisterHoneDialects(MlirDialectRegistry registry) {
  hone::registerDialects(*unwrap(registry));
}

void mlirRegisterHonePasses() { hone::registerPasses(); }
