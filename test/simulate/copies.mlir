// A launch that copies operands into the workspace and the launch that reads
// the copies agree about place, extents and distances, at sizes that no trial
// runs, too.

// RUN: hone-opt %s --hone-select-schedule="arch=h200 schedule='ws, tile = 64x64x64, consumers = 1x1, persistent = no, cluster = 1x1, splits = 2, stages = 2, pack = ab'" --hone-build-kernel --canonicalize -o %t.mlir
// RUN: hone-opt %t.mlir --hone-verify-kernel -o /dev/null

// RUN: sed 's/strides (ceildiv(k, 32) \* 32 \* 4,/strides (min(ceildiv(k, 32) * 32 * 4, 262144),/' %t.mlir | not hone-opt --hone-verify-kernel -o /dev/null 2>&1 | FileCheck %s
// RUN: sed 's/, \(n \* ceildiv(k, 32) \* 32 \* 4\)/, (\1) * 1000001 % 1000000/' %t.mlir | not hone-opt --hone-verify-kernel -o /dev/null 2>&1 | FileCheck %s
// RUN: sed 's/"param i64 ceildiv(k, 32) \* 32"/"param i64 min(ceildiv(k, 32) * 32, 70000)"/' %t.mlir | not hone-opt --hone-verify-kernel -o /dev/null 2>&1 | FileCheck %s

// CHECK: error: 'gpu.func' expected the plan's parameter {{[01]}} to be the map of a copy that an earlier launch makes, but got

func.func @matmul(%a: memref<?x?x?xf32, strided<[?, ?, 1]>>, %b: memref<?x?x?xf32, strided<[?, ?, 1]>>, %c: memref<?x?x?xf32, strided<[?, ?, 1]>>) {
  hone.matmul ins(col %a, %b : memref<?x?x?xf32, strided<[?, ?, 1]>>, memref<?x?x?xf32, strided<[?, ?, 1]>>)
              outs(%c : memref<?x?x?xf32, strided<[?, ?, 1]>>) init(zero) acc(f32) products(tf32)
  return
}
