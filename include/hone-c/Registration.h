/*===- Registration.h - Hone for users of MLIR's C interface ------*- C -*-===*\
|*
|* Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|* For programs that use mlir-c, in the way of mlir-c: the dialects and passes
|* of Hone in their own contexts and pass managers. hone-c/Hone.h needs no
|* header of MLIR.
|*
|*   mlirRegisterHoneDialects(registry);
|*   mlirRegisterHonePasses();
|*   ... a context with the registry, a module, a pass manager
|*   mlirParsePassPipeline(manager, "builtin.module(hone-pipeline{arch=h200})",
|*                         ...);
|*
|* The program links libhone, which has these functions, and mlir-c of the same
|* MLIR.
|*
\*===----------------------------------------------------------------------===*/

#ifndef HONE_C_REGISTRATION_H
#define HONE_C_REGISTRATION_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The dialects alone: mlirGetDialectHandle__hone__ and
 * mlirGetDialectHandle__kernel__. */
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(Hone, hone);
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(Kernel, kernel);

/* Everything that a context needs before it runs the passes: both dialects, the
 * upstream ones that passes produce, interfaces, translations to PTX. */
MLIR_CAPI_EXPORTED void mlirRegisterHoneDialects(MlirDialectRegistry registry);

/* Every pass of libhone, and hone-pipeline, by name. May be called more than
 * once. */
MLIR_CAPI_EXPORTED void mlirRegisterHonePasses(void);

#ifdef __cplusplus
}
#endif

#endif /* HONE_C_REGISTRATION_H */
