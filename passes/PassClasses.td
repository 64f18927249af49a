//===- PassClasses.td - Classes of the table of passes -------*- tablegen -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PASSES_PASSCLASSES_TD
#define HONE_PASSES_PASSCLASSES_TD

include "mlir/Pass/PassBase.td"

/// A pass on modules whose options are checked (CheckedPass.h).
class ModulePass<string name>
    : PassBase<name, "::hone::CheckedPass<::mlir::OperationPass<::mlir::ModuleOp>>">;

/// The option `arch` of a pass; `use` completes "chip or ISA ...".
class ArchOption<string use>
    : Option<"arch", "arch", "std::string", /*default=*/"\"sm_90a\"",
             "chip or ISA " # use # " (h200, sm_80, ..., native, host)">;

#endif // HONE_PASSES_PASSCLASSES_TD
