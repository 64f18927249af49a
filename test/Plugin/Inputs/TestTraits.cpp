//===- TestTraits.cpp - Traits that a plugin finds ------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A test-only plugin, built with the compiler and the flags of libhone.so. A
// trait is identified by the address of a static variable that the dynamic
// linker must merge with libMLIR.so's. Where it does not, nothing fails:
// `hasTrait` just answers no. So this pass writes the answers on every op, as
// an attribute.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

using namespace mlir;

namespace {
struct TestTraits : PassWrapper<TestTraits, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestTraits)

  StringRef getArgument() const override { return "test-hone-traits"; }
  StringRef getDescription() const override {
    return "write on every op the traits that this plugin sees";
  }

  void runOnOperation() override {
    Builder builder(&getContext());
    getOperation().walk([&](Operation *op) {
      SmallVector<StringRef> seen;
      auto note = [&](bool has, StringRef name) {
        if (has)
          seen.push_back(name);
      };
      // Traits with and without a nested template-template argument, which
      // compilers mangle differently, and interfaces' own traits.
      note(op->hasTrait<OpTrait::IsTerminator>(), "IsTerminator");
      note(op->hasTrait<OpTrait::ReturnLike>(), "ReturnLike");
      note(op->hasTrait<OpTrait::IsIsolatedFromAbove>(), "IsIsolatedFromAbove");
      note(op->hasTrait<OpTrait::SymbolTable>(), "SymbolTable");
      note(op->hasTrait<OpTrait::NOperands<2>::Impl>(), "NOperands<2>");
      note(op->hasTrait<ConditionallySpeculatable::Trait>(),
           "ConditionallySpeculatable");
      note(op->hasTrait<MemoryEffectOpInterface::Trait>(),
           "MemoryEffectOpInterface");
      note(op->hasTrait<DestinationStyleOpInterface::Trait>(),
           "DestinationStyleOpInterface");
      note(op->hasTrait<linalg::LinalgOp::Trait>(), "LinalgOp");
      note(isa<linalg::LinalgOp>(op), "isa<LinalgOp>");
      note(isa<bufferization::BufferizableOpInterface>(op),
           "isa<BufferizableOpInterface>");
      op->setDiscardableAttr("traits.seen", builder.getStrArrayAttr(seen));
    });
  }
};
} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "hone-test-traits", "0.1.0",
          [] { PassRegistration<TestTraits>(); }};
}
