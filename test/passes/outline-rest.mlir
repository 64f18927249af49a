// RUN: split-file %s %t
// RUN: mlir-opt %plugin %t/groups.mlir --pass-pipeline='builtin.module(hone-outline-rest)' | FileCheck %t/groups.mlir
// RUN: mlir-opt %plugin %t/groups.mlir --pass-pipeline='builtin.module(hone-outline-rest{arch=host})' | FileCheck %t/groups.mlir --check-prefix=HOST
// RUN: mlir-opt %plugin %t/groups.mlir --pass-pipeline='builtin.module(hone-outline-rest{invariant})' | FileCheck %t/groups.mlir --check-prefix=ALONE
// RUN: mlir-opt %plugin %t/short.mlir --pass-pipeline='builtin.module(hone-outline-rest,hone-build-rest)' | FileCheck %t/short.mlir
// RUN: mlir-opt %plugin %t/short.mlir --pass-pipeline='builtin.module(hone-outline-rest{invariant},hone-build-rest)' | FileCheck %t/short.mlir --check-prefix=ALONE
// RUN: mlir-opt %plugin %t/assertions.mlir --pass-pipeline='builtin.module(hone-outline-rest)' | FileCheck %t/assertions.mlir
// RUN: mlir-opt %plugin %t/left.mlir --pass-pipeline='builtin.module(hone-outline-rest)' --remark-policy=all --remark-format=emitRemark --remarks-filter=hone 2>&1 | FileCheck %t/left.mlir

//--- groups.mlir
#id = affine_map<(i, j) -> (i, j)>
#rows = affine_map<(i, j) -> (i)>
#columns = affine_map<(i, j) -> (j)>

