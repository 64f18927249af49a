// RUN: mlir-opt %plugin %s --verify-roundtrip | FileCheck %s
// RUN: mlir-opt %plugin %s --mlir-print-op-generic | mlir-opt %plugin | FileCheck %s
// RUN: mlir-opt %plugin %s --emit-bytecode | hone-opt --accept-bytecode | FileCheck %s

// CHECK-LABEL: func @plain(
// CHECK-SAME: %[[A:.*]]: tensor<64x32xf16>, %[[B:.*]]: tensor<32x48xf16>, %[[C:.*]]: tensor<64x48xf16>
func.func @plain(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>, %c: tensor<64x48xf16>) -> tensor<64x48xf16> {
  // CHECK: %[[D:.*]] = hone.matmul ins(%[[A]], %[[B]] : tensor<64x32xf16>, tensor<32x48xf16>) outs(%[[C]] : tensor<64x48xf16>) init(zero) acc(f32) -> tensor<64x48xf16>
  // CHECK: return %[[D]]
  %d = hone.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%c : tensor<64x48xf16>) init(zero) acc(f32) -> tensor<64x48xf16>
  return %d : tensor<64x48xf16>
}

// CHECK-LABEL: func @epilogue_row_of_bias(
// CHECK-SAME: %[[A:.*]]: tensor<64x32xf16>, %[[B:.*]]: tensor<48x32xf16>, %[[C:.*]]: tensor<64x48xf16>, %[[BIAS:.*]]: tensor<48xf32>
func.func @epilogue_row_of_bias(%a: tensor<64x32xf16>, %b: tensor<48x32xf16>, %c: tensor<64x48xf16>, %bias: tensor<48xf32>) -> tensor<64x48xf16> {
  // CHECK: hone.matmul ins(%[[A]], col %[[B]] : tensor<64x32xf16>, tensor<48x32xf16>) outs(%[[C]] : tensor<64x48xf16>) init(zero) acc(f32) epilogue(%[[BIAS]][n] : tensor<48xf32>) {
  // CHECK-NEXT: ^bb0(%[[SUM:.*]]: f32, %[[V:.*]]: f32):
  // CHECK-NEXT:   %[[ADD:.*]] = arith.addf %[[SUM]], %[[V]] : f32
  // CHECK-NEXT:   %[[RESULT:.*]] = arith.truncf %[[ADD]] : f32 to f16
  // CHECK-NEXT:   hone.yield %[[RESULT]] : f16
  // CHECK-NEXT: } -> tensor<64x48xf16>
  %d = hone.matmul ins(%a, col %b : tensor<64x32xf16>, tensor<48x32xf16>) outs(%c : tensor<64x48xf16>) init(zero) acc(f32)
       epilogue(%bias[n] : tensor<48xf32>) {
  ^bb0(%sum: f32, %v: f32):
    %0 = arith.addf %sum, %v : f32
    %1 = arith.truncf %0 : f32 to f16
    hone.yield %1 : f16
  } -> tensor<64x48xf16>
  return %d : tensor<64x48xf16>
}

// Every kind of epilogue operand: scalar, column, transposed and whole result.
// CHECK-LABEL: func @epilogue_dims(
func.func @epilogue_dims(%a: tensor<4x64x32xbf16>, %b: tensor<32x48xbf16>, %c: tensor<4x64x48xf32>,
                         %s: tensor<f32>, %m: tensor<64xf32>, %nm: tensor<48x64xf32>, %r: tensor<4x64x48xbf16>) -> tensor<4x64x48xf32> {
  // CHECK: epilogue(%{{.*}}[], %{{.*}}[m], %{{.*}}[n, m], %{{.*}}[b, m, n] : tensor<f32>, tensor<64xf32>, tensor<48x64xf32>, tensor<4x64x48xbf16>) {
  %d = hone.matmul ins(%a, %b : tensor<4x64x32xbf16>, tensor<32x48xbf16>) outs(%c : tensor<4x64x48xf32>) init(read) acc(f32)
       epilogue(%s[], %m[m], %nm[n, m], %r[b, m, n] : tensor<f32>, tensor<64xf32>, tensor<48x64xf32>, tensor<4x64x48xbf16>) {
  ^bb0(%sum: f32, %0: f32, %1: f32, %2: f32, %3: bf16):
    %4 = arith.mulf %sum, %0 : f32
    hone.yield %4 : f32
  } -> tensor<4x64x48xf32>
  return %d : tensor<4x64x48xf32>
}

