// RUN: mlir-opt %plugin %s --pass-pipeline='builtin.module(func.func(tosa-infer-shapes,tosa-to-linalg-named,tosa-to-arith,tosa-to-linalg,tosa-to-tensor),hone-match)' | FileCheck %s

// TOSA's matmuls with the ops around them in a model: the lowerings to linalg are
// upstream's, without any cleaning up in between.

// CHECK-LABEL: func @linear_relu_f16(
// CHECK-SAME: %[[X:.*]]: tensor<1x64x32xf16>, %[[W:.*]]: tensor<1x32x48xf16>, %[[V:.*]]: tensor<1x1x48xf16>
func.func @linear_relu_f16(%x: tensor<1x64x32xf16>, %w: tensor<1x32x48xf16>, %v: tensor<1x1x48xf16>) -> tensor<1x64x48xf16> {
  // CHECK: %[[V2:.*]] = tensor.collapse_shape %[[V]] {{\[\[}}0, 1, 2]] : tensor<1x1x48xf16> into tensor<48xf16>
  // CHECK: hone.matmul ins({{.*}} : tensor<64x32xf16>, tensor<32x48xf16>) outs({{.*}}) init(zero) acc(f32) epilogue(%[[V2]][n] : tensor<48xf16>) {
  // CHECK: arith.addf
  // CHECK: arith.minimumf
  // CHECK: arith.maximumf
  // CHECK: hone.yield
  // CHECK-NOT: linalg
  // CHECK: return
  %zp = "tosa.const"() {values = dense<0.0> : tensor<1xf16>} : () -> tensor<1xf16>
  %0 = tosa.matmul %x, %w, %zp, %zp : (tensor<1x64x32xf16>, tensor<1x32x48xf16>, tensor<1xf16>, tensor<1xf16>) -> tensor<1x64x48xf16>
  %1 = tosa.add %0, %v : (tensor<1x64x48xf16>, tensor<1x1x48xf16>) -> tensor<1x64x48xf16>
  %2 = tosa.clamp %1 {min_val = 0.0 : f16, max_val = 6.0 : f16} : (tensor<1x64x48xf16>) -> tensor<1x64x48xf16>
  return %2 : tensor<1x64x48xf16>
}

// A dynamic number of rows, and reshapes around the matmul.
// CHECK-LABEL: func @linear_sigmoid_f32(
func.func @linear_sigmoid_f32(%x: tensor<1x?x32xf32>, %w: tensor<1x32x48xf32>, %v: tensor<48xf32>) -> tensor<?x48xf32> {
  // CHECK: hone.matmul ins({{.*}} : tensor<?x32xf32>, tensor<32x48xf32>) outs({{.*}} : tensor<?x48xf32>) init(zero) acc(f32) epilogue(%{{.*}}[n] : tensor<48xf32>) {
  // CHECK: math.exp
  // CHECK: arith.divf
  // CHECK-NOT: linalg
  // CHECK: return
  %zp = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %0 = tosa.matmul %x, %w, %zp, %zp : (tensor<1x?x32xf32>, tensor<1x32x48xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x?x48xf32>
  %rows = tosa.const_shape {values = dense<[-1, 48]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %1 = tosa.reshape %0, %rows : (tensor<1x?x48xf32>, !tosa.shape<2>) -> tensor<?x48xf32>
  %row = tosa.const_shape {values = dense<[1, 48]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %2 = tosa.reshape %v, %row : (tensor<48xf32>, !tosa.shape<2>) -> tensor<1x48xf32>
  %3 = tosa.add %1, %2 : (tensor<?x48xf32>, tensor<1x48xf32>) -> tensor<?x48xf32>
  %4 = tosa.sigmoid %3 : (tensor<?x48xf32>) -> tensor<?x48xf32>
  return %4 : tensor<?x48xf32>
}

// A batch, a residual in f32, and a cast at the end.
// CHECK-LABEL: func @batch_residual_bf16(
// CHECK-SAME: %[[R:[a-z0-9]*]]: tensor<4x64x48xf32>
func.func @batch_residual_bf16(%r: tensor<4x64x48xf32>, %x: tensor<4x64x32xbf16>, %w: tensor<4x32x48xbf16>) -> tensor<4x64x48xbf16> {
  // CHECK: hone.matmul {{.*}} outs({{.*}} : tensor<4x64x48xbf16>) init(zero) acc(f32) epilogue(%[[R]][b, m, n] : tensor<4x64x48xf32>) {
  // CHECK: math.tanh
  // CHECK: arith.truncf
  // CHECK-NOT: linalg
  // CHECK: return
  %zp = "tosa.const"() {values = dense<0.0> : tensor<1xbf16>} : () -> tensor<1xbf16>
  %0 = tosa.matmul %x, %w, %zp, %zp : (tensor<4x64x32xbf16>, tensor<4x32x48xbf16>, tensor<1xbf16>, tensor<1xbf16>) -> tensor<4x64x48xf32>
  %1 = tosa.add %0, %r : (tensor<4x64x48xf32>, tensor<4x64x48xf32>) -> tensor<4x64x48xf32>
  %2 = tosa.tanh %1 : (tensor<4x64x48xf32>) -> tensor<4x64x48xf32>
  %3 = tosa.cast %2 : (tensor<4x64x48xf32>) -> tensor<4x64x48xbf16>
  return %3 : tensor<4x64x48xbf16>
}