// The fill, the sum and its user share rows; the unrelated fill between them is a
// kernel of its own, and the collapsed view is the same memory.
// CHECK-LABEL: func.func @shares(
// CHECK-SAME: %[[X:.*]]: memref<2x4x64xf32>, %[[SUM:.*]]: memref<2x4xf32>, %[[Y:.*]]: memref<8x64xf32>, %[[Z:.*]]: memref<8xf32>)
// CHECK: call @[[$NORM:hone_rest_[0-9a-f]+]](%[[SUM]],
// CHECK: call @[[$FILL:hone_rest_[0-9a-f]+]](%[[Z]])
// CHECK-NOT: call
// CHECK: return
// With invariant sums each is a kernel, whose number of rows counts as unknown.
// ALONE-LABEL: func.func @shares(
// ALONE-COUNT-4: call @hone_rest_
// ALONE: return
// HOST-LABEL: func.func @shares(
// HOST: linalg.fill
// HOST: linalg.generic
// HOST: linalg.fill
// HOST: linalg.generic
func.func @shares(%x: memref<2x4x64xf32>, %sum: memref<2x4xf32>, %y: memref<8x64xf32>, %z: memref<8xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%sum : memref<2x4xf32>)
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : memref<2x4x64xf32>) outs(%sum : memref<2x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  }
  linalg.fill ins(%zero : f32) outs(%z : memref<8xf32>)
  %flat = memref.collapse_shape %x [[0, 1], [2]] : memref<2x4x64xf32> into memref<8x64xf32>
  %sums = memref.collapse_shape %sum [[0, 1]] : memref<2x4xf32> into memref<8xf32>
  linalg.generic {indexing_maps = [#id, #rows, #id], iterator_types = ["parallel", "parallel"]}
      ins(%flat, %sums : memref<8x64xf32>, memref<8xf32>) outs(%y : memref<8x64xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %0 = arith.divf %in, %s : f32
    linalg.yield %0 : f32
  }
  return
}

// A sum that is read in every row is not one row's: two kernels.
// CHECK-LABEL: func.func @crosses(
// CHECK: call @hone_rest_
// CHECK: call @hone_rest_
// CHECK-NOT: call
// CHECK: return
func.func @crosses(%x: memref<8x8xf32>, %sum: memref<8xf32>, %y: memref<8x8xf32>) {
  linalg.generic {indexing_maps = [#id, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<8x8xf32>) outs(%sum : memref<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#id, #columns, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : memref<8x8xf32>, memref<8xf32>) outs(%y : memref<8x8xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %0 = arith.divf %in, %s : f32
    linalg.yield %0 : f32
  }
  return
}

// Between the sum and its reader, the host changes it.
// CHECK-LABEL: func.func @interrupted(
// CHECK: call @hone_rest_
// CHECK: memref.store
// CHECK: call @hone_rest_
func.func @interrupted(%x: memref<8x64xf32>, %sum: memref<8xf32>, %y: memref<8x64xf32>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  linalg.generic {indexing_maps = [#id, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<8x64xf32>) outs(%sum : memref<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  }
  memref.store %one, %sum[%c0] : memref<8xf32>
  linalg.generic {indexing_maps = [#id, #rows, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : memref<8x64xf32>, memref<8xf32>) outs(%y : memref<8x64xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %0 = arith.divf %in, %s : f32
    linalg.yield %0 : f32
  }
  return
}

// The same work twice is one function; a copy with gaps is work, one without is not.
// CHECK-LABEL: func.func @copies(
// CHECK: call @[[COPY:hone_rest_[0-9a-f]+]](
// CHECK: call @[[COPY]](
// CHECK: memref.copy
func.func @copies(%a: memref<4x8xf32>, %b: memref<4x8xf32>, %c: memref<4x16xf32>, %d: memref<4x16xf32>, %e: memref<4x8xf32>) {
  %0 = memref.subview %c[0, 0] [4, 8] [1, 1] : memref<4x16xf32> to memref<4x8xf32, strided<[16, 1]>>
  %1 = memref.subview %d[0, 0] [4, 8] [1, 1] : memref<4x16xf32> to memref<4x8xf32, strided<[16, 1]>>
  memref.copy %a, %0 : memref<4x8xf32> to memref<4x8xf32, strided<[16, 1]>>
  memref.copy %b, %1 : memref<4x8xf32> to memref<4x8xf32, strided<[16, 1]>>
  memref.copy %a, %e : memref<4x8xf32> to memref<4x8xf32>
  return
}

// CHECK: func.func private @[[$NORM]](
// CHECK-SAME: attributes {hone.rest = 8 : i64}
// CHECK: func.func private @[[$FILL]](%{{.*}}: memref<8xf32> {hone.written}) attributes {hone.rest = 0 : i64}

//--- assertions.mlir
#i = affine_map<(i, j) -> (i)>
#ij = affine_map<(i, j) -> (i, j)>

// The assertion depends on the rows alone. The gather stays within the table, and needs
// no limit along a loop.
// CHECK-LABEL: func.func @gathers(
// CHECK-SAME: %[[AT:[a-z0-9]*]]: memref<16xi64>, %[[TABLE:[a-z0-9]*]]: memref<100x8xf16>, %[[Y:[a-z0-9]*]]: memref<16x8xf16>)
// CHECK: %[[FLAG:.*]] = hone.assertion "index out of range" : memref<1xi32>
// CHECK: call @[[$CHECK:hone_rest_[0-9a-f]+]](%[[AT]], %[[FLAG]])
// CHECK: call @[[$GATHER:hone_rest_[0-9a-f]+]](%[[AT]], %[[Y]], %[[TABLE]])
func.func @gathers(%at: memref<16xi64>, %table: memref<100x8xf16>, %y: memref<16x8xf16>) {
  %n = arith.constant 100 : i64
  linalg.generic {indexing_maps = [#i, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%at : memref<16xi64>) outs(%y : memref<16x8xf16>) {
  ^bb0(%in: i64, %out: f16):
    %row = arith.index_cast %in : i64 to index
    %column = linalg.index 1 : index
    %0 = arith.cmpi slt, %in, %n : i64
    cf.assert %0, "index out of range"
    %1 = memref.load %table[%row, %column] : memref<100x8xf16>
    linalg.yield %1 : f16
  }
  return
}

// CHECK: func.func private @[[$CHECK]](%{{.*}}: memref<16xi64>, %{{.*}}: memref<1xi32> {hone.written})
// CHECK: iterator_types = ["reduction"]
// CHECK: %[[HOLDS:.*]] = arith.cmpi slt
// CHECK: %[[FAILS:.*]] = arith.select %[[HOLDS]]
// CHECK: arith.ori %{{.*}}, %[[FAILS]]
// CHECK-NOT: cf.assert
// CHECK: func.func private @[[$GATHER]](
// CHECK: %[[ROW:.*]] = arith.index_cast
// CHECK: %[[COLUMN:.*]] = linalg.index 1
// CHECK: %[[LIMITED:.*]] = arith.minui %[[ROW]], %{{.*}} : index
// CHECK: memref.load %{{.*}}[%[[LIMITED]], %[[COLUMN]]]

//--- short.mlir
#id = affine_map<(i, j) -> (i, j)>
#rows = affine_map<(i, j) -> (i)>

// A short row is a tree over threads where there are few rows, and the sum of one
// thread where there are many; with invariant sums it always is the latter.
// CHECK: gpu.func @hone_rest_
// CHECK: nvvm.shfl.sync
// ALONE: gpu.func @hone_rest_
// ALONE-NOT: nvvm.shfl.sync
func.func @few(%x: memref<4x16xf32>, %sum: memref<4xf32>) {
  linalg.generic {indexing_maps = [#id, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<4x16xf32>) outs(%sum : memref<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  }
  return
}

//--- left.mlir
#id = affine_map<(i) -> (i)>

// CHECK: left-on-host{{.*}}left to the host: no kernel can compute 'math.atan'
// CHECK: left-on-host{{.*}}left to the host: an operand is not in strided memory, or is of a type other than floats and integers
// CHECK: left-on-host{{.*}}left to the host: an assertion guards memory of unknown extents
// CHECK-LABEL: func.func @left(
// CHECK: linalg.generic
// CHECK: linalg.generic
// CHECK: linalg.generic
// CHECK: cf.assert
// CHECK-NOT: hone_rest
func.func @left(%x: memref<8xf32>, %z: memref<8xcomplex<f32>>, %at: memref<8xindex>, %table: memref<?xf32>, %ok: i1) {
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%x : memref<8xf32>) {
  ^bb0(%in: f32):
    %0 = math.atan %in : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%z : memref<8xcomplex<f32>>) {
  ^bb0(%in: complex<f32>):
    linalg.yield %in : complex<f32>
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%at : memref<8xindex>) outs(%x : memref<8xf32>) {
  ^bb0(%in: index, %out: f32):
    cf.assert %ok, "index out of range"
    %0 = memref.load %table[%in] : memref<?xf32>
    linalg.yield %0 : f32
  }
  return
}
