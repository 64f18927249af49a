// An argument of the host that has gaps is gathered into memory of the function's own, and
// scattered from there: the function must not write the gaps between its rows.
//
// RUN: split-file %s %t
// RUN: hone-opt %t/served.mlir --hone-match=arch=sm_80 --hone-place-buffers="arch=sm_80 arguments=host" \
// RUN:   --hone-insert-waits=arch=sm_80 --canonicalize | FileCheck %t/served.mlir
// RUN: hone run %t/served.mlir --arch=sm_80 --stand-in --arguments=host --function=multiplies --dims=20 --repeat=1 --json | FileCheck %s --check-prefix=NUMBERS
// RUN: hone run %t/served.mlir --arch=sm_80 --stand-in --arguments=host --function=adds --dims=7,9 --repeat=1 --json | FileCheck %s --check-prefix=NUMBERS
// NUMBERS: "wrong": 0
//
// RUN: not hone-opt %t/refused.mlir --hone-match=arch=sm_80 --hone-place-buffers="arch=sm_80 arguments=host" 2>&1 | FileCheck %s --check-prefix=REFUSED
// REFUSED: error: 'func.func' op argument 0: expected memory without gaps where host code and kernels use it, but got 'memref<16x16xf16, strided<[-16, 1], offset: 240>>'

//--- served.mlir
// Strides of the type stay; those that it leaves open are as small as they can be.
//
// CHECK-LABEL: func.func @multiplies(
// CHECK-SAME: %[[A:.*]]: memref<17x33xf16, strided<[40, 1]>>, %[[B:.*]]: memref<33x?xf16, strided<[1, ?]>>, %[[C:.*]]: memref<17x?xf32, strided<[?, 1]>>
// CHECK-DAG: %[[BYTES:.*]] = arith.constant 673 : index
// CHECK: %[[SUMS:.*]] = memref.reinterpret_cast %{{.*}} to {{.*}} : memref<?xf32> to memref<17x?xf32, strided<[?, 1]>>
// CHECK: memref.copy %[[C]], %[[SUMS]]
// CHECK: memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [33, %{{.*}}], strides: [1, 33] : memref<?xf16> to memref<33x?xf16, strided<[1, 33]>>
// CHECK: gpu.alloc host_shared (%[[BYTES]]) : memref<?xf16>
// CHECK: %[[OWN:.*]] = memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [17, 33], strides: [40, 1] : memref<?xf16> to memref<17x33xf16, strided<[40, 1]>>
// CHECK: memref.copy %[[A]], %[[OWN]]
// CHECK: hone.matmul ins(%[[OWN]],
// CHECK-NOT: memref.copy %[[OWN]], %[[A]]
// CHECK: memref.copy %[[SUMS]], %[[C]]
// CHECK-NOT: memref.copy %[[OWN]], %[[A]]
// CHECK: return
func.func @multiplies(%a: memref<17x33xf16, strided<[40, 1]>>, %b: memref<33x?xf16, strided<[1, ?]>>, %c: memref<17x?xf32, strided<[?, 1]>>) {
  linalg.matmul ins(%a, %b : memref<17x33xf16, strided<[40, 1]>>, memref<33x?xf16, strided<[1, ?]>>)
    outs(%c : memref<17x?xf32, strided<[?, 1]>>)
  return
}

// Rows and columns that are known when the program runs.
//
// CHECK-LABEL: func.func @adds(
// CHECK: %[[OWN:.*]] = memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [%{{.*}}, 16], strides: [16, 1]
// CHECK: memref.copy %arg0, %[[OWN]]
// CHECK: hone.matmul
func.func @adds(%a: memref<?x16xf16, strided<[?, 1]>>, %b: memref<16x?xf16, strided<[?, 1]>>, %c: memref<?x?xf16>) {
  linalg.matmul ins(%a, %b : memref<?x16xf16, strided<[?, 1]>>, memref<16x?xf16, strided<[?, 1]>>) outs(%c : memref<?x?xf16>)
  return
}

//--- refused.mlir
func.func @backwards(%a: memref<16x16xf16, strided<[-16, 1], offset: 240>>, %b: memref<16x16xf16>, %c: memref<16x16xf16>) {
  linalg.matmul ins(%a, %b : memref<16x16xf16, strided<[-16, 1], offset: 240>>, memref<16x16xf16>) outs(%c : memref<16x16xf16>)
  return
}
