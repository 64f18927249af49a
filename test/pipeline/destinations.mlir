// With results=destinations a kernel writes into the caller's memory: there is no other, and
// no copy.
//
// RUN: not hone-opt %s --hone-pipeline="arch=sm_80 results=pointers" 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: option 'results': expected one of returned, destinations, but got 'pointers'
// RUN: hone-opt %s --hone-pipeline="arch=sm_80 guess=false results=destinations" | FileCheck %s
// CHECK-LABEL: func.func @product(
// CHECK-SAME: memref<24x56xf32> {bufferize.result}
// CHECK-NOT: gpu.alloc
// CHECK-NOT: honeCopy
// CHECK: llvm.call @honeLaunch
// CHECK-NOT: honeCopy
func.func @product(%a: tensor<24x64xf16>, %b: tensor<64x56xf16>) -> tensor<24x56xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<24x56xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<24x56xf32>) -> tensor<24x56xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<24x64xf16>, tensor<64x56xf16>) outs(%f : tensor<24x56xf32>) -> tensor<24x56xf32>
  return %0 : tensor<24x56xf32>
}

// Nor where the result is a matrix with another shape.
// CHECK-LABEL: func.func @reshaped(
// CHECK-SAME: memref<4x6x56xf32> {bufferize.result}
// CHECK-NOT: gpu.alloc
// CHECK-NOT: honeCopy
// CHECK: llvm.call @honeLaunch
// CHECK-NOT: honeCopy
func.func @reshaped(%a: tensor<4x6x64xf16>, %b: tensor<64x56xf16>, %r: tensor<4x6x56xf32>) -> tensor<4x6x56xf32> {
  %rows = tensor.collapse_shape %a [[0, 1], [2]] : tensor<4x6x64xf16> into tensor<24x64xf16>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<24x56xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<24x56xf32>) -> tensor<24x56xf32>
  %0 = linalg.matmul ins(%rows, %b : tensor<24x64xf16>, tensor<64x56xf16>) outs(%f : tensor<24x56xf32>) -> tensor<24x56xf32>
  %1 = tensor.expand_shape %0 [[0, 1], [2]] output_shape [4, 6, 56] : tensor<24x56xf32> into tensor<4x6x56xf32>
  %2 = arith.addf %1, %r : tensor<4x6x56xf32>
  return %2 : tensor<4x6x56xf32>
}

// A result that is given twice is written once, and copied to the other place.
// CHECK-LABEL: func.func @twice(
// CHECK-SAME: memref<24x56xf32> {bufferize.result}, {{.*}}: memref<24x56xf32> {bufferize.result}
// CHECK-NOT: gpu.alloc
// CHECK: llvm.call @honeLaunch
// CHECK: llvm.call @honeCopy
// CHECK-NOT: gpu.alloc
func.func @twice(%a: tensor<24x64xf16>, %b: tensor<64x56xf16>) -> (tensor<24x56xf32>, tensor<24x56xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<24x56xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<24x56xf32>) -> tensor<24x56xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<24x64xf16>, tensor<64x56xf16>) outs(%f : tensor<24x56xf32>) -> tensor<24x56xf32>
  return %0, %0 : tensor<24x56xf32>, tensor<24x56xf32>
}

// Nor where the shape is known at run time alone.
// CHECK-LABEL: func.func @dynamic(
// CHECK-SAME: memref<?x56xf32> {bufferize.result}
// CHECK-NOT: gpu.alloc
// CHECK-NOT: honeCopy
// CHECK: llvm.call @honeLaunch
// CHECK-NOT: honeCopy
// No caller in the module can allocate it before the call: there, a function returns the product.
// CHECK: func.func private @dynamic_0({{.*}}) -> memref<?x56xf32>
// CHECK: gpu.alloc
// CHECK-LABEL: func.func @caller(
// CHECK-SAME: memref<?x56xf32> {bufferize.result}
// CHECK: call @dynamic_0
// CHECK: llvm.call @honeCopy
func.func @dynamic(%a: tensor<?x64xf16>, %b: tensor<64x56xf16>) -> tensor<?x56xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %a, %c0 : tensor<?x64xf16>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%m) : tensor<?x56xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x56xf32>) -> tensor<?x56xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<?x64xf16>, tensor<64x56xf16>) outs(%f : tensor<?x56xf32>) -> tensor<?x56xf32>
  return %0 : tensor<?x56xf32>
}
func.func @caller(%a: tensor<?x64xf16>, %b: tensor<64x56xf16>) -> tensor<?x56xf32> {
  %0 = call @dynamic(%a, %b) : (tensor<?x64xf16>, tensor<64x56xf16>) -> tensor<?x56xf32>
  return %0 : tensor<?x56xf32>
}
