//===- TunePass.td - Search inside a pipeline --------------*- tablegen -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The only pass that measures. It runs between bufferization and
// hone-select-schedule. It is not in passes/, because no pass there may depend
// on devices, databases and searches.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TUNER_TUNEPASS_TD
#define HONE_TUNER_TUNEPASS_TD

include "mlir/Pass/PassBase.td"

def Tune : PassBase<"hone-tune",
    "::hone::CheckedPass<::mlir::OperationPass<::mlir::ModuleOp>>"> {
  let summary = "search the fastest schedule of every hone.matmul, and attach it";
  let description = [{
    The search of the command `hone tune`, for the distinct problems of a module
    whose extents are known. Measurements in the `database` are not repeated, and new
    ones are kept there. Compilers and devices are processes of their own.
    Options that are not given have the values that they have in `hone tune`
    (docs/Search.md).

    A matmul that has a schedule keeps it. One that could not be tuned (its extents
    are unknown, no GPU answers, nothing ran) is left to `hone-select-schedule`,
    with a remark that says why: a compile never fails because tuning did. Only a wrong
    value of an option is an error.
  }];
  let dependentDialects = ["::hone::HoneDialect"];
  let options = [
    Option<"database", "database", "std::string", /*default=*/"\"\"",
           "file of measurements, to read and to add to (see hone db)">,
    Option<"device", "device", "std::string", /*default=*/"\"0\"",
           "numbers of GPUs, with + between them, or host">,
    Option<"policy", "policy", "std::string", /*default=*/"::hone::tuneDefaults().policy",
           "policy that proposes schedules: hybrid, learned, evolution, model, random, ...">,
    Option<"trials", "trials", "int64_t", /*default=*/"::hone::tuneDefaults().trials",
           "candidates of a problem, besides the default">,
    Option<"rewrites", "rewrites", "int64_t", /*default=*/"::hone::tuneDefaults().rewrites",
           "trials of rewrites of the best, after those; -1: a third as many "
           "if the policy has learned the effect of rewrites">,
    Option<"enough", "enough", "int64_t", /*default=*/"::hone::tuneDefaults().enough",
           "trials in a row without a percent's gain, after which there are no "
           "more; 0: all are made">,
    Option<"finalists", "finalists", "int64_t", /*default=*/"::hone::tuneDefaults().finalists",
           "candidates that are timed in turns at the end">,
    Option<"seconds", "seconds", "int64_t", /*default=*/"0",
           "for all problems together; 0: as long as it takes">,
    Option<"seed", "seed", "int64_t", /*default=*/"::hone::tuneDefaults().seed",
           "of random choices">,
    Option<"jobs", "jobs", "int64_t", /*default=*/"0",
           "compilers; 0: one for every core">,
    Option<"worker", "worker", "std::string", /*default=*/"\"\"",
           "the tool hone, where it is not in ../bin of the library or on the PATH">,
    Option<"rehearse", "rehearse", "std::string", /*default=*/"\"\"",
           "no device: the cost model's times, and faults, e.g. crash:3+hang:5">];
}

#endif // HONE_TUNER_TUNEPASS_TD
