// RUN: hone-opt %s --hone-build-kernel --canonicalize | FileCheck %s --check-prefix=BUILD
// RUN: hone-opt %s --hone-build-kernel --canonicalize --hone-lower-kernel | FileCheck %s --check-prefix=LOWER
// RUN: hone-opt %s --hone-build-kernel --canonicalize --hone-lower-kernel --hone-emit -o %t
// RUN: %check_ptx --print < %t | FileCheck %s --check-prefix=PTX

// From sm_90 on kernels of a stream overlap: the next one may start after this one's
// first copies were issued, and waits before it accesses memory that this one may read
// or write. The plan asks for it. An older GPU cannot do this.

// BUILD: gpu.module @hone_sm_80
// BUILD-NOT: programmatic
// BUILD: gpu.func
// BUILD-NOT: kernel.depend
// BUILD: gpu.module @hone_sm_90a
// BUILD-SAME: "launch [[KERNEL:hone_mma_sync_f16_f16_nn_[0-9a-f]*]]"
// BUILD-SAME: "shared {{[0-9]+}}", "attribute programmatic", "param ptr a"
// BUILD-SAME: "alternative 1"
// BUILD-SAME: "attribute programmatic"
// BUILD: gpu.func @[[KERNEL]]
// BUILD-NOT: kernel.copy
// BUILD: kernel.ring
// BUILD: kernel.ring
// BUILD-NEXT: kernel.depend.wait
// BUILD: kernel.copy
// BUILD: kernel.copy.commit
// BUILD-NEXT: kernel.depend.release

// LOWER: gpu.module @hone_sm_80
// LOWER-NOT: griddepcontrol
// LOWER: gpu.module @hone_sm_90a
// LOWER: llvm.func
// LOWER-NOT: cp.async
// LOWER: nvvm.griddepcontrol wait
// LOWER: nvvm.cp.async.shared.global
// LOWER: nvvm.griddepcontrol launch_dependents

// PTX: .target sm_80
// PTX-NOT: griddepcontrol
// PTX: .target sm_90a
// PTX: .entry hone_mma_sync_
// PTX-NOT: {{(ld|st|shared)}}.global
// PTX: griddepcontrol.wait
// PTX: cp.async.cg.shared.global
// PTX: griddepcontrol.launch_dependents

func.func @matmuls(%a: memref<64x64xf16>, %b: memref<64x64xf16>, %c: memref<64x64xf16>) {
  hone.matmul ins(%a, %b : memref<64x64xf16>, memref<64x64xf16>) outs(%c : memref<64x64xf16>) init(zero) acc(f32)
    arch(#hone.arch<h200>) schedule(#hone.schedule<mma_sync, tile = 32x32x32, warps = 1x1, stages = 2, group = 4>)
  hone.matmul ins(%a, %b : memref<64x64xf16>, memref<64x64xf16>) outs(%c : memref<64x64xf16>) init(zero) acc(f32)
    arch(#hone.arch<sm_80>) schedule(#hone.schedule<mma_sync, tile = 32x32x32, warps = 1x1, stages = 2, group = 4>)
  return
}
