//===- TuningOps.td - Lines of tuning files ----------------*- tablegen -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Choices of a search, and kernels that they name. Hone.td includes this file.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_DIALECTS_HONE_TUNINGOPS_TD
#define HONE_DIALECTS_HONE_TUNINGOPS_TD

def Hone_GradeAttr : ConfinedAttr<StrAttr, [AttrConstraint<
    CPred<"::llvm::is_contained({\"trial\", \"finalist\", \"chosen\"}, "
          "::llvm::cast<::mlir::StringAttr>($_self).getValue())">,
    "whose value is 'trial', 'finalist' or 'chosen'">]>;

def Hone_TunedOp : Hone_Op<"tuned", [HasParent<"::mlir::ModuleOp">]> {
  let summary = "the fastest known schedule of a problem on a chip";
  let description = [{
    A line of a tuning file (docs/Database.md): the choice of a search, for builds
    without a database. It computes nothing, and no pass removes it.

    ```mlir
    hone.tuned #hone.problem<m = 512, n = 512, k = 512, a = f16:row:16, b = f16:col:16, acc = f32, c = f16:16, init = zero> on #hone.arch<h200> = #hone.schedule<small, tile = 64x64x64> {us = 3.12}
    ```

    The attributes say how reliable the choice is; each is optional.

    | attribute                           | meaning                                     |
    |-------------------------------------|---------------------------------------------|
    | `us`, `p10`, `p90`                  | time in microseconds: median and quantiles  |
    | `samples`                           | number of measurements that gave these times|
    | `grade`                             | `trial`, `finalist` or `chosen`             |
    | `driver`, `llvm`, `hone`, `space`   | the toolchain that measured it              |
    | `policy`                            | policy that proposed the schedule           |
    | `measured_at`                       | when, in seconds since 1970                 |

    The schedule must keep every law for the problem on the chip, and times must
    be positive and in order. `host` is not a valid chip here: the file may be
    read on other machines.
  }];
  let arguments = (ins
    Hone_ProblemAttr:$problem, Hone_ArchAttr:$arch, Hone_ScheduleAttr:$schedule,
    OptionalAttr<F64Attr>:$us, OptionalAttr<F64Attr>:$p10, OptionalAttr<F64Attr>:$p90,
    OptionalAttr<I64Attr>:$samples, OptionalAttr<Hone_GradeAttr>:$grade,
    OptionalAttr<StrAttr>:$driver, OptionalAttr<StrAttr>:$llvm,
    OptionalAttr<StrAttr>:$hone, OptionalAttr<I64Attr>:$space,
    OptionalAttr<StrAttr>:$policy, OptionalAttr<I64Attr>:$measured_at);
  let assemblyFormat = [{
    qualified($problem) `on` qualified($arch) `=` qualified($schedule) attr-dict
  }];
  let hasVerifier = 1;
}

def Hone_WholeKernelOp : Hone_Op<"kernel", [HasParent<"::mlir::ModuleOp">]> {
  let summary = "text of a handwritten kernel";
  let description = [{
    The text of a *whole kernel* (docs/Rewrites.md), line by line, under the name by
    which schedules ask for it. It stands in tuning files, and in modules from
    `hone-select-schedule`, which finds it, to `hone-build-kernel`, which replaces the
    kernel that it was made from.

    ```mlir
    hone.kernel "k8f3a291c0d03bb7" = [
      "gpu.func @for_0123456789abcdef(...) kernel {",
      "  gpu.return",
      "}"]
    ```

    It is text rather than a `gpu.func`, so that its name, the beginning of the
    text's hash, holds for every version of the printer, and so that reading a tuning
    file takes no dialect but this one. The name must be that of the text.
  }];
  let arguments = (ins StrAttr:$id, StrArrayAttr:$lines);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The name and the text.
    ::hone::WholeKernel getKernel();
  }];
  let builders = [OpBuilder<(ins "const ::hone::WholeKernel &":$kernel)>];
  let skipDefaultBuilders = 1;
}

#endif // HONE_DIALECTS_HONE_TUNINGOPS_TD
