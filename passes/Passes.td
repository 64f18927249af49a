//===- Passes.td - Passes of the compiler, in order ----------*- tablegen -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of contents of passes/. One pass is one def here or in the file of
// its folder, one .cpp and one test of the same name.
//
//   linalg --match--> hone.matmul --(bufferize)--> select-schedule -->
//     build-kernel --> kernel IR --> lower-kernel --> NVVM --> emit --> gpu.binary
//
//===----------------------------------------------------------------------===//

#ifndef HONE_PASSES_PASSES_TD
#define HONE_PASSES_PASSES_TD

include "passes/PassClasses.td"

def ReorderProducts : ModulePass<"hone-reorder-products"> {
  let summary = "write products in the order that multiplies least";
  let description = [{
    Products next to gathers, and two with three factors (docs/Ragged.md).
  }];
  let dependentDialects = ["::hone::HoneDialect", "::mlir::arith::ArithDialect",
                           "::mlir::cf::ControlFlowDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
  let options = [
    Option<"reorder", "reorder", "::hone::Reorder", /*default=*/"::hone::Reorder::rows",
           "the products that may be written in another order", "::hone::reorderValues()">];
}

def Match : ModulePass<"hone-match"> {
  let summary = "turn linalg contractions into hone.matmul";
  let description = [{
    Every linalg op that computes a matmul becomes a `hone.matmul`: `matmul` with
    any indexing maps, `batch_matmul`, `matvec`, `vecmat`, `batch_matvec`,
    `batch_vecmat`, `dot`, `contract` and `generic`, static or dynamic. Adjacent
    dimensions of the same role are collapsed, absent ones become unit extents.

    On tensors a zero destination in any form becomes `init(zero)`, and a bias that
    was broadcast or converted into the destination becomes an epilogue operand.
    Elementwise consumers (linalg without a reduction, arith and math on tensors)
    move into the epilogue: the largest set of them whose values lead to one, with
    the reshapes between them. A result that is only seen transposed is computed
    transposed. On memrefs a preceding zero fill becomes `init(zero)`.

    On tensors A and B are read from before the ops that move or extend their elements:
    extensions from f16 or bf16, transposes, reshapes, and repetition along a batch. If
    neither these values nor the op's own are in an order that a matmul reads, one is
    copied, with a remark. Ops that were fused into the body of a contraction become
    elementwise ops again, and convolutions whose windows are one element are matmuls.

    Unsupported ops are left as they are, with a remark that says why; for a contraction
    also with one warning for each cause, or an error if `require` is not `any`. An
    accumulator narrower than f32 is widened, with a remark. Given an arch, a matmul
    on types that none of its kernels support is left, too, so that later passes of the
    compiler can lower it.

    Tensor cores multiply no f32, so on a GPU threads do, unless `f32` or the attribute
    `hone.products = #hone.products<...>` of the op permits less than exact products:
    `tf32x3`, three products of tf32 that are as accurate as f32 sums are, or `tf32`,
    one that keeps 10 bits. Sums of 8-bit floats are short in blocks of 128 products, which
    threads add up, unless `f8` or the attribute permits them to be short from end to end:
    `short`. A scale that multiplies narrow elements of A or B in f32 and does not vary
    with k multiplies their sums instead, as `scales` permits. No result is less accurate
    than the program's unless an option or attribute permits it.
  }];
  let dependentDialects = ["::hone::HoneDialect", "::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
  let options = [
    Option<"strictAccumulator", "strict-accumulator", "bool", /*default=*/"false",
           "leave matmuls alone whose accumulator is narrower than f32, instead of widening it">,
    Option<"arch", "arch", "std::string", /*default=*/"\"\"",
           "leave matmuls alone whose types no kernel for this chip or ISA takes; empty: take all">,
    Option<"f32", "f32", "::hone::Products", /*default=*/"::hone::Products::exact",
           "how products of f32 may be computed where an op does not say it",
           "::hone::productsValues()">,
    Option<"f8", "f8", "::hone::Products", /*default=*/"::hone::Products::blocks",
           "how sums of 8-bit floats may be computed where an op does not say it",
           "::hone::sumsValues()">,
    Option<"scales", "scales", "::hone::Scales", /*default=*/"::hone::Scales::proven",
           "which scales of A and B their sums may have instead",
           "::hone::scalesValues()">,
    Option<"numbers", "numbers", "std::string", /*default=*/"\"deterministic\"",
           "which runs give the same bits where an op does not say it: free, deterministic, "
           "invariant or invariant:PARTS">,
    Option<"require", "require", "::hone::Require", /*default=*/"::hone::Require::any",
           "an error where a contraction is left alone, unless it is any",
           "::hone::requireValues()">];
}

def CopyRows : ModulePass<"hone-copy-rows"> {
  let summary = "copy rows that are read through an index where that saves time";
  let description = [{
    Only kernels of `mma_sync` read rows of A through an index. A `hone.matmul` on tensors
    with `gather` reads a copy of the rows, made by a `linalg.generic`, if an estimate by
    the chip's rates says that the copy and a kernel of `ws` take less time, or if no
    kernel of the chip reads the type of A through an index.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
  let options = [ArchOption<"whose rates decide">];
}

def Decompose : Pass<"hone-decompose"> {
  let summary = "split linalg ops on tensors that stand for several";
  let description = [{
    `linalg.softmax` and other ops without loops of their own become the ops they
    stand for, which bufferize and lower. On memrefs they are left alone.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"];
}

def FuseRest : ModulePass<"hone-fuse-rest"> {
  let summary = "move elementwise ops on tensors into the ops that read them";
  let description = [{
    Upstream's elementwise fusion, for linalg ops that no matmul has taken in. A value
    that several ops read is computed by each of them, if that is cheap and all of them
    can compute it. A value that a contraction would compute again for each of its results
    is not fused. Named ops become generic ones, unused results are removed, and reshapes
    between two elementwise ops become part of their loops.

    Before that, a tensor of one element that the host can compute becomes a scalar,
    also where a loop carries it; an `scf.while` that counts becomes an `scf.for`. The
    element of a tensor of the device, which host code extracts for a linalg op, a fill,
    a pad, a choice or the offset of a slice, is read in the body of a linalg op instead.

    If the arch is the host, the pass does nothing.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
  let options = [
    ArchOption<"to fuse for">];
}

def SeparateResults : Pass<"hone-separate-results"> {
  let summary = "return no allocation twice";
  let description = [{
    A function that returns one allocation as several results returns copies instead of
    all but the first. The owner of a result can then free it, and results can become
    arguments (`buffer-results-to-out-params`), which need one allocation each.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def TakeDestinations : ModulePass<"hone-take-destinations"> {
  let summary = "turn results into arguments";
  let description = [{
    Upstream's `buffer-results-to-out-params`, for results of any shape: results of public
    functions become arguments after the others, marked `bufferize.result`, and an
    allocation that a function returns becomes the argument itself. So do results of
    other functions, where all their shapes are static. A private function with a
    result of dynamic shape keeps its results. A public one that the module calls gets a
    private copy for its callers.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def OutlineRest : ModulePass<"hone-outline-rest"> {
  let summary = "make functions of linalg ops on memrefs that become kernels";
  let description = [{
    Every linalg op on memrefs, and every `memref.copy` with gaps, moves into a private
    function that is marked `hone.rest`, and a call replaces it. Each such function
    becomes one kernel. Ops that share rows move into one function, if none of them
    accesses elements that another one writes in another row: the reductions of a softmax
    or of a layer norm, and the ops on their results. Equal functions are merged. With
    `invariant` every op is a kernel of its own, whose sums have an order that the number
    of rows does not change, known or not.

    An assertion in a body becomes an op that sets a flag (`hone.assertion`), and the
    loads of that body stay within their memory.

    To the passes that follow, a call of such a function is work of the device. Ops
    that no kernel can run stay, with a remark that says why (`left-on-host`). If the
    arch is the host, the pass does nothing.
  }];
  let dependentDialects = ["::hone::HoneDialect", "::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::memref::MemRefDialect"];
  let options = [
    ArchOption<"to run on">,
    Option<"invariant", "invariant", "bool", /*default=*/"false",
           "the sums of a row do not depend on the number of rows">];
}

include "passes/Memory/MemoryPasses.td"

def SelectSchedule : ModulePass<"hone-select-schedule"> {
  let summary = "attach an arch and a schedule to every hone.matmul";
  let description = [{
    The sources, in this order: the op itself (an existing schedule is kept), the `schedule`
    option, the sources that the program was built with, and the default. libhone's sources
    are the `database` (a database or a tuning file) and the measurements that are `shipped`
    with it, for exactly this problem or for some values of its unknown extents, then the
    policy's `guess`; docs/Database.md has the rules. The file is read, never written. A
    written schedule that breaks a law for its problem or arch is an error; one that a
    source has is passed over, with a remark. A remark names the
    source and the runner-up; one on the module has a digest of all decisions, which is
    equal wherever the decisions are.

    A matmul whose M, N or K is unknown may get several schedules, each for the values
    of this extent up to a bound: at most `ranges` of them.

    The same file, the same hone and the same IR give the same schedules, on any
    machine and with any order of threads. `deterministic` turns the two names that
    mean another arch on another machine, `native` and `host`, into errors.
  }];
  let dependentDialects = ["::hone::HoneDialect"];
  let options = [
    ArchOption<"to schedule for">,
    Option<"schedule", "schedule", "::hone::PinnedSchedule",
           /*default=*/"::hone::PinnedSchedule()",
           "use this schedule for every matmul, e.g. 'mma_sync, stages = 3'">,
    Option<"database", "database", "std::string", /*default=*/"\"\"",
           "database or tuning file to ask (see hone db)">,
    Option<"guess", "guess", "bool", /*default=*/"true",
           "where nothing was measured, use the policy's first choice, or a "
           "measurement of a similar problem">,
    Option<"shipped", "shipped", "bool", /*default=*/"true",
           "ask the measurements that are built in (of an H200), too">,
    Option<"ranges", "ranges", "unsigned", /*default=*/"24",
           "most kernels for a matmul with one unknown extent; the launch picks">,
    Option<"require", "require", "::hone::Require", /*default=*/"::hone::Require::any",
           "an error where a schedule is less well founded", "::hone::requireValues()">,
    Option<"deterministic", "deterministic", "bool", /*default=*/"false",
           "an error where a schedule depends on this machine (arch native or host)">];
}

def BuildKernel : ModulePass<"hone-build-kernel"> {
  let summary = "turn scheduled matmuls into kernel IR and launches";
  let description = [{
    Writes the schedule of each `hone.matmul` on memrefs out as kernel IR inside a
    `gpu.module`, and replaces the op by a `kernel.launch` that carries the launch
    plan. Matmuls that differ only in extents and run-time decisions share a kernel.
    Alignment that types do not prove is guarded in the plan: if the guard fails, a
    sibling kernel runs that needs no alignment. For the host arch the kernel is a
    `func.func` of loops and vectors, and the launch is a call.

    The rewrites of a schedule (docs/Rewrites.md) are applied to its kernel at once, so
    that there is never another one of that name. A whole kernel is taken from its
    `hone.kernel`, once it is certain that it was written for the kernel that is built.
    This pass removes the texts of kernels.
  }];
  let dependentDialects = ["::hone::kernel::KernelDialect", "::mlir::gpu::GPUDialect",
                           "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::mlir::func::FuncDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::vector::VectorDialect", "::mlir::affine::AffineDialect",
                           "::mlir::NVVM::NVVMDialect"];
  let options = [
    Option<"fallback", "fallback", "bool", /*default=*/"true",
           "also build kernels for operands that a schedule's kernel cannot take; "
           "without them, launching it on such operands is an error">,
    Option<"strict", "strict", "bool", /*default=*/"true",
           "a rewrite that does not apply is an error; otherwise the kernel is built "
           "without rewrites, with a warning">,
  ];
}

def BuildRest : ModulePass<"hone-build-rest"> {
  let summary = "turn outlined functions of other ops into kernels and launches";
  let description = [{
    Writes each function that `hone-outline-rest` has made as a kernel into the
    `gpu.module` of the matmuls' kernels, with a launch plan, and replaces its calls by
    `kernel.launch`. Where a reduction yields one element a row, each block has a row,
    and adds up in an order that does not depend on time; otherwise threads take points
    of the parallel loops in turn. Neighbouring elements are moved 16 bytes at a time;
    the plan guards the alignment that this takes, and has a kernel that needs none.

    The functions stay, without callers: kernels are proven against them.
    `hone-lower-kernel` removes them.

    If the arch is the host, the pass does nothing: the functions themselves run.
  }];
  let dependentDialects = ["::hone::kernel::KernelDialect", "::mlir::gpu::GPUDialect",
                           "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
                           "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::mlir::memref::MemRefDialect"];
  let options = [
    ArchOption<"to build for">];
}

def LowerKernel : ModulePass<"hone-lower-kernel"> {
  let summary = "lower kernel IR to the NVVM and LLVM dialects";
  let description = [{
    Lowers the kernels of every `gpu.module` op by op, then everything else in them
    through MLIR's own conversions. One kernel op becomes the instructions of one
    hardware event; no synchronization is invented.
  }];
  let dependentDialects = ["::mlir::NVVM::NVVMDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::mlir::cf::ControlFlowDialect"];
}

def Emit : ModulePass<"hone-emit"> {
  let summary = "emit PTX and the host's launches";
  let description = [{
    Translates each lowered `gpu.module` to a `gpu.binary` with PTX (or a cubin) and
    the launch plans as builtin-typed attributes, and turns each `kernel.launch` into
    host code:

    - `host=runtime`: a call to `honeLaunch` (hone-c/Runtime.h, libhone_rt);
    - `host=gpu`: `gpu.launch_func` after the plan's guards if the plan has no tensor
      map, launch attribute or workspace; otherwise as `runtime`.

    Host code looks at the status of every launch, copy, wait and allocation. Where one
    fails (`on-error`),

    - `abort`: the program prints what failed to standard error, once, and aborts;
    - `return`: the function frees its allocations and returns zeros and null
      memrefs, and so do those that called it; the program reads `honeTakeStatus` and
      `honeLastError`. Loops around launches are lowered to blocks;
    - `handler`: the program continues, with results that are wrong; only libhone_rt's
      error handler receives the failure.

    The first two call `libhone_rt`, with `host=gpu`, too: a program with another GPU
    runtime takes `handler`.

    Attributes of Hone's dialects become text everywhere, so that the output can be
    read without the plugin: `hone.schedule = #hone.schedule<host, ...>` becomes
    `schedule = "host, ..."`.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::gpu::GPUDialect",
                           "::mlir::scf::SCFDialect", "::mlir::cf::ControlFlowDialect"];
  let options = [
    Option<"host", "host", "::hone::LaunchForm",
           /*default=*/"::hone::LaunchForm::runtime",
           "the form of launches in host code", "::hone::launchFormValues()">,
    Option<"format", "format", "::hone::BinaryFormat",
           /*default=*/"::hone::BinaryFormat::ptx",
           "the contents of the binary", "::hone::binaryFormatValues()">,
    Option<"onError", "on-error", "::hone::OnError",
           /*default=*/"::hone::OnError::abort",
           "what host code does where a launch, copy, wait or allocation fails",
           "::hone::onErrorValues()">];
}

#endif // HONE_PASSES_PASSES_TD
