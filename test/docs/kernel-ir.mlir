// The kernels that docs/KernelIR.md walks through, by the page's own commands.

// RUN: hone-opt %s --hone-select-schedule="arch=sm_80 schedule='mma_sync, tile = 64x64x32, warps = 2x2, stages = 3'" --hone-build-kernel --canonicalize | %python %hone_src/test/docs/kernel_ir.py %hone_src/docs/KernelIR.md 'One kernel' | FileCheck %s
// CHECK: ops as the compiler writes them

// The check can fail: another number of stages is another kernel.
// RUN: hone-opt %s --hone-select-schedule="arch=sm_80 schedule='mma_sync, tile = 64x64x32, warps = 2x2, stages = 4'" --hone-build-kernel --canonicalize | not %python %hone_src/test/docs/kernel_ir.py %hone_src/docs/KernelIR.md 'One kernel' 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: expected the compiler to write

// RUN: hone-opt %s --hone-select-schedule="arch=h200 schedule='ws_coop, tile = 128x256x64, stages = 4'" --hone-build-kernel=fallback=false --canonicalize | %python %hone_src/test/docs/kernel_ir.py %hone_src/docs/KernelIR.md 'Roles' | FileCheck %s
// RUN: hone-opt %s --hone-select-schedule="arch=h200 schedule='ws_coop, tile = 128x256x64, stages = 3'" --hone-build-kernel=fallback=false --canonicalize | not %python %hone_src/test/docs/kernel_ir.py %hone_src/docs/KernelIR.md 'Roles' 2>&1 | FileCheck %s --check-prefix=OTHER

// RUN: hone-opt %S/kernel-ir-f32.mlir --hone-select-schedule="arch=sm_80 schedule='mma_sync, tile = 64x64x16, warps = 2x2, stages = 3'" --hone-build-kernel=fallback=false --canonicalize | %python %hone_src/test/docs/kernel_ir.py %hone_src/docs/KernelIR.md 'Threads that' | FileCheck %s

// The six lines on README.md's first screen.
// RUN: hone-opt %s --hone-select-schedule="arch=h200 schedule='ws_pingpong, tile = 128x128x64, stages = 6'" --hone-build-kernel=fallback=false --canonicalize | %python %hone_src/test/docs/kernel_ir.py %hone_src/README.md '# Hone' | FileCheck %s

// DEFINE: %{schedule} =
// DEFINE: %{section} =
// DEFINE: %{walk} = hone-opt %s --hone-select-schedule="arch=h200 schedule='%{schedule}'" --hone-build-kernel=fallback=false --canonicalize | %python %hone_src/test/docs/kernel_ir.py %hone_src/docs/KernelIR.md '%{section}' | FileCheck %s
// REDEFINE: %{schedule} = ws_coop, tile = 128x256x64, stages = 4, cluster = 2x1
// REDEFINE: %{section} = Clusters
// RUN: %{walk}
// REDEFINE: %{schedule} = ws_pingpong, tile = 128x128x64, stages = 4
// REDEFINE: %{section} = ws_pingpong
// RUN: %{walk}
// REDEFINE: %{schedule} = cluster_splitk, tile = 128x64x64, consumers = 2x1, stages = 6, splits = 4
// REDEFINE: %{section} = cluster_splitk
// RUN: %{walk}
// REDEFINE: %{schedule} = swap_ab, tile = 16x64x128, stages = 8
// REDEFINE: %{section} = swap_ab
// RUN: %{walk}
// REDEFINE: %{schedule} = streamk, tile = 128x256x64, stages = 4
// REDEFINE: %{section} = streamk
// RUN: %{walk}

func.func @matmul(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %c: memref<?x?xf16>, %bias: memref<?xf32>) {
  hone.matmul ins(%a, %b : memref<?x?xf16>, memref<?x?xf16>) outs(%c : memref<?x?xf16>) init(zero) acc(f32)
    epilogue(%bias[n] : memref<?xf32>) {
    ^bb0(%sum: f32, %v: f32):
      %0 = arith.addf %sum, %v : f32
      %1 = arith.truncf %0 : f32 to f16
      hone.yield %1 : f16
    }
  return
}
