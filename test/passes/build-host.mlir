// RUN: hone-opt %s --hone-build-kernel --canonicalize --cse --split-input-file | FileCheck %s

// The vectors are as wide as those of the CPU that runs the test.

// The kernel takes extents and strides at run time, and says what it is.

// CHECK-LABEL: func.func @plain
// CHECK-DAG: %[[A:.*]] = memref.cast %arg0 : memref<64x32xf32> to memref<?x?xf32, strided<[?, 1], offset: ?>>
// CHECK-DAG: %[[B:.*]] = memref.cast %arg1
// CHECK-DAG: %[[C:.*]] = memref.cast %arg2
// CHECK: call @hone_host_f32(%[[A]], %[[B]], %[[C]])
// CHECK-NOT: hone.matmul
func.func @plain(%a: memref<64x32xf32>, %b: memref<32x48xf32>, %c: memref<64x48xf32>) {
  hone.matmul ins(%a, %b : memref<64x32xf32>, memref<32x48xf32>)
              outs(%c : memref<64x48xf32>) init(zero) acc(f32)
              arch(#hone.arch<host>)
              schedule(#hone.schedule<host, tile = 8x32x24, micro = 2x16, unroll = 2>)
  return
}

// CHECK-LABEL: func.func private @hone_host_f32(
// CHECK-SAME: %[[A:[a-z0-9]+]]: memref<?x?xf32, strided<[?, 1], offset: ?>>
// CHECK-SAME: %[[B:[a-z0-9]+]]: memref<?x?xf32, strided<[?, 1], offset: ?>>
// CHECK-SAME: %[[C:[a-z0-9]+]]: memref<?x?xf32, strided<[?, 1], offset: ?>>
// CHECK-SAME: hone.problem = #hone.problem<m = ?, n = ?, k = ?
// CHECK-SAME: hone.schedule = #hone.schedule<host, tile = 8x32x24
// CHECK: %[[PANELS_A:.*]] = memref.alloc({{.*}}) {alignment = 64 : i64} : memref<?x?x2xf32>
// CHECK: %[[PANELS_B:.*]] = memref.alloc({{.*}}) {alignment = 64 : i64} : memref<?x?x16xf32>
// CHECK: %[[TILE:.*]] = memref.alloca() {alignment = 64 : i64} : memref<2x16xf32>
// CHECK: scf.for {{.*}} step %c32
// CHECK: scf.for {{.*}} step %c24
// CHECK: func.call @hone_host_f32_pack_b({{.*}}, %[[PANELS_B]],
// CHECK: scf.for {{.*}} step %c8
// CHECK: func.call @hone_host_f32_pack_a({{.*}}, %[[PANELS_A]],
// CHECK: scf.for {{.*}} step %c16
// CHECK: scf.for {{.*}} step %c2
// CHECK: func.call @hone_host_f32_multiply({{.*}}, %[[TILE]],
// CHECK: func.call @hone_host_f32_store(%[[TILE]],
// CHECK: memref.dealloc %[[PANELS_A]]
// CHECK: memref.dealloc %[[PANELS_B]]

// Sums of all but the first block of K start from C.

// CHECK-LABEL: func.func private @hone_host_f32_store(
// CHECK-SAME: %[[TILE:[a-z0-9]+]]: memref<2x16xf32>
// CHECK-SAME: %[[C:[a-z0-9]+]]: memref<?x?xf32, strided<[?, 1], offset: ?>>
// CHECK-SAME: %[[FIRST:[a-z0-9]+]]: i1
// CHECK: %[[NEW:.*]] = vector.load %[[TILE]]
// CHECK: %[[OLD:.*]] = scf.if %[[FIRST]]
// CHECK: } else {
// CHECK: vector.transfer_read %[[C]]
// CHECK: %[[SUM:.*]] = arith.addf %[[OLD]], %[[NEW]]
// CHECK: vector.transfer_write %[[SUM]], %[[C]]

// CHECK-LABEL: func.func private @hone_host_f32_multiply(
// CHECK-SAME: %[[A:[a-z0-9]+]]: memref<?x2xf32
// CHECK-SAME: %[[B:[a-z0-9]+]]: memref<?x16xf32
// CHECK-SAME: passthrough = ["noinline"]
// CHECK: memref.prefetch
// CHECK: scf.for {{.*}} step %c2 iter_args
// CHECK: vector.load %[[B]]
// CHECK: %[[X:.*]] = memref.load %[[A]]
// CHECK: %[[SPREAD:.*]] = vector.broadcast %[[X]]
// CHECK: vector.fma %[[SPREAD]],
// CHECK: scf.yield

// B runs along the panel and is copied, A runs along K and is transposed.

// CHECK-LABEL: func.func private @hone_host_f32_pack_b(
// CHECK: vector.transfer_read {{.*}} vector<[[LANES:[0-9]+]]xf32>
// CHECK-NOT: vector.transpose
// CHECK-LABEL: func.func private @hone_host_f32_pack_a(
// CHECK: vector.transfer_read {{.*}} vector<2x{{[0-9]+}}xf32>
// CHECK: vector.transpose {{.*}} [1, 0] : vector<2x{{[0-9]+}}xf32>

// -----

// Matmuls that differ in extents, alignment and constant strides share a kernel;
// one that differs in the order of its epilogue's operands does not.

#schedule = #hone.schedule<host, tile = 8x32x24, micro = 2x16, unroll = 2>

// CHECK-LABEL: func.func @shared
// CHECK: call @hone_host_f32(
// CHECK: call @hone_host_f32(
// CHECK: call @hone_host_f32_0(
// CHECK: call @hone_host_f32_1(
func.func @shared(%a: memref<64x32xf32>, %b: memref<32x48xf32>, %c: memref<64x48xf32>,
                  %d: memref<?x?xf32>, %n: memref<48xf32>, %m: memref<64xf32>) {
  hone.matmul ins(%a, %b : memref<64x32xf32>, memref<32x48xf32>)
              outs(%c : memref<64x48xf32>) init(zero) acc(f32)
              arch(#hone.arch<host>) schedule(#schedule)
  hone.matmul ins(%d, %d : memref<?x?xf32>, memref<?x?xf32>)
              outs(%d : memref<?x?xf32>) init(zero) acc(f32)
              arch(#hone.arch<host>) schedule(#schedule)
  hone.matmul ins(%a, %b : memref<64x32xf32>, memref<32x48xf32>)
              outs(%c : memref<64x48xf32>) init(zero) acc(f32)
              epilogue(%n[n], %m[m] : memref<48xf32>, memref<64xf32>) {
  ^bb0(%sum: f32, %x: f32, %y: f32):
    %0 = arith.addf %sum, %x : f32
    %1 = arith.mulf %0, %y : f32
    hone.yield %1 : f32
  } arch(#hone.arch<host>) schedule(#schedule)
  hone.matmul ins(%a, %b : memref<64x32xf32>, memref<32x48xf32>)
              outs(%c : memref<64x48xf32>) init(zero) acc(f32)
              epilogue(%m[m], %n[n] : memref<64xf32>, memref<48xf32>) {
  ^bb0(%sum: f32, %y: f32, %x: f32):
    %0 = arith.addf %sum, %x : f32
    %1 = arith.mulf %0, %y : f32
    hone.yield %1 : f32
  } arch(#hone.arch<host>) schedule(#schedule)
  return
}

// -----

// A result narrower than the sum: sums of all but the last block of K wait in a
// buffer of f32. The epilogue works on vectors.

// CHECK-LABEL: func.func @narrow
// CHECK: call @hone_host_f16(
func.func @narrow(%a: memref<3x64x32xf16>, %b: memref<48x32xf16>, %c: memref<3x64x48xf16>,
                  %bias: memref<48xf32>) {
  hone.matmul ins(%a, col %b : memref<3x64x32xf16>, memref<48x32xf16>)
              outs(%c : memref<3x64x48xf16>) init(read) acc(f32)
              epilogue(%bias[n] : memref<48xf32>) {
  ^bb0(%sum: f32, %x: f32):
    %two = arith.constant 2.0 : f32
    %0 = arith.addf %sum, %x : f32
    %1 = math.tanh %0 : f32
    %2 = arith.mulf %1, %two : f32
    %3 = arith.truncf %2 : f32 to f16
    hone.yield %3 : f16
  } arch(#hone.arch<host>)
    schedule(#hone.schedule<host, tile = 8x32x24, micro = 2x16, unroll = 2>)
  return
}

// CHECK-LABEL: func.func private @hone_host_f16(
// CHECK-SAME: hone.epilogue_dims = [#hone.dims<n>]
// CHECK: %[[SUMS:.*]] = memref.alloc(%{{.*}}, %{{.*}}) {alignment = 64 : i64} : memref<?x?xf32>
// CHECK: memref.dealloc %[[SUMS]]

// CHECK-LABEL: func.func private @hone_host_f16_store(
// CHECK-SAME: %[[C:[a-z0-9]+]]: memref<?x?xf16, strided<[?, 1], offset: ?>>
// CHECK-SAME: %[[FIRST:[a-z0-9]+]]: i1, %[[LAST:[a-z0-9]+]]: i1
// CHECK-SAME: %[[SUMS:[a-z0-9]+]]: memref<?x?xf32, strided<[?, 1], offset: ?>>
// CHECK-SAME: %[[BIAS:[a-z0-9]+]]: memref<?xf32, strided<[1], offset: ?>>
// CHECK: scf.if %[[FIRST]]
// CHECK: vector.transfer_read %[[C]]
// CHECK: arith.extf
// CHECK: } else {
// CHECK: vector.transfer_read %[[SUMS]]
// CHECK: scf.if %[[LAST]]
// CHECK: vector.transfer_read %[[BIAS]]
// CHECK: math.tanh {{.*}} : vector<{{[0-9]+}}xf32>
// CHECK: %[[D:.*]] = arith.truncf {{.*}} : vector<[[LANES:[0-9]+]]xf32> to vector<[[LANES]]xf16>
// CHECK: vector.transfer_write %[[D]], %[[C]]
// CHECK: } else {
// CHECK: vector.transfer_write {{.*}}, %[[SUMS]]

// Both operands run along K: converted, then transposed.

// CHECK-LABEL: func.func private @hone_host_f16_pack_b(
// CHECK: vector.transfer_read {{.*}}xf16>
// CHECK: %[[WIDE:.*]] = arith.extf
// CHECK: vector.transpose %[[WIDE]], [1, 0]

// -----

// A matrix in columns by its strides is turned before it is packed.

// CHECK-LABEL: func.func private @hone_host_f32(
// CHECK: %[[BLOCK:.*]] = memref.subview %arg0
// CHECK: %[[TURNED:.*]] = memref.transpose %[[BLOCK]] (d0, d1) -> (d1, d0)
// CHECK: call @hone_host_f32_pack_a(%[[TURNED]],
func.func @columns(%a: memref<?x?xf32, strided<[1, ?]>>, %b: memref<?x?xf32>,
                   %c: memref<?x?xf32>) {
  hone.matmul ins(%a, %b : memref<?x?xf32, strided<[1, ?]>>, memref<?x?xf32>)
              outs(%c : memref<?x?xf32>) init(zero) acc(f32)
              arch(#hone.arch<host>)
              schedule(#hone.schedule<host, tile = 8x32x24, micro = 2x16, unroll = 2>)
  return
}

// -----

// The epilogue's text does not tell operands of a kind apart; the kernels are two.

// CHECK-LABEL: func.func @operands_of_a_kind
// CHECK: call @[[FIRST:hone_host_f16[a-z0-9_]*]](
// CHECK-NOT: @[[FIRST]](
// CHECK: call @hone_host_f16
// CHECK: call @[[FIRST]](
// CHECK: func.func private @[[FIRST]]({{.*}} hone.orders = "row row",
// CHECK: func.func private @hone_host_f16{{.*}} hone.orders = "row row used 2 1",
func.func @operands_of_a_kind(%a: memref<9x7xf16>, %b: memref<7x5xf16>, %c: memref<9x5xf32>, %x: memref<5xf32>, %y: memref<5xf32>) {
  hone.matmul ins(%a, %b : memref<9x7xf16>, memref<7x5xf16>) outs(%c : memref<9x5xf32>) init(zero) acc(f32)
    epilogue(%x[n], %y[n] : memref<5xf32>, memref<5xf32>) {
  ^bb0(%sum: f32, %v: f32, %w: f32):
    %0 = arith.addf %sum, %v : f32
    %1 = arith.mulf %0, %w : f32
    hone.yield %1 : f32
  } arch(#hone.arch<host>) schedule(#hone.schedule<host, tile = 8x32x24, micro = 2x16, unroll = 2>)
  hone.matmul ins(%a, %b : memref<9x7xf16>, memref<7x5xf16>) outs(%c : memref<9x5xf32>) init(zero) acc(f32)
    epilogue(%x[n], %y[n] : memref<5xf32>, memref<5xf32>) {
  ^bb0(%sum: f32, %v: f32, %w: f32):
    %0 = arith.addf %sum, %w : f32
    %1 = arith.mulf %0, %v : f32
    hone.yield %1 : f32
  } arch(#hone.arch<host>) schedule(#hone.schedule<host, tile = 8x32x24, micro = 2x16, unroll = 2>)
  hone.matmul ins(%a, %b : memref<9x7xf16>, memref<7x5xf16>) outs(%c : memref<9x5xf32>) init(zero) acc(f32)
    epilogue(%y[n], %x[n] : memref<5xf32>, memref<5xf32>) {
  ^bb0(%sum: f32, %v: f32, %w: f32):
    %0 = arith.addf %sum, %v : f32
    %1 = arith.mulf %0, %w : f32
    hone.yield %1 : f32
  } arch(#hone.arch<host>) schedule(#hone.schedule<host, tile = 8x32x24, micro = 2x16, unroll = 2>)
  return
}