// CHECK-LABEL: func @epilogue_without_operands(
func.func @epilogue_without_operands(%a: memref<64x32xf16>, %b: memref<32x48xf16>, %c: memref<64x48xf32>) {
  // CHECK: hone.matmul ins({{.*}}) outs({{.*}}) init(zero) acc(f32) epilogue {
  // CHECK-NEXT: ^bb0(%[[SUM:.*]]: f32):
  // CHECK-NEXT:   math.tanh %[[SUM]] : f32
  // CHECK-NEXT:   hone.yield
  // CHECK-NEXT: }{{$}}
  hone.matmul ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>) outs(%c : memref<64x48xf32>) init(zero) acc(f32) epilogue {
  ^bb0(%sum: f32):
    %0 = math.tanh %sum : f32
    hone.yield %0 : f32
  }
  return
}

// CHECK-LABEL: func @short_sums(
func.func @short_sums(%a: tensor<64x32xf8E4M3FN>, %b: tensor<32x48xf8E5M2>, %c: tensor<64x48xf32>) -> tensor<64x48xf32> {
  // CHECK: hone.matmul ins(%{{.*}} : tensor<64x32xf8E4M3FN>, tensor<32x48xf8E5M2>) {{.*}} acc(f32) products(short) -> tensor<64x48xf32>
  %0 = hone.matmul ins(%a, %b : tensor<64x32xf8E4M3FN>, tensor<32x48xf8E5M2>) outs(%c : tensor<64x48xf32>) init(zero) acc(f32) products(short) -> tensor<64x48xf32>
  return %0 : tensor<64x48xf32>
}

