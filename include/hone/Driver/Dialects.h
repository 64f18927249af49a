//===- Dialects.h - Dialects that the passes need ---------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Other programs use hone/Plugin/Register.h.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_DRIVER_DIALECTS_H
#define HONE_DRIVER_DIALECTS_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace hone {

/// The `hone` and `kernel` dialects, the upstream dialects their passes
/// produce, the interfaces bufferization needs, and the translations to PTX.
void registerDialects(mlir::DialectRegistry &registry);

} // namespace hone

#endif // HONE_DRIVER_DIALECTS_H
