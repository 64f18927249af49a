func.func @matmul(%a: tensor<1024x512xf16>, %b: tensor<512x2048xf16>) -> tensor<1024x2048xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1024x2048xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<1024x2048xf32>) -> tensor<1024x2048xf32>
  %c = linalg.matmul ins(%a, %b : tensor<1024x512xf16>, tensor<512x2048xf16>)
    outs(%init : tensor<1024x2048xf32>) -> tensor<1024x2048xf32>
  return %c : tensor<1024x2048xf32>
}
// The example of README.md and of `./bootstrap.sh demo`.
// RUN: hone-opt %s --pass-pipeline='builtin.module(hone-pipeline{arch=sm_90a})' | FileCheck %s
// RUN: mlir-opt %plugin %s --pass-pipeline='builtin.module(hone-pipeline{arch=sm_90a})' | FileCheck %s
// CHECK-DAG: gpu.binary @{{.*}} assembly = "{{.*}}.target sm_90a
// CHECK-DAG: llvm.func @honeLaunch(
// CHECK-DAG: func.func @matmul(