// CHECK-LABEL: func @scheduled(
func.func @scheduled(%a: memref<?x32xf16>, %b: memref<48x32xf16, strided<[1, 48]>>, %c: memref<?x48xf16, strided<[?, 1], offset: ?>>) {
  // CHECK: hone.matmul ins(col %{{.*}}, %{{.*}} arch(#hone.arch<h200>) schedule(#hone.schedule<mma_sync, tile = 128x128x32, warps = 2x4, stages = 3, slices = 1, splits = 1, run = 2, group = 8>) {name = "x"}{{$}}
  %t = memref.transpose %a (i, j) -> (j, i) : memref<?x32xf16> to memref<32x?xf16, strided<[1, 32]>>
  %u = memref.transpose %b (i, j) -> (j, i) : memref<48x32xf16, strided<[1, 48]>> to memref<32x48xf16, strided<[48, 1]>>
  hone.matmul ins(col %t, %u : memref<32x?xf16, strided<[1, 32]>>, memref<32x48xf16, strided<[48, 1]>>)
    outs(%c : memref<?x48xf16, strided<[?, 1], offset: ?>>) init(read) acc(f32)
    arch(#hone.arch<h200>) schedule(#hone.schedule<mma_sync, stages = 3>) {name = "x"}
  return
}

// Letters say what each dimension is where rank and order do not.
// CHECK-LABEL: func @letters(
// CHECK-SAME: %[[Q:.*]]: tensor<4x128x12x64xf16>, %[[K:.*]]: tensor<4x128x12x64xf16>, %[[C:.*]]: tensor<4x12x128x128xf32>
func.func @letters(%q: tensor<4x128x12x64xf16>, %k: tensor<4x128x12x64xf16>, %c: tensor<4x12x128x128xf32>, %v: tensor<12x128xf32>) -> tensor<4x12x128x128xf32> {
  // CHECK: hone.matmul ins(%[[Q]][b, m, h, k], %[[K]][b, n, h, k] : tensor<4x128x12x64xf16>, tensor<4x128x12x64xf16>) outs(%[[C]] : tensor<4x12x128x128xf32>) init(zero) acc(f32) epilogue(%{{.*}}[h, n] : tensor<12x128xf32>) {
  %0 = hone.matmul ins(%q[b, m, h, k], %k[b, n, h, k] : tensor<4x128x12x64xf16>, tensor<4x128x12x64xf16>) outs(%c[b, h, m, n] : tensor<4x12x128x128xf32>) init(zero) acc(f32) epilogue(%v[h, n] : tensor<12x128xf32>) {
  ^bb0(%sum: f32, %x: f32):
    %1 = arith.addf %sum, %x : f32
    hone.yield %1 : f32
  } -> tensor<4x12x128x128xf32>
  return %0 : tensor<4x12x128x128xf32>
}

// Dimensions that follow from rank and order are not printed; A has no outer batch, B no inner one.
// CHECK-LABEL: func @letters_that_say_nothing(
func.func @letters_that_say_nothing(%a: tensor<3x64x32xf16>, %b: tensor<4x48x32xf16>, %c: tensor<4x64x3x48xf16>) -> tensor<4x64x3x48xf16> {
  // CHECK: hone.matmul ins(%{{[a-z0-9]+}}[h, m, k], col %{{[a-z0-9]+}} : {{.*}}) outs(%{{[a-z0-9]+}}[b, m, h, n] : tensor<4x64x3x48xf16>) init(zero) acc(f32) ->
  %0 = hone.matmul ins(%a[h, m, k], %b[b, n, k] : tensor<3x64x32xf16>, tensor<4x48x32xf16>) outs(%c[b, m, h, n] : tensor<4x64x3x48xf16>) init(zero) acc(f32) -> tensor<4x64x3x48xf16>
  return %0 : tensor<4x64x3x48xf16>
}

// Permitted products of f32; exact ones are the default and not printed.
// CHECK-LABEL: func @products(
func.func @products(%a: tensor<64x32xf32>, %b: tensor<32x48xf32>, %c: tensor<64x48xf32>) -> tensor<64x48xf32> {
  // CHECK: init(zero) acc(f32) -> tensor<64x48xf32>
  %0 = hone.matmul ins(%a, %b : tensor<64x32xf32>, tensor<32x48xf32>) outs(%c : tensor<64x48xf32>) init(zero) acc(f32) -> tensor<64x48xf32>
  // CHECK: init(read) acc(f32) products(tf32x3) -> tensor<64x48xf32>
  %1 = hone.matmul ins(%a, %b : tensor<64x32xf32>, tensor<32x48xf32>) outs(%0 : tensor<64x48xf32>) init(read) acc(f32) products(tf32x3) -> tensor<64x48xf32>
  // CHECK: init(read) acc(f32) products(tf32) epilogue {
  %2 = hone.matmul ins(%a, %b : tensor<64x32xf32>, tensor<32x48xf32>) outs(%1 : tensor<64x48xf32>) init(read) acc(f32) products(tf32) epilogue {
  ^bb0(%sum: f32):
    %e = math.exp %sum : f32
    hone.yield %e : f32
  } -> tensor<64x48xf32>
  return %2 : tensor<64x48xf32>
}

// Which runs give the same bits.
// CHECK-LABEL: func @numbers(
func.func @numbers(%a: tensor<64x32xf32>, %b: tensor<32x48xf32>, %c: tensor<64x48xf32>) -> tensor<64x48xf32> {
  // CHECK: init(zero) acc(f32) numbers(free) -> tensor<64x48xf32>
  %0 = hone.matmul ins(%a, %b : tensor<64x32xf32>, tensor<32x48xf32>) outs(%c : tensor<64x48xf32>) init(zero) acc(f32) numbers(free) -> tensor<64x48xf32>
  // CHECK: init(read) acc(f32) products(tf32) numbers(invariant:4) -> tensor<64x48xf32>
  %1 = hone.matmul ins(%a, %b : tensor<64x32xf32>, tensor<32x48xf32>) outs(%0 : tensor<64x48xf32>) init(read) acc(f32) products(tf32) numbers(invariant : 4) -> tensor<64x48xf32>
  return %1 : tensor<64x48xf32>
}

memref.global "private" constant @weights : memref<8x4xf16> = dense<1.0>

// CHECK-LABEL: func @residents
func.func @residents() {
  // CHECK: hone.constant @weights : memref<8x4xf16>
  %0 = hone.constant @weights : memref<8x4xf16>
  // CHECK: hone.assertion "index out of range" : memref<1xi32>
  %1 = hone.assertion "index out of range" : memref<1xi32>
  return
}

// A is an image, of which the product reads windows.
// CHECK-LABEL: func @windows(
func.func @windows(%x: tensor<8x28x28x64xf16>, %w: tensor<576x96xf16>, %c: tensor<6272x96xf16>, %line: tensor<?x30x8xf32>, %v: tensor<16x24xf32>, %d: tensor<?x16xf32>) -> (tensor<6272x96xf16>, tensor<?x16xf32>) {
  // CHECK: hone.matmul ins(%{{.*}} window(3x3, low 1x1, high 1x1), %{{.*}} : tensor<8x28x28x64xf16>, tensor<576x96xf16>) outs(%{{.*}} : tensor<6272x96xf16>) init(zero) acc(f32) -> tensor<6272x96xf16>
  %0 = hone.matmul ins(%x window(3x3, low 1x1, high 1x1), %w : tensor<8x28x28x64xf16>, tensor<576x96xf16>) outs(%c : tensor<6272x96xf16>) init(zero) acc(f32) -> tensor<6272x96xf16>
  // CHECK: hone.matmul ins(%{{.*}} window(3, step 2, dilation 4, low 1), col %{{.*}} : tensor<?x30x8xf32>, tensor<16x24xf32>)
  %1 = hone.matmul ins(%line window(3, high 0, low 1, dilation 4, step 2), col %v : tensor<?x30x8xf32>, tensor<16x24xf32>) outs(%d : tensor<?x16xf32>) init(read) acc(f32) -> tensor<?x16xf32>
  return %0, %1 : tensor<6272x96xf16>, tensor<?x16xf32>
}

// CHECK: #hone.window<3x3, step 2x1, low 0x1, high 0x1>
func.func private @window() attributes {window = #hone.window<3x3, step 2x1, low 0x1, high 0x1>}
