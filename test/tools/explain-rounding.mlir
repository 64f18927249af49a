// A product that is rounded before further arithmetic, as a convolution of torch before its batch norm: ptxas does not
// serialize wgmma, whatever the consumers.

// REQUIRES: ptxas
// DEFINE: %{schedule} =
// DEFINE: %{check} = hone explain %s --arch=h200 --assemble --schedule='ws, side = a, %{schedule}' | FileCheck %s
// REDEFINE: %{schedule} = tile = 128x64x64, consumers = 1x1, teams = 2, persistent = yes, stages = 7
// RUN: %{check}
// REDEFINE: %{schedule} = tile = 128x128x64, consumers = 2x1, stages = 4
// RUN: %{check}

// CHECK-NOT: {{^ +fault }}
// CHECK: {{^matmul 2$}}
// CHECK-NOT: {{^ +fault }}
// CHECK: assembled {{.*}} 0 bytes spilled
// CHECK-NOT: {{^ +fault }}

func.func @f16(%a: tensor<31360x144xf16>, %b: tensor<144x120xf16>, %v: tensor<120xf32>) -> tensor<31360x120xf16> {
  %empty = tensor.empty() : tensor<31360x120xf32>
  %zero = arith.constant 0.0 : f32
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<31360x120xf32>) -> tensor<31360x120xf32>
  %sums = linalg.matmul ins(%a, %b : tensor<31360x144xf16>, tensor<144x120xf16>) outs(%fill : tensor<31360x120xf32>) -> tensor<31360x120xf32>
  %out = tensor.empty() : tensor<31360x120xf16>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%sums, %v : tensor<31360x120xf32>, tensor<120xf32>) outs(%out : tensor<31360x120xf16>) {
  ^bb0(%sum: f32, %x: f32, %old: f16):
    %1 = arith.truncf %sum : f32 to f16
    %2 = arith.extf %1 : f16 to f32
    %3 = arith.subf %2, %x : f32
    %4 = arith.truncf %3 : f32 to f16
    linalg.yield %4 : f16
  } -> tensor<31360x120xf16>
  return %0 : tensor<31360x120xf16>
}

func.func @bf16(%a: tensor<31360x144xbf16>, %b: tensor<144x120xbf16>, %v: tensor<120xf32>) -> tensor<31360x120xbf16> {
  %empty = tensor.empty() : tensor<31360x120xf32>
  %zero = arith.constant 0.0 : f32
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<31360x120xf32>) -> tensor<31360x120xf32>
  %sums = linalg.matmul ins(%a, %b : tensor<31360x144xbf16>, tensor<144x120xbf16>) outs(%fill : tensor<31360x120xf32>) -> tensor<31360x120xf32>
  %out = tensor.empty() : tensor<31360x120xbf16>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%sums, %v : tensor<31360x120xf32>, tensor<120xf32>) outs(%out : tensor<31360x120xbf16>) {
  ^bb0(%sum: f32, %x: f32, %old: bf16):
    %1 = arith.truncf %sum : f32 to bf16
    %2 = arith.extf %1 : bf16 to f32
    %3 = arith.subf %2, %x : f32
    %4 = arith.truncf %3 : f32 to bf16
    linalg.yield %4 : bf16
  } -> tensor<31360x120xbf16>
  return %0 : tensor<31360x120xbf16>
}
