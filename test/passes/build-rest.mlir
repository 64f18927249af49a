// RUN: mlir-opt %plugin %s --pass-pipeline='builtin.module(hone-outline-rest{arch=h200},hone-build-rest{arch=h200},canonicalize,cse)' | FileCheck %s
// RUN: mlir-opt %plugin %s --pass-pipeline='builtin.module(hone-outline-rest,hone-build-rest{arch=host})' | FileCheck %s --check-prefix=HOST

// CHECK: gpu.module @hone_sm_90a
// A row is a block's: of 768 elements a thread takes eight at once, if all addresses allow it.
// CHECK-DAG: "grid 6 ; 1 ; 1", "block 96 ; 1 ; 1", "attribute programmatic", "param ptr p0", "param ptr p1", "alternative 1", "launch hone_rest_{{[0-9a-f]+}}_sm_90a_8_unaligned"
// Of open extents, the launch says how many there are; strides may be negative.
// CHECK-DAG: "alternative 1", "launch hone_rest_{{[0-9a-f]+}}_sm_90a_1", "grid min(1056, ceildiv(1 * p0d0 * p0d1, 256)) ; 1 ; 1"
#id = affine_map<(i, j) -> (i, j)>
#rows = affine_map<(i, j) -> (i)>

// A kernel names the function that it was built from.
// CHECK: gpu.func @[[NAME:hone_rest_[0-9a-f]+]]_sm_90a_8(%[[X:.*]]: !llvm.ptr<1>, %[[S:.*]]: !llvm.ptr<1>) kernel attributes {hone.rest = "[[NAME]]", known_block_size = array<i32: 96, 1, 1>
// CHECK: kernel.depend.wait
// CHECK: %[[SUM:.*]] = scf.for
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xf16>
// CHECK-COUNT-5: nvvm.shfl.sync bfly
// CHECK: scf.if
// CHECK: llvm.store %{{.*}} : f32, !llvm.ptr<3>
// CHECK: kernel.barrier
// CHECK-COUNT-3: llvm.load %{{.*}} : !llvm.ptr<3> -> f32

// CHECK-LABEL: func.func @sums(
// CHECK: kernel.launch @hone_sm_90a::@hone_rest_{{[0-9a-f]+}}_sm_90a_8(p0 = %{{.*}}, p1 = %{{.*}})
// HOST-LABEL: func.func @sums(
// HOST: call @hone_rest_
func.func @sums(%x: memref<6x768xf16>, %s: memref<6xf32>) {
  linalg.generic {indexing_maps = [#id, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<6x768xf16>) outs(%s : memref<6xf32>) {
  ^bb0(%in: f16, %out: f32):
    %0 = arith.extf %in : f16 to f32
    %1 = arith.addf %0, %out : f32
    linalg.yield %1 : f32
  }
  return
}

// A scalar is passed as its bits.
// CHECK-LABEL: func.func @scales(
// CHECK-SAME: %[[A:.*]]: memref<?x?xf32, strided<[?, 1]>>, %[[F:.*]]: f32
// CHECK-DAG: %[[BITS:.*]] = arith.bitcast %[[F]] : f32 to i32
// CHECK-DAG: %[[WORD:.*]] = arith.extui %[[BITS]] : i32 to i64
// CHECK: kernel.launch {{.*}}(p0 = %{{.*}}, p0d0 = %{{.*}}, p0s0 = %{{.*}}, p0d1 = %{{.*}}, x1 = %[[WORD]])
func.func @scales(%a: memref<?x?xf32, strided<[?, 1]>>, %f: f32) {
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]}
      outs(%a : memref<?x?xf32, strided<[?, 1]>>) {
  ^bb0(%x: f32):
    %0 = arith.mulf %x, %f : f32
    linalg.yield %0 : f32
  }
  return
}
