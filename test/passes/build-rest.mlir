// RUN: mlir-opt %plugin %s --pass-pipeline='builtin.module(hone-outline-rest{arch=h200},hone-build-rest{arch=h200},canonicalize,cse)' | FileCheck %s
// RUN: mlir-opt %plugin %s --pass-pipeline='builtin.module(hone-outline-rest,hone-build-rest{arch=host})' | FileCheck %s --check-prefix=HOST

// CHECK: gpu.module @hone_sm_90a
// A row is a block's: of 768 elements a thread takes eight at once, if all addresses allow it.
// CHECK-DAG: "grid 6 ; 1 ; 1", "block 96 ; 1 ; 1", "attribute programmatic", "param ptr p0", "param ptr p1", "alternative 1", "launch hone_rest_{{[0-9a-f]+}}_sm_90a_8_unaligned"
// Of open extents, the launch says how many there are; strides may be negative.
// CHECK-DAG: "alternative 1", "launch hone_rest_{{[0-9a-f]+}}_sm_90a_1", "grid min(1056, ceildiv(1 * p0d0 * p0d1, 256)) ; 1 ; 1"
// CHECK-DAG: "launch hone_rest_{{[0-9a-f]+}}_sm_90a_4", "grid min(1056, ceildiv(16252928, 8192)) ; 1 ; 1"
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

// Six lines of the image for four of the result, and two of the filter.
// CHECK: gpu.func @hone_rest_{{[0-9a-f]+}}_sm_90a_4(
// CHECK: scf.for
// CHECK: llvm.load %{{.*}} : !llvm.ptr<1> -> i32
// CHECK-COUNT-4: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK-COUNT-4: arith.select %{{.*}}, %{{.*}}, %{{.*}} : vector<4xf32>
// CHECK-COUNT-4: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
// CHECK: } {hone.tile = array<i64: 2, 2, 8>}

// A square of 8 x 8: 16 bytes of each line of both.
// CHECK: gpu.func @hone_rest_{{[0-9a-f]+}}_sm_90a_8(
// CHECK: scf.for
// CHECK-COUNT-8: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xf16>
// CHECK-NOT: llvm.load
// CHECK-COUNT-8: llvm.store %{{.*}} {alignment = 16 : i64} : vector<8xf16>, !llvm.ptr<1>
// CHECK: } {hone.tile = array<i64: 1, 8, 0>}

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

// Of a body that loads lines, a thread takes neighbours in two rows. A load in a place that does not depend
// on the line, and a choice of a whole line, are made once; all lines of the image are as aligned as a load needs.
// CHECK-LABEL: func.func @windows(
// CHECK: kernel.launch @hone_sm_90a::@hone_rest_{{[0-9a-f]+}}_sm_90a_4(
func.func @windows(%x: memref<8x64x63x512xf32>, %w: memref<2x512xf32>, %rows: memref<8xi32>, %y: memref<8x64x62x512xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %none = arith.constant 0.0 : f32
  linalg.generic {indexing_maps = [affine_map<(i, j, k, l) -> (i)>, affine_map<(i, j, k, l) -> (i, j, k, l)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%rows : memref<8xi32>) outs(%y : memref<8x64x62x512xf32>) {
  ^bb0(%in: i32, %out: f32):
    %j = linalg.index 1 : index
    %k = linalg.index 2 : index
    %l = linalg.index 3 : index
    %next = arith.addi %k, %one : index
    %row = arith.index_cast %in : i32 to index
    %isFirst = arith.cmpi eq, %row, %zero : index
    %x0 = memref.load %x[%row, %j, %k, %l] : memref<8x64x63x512xf32>
    %x1 = memref.load %x[%row, %j, %next, %l] : memref<8x64x63x512xf32>
    %own = arith.select %isFirst, %x1, %none : f32
    %w0 = memref.load %w[%zero, %l] : memref<2x512xf32>
    %w1 = memref.load %w[%one, %l] : memref<2x512xf32>
    %0 = arith.mulf %x0, %w0 : f32
    %1 = arith.mulf %own, %w1 : f32
    %2 = arith.addf %0, %1 : f32
    linalg.yield %2 : f32
  }
  return
}

// The lines of the image run across those of the result, whose loops come last.
// CHECK-LABEL: func.func @permutes(
// CHECK: kernel.launch @hone_sm_90a::@hone_rest_{{[0-9a-f]+}}_sm_90a_8(
func.func @permutes(%x: memref<1056x9x256xf16>, %y: memref<256x9x1056xf16>) {
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (k, j, i)>, affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : memref<1056x9x256xf16>) outs(%y : memref<256x9x1056xf16>) {
  ^bb0(%in: f16, %out: f16):
    linalg.yield %in : f16
  }
  return
}

// A thread has both pairs, so its neighbours are along the loop of eight, which comes next in the result: four of them,
// whose 32 bytes are a sector, and then neighbours in the image.
// CHECK-LABEL: func.func @permutesPairs(
// CHECK: func.func private @{{.*}}memref<2x4x2x65536x2xbf16, {{.*}}memref<65536x2x4x2x2xbf16, strided<[32, 16, 4, 2, 1]>>
func.func @permutesPairs(%x: memref<8x2x65536x2xbf16>, %y: memref<65536x8x2x2xbf16>) {
  linalg.generic {indexing_maps = [affine_map<(i, f, g, h) -> (f, h, i, g)>, affine_map<(i, f, g, h) -> (i, f, g, h)>],
    iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x : memref<8x2x65536x2xbf16>) outs(%y : memref<65536x8x2x2xbf16>) {
  ^bb0(%in: bf16, %out: bf16):
    linalg.yield %in : bf16
  }
  return
}
