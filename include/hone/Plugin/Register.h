//===- Register.h - Everything a host program must register -----*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that embeds Hone calls these two, whether it is mlir-opt through
// the plugin, hone-opt, or an ML compiler that links libhone:
//
//   mlir::DialectRegistry registry;
//   hone::registerDialects(registry);  // hone, kernel, what they lower to
//   hone::registerPasses();            // hone-match, ..., hone-pipeline
//
// Both may be called more than once.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PLUGIN_REGISTER_H
#define HONE_PLUGIN_REGISTER_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace hone {

/// The `hone` and `kernel` dialects, the upstream dialects their passes
/// produce, the interfaces bufferization needs, and the translations to PTX.
void registerDialects(mlir::DialectRegistry &registry);

/// Every pass of passes/Passes.td and `hone-pipeline`.
void registerPasses();

} // namespace hone

#endif // HONE_PLUGIN_REGISTER_H
