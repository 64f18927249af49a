//===- library.cpp - The library in another compiler ----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %cxx %s -I%hone_obj/include -isystem %llvm_include -lhone \
// RUN:   -L%mlir_lib_dir -Wl,-rpath,%mlir_lib_dir -lMLIR -lLLVM -o %t
// RUN: %t %hone_src/test/examples/readme.mlir | FileCheck %s
// CHECK: hone.matmul
// CHECK-SAME: init(zero)
//
//===----------------------------------------------------------------------===//

#include "hone/Plugin/Register.h"
#include "hone/passes/Passes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/raw_ostream.h"

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  mlir::DialectRegistry registry;
  hone::registerDialects(registry);
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(argv[1], &context);
  mlir::PassManager passManager(&context);
  passManager.addPass(hone::createMatch());
  if (!module || mlir::failed(passManager.run(*module)))
    return 1;
  module->print(llvm::outs());
  return 0;
}
